/* SPDX-License-Identifier: MIT
 * Opening a bake: the manifest, the mesh, each element's texel, and what differs. */
#include <string.h>

#include "decode/decode_priv.h"
#include "base/file.h"
#include "format.h"
#include "image/image.h"
#include "read/read.h"
#include "scene/scene.h"

/* A UV is computed in float: at 16,384 columns its rounding is 1/2,048 texel; an exporter's quantisation would show as far more. */
#define CENTRE_TOLERANCE (1.0 / 256.0)

/* The manifest's reader has seen to it that each page has one texture of positions or bones, and each or none one of normals. */
static bw_result list_pages(bwi_decoder *d, bw_error *error) {
    const bwi_manifest *m = d->manifest;
    d->pages = bwi_arena_alloc(d->arena, m->textures.count, sizeof *d->pages);
    if (!d->pages)
        return bwi_fail_memory(error, NULL, d->mem, m->textures.count * sizeof *d->pages);
    for (size_t k = 0; k < m->textures.count; ++k) {
        const bwi_manifest_texture *t = &m->textures.data[k];
        if (t->role == BWI_ROLE_WEIGHTS)
            continue;
        if (t->role == BWI_ROLE_NORMAL) {
            d->pages[t->page].normal = t;
            continue;
        }
        d->pages[t->page].position = t;
        ++d->page_count;
    }
    return BW_OK;
}

/* Whether texels of a format can mean this: absolute positions need floats, bounds codes; a packed normal 16 bits; a tangent more than the
 * 2 bits of RGB10A2's alpha. */
static bool can_decode(const bwi_manifest_texture *texture, bw_vat_layout layout) {
    const bool of_openvat = texture->decode >= BWI_DECODE_OFFSET && texture->decode <= BWI_DECODE_NORMAL;
    if (of_openvat != (layout == BW_VAT_LAYOUT_OPENVAT))
        return false;
    const bwi_texel_type type = bwi_format_info_of(texture->format)->type;
    switch (texture->decode) {
    case BWI_DECODE_BOUNDS:
        return !bwi_texel_is_float(type);
    case BWI_DECODE_BOUNDS_OCT8:
        return type == BWI_TEXEL_U16;
    case BWI_DECODE_ABSOLUTE:
        return bwi_texel_is_float(type);
    case BWI_DECODE_OCT:
        return true;
    case BWI_DECODE_OCT_OCT:
        return type != BWI_TEXEL_U10;
    case BWI_DECODE_OFFSET:
    case BWI_DECODE_OFFSET_NORMAL:
    case BWI_DECODE_NORMAL:
        return true;
    case BWI_DECODE_BONE_QUATERNION:
    case BWI_DECODE_BONE_MATRIX:
    case BWI_DECODE_WEIGHTS: /* the manifest's reader has seen to it */
        return true;
    }
    return false;
}

/* All pages are alike: one shader plays them.  Only a seed's pages differ in height, and a native page has that of the UVs. */
static bool check_textures(bwi_decoder *d, bwi_warnings *findings) {
    const bwi_manifest *m = d->manifest;
    const bool seed = m->layout == BW_VAT_LAYOUT_SEED;
    const bwi_manifest_texture *first = d->pages[0].position, *first_normal = d->pages[0].normal;
    d->width = first->width;
    d->rows = m->bones.count ? m->rows_per_frame : m->element_count / d->width + (m->element_count % d->width != 0);
    d->stride = m->layout == BW_VAT_LAYOUT_OPENVAT ? m->frame_count : 1;
    d->has_normals =
        first->decode == BWI_DECODE_BOUNDS_OCT8 || first->decode == BWI_DECODE_OFFSET_NORMAL || first_normal;
    d->has_tangents = first_normal && first_normal->decode == BWI_DECODE_OCT_OCT;
    bool ok = m->rows_per_frame == d->rows;
    if (!ok)
        bwi_warn(findings, "rows", 1, "a frame has another number of rows than its elements need",
                 "%u rows, expected %u for %u elements in %u columns", m->rows_per_frame, d->rows, m->element_count,
                 d->width);
    if (first->decode == BWI_DECODE_OFFSET_NORMAL && first->height / 2 < (uint64_t)m->frame_count * m->rows_per_frame) {
        bwi_warn(findings, "normal-rows", 1,
                 "half the texture's height is less than the frames need, so normals have no room",
                 "%u rows for %u frames", first->height, m->frame_count);
        ok = false;
    }
    for (size_t k = 0; k < m->textures.count; ++k) {
        const bwi_manifest_texture *t = &m->textures.data[k];
        const bwi_manifest_texture *like = t->role == BWI_ROLE_NORMAL ? first_normal : first;
        if (t->role == BWI_ROLE_WEIGHTS)
            continue;
        const uint32_t height = seed ? d->pages[t->page].position->height : first->height;
        if (t->decode == like->decode && t->format == like->format && t->height == height && can_decode(t, m->layout))
            continue;
        bwi_warn(findings, "texture-differs", 1,
                 "a texture has another height, format or meaning than the bake's other pages, or a meaning that its "
                 "format cannot hold",
                 "%s", t->file);
        ok = false;
    }
    return ok;
}

