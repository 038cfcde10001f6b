/* SPDX-License-Identifier: MIT
 * Strands that follow their guides, and how far they then are from their own motion.  Floats in the order of docs/FORMATS.md. */
#include <string.h>

#include "base/math.h"
#include "groom/groom_complete_priv.h"

static uint32_t slot_of(int32_t id, uint32_t mask) {
    return ((uint32_t)id * 2654435769u >> 7) & mask;
}

bw_result bwi_guide_map_build(bwi_guide_map *map, bwi_arena *arena, const bw_groom *groom, bw_error *error) {
    uint32_t guides = 0, size = 4;
    for (uint32_t i = 0; i < groom->strand_count; i++)
        guides += bwi_is_guide(groom, i);
    while (size / 2 < guides && size < UINT32_C(1) << 31)
        size *= 2;
    bwi_guide_map m = {.mask = size - 1};
    m.slots = bwi_arena_alloc(arena, size, sizeof *m.slots);
    if (!m.slots)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), size * sizeof *m.slots);
    for (uint32_t i = 0; i < size; i++)
        m.slots[i].strand = BW_NO_INDEX;
    for (uint32_t i = 0; i < groom->strand_count; i++) {
        if (!bwi_is_guide(groom, i))
            continue;
        uint32_t at = slot_of(groom->ids[i], m.mask);
        while (m.slots[at].strand != BW_NO_INDEX && m.slots[at].id != groom->ids[i])
            at = (at + 1) & m.mask;
        m.slots[at].id = groom->ids[i];
        m.slots[at].strand = i;
    }
    *map = m;
    return BW_OK;
}

uint32_t bwi_guide_map_find(const bwi_guide_map *map, int32_t id) {
    uint32_t at = slot_of(id, map->mask);
    while (map->slots[at].strand != BW_NO_INDEX && map->slots[at].id != id)
        at = (at + 1) & map->mask;
    return map->slots[at].strand;
}

/* Guides of every strand as strands: [strands][3], in the arena. */
static bw_result find_guides(uint32_t **guides_of, bwi_arena *arena, const bw_groom *groom, bw_error *error) {
    if (!groom->guides || !groom->ids || !groom->closest_guides || !groom->guide_weights)
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "strands cannot follow guides: the groom lacks guides, ids, closest guides or their weights; "
                        "repair it first");
    bwi_guide_map map;
    const bw_result result = bwi_guide_map_build(&map, arena, groom, error);
    if (result != BW_OK)
        return result;
    uint32_t *found = bwi_arena_alloc(arena, groom->strand_count, 3 * sizeof *found);
    if (!found)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), groom->strand_count * 3 * sizeof *found);
    for (uint32_t i = 0; i < groom->strand_count; i++) {
        const uint32_t points = groom->first_points[i + 1] - groom->first_points[i];
        if (points < 2 || points > 255)
            return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                            "strand %u has %u points, not 2 to 255; repair the groom first", i, points);
        for (uint32_t j = 0; j < 3 && !groom->guides[i]; j++) {
            const int32_t id = groom->closest_guides[3 * i + j];
            found[3 * i + j] = bwi_guide_map_find(&map, id);
            if (found[3 * i + j] == BW_NO_INDEX)
                return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                                "strand %u follows %d, which is the id of no guide; complete the groom first", i, id);
        }
    }
    *guides_of = found;
    return BW_OK;
}

/* How far a guide has moved where point k of n points is, along the guide's own points. */
static void move_of(float move[3], const float *rest, const float *now, uint32_t points, uint32_t k, uint32_t n) {
    const uint32_t product = k * (points - 1), at = product / (n - 1), left = product % (n - 1);
    const float part = (float)left / (float)(n - 1);
    for (uint32_t c = 0; c < 3; c++) {
        move[c] = now[3 * at + c] - rest[3 * at + c];
        if (left > 0) {
            const float next = now[3 * at + 3 + c] - rest[3 * at + 3 + c];
            move[c] = move[c] * (1 - part) + next * part;
        }
    }
}

/* In: guide_positions — may be `positions`: only points that stay are read. */
static void follow(float *positions, const bw_groom *groom, const uint32_t *guides_of, const float *guide_positions) {
    for (uint32_t i = 0; i < groom->strand_count; i++) {
        const uint32_t first = groom->first_points[i], n = groom->first_points[i + 1] - first;
        if (groom->guides[i]) {
            memmove(positions + 3 * (size_t)first, guide_positions + 3 * (size_t)first, n * 3 * sizeof(float));
            continue;
        }
        for (uint32_t k = 0; k < n; k++) {
            float p[3];
            memcpy(p, groom->positions + 3 * (size_t)(first + k), sizeof p);
            for (uint32_t j = 0; j < 3; j++) {
                const uint32_t guide = guides_of[3 * i + j], start = groom->first_points[guide];
                const float weight = groom->guide_weights[3 * i + j];
                float move[3];
                move_of(move, groom->positions + 3 * (size_t)start, guide_positions + 3 * (size_t)start,
                        groom->first_points[guide + 1] - start, k, n);
                for (uint32_t c = 0; c < 3; c++)
                    p[c] = p[c] + weight * move[c];
            }
            memcpy(positions + 3 * (size_t)(first + k), p, sizeof p);
        }
    }
}

