/* SPDX-License-Identifier: MIT
 * Reading a Pivot Painter 2 bake back: both textures, the meshes, and what in them a shader or Unreal's converter would trip over. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/half.h"
#include "base/hash.h"
#include "base/math.h"
#include "decode/decode_priv.h"
#include "decode/pivot.h"
#include "image/image.h"
#include "read/read.h"
#include "scene/scene.h"

/* A UV is computed in float: at 2,047 columns its rounding is under 1/4,096 texel; an exporter's quantisation would show as far more. */
#define CENTRE_TOLERANCE (1.0 / 256.0)

typedef struct opening {
    bwi_pivot_bake *bake;
    const bwi_pivot_manifest *manifest;
    bwi_arena *arena;
    const char *folder;
    const bwi_env *env;
    bwi_warnings *findings;
    bw_error *error;
} opening;

static bw_result check_files(const opening *o) {
    const bwi_pivot_manifest *m = o->manifest;
    bw_result result = bwi_check_file(&m->mesh, o->folder, o->arena, o->findings, o->error);
    for (size_t k = 0; result == BW_OK && k < m->textures.count; k++)
        result = bwi_check_file(&m->textures.data[k].file, o->folder, o->arena, o->findings, o->error);
    for (size_t k = 0; result == BW_OK && k < m->levels.count; k++)
        result = bwi_check_file(&m->levels.data[k].mesh, o->folder, o->arena, o->findings, o->error);
    return result;
}

/* ---- textures ---- */

/* Values as a sampler without a filter gives them.  Out: values — [height][width][4], in the arena. */
static bw_result read_texture(float **values, const opening *o, const bwi_pivot_texture *texture) {
    const bwi_format_info *format = bwi_format_info_of(texture->format);
    const size_t count = (size_t)texture->width * texture->height * 4;
    const bwi_texels expected = {texture->width, texture->height, format->type, NULL};
    bwi_texels texels = {0};
    char *path = bwi_path_join(o->arena, o->folder, texture->file.file);
    if (!path)
        return bwi_fail_memory(o->error, texture->file.file, o->env->mem, 0);
    bw_result result = bwi_image_read(&texels, path, format->container, &expected, o->env, o->error);
    if (result != BW_OK)
        return result;
    *values = bwi_arena_alloc(o->arena, count, sizeof **values);
    if (!*values)
        result = bwi_fail_memory(o->error, path, o->env->mem, count * sizeof **values);
    for (size_t i = 0; result == BW_OK && i < count; i++)
        (*values)[i] = format->type == BWI_TEXEL_F16 ? bwi_half_to_float(((const uint16_t *)texels.data)[i])
                                                     : (float)((const uint8_t *)texels.data)[i] / 255.0f;
    bwi_texels_free(&texels, o->env->mem);
    return result;
}

static bw_result read_textures(const opening *o) {
    const bwi_pivot_manifest *m = o->manifest;
    float *values = NULL;
    bwi_pivot_maps *maps = &o->bake->maps;
    *maps = (bwi_pivot_maps){.width = m->textures.data[0].width, .height = m->textures.data[0].height};
    for (size_t k = 0; k < m->textures.count; k++) {
        const bwi_pivot_texture *texture = &m->textures.data[k];
        if ((texture->role == BWI_PIVOT_ROLE_POSITION && texture->format != BW_VAT_FORMAT_EXR16) ||
            (texture->role == BWI_PIVOT_ROLE_AXIS && texture->format != BW_VAT_FORMAT_PNG8))
            return bwi_fail(o->error, BW_ERR_DIFFERS, texture->file.file, -1,
                            "is %s, and the stock functions read positions as exr16 and axes as png8; bake again",
                            bwi_format_info_of(texture->format)->name);
        bw_result result = read_texture(&values, o, texture);
        if (result != BW_OK)
            return result;
        if (texture->role == BWI_PIVOT_ROLE_POSITION)
            maps->positions = values;
        else if (texture->role == BWI_PIVOT_ROLE_AXIS)
            maps->axes = values;
    }
    return BW_OK;
}