/* Before anything is as large as the manifest says. */
static bool count_vertices(uint32_t expected, const bw_scene *scene, bwi_warnings *findings) {
    uint64_t count = 0;
    for (size_t k = 0; k < scene->meshes.count; ++k)
        for (size_t j = 0; j < scene->meshes.data[k].primitives.count; ++j)
            count += scene->meshes.data[k].primitives.data[j].vertex_count;
    if (count == expected)
        return true;
    bwi_warn(findings, "element-count", 1,
             "the mesh has another number of vertices than the manifest says: it was re-exported or welded",
             "%llu, expected %u", (unsigned long long)count, expected);
    return false;
}

/* A mesh of the bake. */
typedef struct baked_mesh {
    const char *file;
    uint32_t vertex_count;
    const uint8_t *order_hash; /* NULL: none is known */
} baked_mesh;

/* Texels that UVs may point at. */
typedef struct uv_grid {
    double height;                /* of the texture */
    uint32_t width, rows, stride; /* rows at 0, stride, 2 stride … of so many times the stride */
} uv_grid;

static const bwi_manifest_texture *weight_texture(const bwi_decoder *d) {
    const bwi_manifest *m = d->manifest;
    for (size_t k = 0; k < m->textures.count; ++k)
        if (m->textures.data[k].role == BWI_ROLE_WEIGHTS)
            return &m->textures.data[k];
    return NULL;
}

static uv_grid grid_of(const bwi_decoder *d) {
    const bwi_manifest *m = d->manifest;
    const bwi_manifest_texture *weights = weight_texture(d);
    if (weights)
        return (uv_grid){weights->height, weights->width,
                         m->element_count / weights->width + (m->element_count % weights->width != 0), 1};
    return (uv_grid){m->layout == BW_VAT_LAYOUT_SEED ? 1.0 : (double)d->pages[0].position->height, d->width, d->rows,
                     d->stride};
}

