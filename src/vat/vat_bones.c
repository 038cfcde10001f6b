/* SPDX-License-Identifier: MIT
 * The walk over every frame's bones: ranges of what texels hold, what rotations cannot show, what dropped joints cost. */
#include <float.h>
#include <string.h>

#include "vat/vat_priv.h"

/* Part of a matrix's size that is only rounding, not shear. */
#define LEAST_SHEAR 1e-12

typedef struct frame_bones {
    double pivot_min[3], pivot_max[3];
    double max_scale;
    double shear;        /* metres */
    double dropped;      /* metres */
    uint32_t shear_bone; /* that adds most to it */
} frame_bones;

/* What is left of a bone's matrix when rotation and scale are taken from it. */
typedef struct residue {
    bwi_mat4 m;
    bool any;
} residue;

typedef struct bones_walk {
    const bwi_vat_plan *plan;
    const bwi_vec3 *pivots; /* [B], decoded */
    const float *positions; /* [V][3]: of the mesh, space of the texture data */
    frame_bones *frames;    /* [N]: reduced in order afterwards */
} bones_walk;

static bwi_vec3 vertex_of(const float *positions, size_t vertex) {
    const float *p = positions + 3 * vertex;
    return (bwi_vec3){(double)p[0], (double)p[1], (double)p[2]};
}

/* Returns the residue of M against its nearest similarity. */
static residue residue_of(const bwi_mat4 *m, bwi_quat rotation, double scale) {
    const bwi_mat4 near = bwi_mat4_from_trs((bwi_vec3){0.0, 0.0, 0.0}, rotation, (bwi_vec3){scale, scale, scale});
    residue out = {*m, false};
    double size = 0.0;
    for (int k = 0; k < 11; ++k)
        size += m->m[k] * m->m[k];
    for (int k = 0; k < 12; ++k) {
        out.m.m[k] -= near.m[k];
        out.any = out.any || out.m.m[k] * out.m.m[k] > LEAST_SHEAR * LEAST_SHEAR * size;
    }
    return out;
}

static void measure_shear(frame_bones *out, const bones_walk *walk, const residue *residues) {
    const bwi_palette *palette = walk->plan->palette;
    for (size_t v = 0; v < walk->plan->list->vertex_count; ++v) {
        double sum = 0.0, most = 0.0;
        uint32_t bone = 0;
        for (size_t i = v * palette->influence_count, end = i + palette->influence_count; i < end; ++i) {
            const uint32_t b = palette->indices[i];
            if (palette->weights[i] == 0 || !residues[b].any)
                continue;
            const bwi_vec3 arm = bwi_vec3_sub(vertex_of(walk->positions, v), walk->pivots[b]);
            const double part =
                palette->weights[i] / 65535.0 * bwi_vec3_length(bwi_mat4_direction(&residues[b].m, arm));
            sum += part;
            bone = part > most ? b : bone;
            most = part > most ? part : most;
        }
        if (sum > out->shear) {
            out->shear = sum;
            out->shear_bone = bone;
        }
    }
}

/* The way from where the joints that are left put a vertex to where all of them do. */
static void measure_dropped(frame_bones *out, const bones_walk *walk, const bwi_mat4 *poses) {
    const bwi_palette *palette = walk->plan->palette;
    for (size_t k = 0; k < palette->change_count;) {
        const uint32_t v = palette->changes[k].vertex;
        const bwi_vec3 x = vertex_of(walk->positions, v);
        bwi_vec3 sum = {0.0, 0.0, 0.0};
        for (; k < palette->change_count && palette->changes[k].vertex == v; ++k)
            sum = bwi_vec3_add(
                sum, bwi_vec3_scale(bwi_mat4_point(&poses[palette->changes[k].bone], x), palette->changes[k].weight));
        const double length = bwi_vec3_length(sum);
        out->dropped = length > out->dropped ? length : out->dropped;
    }
}

/* The distance between two pivots must be a float too, and a scale may be a little larger than the elements of its matrix. */
static bool fits_floats(const double *values, int count) {
    bool fits = true;
    for (int k = 0; k < count; ++k)
        fits = fits && values[k] <= 0.5 * (double)FLT_MAX && values[k] >= -0.5 * (double)FLT_MAX;
    return fits;
}