/* ---- meshes ---- */

static uint64_t count_vertices(const bw_scene *scene, bool *has_normals) {
    uint64_t count = 0;
    *has_normals = true;
    for (size_t k = 0; k < scene->meshes.count; k++) {
        for (size_t j = 0; j < scene->meshes.data[k].primitives.count; j++) {
            count += scene->meshes.data[k].primitives.data[j].vertex_count;
            *has_normals = *has_normals && scene->meshes.data[k].primitives.data[j].normals;
        }
    }
    return count;
}

/* False: no texel of an element is there. */
static bool place(uint32_t *element, const opening *o, const float uv[2], uint64_t vertex, const char *file) {
    const bwi_pivot_maps *maps = &o->bake->maps;
    const double u = (double)uv[0] * maps->width, v = (double)uv[1] * maps->height;
    *element = bwi_pivot_element_at(maps, uv);
    if (!(u >= 0 && u < maps->width && v >= 0 && v < maps->height) || *element >= o->manifest->facts.element_count) {
        bwi_warn(o->findings, "uv-outside", 1,
                 "the mesh's UV set does not point at the elements' texels; it was changed, or is another set",
                 "%s: vertex %llu, TEXCOORD_%u", file, (unsigned long long)vertex, o->manifest->uv_set);
        return false;
    }
    if (fabs(u - floor(u) - 0.5) > CENTRE_TOLERANCE || fabs(v - floor(v) - 0.5) > CENTRE_TOLERANCE)
        bwi_warn(o->findings, "uv-centre", 1,
                 "UVs lie off the texels' centres: they were quantised; use full-precision UVs", "%s: vertex %llu",
                 file, (unsigned long long)vertex);
    return true;
}

static bw_result copy_mesh(bwi_pivot_mesh *mesh, const opening *o, const bw_scene *scene, const char *file,
                           bool has_normals, const uint8_t order_hash[16]) {
    const size_t count = mesh->vertex_count;
    float *positions = bwi_arena_alloc(o->arena, count, 3 * sizeof *positions);
    float *normals = has_normals ? bwi_arena_alloc(o->arena, count, 3 * sizeof *normals) : NULL;
    float *uvs = bwi_arena_alloc(o->arena, count, 2 * sizeof *uvs);
    uint32_t *elements = bwi_arena_alloc(o->arena, count, sizeof *elements);
    if (!positions || (has_normals && !normals) || !uvs || !elements)
        return bwi_fail_memory(o->error, file, o->env->mem, count * 9 * sizeof *positions);
    bwi_hasher hasher;
    bwi_hasher_init(&hasher);
    bool placed = true;
    size_t at = 0;
    for (size_t k = 0; k < scene->meshes.count; k++) {
        for (size_t j = 0; j < scene->meshes.data[k].primitives.count; j++) {
            static const float outside[2] = {-1, -1};
            const bw_primitive *p = &scene->meshes.data[k].primitives.data[j];
            const uint32_t set = o->manifest->uv_set;
            const float *uv = set < p->uv_sets.count ? p->uv_sets.data[set] : NULL;
            bwi_hasher_add_floats(&hasher, p->positions, 3 * (size_t)p->vertex_count);
            memcpy(positions + 3 * at, p->positions, 3 * (size_t)p->vertex_count * sizeof *positions);
            if (normals)
                memcpy(normals + 3 * at, p->normals, 3 * (size_t)p->vertex_count * sizeof *normals);
            for (uint32_t i = 0; i < p->vertex_count; i++, at++) {
                memcpy(uvs + 2 * at, uv ? uv + 2 * (size_t)i : outside, 2 * sizeof *uvs);
                placed = place(&elements[at], o, uvs + 2 * at, at, file) && placed;
            }
        }
    }
    const bwi_hash128 hash = bwi_hasher_end(&hasher);
    if (memcmp(hash.bytes, order_hash, sizeof hash.bytes) != 0)
        bwi_warn(o->findings, "order-hash", 1,
                 "the mesh's vertices have another order or other positions than at the bake; switch off mesh "
                 "optimisation",
                 "%s", file);
    *mesh = (bwi_pivot_mesh){mesh->vertex_count, positions, normals, uvs, elements};
    return placed ? BW_OK
                  : bwi_fail(o->error, BW_ERR_DIFFERS, file, -1, "the mesh does not fit the manifest; bake again");
}