bw_result bw_groom_follow(float *positions, const bw_groom *groom, const float *guide_positions, bw_error *error) {
    bwi_arena *arena = bwi_arena_create_owning(0);
    if (!arena)
        return bwi_fail(error, BW_ERR_MEMORY, NULL, -1, "there is no memory left");
    uint32_t *guides_of = NULL;
    const bw_result result = find_guides(&guides_of, arena, groom, error);
    if (result == BW_OK)
        follow(positions, groom, guides_of, guide_positions);
    bwi_arena_free(arena);
    return result;
}

/* ---- an animation of guides alone ---- */

typedef struct following {
    bw_groom groom; /* as it was: its rest, guides and weights */
    const uint32_t *guides_of;
    const bw_cache *own; /* motion of all its points */
    bw_cache cache;
} following;

static bw_result read_following(const void *ctx, uint32_t sample, float *dst, bw_error *error) {
    const following *f = ctx;
    const bw_result result = f->own->read(f->own->ctx, sample, dst, error);
    if (result == BW_OK)
        follow(dst, &f->groom, f->guides_of, dst);
    return result;
}

/* Squares are summed sample by sample in the order of points, so that nothing depends on threads. */
typedef struct distances {
    const following *f;
    struct distance {
        double max, sum;
    } * of_sample;
    float **buffers; /* [threads][2 × points × 3] */
} distances;

static bw_result measure_sample(void *ctx, size_t sample, uint32_t worker, bw_error *error) {
    distances *d = ctx;
    const bw_groom *groom = &d->f->groom;
    float *own = d->buffers[worker], *followed = own + 3 * (size_t)groom->point_count;
    const bw_result result = d->f->own->read(d->f->own->ctx, (uint32_t)sample, own, error);
    if (result != BW_OK)
        return result;
    follow(followed, groom, d->f->guides_of, own);
    double max = 0, sum = 0;
    for (size_t i = 0; i < groom->point_count; i++) {
        double squared = 0;
        for (size_t c = 0; c < 3; c++) {
            const double off = (double)followed[3 * i + c] - (double)own[3 * i + c];
            squared += off * off;
        }
        sum += squared;
        max = squared > max ? squared : max;
    }
    d->of_sample[sample] = (struct distance){max, sum};
    return BW_OK;
}

static uint64_t followers(const bw_groom *groom) {
    uint64_t points = 0;
    for (uint32_t i = 0; i < groom->strand_count; i++)
        points += groom->guides[i] ? 0 : groom->first_points[i + 1] - groom->first_points[i];
    return points;
}

static bw_result measure(double *max_cm, double *rms_cm, const following *f, const bwi_env *env, bw_error *error) {
    const uint32_t samples = f->own->sample_count;
    const uint32_t workers = env->thread_count < samples ? env->thread_count : samples;
    bwi_arena *scratch = bwi_arena_create(env->mem);
    distances d = {.f = f};
    bool whole = scratch != NULL;
    if (whole) {
        d.of_sample = bwi_arena_alloc(scratch, samples, sizeof *d.of_sample);
        d.buffers = bwi_arena_alloc(scratch, workers, sizeof *d.buffers);
        whole = d.of_sample && d.buffers;
    }
    for (uint32_t k = 0; whole && k < workers; k++) {
        d.buffers[k] = bwi_arena_alloc(scratch, f->groom.point_count, 6 * sizeof(float));
        whole = d.buffers[k] != NULL;
    }
    bw_result result = whole ? bwi_parallel_for(env, samples, measure_sample, &d, error)
                             : bwi_fail_memory(error, NULL, env->mem, f->groom.point_count * 6 * sizeof(float));
    if (result == BW_OK) {
        double max = 0, sum = 0;
        for (uint32_t k = 0; k < samples; k++) {
            sum += d.of_sample[k].sum;
            max = d.of_sample[k].max > max ? d.of_sample[k].max : max;
        }
        const double count = (double)followers(&f->groom) * samples;
        *max_cm = bwi_sqrt(max);
        *rms_cm = count > 0 ? bwi_sqrt(sum / count) : 0;
    }
    bwi_arena_free(scratch);
    return result;
}

bw_result bwi_groom_guides_only(bw_groom *groom, double *max_cm, double *rms_cm, bwi_arena *arena, const bwi_env *env,
                                bw_error *error) {
    if (!groom->animation) {
        *max_cm = *rms_cm = 0;
        return BW_OK;
    }
    uint32_t *guides_of = NULL;
    bw_result result = find_guides(&guides_of, arena, groom, error);
    if (result != BW_OK)
        return result;
    following *f = bwi_arena_alloc(arena, 1, sizeof *f);
    if (!f)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), sizeof *f);
    f->groom = *groom;
    f->guides_of = guides_of;
    f->own = groom->animation;
    f->cache = *f->own;
    f->cache.read = read_following;
    f->cache.ctx = f;
    result = measure(max_cm, rms_cm, f, env, error);
    if (result == BW_OK)
        groom->animation = &f->cache;
    return result;
}
