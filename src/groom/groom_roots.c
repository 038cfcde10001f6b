/* SPDX-License-Identifier: MIT
 * Root UVs: those of a scalp's closest points, or of a sphere unfolded to a square. */
#include <math.h>
#include <string.h>

#include "groom/groom_complete_priv.h"
#include "sample/sample.h"

enum { CHUNK = 1024 /* strands a task */ };
#define FAR_PART 0.2   /* roots farther from their scalp than this part of their own bounds are told */
#define BOX_SLACK 1e-9 /* closest points on triangles are rounded several times */

static bool is_absent(const float uv[2]) {
    return !isfinite(uv[0]) || !isfinite(uv[1]);
}

static void root_of(double p[3], const bw_groom *groom, uint32_t strand) {
    for (uint32_t c = 0; c < 3; c++)
        p[c] = (double)groom->positions[3 * (size_t)groom->first_points[strand] + c];
}

/* From Unreal's cm with z up to metres with y up: y and z change places. */
static void root_in_scene(double p[3], const bw_groom *groom, uint32_t strand) {
    double cm[3];
    root_of(cm, groom, strand);
    p[0] = cm[0] / 100;
    p[1] = cm[2] / 100;
    p[2] = cm[1] / 100;
}

static void root_bounds(double low[3], double high[3], const bw_groom *groom) {
    for (uint32_t i = 0; i < groom->strand_count; i++) {
        double p[3];
        root_of(p, groom, i);
        for (uint32_t c = 0; c < 3; c++) {
            low[c] = i == 0 || p[c] < low[c] ? p[c] : low[c];
            high[c] = i == 0 || p[c] > high[c] ? p[c] : high[c];
        }
    }
}

/* ---- the sphere ---- */

/* Octahedral: the direction from the middle of the roots, with Unreal's y for the octahedron's axis, (x, −z) for its square. */
static void unfold(double uv[2], const double root[3], const double low[3], const double high[3]) {
    double d[3], sum = 0;
    for (uint32_t c = 0; c < 3; c++) {
        d[c] = root[c] - 0.5 * (low[c] + high[c]);
        sum += fabs(d[c]);
    }
    double x = sum > 0 ? d[0] / sum : 0, y = sum > 0 ? -d[2] / sum : 0;
    if (d[1] <= 0) {
        const double folded = (1 - fabs(y)) * (x >= 0 ? 1 : -1);
        y = (1 - fabs(x)) * (y >= 0 ? 1 : -1);
        x = folded;
    }
    uv[0] = 0.5 * x + 0.5;
    uv[1] = 0.5 * y + 0.5;
}

/* All roots fill the square; those that have a UV keep it. */
static void unfold_all(float *uvs, const bw_groom *groom, bool flip_v, bwi_warnings *changes) {
    double low[3] = {0}, high[3] = {0}, least[2] = {1, 1}, most[2] = {0, 0}, uv[2], root[3];
    root_bounds(low, high, groom);
    for (uint32_t i = 0; i < groom->strand_count; i++) {
        root_of(root, groom, i);
        unfold(uv, root, low, high);
        for (uint32_t c = 0; c < 2; c++) {
            least[c] = uv[c] < least[c] ? uv[c] : least[c];
            most[c] = uv[c] > most[c] ? uv[c] : most[c];
        }
    }
    uint32_t made = 0, first = 0;
    for (uint32_t i = 0; i < groom->strand_count; i++) {
        if (!is_absent(uvs + 2 * (size_t)i))
            continue;
        root_of(root, groom, i);
        unfold(uv, root, low, high);
        for (uint32_t c = 0; c < 2; c++) {
            uv[c] = most[c] > least[c] ? (uv[c] - least[c]) / (most[c] - least[c]) : 0.5;
            uvs[2 * (size_t)i + c] = (float)(c == 1 && flip_v ? 1 - uv[c] : uv[c]);
        }
        if (made++ == 0)
            first = i;
    }
    if (made > 0)
        bwi_warn(changes, "root-uvs-added", made,
                 "strands without a root UV got one from a sphere around all roots; --scalp takes those of a mesh",
                 "strand %u", first);
}

/* ---- the scalp ---- */

typedef struct scalp_mesh {
    uint32_t count;
    double (*corners)
        [3][3]; /* [count] triangles in the scene's own space, metres: what is a float there need not be one in cm */
    float (*uvs)[3][2];
    float (*boxes)[6];
    bwi_box_tree tree;
} scalp_mesh;

static double triangle_distance(const void *ctx, uint32_t item, const double p[3]) {
    const scalp_mesh *mesh = ctx;
    double part[3], sum = 0;
    bwi_closest_on_triangle(part, p, mesh->corners[item]);
    for (uint32_t c = 0; c < 3; c++) {
        const double off = part[0] * mesh->corners[item][0][c] + part[1] * mesh->corners[item][1][c] +
                           part[2] * mesh->corners[item][2][c] - p[c];
        sum += off * off;
    }
    return sum;
}