static bw_result read_mesh(bwi_pivot_mesh *mesh, const opening *o, const char *file, uint32_t vertex_count,
                           const uint8_t order_hash[16]) {
    const bw_scene_opts opts = {.no_images = true, .run = {.memory_limit = bwi_mem_left(o->env->mem)}};
    char *path = bwi_path_join(o->arena, o->folder, file);
    bw_scene *scene = NULL;
    bool has_normals;
    bw_result result =
        path ? bwi_read_scene(&scene, path, &opts, o->error) : bwi_fail_memory(o->error, file, o->env->mem, 0);
    if (result != BW_OK)
        return result;
    const uint64_t count = count_vertices(scene, &has_normals);
    mesh->vertex_count = vertex_count;
    if (count != vertex_count) {
        bwi_warn(o->findings, "vertex-count", 1,
                 "the mesh has another number of vertices than the manifest says: it was re-exported or welded",
                 "%s: %llu, expected %u", file, (unsigned long long)count, vertex_count);
        result = bwi_fail(o->error, BW_ERR_DIFFERS, path, -1, "the mesh does not fit the manifest; bake again");
    } else {
        result = copy_mesh(mesh, o, scene, file, has_normals, order_hash);
    }
    bwi_scene_free(scene);
    return result;
}

static bw_result read_meshes(const opening *o) {
    const bwi_pivot_manifest *m = o->manifest;
    bwi_pivot_mesh *levels = bwi_arena_alloc(o->arena, m->levels.count, sizeof *levels);
    if (!levels)
        return bwi_fail_memory(o->error, o->folder, o->env->mem, m->levels.count * sizeof *levels);
    bw_result result = read_mesh(&o->bake->mesh, o, m->mesh.file, m->vertex_count, m->order_hash);
    for (size_t k = 0; result == BW_OK && k < m->levels.count; k++) {
        const bwi_pivot_level_file *level = &m->levels.data[k];
        result = read_mesh(&levels[k], o, level->mesh.file, level->vertex_count, level->order_hash);
    }
    o->bake->levels = levels;
    return result;
}

/* ---- what the texels say ---- */

/* Every element is used by a vertex, or Unreal's converter makes no bone of it. */
static bw_result find_unused(const opening *o) {
    const uint32_t count = o->manifest->facts.element_count;
    uint8_t *used = bwi_alloc(o->env->mem, count, 1);
    if (!used)
        return bwi_fail_memory(o->error, o->folder, o->env->mem, count);
    for (size_t v = 0; v < o->bake->mesh.vertex_count; v++)
        used[o->bake->mesh.elements[v]] = 1;
    for (uint32_t e = 0; e < count; e++) {
        if (!used[e])
            bwi_warn(o->findings, "element-unused", 1, "no vertex reads these elements' texels", "element %u", e);
    }
    bwi_free(o->env->mem, used);
    return BW_OK;
}