/* Texel of every vertex by the mesh's UV, as a vertex shader finds it.  Out: texel — [vertices]; NULL: its UVs say nothing. */
static bool place_vertices(uint32_t *texel, const bwi_decoder *d, const baked_mesh *mesh, const bw_scene *scene,
                           bwi_warnings *findings) {
    const bwi_manifest *m = d->manifest;
    const uv_grid grid = grid_of(d);
    bwi_hasher hasher;
    bwi_hasher_init(&hasher);
    uint32_t element = 0;
    bool placed = true;
    for (size_t k = 0; k < scene->meshes.count; ++k)
        for (size_t j = 0; j < scene->meshes.data[k].primitives.count; ++j) {
            const bw_primitive *p = &scene->meshes.data[k].primitives.data[j];
            const float *uv = m->uv_set < p->uv_sets.count ? p->uv_sets.data[m->uv_set] : NULL;
            bwi_hasher_add_floats(&hasher, p->positions, 3 * (size_t)p->vertex_count);
            for (uint32_t i = 0; texel && i < p->vertex_count; ++i, ++element) {
                const double u = uv ? (double)uv[2 * i] * grid.width : -1.0;
                const double v = uv ? (double)uv[2 * i + 1] * grid.height : -1.0;
                const uint32_t row_end = grid.rows * grid.stride;
                const bool inside = u >= 0.0 && u < grid.width && v >= 0.0 && v < row_end;
                if (!inside || (uint32_t)v % grid.stride != 0) {
                    bwi_warn(
                        findings, "uv-outside", 1,
                        "the mesh's UV set does not point at the elements' texels; it was changed, or is another set",
                        "element %u, TEXCOORD_%u", element, m->uv_set);
                    placed = false;
                    continue;
                }
                const uint32_t column = (uint32_t)u, row = (uint32_t)v;
                const double off_u = u - column - 0.5;
                const double off_v = m->layout == BW_VAT_LAYOUT_SEED ? 0.0 : v - row - 0.5;
                if (off_u * off_u > CENTRE_TOLERANCE * CENTRE_TOLERANCE ||
                    off_v * off_v > CENTRE_TOLERANCE * CENTRE_TOLERANCE)
                    bwi_warn(findings, "uv-centre", 1,
                             "UVs lie off the texels' centres: they were quantised; use full-precision UVs",
                             "element %u", element);
                texel[element] = row * grid.width + column;
            }
        }
    const bwi_hash128 hash = bwi_hasher_end(&hasher);
    if (mesh->order_hash && memcmp(hash.bytes, mesh->order_hash, sizeof hash.bytes) != 0)
        bwi_warn(
            findings, "order-hash", 1,
            "the mesh's vertices have another order or other positions than at the bake; switch off mesh optimisation",
            "%s", mesh->file);
    return placed;
}

bw_result bwi_decoder_begin(bwi_decoder *d, bw_error *error) {
    bwi_invert_space(d->axis, d->sign, &d->metres, &d->manifest->space);
    return list_pages(d, error);
}

bw_result bwi_decoder_read_mesh(bw_scene **scene, bwi_decoder *d, const char *file, const bwi_env *env,
                                bw_error *error) {
    char *path = bwi_path_join(d->arena, d->folder, file);
    if (!path)
        return bwi_fail_memory(error, file, env->mem, strlen(file));
    const bw_scene_opts opts = {.no_images = true,
                                .loose_joints = d->manifest->bones.skin_in == BW_VAT_SKIN_IN_MESH,
                                .run = {.memory_limit = bwi_mem_left(env->mem)}};
    return bwi_read_scene(scene, path, &opts, error);
}

/* Out: texel — [vertices], from env->mem; NULL where UVs say nothing. */
static bw_result place_mesh(uint32_t **texel, const bwi_decoder *d, const baked_mesh *mesh, const bw_scene *scene,
                            const bwi_env *env, bwi_warnings *findings, bw_error *error) {
    bool fits = count_vertices(mesh->vertex_count, scene, findings);
    if (fits && d->manifest->uv_set == BW_NO_INDEX) {
        place_vertices(NULL, d, mesh, scene, findings);
    } else if (fits) {
        *texel = bwi_alloc(env->mem, mesh->vertex_count, sizeof **texel);
        if (!*texel)
            return bwi_fail_memory(error, scene->path, env->mem, mesh->vertex_count * sizeof **texel);
        fits = place_vertices(*texel, d, mesh, scene, findings);
    }
    return fits ? BW_OK
                : bwi_fail(error, BW_ERR_DIFFERS, scene->path, -1, "the mesh does not fit the manifest; bake again");
}

static void turn_rest(bwi_decoder *d, const bw_scene *scene) {
    float *rest = d->rest;
    for (size_t k = 0; k < scene->meshes.count; ++k)
        for (size_t j = 0; j < scene->meshes.data[k].primitives.count; ++j) {
            const bw_primitive *p = &scene->meshes.data[k].primitives.data[j];
            for (size_t i = 0; i < p->vertex_count; ++i, rest += 3)
                for (int axis = 0; axis < 3; ++axis)
                    rest[axis] = d->sign[axis] * p->positions[3 * i + (size_t)d->axis[axis]] / d->metres;
        }
}