static bool part_has_uv(const bwi_vertex_list *list, const bwi_part *part) {
    const bw_primitive *p = &list->scene->meshes.data[part->mesh].primitives.data[part->primitive];
    return p->uv_sets.count > 0 && p->uv_sets.data[0];
}

/* Triangles with UVs, in the order of the list.  Out: all — triangles of any kind. */
static void take_triangles(scalp_mesh *mesh, uint32_t *all, const bwi_vertex_list *list, const bool *has_uv,
                           const float *positions, const float *uvs) {
    mesh->count = *all = 0;
    for (uint32_t k = 0; k < list->primitive_count; k++) {
        const bwi_list_primitive *p = &list->primitives[k];
        for (uint32_t i = 0; p->mode == BW_PRIMITIVE_TRIANGLES && i + 2 < p->index_count; i += 3) {
            ++*all;
            if (!has_uv[p->indices[i]])
                continue;
            const uint32_t at = mesh->count++;
            for (uint32_t j = 0; mesh->corners && j < 3; j++) {
                const uint32_t vertex = p->indices[i + j];
                const float *m = positions + 3 * (size_t)vertex;
                for (uint32_t c = 0; c < 3; c++) {
                    mesh->corners[at][j][c] = (double)m[c];
                    float *low = &mesh->boxes[at][c], *high = &mesh->boxes[at][c + 3];
                    *low = j == 0 || m[c] < *low ? m[c] : *low;
                    *high = j == 0 || m[c] > *high ? m[c] : *high;
                }
                memcpy(mesh->uvs[at][j], uvs + 2 * (size_t)vertex, 2 * sizeof(float));
            }
        }
    }
}

static bw_result place_scalp(float **positions, const bwi_vertex_list *list, bwi_arena *arena, bw_error *error) {
    bwi_mem *mem = bwi_arena_mem(arena);
    float *p = bwi_arena_alloc(arena, list->vertex_count, 3 * sizeof *p);
    if (!p)
        return bwi_fail_memory(error, NULL, mem, list->vertex_count * 3 * sizeof *p);
    bwi_sampler *sampler = NULL;
    bw_result result = bwi_sampler_create(&sampler, list, mem, error);
    if (result != BW_OK)
        return result;
    const bwi_clip_mix rest = {NULL, 0};
    bwi_sampler_evaluate(sampler, &rest, 0, p, NULL, NULL);
    result = bwi_sampler_status(sampler, error);
    bwi_sampler_free(sampler);
    *positions = p;
    return result;
}

static bw_result fail_without_triangles(const bw_scene *scalp, bw_error *error) {
    return bwi_fail(error, BW_ERR_USAGE, scalp->path, -1,
                    "the scalp has no triangles; give a scene with the mesh that the hair grows on");
}

static bw_result open_scalp(scalp_mesh *mesh, const bw_scene *scalp, bwi_arena *arena, const bwi_env *env,
                            bw_error *error) {
    bwi_vertex_list *list = NULL;
    float *positions = NULL;
    bw_result result = bwi_vertex_list_build(&list, arena, scalp, NULL, env, NULL, error);
    if (result == BW_ERR_NO_MESH)
        return fail_without_triangles(scalp, error);
    if (result == BW_OK)
        result = place_scalp(&positions, list, arena, error);
    if (result != BW_OK)
        return result;
    float *uvs = bwi_arena_alloc(arena, list->vertex_count, 2 * sizeof *uvs);
    bool *has_uv = bwi_arena_alloc(arena, list->vertex_count, sizeof *has_uv);
    if (!uvs || !has_uv)
        return bwi_fail_memory(error, NULL, env->mem, list->vertex_count * 2 * sizeof *uvs);
    bwi_vertex_list_uv(list, 0, uvs);
    for (uint32_t k = 0; k < list->part_count; k++) {
        const bwi_part *part = &list->parts[k];
        for (uint32_t i = 0; i < part->vertex_count; i++)
            has_uv[part->first_vertex + i] = part_has_uv(list, part);
    }
    uint32_t all;
    *mesh = (scalp_mesh){0};
    take_triangles(mesh, &all, list, has_uv, positions, uvs);
    if (all == 0)
        return fail_without_triangles(scalp, error);
    if (mesh->count == 0)
        return bwi_fail(error, BW_ERR_USAGE, scalp->path, -1,
                        "none of the scalp's %u triangles has UVs; unwrap the mesh, or leave --scalp out", all);
    mesh->corners = bwi_arena_alloc(arena, mesh->count, sizeof *mesh->corners);
    mesh->uvs = bwi_arena_alloc(arena, mesh->count, sizeof *mesh->uvs);
    mesh->boxes = bwi_arena_alloc(arena, mesh->count, sizeof *mesh->boxes);
    if (!mesh->corners || !mesh->uvs || !mesh->boxes)
        return bwi_fail_memory(error, NULL, env->mem, mesh->count * sizeof *mesh->corners);
    take_triangles(mesh, &all, list, has_uv, positions, uvs);
    return bwi_box_tree_build(&mesh->tree, arena, mesh->boxes[0], mesh->boxes[0] + 3, 6, mesh->count, error);
}

