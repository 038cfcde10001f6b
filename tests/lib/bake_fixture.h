/* SPDX-License-Identifier: MIT
 * The files of a bake made by hand, texel by texel, for tests of what reads them. */
#ifndef TESTS_BAKE_FIXTURE_H
#define TESTS_BAKE_FIXTURE_H

#include "decode/decode.h"

enum { BAKE_VERTICES = 8, BAKE_TEXTURES = 8, BAKE_CLIPS = 4 };

/* Everything may be changed between the calls below; each call shows in what follows it. */
typedef struct bake_fixture {
    bwi_mem mem;
    bwi_arena *arena;
    bwi_env env;
    float positions[3 * BAKE_VERTICES], uvs[2 * BAKE_VERTICES]; /* of the mesh; element_count of the manifest counts them */
    float normals[3 * BAKE_VERTICES];                           /* written where has_normals */
    bool has_normals;
    uint32_t influences;                                        /* 0: no joints in the mesh */
    uint16_t joints[8 * BAKE_VERTICES], weights[8 * BAKE_VERTICES]; /* [v][influences] */
    bwi_manifest manifest;
    bwi_manifest_texture textures[BAKE_TEXTURES];
    const void *texels[BAKE_TEXTURES]; /* of each texture */
    bwi_manifest_clip clips[BAKE_CLIPS];
    bwi_manifest_file source;
    bwi_decoder *decoder;
    bwi_warnings findings; /* of the last bake_open, and what comes after it */
    bw_error error;
} bake_fixture;

/* v points on a line, UVs at the centres of one row of v texels and h rows; native, one clip "A" of `frames` frames over 0 … frames − 1 s,
 * sides 1, no textures yet.  Files go to image_fixture.h's folder. */
void bake_begin(bake_fixture *f, uint32_t v, uint32_t h, uint32_t frames);
bwi_manifest_texture *bake_texture(bake_fixture *f, bwi_texture_role role, uint32_t page, uint32_t width, uint32_t height, bw_vat_format format,
                                   bwi_texture_decode decode, const void *texels);
/* Bones of a manifest: mode, T, influences; B bones in one row.  Names are made up; pivots and scales stay 0 … 1. */
void bake_bones(bake_fixture *f, bw_vat_mode mode, uint32_t count, uint32_t texel_count, bw_vat_skin_in skin_in, uint32_t influence_count);
/* Writes textures and mesh, and fills sizes and hashes, the order hash among them. */
void bake_write_files(bake_fixture *f);
void bake_write_mesh(bake_fixture *f);
/* Writes the manifest as it is now. */
void bake_write_manifest(bake_fixture *f);
/* Opens the decoder; closes the one before. */
bw_result bake_open(bake_fixture *f);
/* Count of a finding; 0: not given. */
uint64_t bake_found(const bake_fixture *f, const char *code);
/* Opens; the finding must be there so often, its first place hold `first`, and no other be there. */
void bake_expect_found(bake_fixture *f, bw_result result, const char *code, uint64_t count, const char *first);
void bake_end(bake_fixture *f);

#endif