bw_result bwi_decoder_place(bwi_decoder *d, const bw_scene *scene, const bwi_env *env, bwi_warnings *findings,
                            bw_error *error) {
    const bwi_manifest *m = d->manifest;
    const baked_mesh mesh = {m->mesh.file, m->element_count, d->foreign ? NULL : m->order_hash};
    bw_result result = place_mesh(&d->texel, d, &mesh, scene, env, findings, error);
    if (result != BW_OK || m->layout != BW_VAT_LAYOUT_OPENVAT)
        return result;
    d->rest = bwi_alloc(env->mem, m->element_count, 3 * sizeof *d->rest);
    if (!d->rest)
        return bwi_fail_memory(error, scene->path, env->mem, m->element_count * 3 * sizeof *d->rest);
    turn_rest(d, scene);
    return BW_OK;
}

/* From texels to the elements that they are of.  Out: elements — in place of texels, [count].  False: a texel that is no element's. */
static bool find_elements(uint32_t *elements, uint32_t count, const uint32_t *element_of) {
    for (uint32_t i = 0; i < count; ++i) {
        if (element_of[elements[i]] == BW_NO_INDEX)
            return false;
        elements[i] = element_of[elements[i]];
    }
    return true;
}

static bw_result load(bwi_decoder *d, bwi_texels *texels, const bwi_manifest_texture *texture, const bwi_env *env,
                      bw_error *error) {
    bwi_texels_free(texels, d->mem);
    const bwi_format_info *format = bwi_format_info_of(texture->format);
    const bwi_texels expected = {texture->width, texture->height, format->type, NULL};
    char *path = bwi_path_join(d->arena, d->folder, texture->file);
    return path ? bwi_image_read(texels, path, format->container, &expected, env, error)
                : bwi_fail_memory(error, texture->file, d->mem, 0);
}

/* In: weights — NULL: no texture has them. */
static bw_result open_bone_mesh(bwi_bone_mesh *out, bwi_decoder *d, const baked_mesh *mesh, const bwi_texels *weights,
                                const bwi_env *env, bwi_warnings *findings, bw_error *error) {
    bw_scene *scene = NULL;
    uint32_t *texel = NULL;
    bw_result result = bwi_decoder_read_mesh(&scene, d, mesh->file, env, error);
    if (result != BW_OK)
        return result;
    result = place_mesh(&texel, d, mesh, scene, env, findings, error);
    if (result == BW_OK)
        result = bwi_bone_mesh_read(out, d, mesh->file, scene, texel, weights, env, findings, error);
    bwi_free(env->mem, texel);
    bwi_scene_free(scene);
    return result;
}

/* The base, its levels, and what their vertices follow. */
static bw_result open_bone_meshes(bwi_decoder *d, const bwi_env *env, bwi_warnings *findings, bw_error *error) {
    const bwi_manifest *m = d->manifest;
    const bwi_manifest_texture *texture = weight_texture(d);
    bwi_texels weights = {0};
    bw_result result = texture ? load(d, &weights, texture, env, error) : BW_OK;
    if (result == BW_OK) {
        const baked_mesh mesh = {m->mesh.file, m->element_count, m->order_hash};
        result = open_bone_mesh(&d->bone_mesh, d, &mesh, texture ? &weights : NULL, env, findings, error);
    }
    d->pivots = bwi_arena_alloc(d->arena, m->bones.count, 3 * sizeof *d->pivots);
    d->bone_levels = bwi_arena_alloc(d->arena, m->levels.count, sizeof *d->bone_levels);
    if (result == BW_OK && (!d->pivots || !d->bone_levels))
        result = bwi_fail_memory(error, m->mesh.file, d->mem, m->bones.count * 3 * sizeof *d->pivots);
    for (size_t k = 0; result == BW_OK && k < m->levels.count; ++k) {
        const bwi_manifest_level *level = &m->levels.data[k];
        const baked_mesh mesh = {level->mesh.file, level->vertex_count, level->order_hash};
        result = open_bone_mesh(&d->bone_levels[k], d, &mesh, texture ? &weights : NULL, env, findings, error);
    }
    bwi_texels_free(&weights, env->mem);
    d->has_normals = d->bone_mesh.normals != NULL;
    d->has_tangents = d->bone_mesh.tangents != NULL;
    return result;
}

