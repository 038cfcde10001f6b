/* SPDX-License-Identifier: MIT
 * The files of a bake made by hand, texel by texel, for tests of what reads them. */
#include "bake_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "gltf_text.h"
#include "image_fixture.h"

static void need(bool ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "bake_fixture: %s\n", what);
        abort();
    }
}

void bake_begin(bake_fixture *f, uint32_t v, uint32_t h, uint32_t frames) {
    need(v <= BAKE_VERTICES, "out of vertices");
    memset(f, 0, sizeof *f);
    bwi_mem_init(&f->mem, 0);
    f->arena = bwi_arena_create(&f->mem);
    f->env = (bwi_env){&f->mem, 1, NULL};
    for (uint32_t i = 0; i < v; i++) {
        f->positions[3 * i] = (float)i;
        f->uvs[2 * i] = (float)((i + 0.5) / v);
        f->uvs[2 * i + 1] = (float)(0.5 / h);
    }
    f->source = (bwi_manifest_file){"source.glb", 1, {0}};
    f->clips[0] = (bwi_manifest_clip){.name = "A",
                                      .frame_count = frames,
                                      .rate_fps = 1,
                                      .duration_s = frames - 1,
                                      .bounds_max = {1, 1, 1},
                                      .source_end_s = frames - 1};
    bwi_manifest *m = &f->manifest;
    *m = (bwi_manifest){.generator = "test",
                        .mode = BW_VAT_MODE_VERTEX,
                        .layout = BW_VAT_LAYOUT_NATIVE,
                        .engine = BW_ENGINE_GENERIC,
                        .format = BW_VAT_FORMAT_PNG16,
                        .space = {"y", "right", "m"},
                        .mesh = {"mesh.glb", 0, {0}},
                        .uv_set = 1,
                        .element_count = v,
                        .frame_count = frames,
                        .rows_per_frame = 1,
                        .frames_per_page = frames};
    m->textures.data = f->textures;
    m->clips.data = f->clips;
    m->clips.count = 1;
    m->source.data = &f->source;
    m->source.count = 1;
}

bwi_manifest_texture *bake_texture(bake_fixture *f, bwi_texture_role role, uint32_t page, uint32_t width,
                                   uint32_t height, bw_vat_format format, bwi_texture_decode decode,
                                   const void *texels) {
    const size_t k = f->manifest.textures.count++;
    need(k < BAKE_TEXTURES, "out of textures");
    f->texels[k] = texels;
    f->textures[k] = (bwi_manifest_texture){.file = bwi_arena_printf(f->arena, "texture.%zu", k),
                                            .role = role,
                                            .page = page,
                                            .width = width,
                                            .height = height,
                                            .format = format,
                                            .decode = decode};
    if (role == BWI_ROLE_POSITION || role == BWI_ROLE_BONES)
        f->manifest.format = format;
    return &f->textures[k];
}

static void hash_file(const char *name, uint64_t *bytes, uint8_t hash[16]) {
    size_t size;
    uint8_t *data = image_read_bytes(image_path(name), &size);
    const bwi_hash128 found = bwi_hash(data, size);
    *bytes = size;
    memcpy(hash, found.bytes, sizeof found.bytes);
    free(data);
}

void bake_bones(bake_fixture *f, bw_vat_mode mode, uint32_t count, uint32_t texel_count, bw_vat_skin_in skin_in,
                uint32_t influence_count) {
    const char **names = bwi_arena_alloc(f->arena, count, sizeof *names);
    need(names != NULL, "out of memory");
    for (uint32_t k = 0; k < count; k++)
        names[k] = bwi_arena_printf(f->arena, "bone %u", k);
    f->manifest.mode = mode;
    f->manifest.bones = (bwi_manifest_bones){.count = count,
                                             .texel_count = texel_count,
                                             .per_row = count,
                                             .influence_count = influence_count,
                                             .skin_in = skin_in,
                                             .pivot_max = {1, 1, 1},
                                             .names = names};
    for (size_t c = 0; c < BAKE_CLIPS; c++) {
        for (int k = 0; k < 3; k++)
            f->clips[c].pivot_max[k] = 1;
        f->clips[c].max_scale = 1;
    }
    if (skin_in == BW_VAT_SKIN_IN_MESH) {
        f->manifest.uv_set = BW_NO_INDEX;
        f->influences = influence_count;
    }
}

/* Text and data of a mesh's accessors, one view each. */
typedef struct mesh_writer {
    char attributes[512], accessors[2048], views[2048];
    uint8_t bin[64 * BAKE_VERTICES];
    uint32_t count, size;
} mesh_writer;

static void add(mesh_writer *w, const char *names, const char *type, int component, const void *data, uint32_t size,
                uint32_t v, const char *more) {
    const char *comma = w->count ? "," : "";
    snprintf(w->attributes + strlen(w->attributes), sizeof w->attributes - strlen(w->attributes), "%s%s", comma, names);
    snprintf(w->accessors + strlen(w->accessors), sizeof w->accessors - strlen(w->accessors),
             "%s{'bufferView':%u,'componentType':%d,'type':'%s','count':%u%s}", comma, w->count, component, type, v,
             more);
    snprintf(w->views + strlen(w->views), sizeof w->views - strlen(w->views),
             "%s{'buffer':0,'byteOffset':%u,'byteLength':%u}", comma, w->size, size);
    memcpy(w->bin + w->size, data, size);
    w->size += size;
    w->count++;
}

