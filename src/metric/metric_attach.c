/* SPDX-License-Identifier: MIT
 * Attachments against the source: where a node's origin and the tips of its axes come to stand. */
#include <string.h>

#include "base/math.h"
#include "metric/metric_priv.h"

/* Floats hold an origin to 6e-8 of its distance, a rotation to 1e-7: far above both, and below what could be seen. */
#define ORIGIN_TOLERANCE 1e-5
/* A node sheared by less than a hundredth of a degree (1.7e-4) passes for one that is not. */
#define TIP_TOLERANCE 1e-3

static bwi_vec3 column(const double m[16], int k) {
    return (bwi_vec3){m[4 * k], m[4 * k + 1], m[4 * k + 2]};
}

/* Whether translation, rotation and scale can tell the matrix's axes: none sheared, none without length. */
static bool has_frame(const double m[16]) {
    for (int k = 0; k < 3; k++) {
        const bwi_vec3 a = column(m, k), b = column(m, (k + 1) % 3);
        const double product = bwi_vec3_length(a) * bwi_vec3_length(b);
        const double dot = bwi_vec3_dot(a, b);
        if (!(product > 0.0) || dot > 0.5 * TIP_TOLERANCE * product || dot < -0.5 * TIP_TOLERANCE * product)
            return false;
    }
    return true;
}

/* Node of a name; the n-th of several for the n-th attachment of that name. */
static uint32_t find_node(const bw_scene *scene, const bwi_manifest_clip *clip, size_t attachment) {
    size_t skip = 0;
    for (size_t k = 0; k < attachment; k++)
        skip += strcmp(clip->attachments.data[k].node, clip->attachments.data[attachment].node) == 0;
    for (uint32_t i = 0; i < scene->nodes.count; i++)
        if (strcmp(scene->nodes.data[i].name, clip->attachments.data[attachment].node) == 0 && skip-- == 0)
            return i;
    return BW_NO_INDEX;
}

/* Largest distance beyond the tolerance; 0: none. */
static double distance_off(const double decoded[16], const double sampled[16]) {
    const bwi_vec3 origin = column(sampled, 3);
    double off = bwi_vec3_length(bwi_vec3_sub(column(decoded, 3), origin));
    const double tolerance = ORIGIN_TOLERANCE * (1.0 + bwi_vec3_length(origin));
    off = off <= tolerance ? 0.0 : off;
    for (int k = 0; k < 3 && has_frame(sampled); k++) {
        const bwi_vec3 axis = column(sampled, k);
        const double tip = bwi_vec3_length(bwi_vec3_sub(column(decoded, k), axis));
        off = !(tip <= TIP_TOLERANCE * bwi_vec3_length(axis)) && !(tip <= off) ? tip : off;
    }
    return off;
}

/* The worst frame of an attachment of a clip. */
typedef struct worst_frame {
    double off;
    uint32_t frame;
    uint64_t count;
} worst_frame;

static bw_result compare_clip(const bwi_decoder *decoder, uint32_t c, bwi_sampler *sampler, const bwi_clip_mix *mix,
                              const uint32_t *nodes, worst_frame *worst, const bwi_env *env, bw_error *error) {
    const bwi_manifest *m = bwi_decoder_manifest(decoder);
    const bwi_manifest_clip *clip = &m->clips.data[c];
    for (uint32_t f = 0; f < clip->frame_count; f++) {
        bwi_sampler_pose(sampler, mix, bwi_manifest_clip_time(m->layout, clip, f));
        bw_result result = bwi_sampler_status(sampler, error);
        if (result != BW_OK)
            return result;
        for (uint32_t k = 0; k < clip->attachments.count; k++) {
            if (nodes[k] == BW_NO_INDEX)
                continue;
            double decoded[16];
            bwi_decoder_attachment(decoder, decoded, c, k, f);
            const double off = distance_off(decoded, bwi_sampler_world_matrices(sampler) + 16 * (size_t)nodes[k]);
            worst[k].count += off > 0.0;
            if (off > worst[k].off) {
                worst[k].off = off;
                worst[k].frame = f;
            }
        }
        if (bwi_progress_cancelled(env->progress))
            return bwi_fail_cancelled(error);
    }
    return BW_OK;
}

static void report(const bwi_manifest_clip *clip, const uint32_t *nodes, const worst_frame *worst,
                   bwi_warnings *findings) {
    for (size_t k = 0; k < clip->attachments.count; k++) {
        const char *name = clip->attachments.data[k].node;
        if (nodes[k] == BW_NO_INDEX)
            bwi_warn(findings, "attachment-missing", 1, "the source has no node of an attachment's name", "node '%s'",
                     name);
        else if (worst[k].count)
            bwi_warn(findings, "attachment", worst[k].count,
                     "an attachment's track is not where the source has its node",
                     "node '%s', clip '%s', frame %u: %.4g m off", name, clip->name, worst[k].frame, worst[k].off);
    }
}

bw_result bwi_compare_attachments(const bwi_decoder *decoder, const bwi_vertex_list *list, const bwi_clip_mix *mixes,
                                  const bwi_env *env, bwi_warnings *findings, bw_error *error) {
    const bwi_manifest *m = bwi_decoder_manifest(decoder);
    size_t most = 0;
    for (size_t c = 0; c < m->clips.count; c++)
        most = m->clips.data[c].attachments.count > most ? m->clips.data[c].attachments.count : most;
    if (most == 0)
        return BW_OK;
    uint32_t *nodes = bwi_alloc(env->mem, most, sizeof *nodes);
    worst_frame *worst = bwi_alloc(env->mem, most, sizeof *worst);
    bwi_sampler *sampler = NULL;
    bw_result result = nodes && worst ? bwi_sampler_create(&sampler, list, env->mem, error)
                                      : bwi_fail_memory(error, NULL, env->mem, most * sizeof *worst);
    for (uint32_t c = 0; result == BW_OK && c < m->clips.count; c++) {
        const bwi_manifest_clip *clip = &m->clips.data[c];
        memset(worst, 0, most * sizeof *worst);
        for (size_t k = 0; k < clip->attachments.count; k++)
            nodes[k] = find_node(list->scene, clip, k);
        result = compare_clip(decoder, c, sampler, &mixes[c], nodes, worst, env, error);
        if (result == BW_OK)
            report(clip, nodes, worst, findings);
    }
    bwi_sampler_free(sampler);
    bwi_free(env->mem, worst);
    bwi_free(env->mem, nodes);
    return result;
}