static bw_result open_levels(bwi_decoder *d, const bwi_env *env, bwi_warnings *findings, bw_error *error) {
    const bwi_manifest *m = d->manifest;
    const size_t texels = (size_t)d->width * d->rows * d->stride;
    if (!m->levels.count)
        return BW_OK;
    uint32_t *element_of = bwi_alloc(env->mem, texels, sizeof *element_of);
    d->level_elements = bwi_arena_alloc(d->arena, m->levels.count, sizeof *d->level_elements);
    if (!element_of || !d->level_elements) {
        bwi_free(env->mem, element_of);
        return bwi_fail_memory(error, NULL, env->mem, texels * sizeof *element_of);
    }
    memset(element_of, 0xFF, texels * sizeof *element_of);
    for (uint32_t i = 0; i < m->element_count; ++i)
        element_of[d->texel[i]] = i;
    bw_result result = BW_OK;
    for (size_t k = 0; result == BW_OK && k < m->levels.count; ++k) {
        const bwi_manifest_level *level = &m->levels.data[k];
        const baked_mesh mesh = {level->mesh.file, level->vertex_count, level->order_hash};
        bw_scene *scene = NULL;
        result = bwi_decoder_read_mesh(&scene, d, level->mesh.file, env, error);
        if (result == BW_OK) {
            result = place_mesh(&d->level_elements[k], d, &mesh, scene, env, findings, error);
            bwi_scene_free(scene);
        }
        if (result == BW_OK && !find_elements(d->level_elements[k], level->vertex_count, element_of))
            result = bwi_fail(error, BW_ERR_DIFFERS, level->mesh.file, -1,
                              "its UVs point at texels that no vertex of the base has; bake again");
    }
    bwi_free(env->mem, element_of);
    return result;
}

static bw_result open_files(bwi_decoder *d, const char *text, size_t size, const char *manifest_path,
                            const bwi_env *env, bwi_warnings *findings, bw_error *error) {
    bw_result result = bwi_manifest_parse(&d->manifest, d->arena, text, size, manifest_path, error);
    if (result != BW_OK)
        return result;
    const bwi_manifest *m = d->manifest;
    result = bwi_check_file(&m->mesh, d->folder, d->arena, findings, error);
    for (size_t k = 0; result == BW_OK && k < m->textures.count; ++k) {
        const bwi_manifest_texture *t = &m->textures.data[k];
        bwi_manifest_file file = {t->file, t->bytes, {0}};
        memcpy(file.hash, t->hash, sizeof file.hash);
        result = bwi_check_file(&file, d->folder, d->arena, findings, error);
    }
    if (result == BW_OK && m->layout == BW_VAT_LAYOUT_OPENVAT)
        result = bwi_check_file(&m->remap_info, d->folder, d->arena, findings, error);
    for (size_t k = 0; result == BW_OK && k < m->levels.count; ++k)
        result = bwi_check_file(&m->levels.data[k].mesh, d->folder, d->arena, findings, error);
    if (result == BW_OK)
        result = bwi_decoder_begin(d, error);
    if (result != BW_OK)
        return result;
    if (!check_textures(d, findings))
        return bwi_fail(error, BW_ERR_DIFFERS, manifest_path, -1, "the textures do not fit the manifest; bake again");
    if (m->bones.count)
        return open_bone_meshes(d, env, findings, error);
    bw_scene *scene = NULL;
    result = bwi_decoder_read_mesh(&scene, d, m->mesh.file, env, error);
    if (result != BW_OK)
        return result;
    result = bwi_decoder_place(d, scene, env, findings, error);
    bwi_scene_free(scene);
    return result == BW_OK ? open_levels(d, env, findings, error) : result;
}

static bw_result open_any(bwi_decoder *d, const char *path, const bwi_env *env, bwi_warnings *findings,
                          bw_error *error) {
    bwi_map map = {0};
    bw_result result = bwi_map_open(&map, path, env->mem, error);
    if (result != BW_OK)
        return result;
    const char *text = (const char *)map.data;
    if (bwi_openvat_recognise(text, map.size))
        result = bwi_decoder_open_foreign(d, text, map.size, path, env, findings, error);
    else
        result = open_files(d, text, map.size, path, env, findings, error);
    bwi_map_close(&map);
    return result;
}