static bw_result check_pose(const bwi_vat_plan *plan, const bwi_frame *frame, uint32_t bone, const double pivot[3],
                            bw_error *error) {
    const char *clip = frame->clip->out.name, *name = plan->palette->bones[bone].name;
    if (!fits_floats(frame->poses[bone].m, 12) || !fits_floats(pivot, 3))
        return bwi_fail(error, BW_ERR_MALFORMED, plan->list->scene->path, -1,
                        "clip '%s' moves bone '%s' beyond what a float can hold in frame %u; check its keys", clip,
                        name, frame->local);
    for (int k = 0; k < 3 && plan->settings.format->type == BWI_TEXEL_F16; ++k) {
        const double reach = pivot[k] < 0.0 ? -pivot[k] : pivot[k];
        if (reach > (double)BWI_LARGEST_HALF)
            return bwi_fail(error, BW_ERR_TOO_LARGE, plan->list->scene->path, -1,
                            "clip '%s' moves bone '%s' %g %s from the origin, half floats end at %g; use --format=%s",
                            clip, name, reach, bwi_vat_space(&plan->settings)->name.unit, (double)BWI_LARGEST_HALF,
                            plan->settings.format->container == BWI_CONTAINER_EXR ? "exr32" : "ktx2-f32");
    }
    return BW_OK;
}

static bw_result measure_frame(void *ctx, size_t index, const bwi_frame *frame, bw_error *error) {
    const bones_walk *walk = ctx;
    const bwi_vat_plan *plan = walk->plan;
    const double unit = (double)bwi_vat_space(&plan->settings)->scale;
    residue *residues = frame->scratch;
    frame_bones out = {.max_scale = 0.0};
    bool sheared = false;
    for (uint32_t b = 0; b < plan->palette->bone_count; ++b) {
        const bwi_vec3 posed = bwi_mat4_point(&frame->poses[b], walk->pivots[b]);
        const double pivot[3] = {posed.x, posed.y, posed.z};
        bw_result result = check_pose(plan, frame, b, pivot, error);
        if (result != BW_OK)
            return result;
        bwi_quat rotation;
        double scale;
        bwi_mat4_similarity(&rotation, &scale, &frame->poses[b], (bwi_quat){0.0, 0.0, 0.0, 1.0});
        residues[b] = residue_of(&frame->poses[b], rotation, scale);
        sheared = sheared || residues[b].any;
        for (int k = 0; k < 3; ++k) {
            out.pivot_min[k] = b == 0 || pivot[k] < out.pivot_min[k] ? pivot[k] : out.pivot_min[k];
            out.pivot_max[k] = b == 0 || pivot[k] > out.pivot_max[k] ? pivot[k] : out.pivot_max[k];
        }
        out.max_scale = scale > out.max_scale ? scale : out.max_scale;
    }
    if (sheared)
        measure_shear(&out, walk, residues);
    measure_dropped(&out, walk, frame->poses);
    out.shear /= unit;
    out.dropped /= unit;
    walk->frames[index] = out;
    return BW_OK;
}

/* ---- what the frames come to ---- */

static void bound_clip(bwi_manifest_clip *clip, const frame_bones *frames) {
    double max_scale = 0.0;
    for (uint32_t f = 0; f < clip->frame_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            const float low = (float)frames[f].pivot_min[k], high = (float)frames[f].pivot_max[k];
            clip->pivot_min[k] = f == 0 || low < clip->pivot_min[k] ? low : clip->pivot_min[k];
            clip->pivot_max[k] = f == 0 || high > clip->pivot_max[k] ? high : clip->pivot_max[k];
        }
        max_scale = frames[f].max_scale > max_scale ? frames[f].max_scale : max_scale;
    }
    clip->max_scale = (float)max_scale > 0.0f ? (float)max_scale : 1.0f; /* the least scales are 0 as floats */
}

/* The format that holds matrices in the same container. */
static const bwi_format_info *matrix_format(bwi_container container) {
    static const bw_vat_format formats[] = {[BWI_CONTAINER_PNG] = BW_VAT_FORMAT_EXR32,
                                            [BWI_CONTAINER_EXR] = BW_VAT_FORMAT_EXR32,
                                            [BWI_CONTAINER_KTX2] = BW_VAT_FORMAT_KTX2_F32,
                                            [BWI_CONTAINER_RAW] = BW_VAT_FORMAT_RAW_F32};
    return bwi_format_info_of(formats[container]);
}