typedef struct projection {
    const bw_groom *groom;
    const scalp_mesh *mesh;
    bool flip_v;
    float *uvs;
    double far; /* squared, metres */
    struct {
        uint32_t far, first;
    } * of_chunk;
} projection;

static bw_result project_chunk(void *ctx, size_t chunk, uint32_t worker, bw_error *error) {
    (void)worker;
    (void)error;
    const projection *p = ctx;
    const uint32_t first = (uint32_t)chunk * CHUNK, rest = p->groom->strand_count - first,
                   end = first + (rest < CHUNK ? rest : CHUNK);
    for (uint32_t i = first; i < end; i++) {
        double root[3], squared, part[3];
        uint32_t triangle;
        root_in_scene(root, p->groom, i);
        (void)bwi_box_tree_nearest(&triangle, &squared, &p->mesh->tree, root, 1, HUGE_VAL, BOX_SLACK, triangle_distance,
                                   p->mesh);
        bwi_closest_on_triangle(part, root, p->mesh->corners[triangle]);
        for (uint32_t c = 0; c < 2; c++) {
            double value = 0;
            for (uint32_t j = 0; j < 3; j++)
                value += part[j] * (double)p->mesh->uvs[triangle][j][c];
            p->uvs[2 * (size_t)i + c] = (float)(c == 1 && p->flip_v ? 1 - value : value);
        }
        if (squared > p->far && p->of_chunk[chunk].far++ == 0)
            p->of_chunk[chunk].first = i;
    }
    return BW_OK;
}

static bw_result project_all(float *uvs, const bw_groom *groom, bwi_warnings *changes, const bw_groom_opts *opts,
                             const bw_scene *scalp, bwi_arena *scratch, const bwi_env *env, bw_error *error) {
    scalp_mesh mesh;
    bw_result result = open_scalp(&mesh, scalp, scratch, env, error);
    if (result != BW_OK)
        return result;
    const size_t chunks = (groom->strand_count + (size_t)CHUNK - 1) / CHUNK;
    double low[3] = {0}, high[3] = {0}, diagonal = 0;
    root_bounds(low, high, groom);
    for (uint32_t c = 0; c < 3; c++)
        diagonal += (high[c] - low[c]) * (high[c] - low[c]);
    projection p = {groom, &mesh, opts->flip_v, uvs, FAR_PART * FAR_PART * diagonal / 1e4, NULL};
    p.of_chunk = bwi_arena_alloc(scratch, chunks, sizeof *p.of_chunk);
    if (!p.of_chunk)
        return bwi_fail_memory(error, NULL, env->mem, chunks * sizeof *p.of_chunk);
    result = bwi_parallel_for(env, chunks, project_chunk, &p, error);
    if (result != BW_OK)
        return result;
    uint64_t far = 0;
    uint32_t first = 0;
    for (size_t k = 0; k < chunks; k++) {
        if (far == 0)
            first = p.of_chunk[k].first;
        far += p.of_chunk[k].far;
    }
    bwi_warn(changes, "root-uvs-from-scalp", groom->strand_count,
             "strands got the root UV of the scalp's closest point", "%s", scalp->path ? scalp->path : "");
    if (2 * far > groom->strand_count)
        bwi_warn(changes, "scalp-far", far,
                 "roots are farther from the scalp than a fifth of their own extent; look at --from, --up and --units, "
                 "and where the scalp stands",
                 "strand %u", first);
    return BW_OK;
}

bw_result bwi_groom_roots(float *uvs, const bw_groom *groom, bwi_warnings *changes, const bw_groom_opts *opts,
                          const bw_scene *scalp, const bwi_env *env, bw_error *error) {
    if (!scalp) {
        unfold_all(uvs, groom, opts->flip_v, changes);
        return BW_OK;
    }
    bwi_arena *scratch = bwi_arena_create(env->mem);
    if (!scratch)
        return bwi_fail_memory(error, NULL, env->mem, 0);
    const bw_result result = project_all(uvs, groom, changes, opts, scalp, scratch, env, error);
    bwi_arena_free(scratch);
    return result;
}
