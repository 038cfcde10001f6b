/* SPDX-License-Identifier: MIT
 * Grooms as glTF: all strands as one primitive of lines in metres, Y up, that any viewer shows; what glTF has no name for as attributes of its own.
 * Source: glTF 2.0 §3.7.2; docs/GROOM.md. */
#include "base/file.h"
#include "write/write_priv.h"

/* Colours of groups where strands have none; guides are bright red. */
static const float GROUP_COLORS[][3] = {{0.55f, 0.35f, 0.16f}, {0.16f, 0.42f, 0.60f}, {0.30f, 0.55f, 0.20f},
                                        {0.60f, 0.50f, 0.12f}, {0.45f, 0.25f, 0.55f}, {0.15f, 0.50f, 0.48f}};
static const float GUIDE_COLOR[3] = {0.90f, 0.05f, 0.05f};

enum {
    LARGEST_EXACT = 1 << 24, /* whole numbers up to here are floats */
    SCALARS_MAX = 6
};

typedef struct glb_arrays {
    float *positions, *colors, *uvs; /* of points, as all are */
    float *widths, *groups, *guides, *strands;
    uint32_t *indices;
} glb_arrays;

static void fill_strand(glb_arrays *a, const bw_groom *groom, uint32_t strand) {
    const uint32_t group = groom->group_of ? groom->group_of[strand] : 0;
    const bool is_guide = groom->guides && groom->guides[strand];
    const float *shade = is_guide ? GUIDE_COLOR : GROUP_COLORS[group % (sizeof GROUP_COLORS / sizeof GROUP_COLORS[0])];
    for (size_t k = groom->first_points[strand]; k < groom->first_points[strand + 1]; k++) {
        const float *p = groom->positions + 3 * k, *color = groom->colors ? groom->colors + 3 * k : shade;
        /* From Unreal's axes and centimetres. */
        a->positions[3 * k] = p[0] / 100;
        a->positions[3 * k + 1] = p[2] / 100;
        a->positions[3 * k + 2] = p[1] / 100;
        for (size_t c = 0; c < 3; c++)
            a->colors[4 * k + c] = color[c];
        a->colors[4 * k + 3] = 1;
        a->groups[k] = (float)group;
        a->guides[k] = is_guide ? 1 : 0;
        if (a->strands)
            a->strands[k] = (float)groom->ids[strand];
        if (a->widths)
            a->widths[k] = groom->widths[k] / 100;
        if (a->uvs) {
            a->uvs[2 * k] = groom->root_uvs[2 * (size_t)strand];
            a->uvs[2 * k + 1] = 1 - groom->root_uvs[2 * (size_t)strand + 1]; /* glTF's v runs down */
        }
    }
}

static uint32_t fill_indices(uint32_t *indices, const bw_groom *groom) {
    uint32_t count = 0;
    for (uint32_t s = 0; s < groom->strand_count; s++) {
        for (uint32_t k = groom->first_points[s]; k + 1 < groom->first_points[s + 1]; k++) {
            indices[count++] = k;
            indices[count++] = k + 1;
        }
    }
    return count;
}

static bool ids_are_exact(const bw_groom *groom) {
    for (uint32_t s = 0; groom->ids && s < groom->strand_count; s++) {
        if (groom->ids[s] > LARGEST_EXACT)
            return false;
    }
    return true;
}

static bool allocate(glb_arrays *a, const bw_groom *groom, bool with_ids, bwi_arena *arena) {
    const size_t n = groom->point_count;
    a->positions = bwi_arena_alloc(arena, n, 3 * sizeof(float));
    a->colors = bwi_arena_alloc(arena, n, 4 * sizeof(float));
    a->groups = bwi_arena_alloc(arena, n, sizeof(float));
    a->guides = bwi_arena_alloc(arena, n, sizeof(float));
    a->strands = with_ids ? bwi_arena_alloc(arena, n, sizeof(float)) : NULL;
    a->uvs = groom->root_uvs ? bwi_arena_alloc(arena, n, 2 * sizeof(float)) : NULL;
    a->widths = groom->widths ? bwi_arena_alloc(arena, n, sizeof(float)) : NULL;
    a->indices = bwi_arena_alloc(arena, n, 2 * sizeof(uint32_t));
    return a->positions && a->colors && a->groups && a->guides && a->indices && (a->strands || !with_ids) &&
           (a->uvs || !groom->root_uvs) && (a->widths || !groom->widths);
}