static void judge(bwi_vat_plan *plan, const frame_bones *frames, bwi_warnings *warnings) {
    const bwi_vat_settings *s = &plan->settings;
    uint32_t bone = 0;
    bool exceeds = false;
    plan->shear = plan->shear_part = plan->dropped = 0.0;
    for (uint32_t c = 0; c < plan->clip_count; ++c)
        for (uint32_t f = 0; f < plan->clips[c].out.frame_count; ++f) {
            const frame_bones *frame = &frames[plan->clips[c].out.first_frame + f];
            const double diagonal = plan->clips[c].diagonal, part = diagonal > 0.0 ? frame->shear / diagonal : 0.0;
            const double bound = s->bone_bound_m > 0.0 ? s->bone_bound_m : s->bone_bound * diagonal;
            exceeds = exceeds || frame->shear > bound;
            bone = frame->shear > plan->shear ? frame->shear_bone : bone;
            plan->shear = frame->shear > plan->shear ? frame->shear : plan->shear;
            plan->shear_part = part > plan->shear_part ? part : plan->shear_part;
            plan->dropped = frame->dropped > plan->dropped ? frame->dropped : plan->dropped;
        }
    if (plan->palette->dropped_vertices)
        bwi_warn(warnings, "influences-dropped", plan->palette->dropped_vertices,
                 "vertices follow more joints than --influences allows: the largest weights were kept",
                 "%.3g mm off at most", 1e3 * plan->dropped);
    if (!exceeds)
        return;
    bwi_warn(warnings, "bones-sheared", 1,
             "bones are sheared, mirrored or scaled unevenly, which rotations cannot show: matrices were written",
             "bone '%s', %.3g mm", plan->palette->bones[bone].name, 1e3 * plan->shear);
    plan->settings.position_decode = BWI_DECODE_BONE_MATRIX;
    plan->settings.format = matrix_format(s->format->container);
}

static bw_result describe_bones(bwi_vat_plan *plan, bwi_arena *arena, bw_error *error) {
    const bwi_palette *palette = plan->palette;
    const char **names = bwi_arena_alloc(arena, palette->bone_count, sizeof *names);
    if (!names)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), palette->bone_count * sizeof *names);
    plan->bones.count = palette->bone_count;
    plan->bones.influence_count = palette->influence_count;
    plan->bones.skin_in = plan->settings.skin_in;
    plan->bones.names = names;
    for (uint32_t b = 0; b < palette->bone_count; ++b) {
        const bwi_vec3 at = bwi_space_map_point(palette->bones[b].pivot, bwi_vat_space(&plan->settings));
        if (!fits_floats((const double[]){at.x, at.y, at.z}, 3))
            return bwi_fail(error, BW_ERR_MALFORMED, plan->list->scene->path, -1,
                            "bone '%s' stands beyond what a float can hold at rest; check its node, or leave it out of "
                            "--attach",
                            palette->bones[b].name);
        const float pivot[3] = {(float)at.x, (float)at.y, (float)at.z};
        names[b] = palette->bones[b].name;
        for (int k = 0; k < 3; ++k) {
            float *min = &plan->bones.pivot_min[k], *max = &plan->bones.pivot_max[k];
            *min = b == 0 || pivot[k] < *min ? pivot[k] : *min;
            *max = b == 0 || pivot[k] > *max ? pivot[k] : *max;
        }
    }
    return BW_OK;
}

bw_result bwi_vat_measure_bones(bwi_vat_plan *plan, bwi_arena *arena, const bwi_env *env, bwi_warnings *warnings,
                                bw_error *error) {
    const bwi_palette *palette = plan->palette;
    bw_result result = bwi_vat_layout(plan, arena, error); /* again: clips may have been closed */
    if (result == BW_OK)
        result = describe_bones(plan, arena, error);
    if (result != BW_OK)
        return result;
    const size_t v = plan->list->vertex_count;
    bwi_vec3 *pivots = bwi_alloc(env->mem, palette->bone_count, sizeof *pivots);
    float *positions = bwi_alloc(env->mem, v, 3 * sizeof *positions);
    frame_bones *frames = bwi_alloc(env->mem, plan->frame_count, sizeof *frames);
    if (!pivots || !positions || !frames) {
        result = bwi_fail_memory(error, NULL, env->mem, v * 3 * sizeof *positions);
    } else {
        const bones_walk walk = {plan, pivots, positions, frames};
        for (uint32_t b = 0; b < palette->bone_count; ++b)
            pivots[b] = bwi_bone_pivot(plan, b);
        bwi_space_map_positions(positions, palette->positions, v, bwi_vat_space(&plan->settings));
        bwi_progress_begin(env->progress, "measure bones", plan->frame_count);
        result = bwi_walk_frames(plan, 0, plan->frame_count, BWI_WALK_POSES, palette->bone_count * sizeof(residue),
                                 measure_frame, (void *)&walk, env, error);
    }
    if (result == BW_OK) {
        for (uint32_t c = 0; c < plan->clip_count; ++c)
            bound_clip(&plan->clips[c].out, &frames[plan->clips[c].out.first_frame]);
        judge(plan, frames, warnings);
    }
    bwi_free(env->mem, frames);
    bwi_free(env->mem, positions);
    bwi_free(env->mem, pivots);
    return result;
}