bw_result bwi_decoder_open(bwi_decoder **decoder, const char *manifest_path, const bwi_env *env, bwi_warnings *findings,
                           bw_error *error) {
    bwi_arena *arena = bwi_arena_create(env->mem);
    bwi_decoder *d = arena ? bwi_arena_alloc(arena, 1, sizeof *d) : NULL;
    if (!d) {
        bwi_arena_free(arena);
        return bwi_fail_memory(error, manifest_path, env->mem, sizeof *d);
    }
    d->arena = arena;
    d->mem = env->mem;
    bwi_warnings_init(&d->notes, arena);
    d->folder = bwi_path_folder(arena, manifest_path);
    bw_result result = d->folder ? open_any(d, manifest_path, env, findings, error)
                                 : bwi_fail_memory(error, manifest_path, env->mem, 0);
    if (result != BW_OK) {
        bwi_decoder_free(d);
        return result;
    }
    *decoder = d;
    return BW_OK;
}

void bwi_decoder_free(bwi_decoder *decoder) {
    if (!decoder)
        return;
    bwi_mem *mem = decoder->mem;
    bwi_texels_free(&decoder->position, mem);
    bwi_texels_free(&decoder->normal, mem);
    bwi_free(mem, decoder->texel);
    bwi_free(mem, decoder->rest);
    bwi_bone_mesh_free(&decoder->bone_mesh, mem);
    for (size_t k = 0; decoder->bone_levels && k < decoder->manifest->levels.count; ++k)
        bwi_bone_mesh_free(&decoder->bone_levels[k], mem);
    for (size_t k = 0; decoder->level_elements && k < decoder->manifest->levels.count; ++k)
        bwi_free(mem, decoder->level_elements[k]);
    bwi_arena_free(decoder->arena);
}

const bwi_manifest *bwi_decoder_manifest(const bwi_decoder *decoder) {
    return decoder->manifest;
}

const bwi_openvat_info *bwi_decoder_foreign(const bwi_decoder *decoder) {
    return decoder->foreign;
}

const bwi_warnings *bwi_decoder_notes(const bwi_decoder *decoder) {
    return &decoder->notes;
}

const uint32_t *bwi_decoder_level_elements(const bwi_decoder *decoder, size_t level) {
    return decoder->level_elements ? decoder->level_elements[level] : NULL;
}

uint32_t bwi_decoder_page_count(const bwi_decoder *decoder) {
    return decoder->page_count;
}

bwi_page_range bwi_decoder_page_range(const bwi_decoder *decoder, uint32_t page) {
    const bwi_manifest *m = decoder->manifest;
    if (m->layout == BW_VAT_LAYOUT_SEED)
        return (bwi_page_range){m->clips.data[page].first_frame, m->clips.data[page].frame_count};
    if (decoder->page_count == 1)
        return (bwi_page_range){0, m->frame_count};
    const uint32_t first = page * (m->frames_per_page - 1), left = m->frame_count - first;
    return (bwi_page_range){first, left < m->frames_per_page ? left : m->frames_per_page};
}

bool bwi_decoder_has_normals(const bwi_decoder *decoder) {
    return decoder->has_normals;
}

bool bwi_decoder_has_tangents(const bwi_decoder *decoder) {
    return decoder->has_tangents;
}

bw_result bwi_decoder_load_page(bwi_decoder *decoder, uint32_t page, const bwi_env *env, bw_error *error) {
    const bwi_manifest_texture *position = decoder->pages[page].position, *normal = decoder->pages[page].normal;
    bw_result result = load(decoder, &decoder->position, position, env, error);
    if (result == BW_OK && normal)
        result = load(decoder, &decoder->normal, normal, env, error);
    decoder->position_decode = position->decode;
    decoder->page = bwi_decoder_page_range(decoder, page);
    if (result == BW_OK && decoder->manifest->bones.count)
        bwi_bone_page(decoder);
    return result;
}