static bw_result survey(const opening *o) {
    const bwi_pivot_maps *maps = &o->bake->maps;
    bwi_pivot_survey s;
    bw_result result = bwi_pivot_survey_make(&s, maps->positions, maps->width, maps->height,
                                             o->manifest->facts.element_count, o->env->mem, o->error);
    if (result != BW_OK)
        return result;
    const char *file = o->manifest->textures.data[0].file.file;
    if (s.packing != BWI_PIVOT_PACKED)
        bwi_warn(o->findings, "packing", 1, "parents are not packed as index + 1024 in the bits of a half", "%s", file);
    if (s.bad_parent_count)
        bwi_warn(o->findings, "bad-parent", s.bad_parent_count, "parents are outside the elements", "element %u",
                 s.first_bad);
    if (s.circle_count)
        bwi_warn(o->findings, "parents-circle", s.circle_count, "parents lead back to where they came from",
                 "element %u", s.first_circle);
    if (s.later_parent_count)
        bwi_warn(o->findings, "parent-after-child", s.later_parent_count,
                 "parents stand after their children, and Unreal's converter to a skeleton needs them before", "%s",
                 file);
    if (s.not_finite_count)
        bwi_warn(o->findings, "pivot-not-finite", s.not_finite_count, "pivots are not finite", "%s", file);
    if (s.wrong_row_count)
        bwi_warn(o->findings, "width-unsafe", s.wrong_row_count,
                 "at this width the stock functions read elements from another row", "width %u", maps->width);
    if (s.root_count != o->manifest->facts.root_count)
        bwi_warn(o->findings, "root-count", 1, "the texels hold another number of roots than the manifest says",
                 "%u, expected %u", s.root_count, o->manifest->facts.root_count);
    return BW_OK;
}

#define PROBE_EXTENT_CM 4.02    /* half of 2,048 / 255 */
#define PROBE_AXIS_COS 0.999976 /* of 0.4 degrees: three bytes are up to 0.385 off */

/* Probes were made from the plan: what a texel says may be off by its rounding. */
static void check_probes(const opening *o) {
    for (size_t k = 0; k < o->manifest->probes.count; k++) {
        const bwi_pivot_probe *probe = &o->manifest->probes.data[k];
        const bwi_pivot_texel texel = bwi_pivot_texel_at(&o->bake->maps, probe->uv);
        double far = 0, dot = 0, size = 0;
        for (int i = 0; i < 3; i++) {
            far = fmax(far, fabs(texel.pivot[i] - (double)probe->pivot[i]));
            size = fmax(size, fabs((double)probe->pivot[i]));
            dot += texel.axis[i] * (double)probe->axis[i];
        }
        const bool extent_fits =
            probe->extent_cm > 2048 || probe->extent_cm < 8 || fabs(texel.extent - probe->extent_cm) <= PROBE_EXTENT_CM;
        if (bwi_pivot_element_at(&o->bake->maps, probe->uv) != probe->element || texel.parent != probe->parent ||
            far > size / 2048 + 1e-6 /* half a half's step, and that of the smallest */ || dot < PROBE_AXIS_COS ||
            !extent_fits)
            bwi_warn(o->findings, "probe", 1, "a texel says something else than the manifest's probe", "element %u",
                     probe->element);
    }
}

bw_result bwi_pivot_bake_read(bwi_pivot_bake *bake, bwi_arena *arena, const char *folder,
                              const bwi_pivot_manifest *manifest, const bwi_env *env, bwi_warnings *findings,
                              bw_error *error) {
    *bake = (bwi_pivot_bake){.manifest = manifest};
    const opening o = {bake, manifest, arena, folder, env, findings, error};
    bw_result result = check_files(&o);
    if (result == BW_OK)
        result = read_textures(&o);
    if (result == BW_OK)
        result = read_meshes(&o);
    if (result == BW_OK)
        result = find_unused(&o);
    if (result == BW_OK)
        result = survey(&o);
    if (result == BW_OK)
        check_probes(&o);
    return result;
}

void bwi_pivot_to_gltf(double out[3], const double in[3], const bwi_space_name *space, bool scale) {
    int axis[3];
    float sign[3], metres;
    bwi_invert_space(axis, sign, &metres, space);
    const double unit = scale && metres < 1.0f ? 0.01 : 1.0; /* 0.01f is not a centimetre */
    const double copy[3] = {in[0], in[1], in[2]};
    for (int k = 0; k < 3; k++)
        out[axis[k]] = (double)sign[k] * unit * copy[k];
}
