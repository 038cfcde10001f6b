/* SPDX-License-Identifier: MIT
 * What a shader computes, from the files alone.  Written from docs/FORMATS.md, not from the encoder. */
#ifndef BWI_DECODE_DECODE_H
#define BWI_DECODE_DECODE_H

#include "base/error.h"
#include "base/thread.h"
#include "model/manifest.h"
#include "model/openvat.h"

typedef struct bwi_decoder bwi_decoder;

/* Frames whose texels one page holds. */
typedef struct bwi_page_range {
    uint32_t first_frame, frame_count; /* of all frames of all clips */
} bwi_page_range;

/* Opens a bake: the manifest or OpenVAT's JSON, the mesh, and where each element's texel is (by its UV).
 * Out: decoder — from env->mem, free with bwi_decoder_free.  In: findings — gets what differs from the manifest: sizes, hashes, counts, UV
 * centres, order hash.
 * Err: what reading the manifest gives; BW_ERR_DIFFERS where the files cannot be decoded as the manifest says (a finding says why). */
bw_result bwi_decoder_open(bwi_decoder **decoder, const char *manifest_path, const bwi_env *env, bwi_warnings *findings, bw_error *error);
void bwi_decoder_free(bwi_decoder *decoder); /* NULL-safe */

const bwi_manifest *bwi_decoder_manifest(const bwi_decoder *decoder);
/* Of a bake that OpenVAT made: its JSON; the manifest is then made up, with all frames as one clip.  NULL: the bake is one of ours. */
const bwi_openvat_info *bwi_decoder_foreign(const bwi_decoder *decoder);
/* What is as the format says and may still go wrong in an engine; of bakes that OpenVAT made. */
const bwi_warnings *bwi_decoder_notes(const bwi_decoder *decoder);
/* The element that each vertex of a level of detail reads, by its mesh's UVs.  NULL: bone and rigid mode, where it has a place of its own. */
const uint32_t *bwi_decoder_level_elements(const bwi_decoder *decoder, size_t level);
uint32_t bwi_decoder_page_count(const bwi_decoder *decoder);
bwi_page_range bwi_decoder_page_range(const bwi_decoder *decoder, uint32_t page);
/* Reads a page's textures; one page is held at a time.  Err: FILE_*, DIFFERS (not the size or type that the manifest says), MALFORMED, MEMORY. */
bw_result bwi_decoder_load_page(bwi_decoder *decoder, uint32_t page, const bwi_env *env, bw_error *error);

/* Arrays of one frame, [V][3] each; normals and tangents are unit vectors, NULL where not wanted. */
typedef struct bwi_decoded { float *positions, *normals, *tangents; } bwi_decoded;

/* Floats of scratch memory that decoding a frame needs: one block a thread. */
size_t bwi_decoder_scratch_size(const bwi_decoder *decoder);
/* A frame of the page loaded last, in the space of the texture data.  In: clip — of the manifest; frame — of all frames, on the page and in the
 * clip.  Arithmetic is float, in the order docs/FORMATS.md gives.  Allocates nothing; thread-safe on one loaded page. */
void bwi_decoder_frame(const bwi_decoder *decoder, const bwi_decoded *out, uint32_t clip, uint32_t frame, float *scratch);
/* The pose a shader shows between a frame and the next, which is on the page too: vertices or bones are mixed as the mode has it.
 * In: at — the frame, decoded; t in [0, 1]. */
void bwi_decoder_between(const bwi_decoder *decoder, const bwi_decoded *out, const bwi_decoded *at, uint32_t clip, uint32_t frame, float t,
                         float *scratch);
/* The vertices of a level of detail, alike.  Out: positions — [vertices of the level][3]. */
void bwi_decoder_level_frame(const bwi_decoder *decoder, size_t level, float *positions, uint32_t clip, uint32_t frame, float *scratch);
/* The position of one vertex, alike. */
void bwi_decoder_position(const bwi_decoder *decoder, float position[3], uint32_t clip, uint32_t frame, uint32_t element);
/* Puts root motion back, in place, in the space of the texture data: the track at frame + t, mixed linearly.  Nothing where the clip has none,
 * and in a closing frame, which shows the first one's pose.  In: count — vertices; frame — of the clip; t in [0, 1), 0 for the last frame. */
void bwi_decoder_restore_root(const bwi_decoder *decoder, const bwi_decoded *decoded, size_t count, uint32_t clip, uint32_t frame, double t);
/* World matrix of an attachment, root motion put back.  Out: matrix — column-major, glTF's axes and metres.  In: attachment — index in the
 * clip's list; frame — of the clip. */
void bwi_decoder_attachment(const bwi_decoder *decoder, double matrix[16], uint32_t clip, uint32_t attachment, uint32_t frame);
/* From the space of the texture data to glTF's axes and metres, in place. */
void bwi_decoder_to_gltf(const bwi_decoder *decoder, const bwi_decoded *decoded, size_t count);
/* What the bake stores: normals and tangents may be asked for only if so. */
bool bwi_decoder_has_normals(const bwi_decoder *decoder);
bool bwi_decoder_has_tangents(const bwi_decoder *decoder);
/* Step of one code along each axis of a clip's bounds, or the largest rounding of a float container inside them; with bones the most that
 * their rounding may move a vertex.  Texture space; bones: of the pages loaded so far. */
void bwi_decoder_resolution(const bwi_decoder *decoder, uint32_t clip, float step[3]);

#endif