/* Four influences a vertex of one set. */
static void add_set(mesh_writer *w, const char *name, uint32_t set, const uint16_t *data, uint32_t influences,
                    uint32_t v, const char *more) {
    uint16_t four[4 * BAKE_VERTICES];
    char attribute[40];
    for (uint32_t i = 0; i < v; i++)
        memcpy(four + 4 * i, data + influences * i + 4 * set, 4 * sizeof *four);
    snprintf(attribute, sizeof attribute, "'%s_%u':%u", name, set, w->count);
    add(w, attribute, "VEC4", 5123, four, 8 * v, v, more);
}

void bake_write_mesh(bake_fixture *f) {
    const uint32_t v = f->manifest.element_count, uv_set = f->manifest.uv_set;
    mesh_writer w = {.count = 0};
    char json[6144], sets[512] = "";
    add(&w, "'POSITION':0", "VEC3", 5126, f->positions, 12 * v, v, ",'min':[-9,-9,-9],'max':[9,9,9]");
    for (uint32_t n = 0; uv_set != BW_NO_INDEX && n <= uv_set; n++)
        snprintf(sets + strlen(sets), sizeof sets - strlen(sets), "%s'TEXCOORD_%u':1", n ? "," : "", n);
    if (uv_set != BW_NO_INDEX)
        add(&w, sets, "VEC2", 5126, f->uvs, 8 * v, v, "");
    if (f->has_normals) {
        snprintf(sets, sizeof sets, "'NORMAL':%u", w.count);
        add(&w, sets, "VEC3", 5126, f->normals, 12 * v, v, "");
    }
    for (uint32_t set = 0; 4 * set < f->influences; set++) {
        add_set(&w, "JOINTS", set, f->joints, f->influences, v, "");
        add_set(&w, "WEIGHTS", set, f->weights, f->influences, v, ",'normalized':true");
    }
    snprintf(json, sizeof json,
             "{'asset':{'version':'2.0'},'scene':0,'scenes':[{'nodes':[0]}],'nodes':[{'mesh':0}],"
             "'meshes':[{'primitives':[{'mode':0,'attributes':{%s}}]}],'accessors':[%s],'bufferViews':[%s],"
             "'buffers':[{'byteLength':%u}]}",
             w.attributes, w.accessors, w.views, w.size);
    size_t size;
    uint8_t *glb = make_glb(json, w.bin, w.size, &size);
    image_write_bytes(image_path(f->manifest.mesh.file), glb, size);
    free(glb);
    hash_file(f->manifest.mesh.file, &f->manifest.mesh.bytes, f->manifest.mesh.hash);
}

void bake_write_files(bake_fixture *f) {
    for (size_t k = 0; k < f->manifest.textures.count; k++) {
        bwi_manifest_texture *t = &f->textures[k];
        const bwi_format_info *info = bwi_format_info_of(t->format);
        const bwi_texels texels = {t->width, t->height, info->type, (void *)(uintptr_t)f->texels[k]};
        const image_kind kind = {info->name, info->container, info->type};
        need(image_save(image_path(t->file), &kind, &texels, &f->env, NULL) == BW_OK, "a texture cannot be written");
        hash_file(t->file, &t->bytes, t->hash);
    }
    bake_write_mesh(f);
    bwi_hasher hasher;
    bwi_hasher_init(&hasher);
    bwi_hasher_add_floats(&hasher, f->positions, 3 * (size_t)f->manifest.element_count);
    const bwi_hash128 hash = bwi_hasher_end(&hasher);
    memcpy(f->manifest.order_hash, hash.bytes, sizeof hash.bytes);
}

void bake_write_manifest(bake_fixture *f) {
    FILE *file = fopen(image_path("bake.json"), "wb");
    need(file && bwi_manifest_write(file, "bake.json", &f->manifest, &f->mem, NULL) == BW_OK && fclose(file) == 0,
         "the manifest cannot be written");
}

bw_result bake_open(bake_fixture *f) {
    bwi_decoder_free(f->decoder);
    f->decoder = NULL;
    bwi_warnings_init(&f->findings, f->arena);
    f->error = (bw_error){0};
    return bwi_decoder_open(&f->decoder, image_path("bake.json"), &f->env, &f->findings, &f->error);
}

uint64_t bake_found(const bake_fixture *f, const char *code) {
    for (size_t i = 0; i < f->findings.count; i++)
        if (strcmp(f->findings.data[i].code, code) == 0)
            return f->findings.data[i].count;
    return 0;
}

void bake_expect_found(bake_fixture *f, bw_result result, const char *code, uint64_t count, const char *first) {
    const bw_result found = bake_open(f);
    if (found != result)
        fail_msg("%s: %s instead of %s: %s", code, bw_result_name(found), bw_result_name(result), f->error.message);
    if (f->findings.count != 1 || bake_found(f, code) != count || !strstr(f->findings.data[0].first, first))
        fail_msg("%zu findings, first '%s' %u times: %s", f->findings.count,
                 f->findings.count ? f->findings.data[0].code : "",
                 f->findings.count ? (unsigned)f->findings.data[0].count : 0,
                 f->findings.count ? f->findings.data[0].first : "");
}

void bake_end(bake_fixture *f) {
    bwi_decoder_free(f->decoder);
    bwi_arena_free(f->arena);
    need(f->mem.used == 0, "memory of the decoder leaked");
}