static uint32_t list_scalars(bwi_draw_scalar scalars[SCALARS_MAX], const glb_arrays *a, const bw_groom *groom) {
    const bwi_draw_scalar all[SCALARS_MAX] = {
        {"_STRAND", a->strands}, {"_GROUP_ID", a->groups},         {"_GUIDE", a->guides},
        {"_WIDTH", a->widths},   {"_ROUGHNESS", groom->roughness}, {"_AO", groom->ao}};
    uint32_t count = 0;
    for (size_t k = 0; k < SCALARS_MAX; k++) {
        if (all[k].values)
            scalars[count++] = all[k];
    }
    return count;
}

static void warn(const bw_groom *groom, bool exact, const char *path, bwi_warnings *warnings) {
    if (groom->animation && groom->animation->sample_count > 1)
        bwi_warn(warnings, "motion-left-out", 1,
                 "a glTF of lines stands still: the first sample is written; \"bakewell vat\" bakes the motion", "%s",
                 bwi_path_basename(path));
    if (!exact)
        bwi_warn(warnings, "ids-left-out", groom->strand_count,
                 "ids above 16,777,216 are no floats, as glTF would hold them: they are left out", "%s",
                 bwi_path_basename(path));
    if (groom->closest_guides || groom->clump_ids || bwi_groom_has_cards(groom))
        bwi_warn(warnings, "attributes-left-out", 1,
                 "glTF has no place for closest guides, their weights, clump ids and ids of cards: they are left out",
                 "%s", bwi_path_basename(path));
}

bw_result bwi_write_groom_glb(FILE *file, const char *path, const bw_groom *groom, const char *name,
                              bw_groom_engine engine, const bwi_env *env, bwi_warnings *warnings, bw_error *error) {
    (void)engine;
    bwi_arena *arena = bwi_arena_create(env->mem);
    glb_arrays a = {0};
    const size_t group_count = groom->groups.count;
    const bool exact = ids_are_exact(groom);
    const char **names = arena ? bwi_arena_alloc(arena, group_count, sizeof *names) : NULL;
    if (!names || !allocate(&a, groom, exact && groom->ids, arena)) {
        bwi_arena_free(arena);
        return bwi_fail_memory(error, path, env->mem, (size_t)groom->point_count * 64);
    }
    for (size_t g = 0; g < group_count; g++)
        names[g] = groom->groups.data[g].name;
    for (uint32_t s = 0; s < groom->strand_count; s++)
        fill_strand(&a, groom, s);
    warn(groom, exact, path, warnings);
    const bwi_draw_primitive primitive = {.mode = BW_PRIMITIVE_LINES,
                                          .material = BW_NO_INDEX,
                                          .vertex_count = groom->point_count,
                                          .indices = a.indices,
                                          .index_count = fill_indices(a.indices, groom)};
    const float *const uv_sets[] = {a.uvs}, *const colors[] = {a.colors};
    bwi_draw_scalar scalars[SCALARS_MAX];
    const bwi_draw_list list = {.vertex_count = groom->point_count,
                                .positions = a.positions,
                                .uv_sets = uv_sets,
                                .uv_set_count = a.uvs ? 1 : 0,
                                .colors = colors,
                                .color_count = 1,
                                .scalars = scalars,
                                .scalar_count = list_scalars(scalars, &a, groom),
                                .primitives = &primitive,
                                .primitive_count = 1};
    const bwi_glb_opts opts = {.name = name, .groups = {names, group_count}};
    const bw_result result = bwi_write_glb(file, path, &list, &opts, env, error);
    bwi_arena_free(arena);
    return result;
}
