/* SPDX-License-Identifier: MIT
 * Whether a file holds the groom that was written to it: it is read as any other, and compared. */
#include <math.h>
#include <string.h>

#include "api/api_groom.h"
#include "read/read.h"

/* Of the largest coordinate: formats in other units round each once on the way there and once on the way back. */
static const float ROUNDING = 4 * 0x1p-24f;
/* Seconds: what frame / rate rounds to. */
static const double SAME_TIME = 1e-5;

static bool same(const void *a, const void *b, size_t size) {
    return (!a && !b) || (a && b && memcmp(a, b, size) == 0);
}

static bool same_groups(const bw_groom *a, const bw_groom *b) {
    if (a->groups.count != b->groups.count)
        return false;
    for (size_t g = 0; g < a->groups.count; g++) {
        const bw_groom_group *x = &a->groups.data[g], *y = &b->groups.data[g];
        const bool same_cards =
            x->cards_id && y->cards_id ? strcmp(x->cards_id, y->cards_id) == 0 : !x->cards_id && !y->cards_id;
        if (strcmp(x->name, y->name) != 0 || !same_cards)
            return false;
    }
    return true;
}

/* What differs first; NULL: nothing.  Positions are compared apart, since they may move. */
static const char *differing_array(const bw_groom *a, const bw_groom *b) {
    const size_t points = a->point_count, strands = a->strand_count;
    const struct {
        const char *name;
        const void *a, *b;
        size_t size;
    } ARRAYS[] = {
        {"guides", a->guides, b->guides, strands},
        {"groups of strands", a->group_of, b->group_of, strands * 4},
        {"ids", a->ids, b->ids, strands * 4},
        {"widths", a->widths, b->widths, points * 4},
        {"root UVs", a->root_uvs, b->root_uvs, strands * 8},
        {"closest guides", a->closest_guides, b->closest_guides, strands * 12},
        {"guide weights", a->guide_weights, b->guide_weights, strands * 12},
        {"colours", a->colors, b->colors, points * 12},
        {"roughness", a->roughness, b->roughness, points * 4},
        {"occlusion", a->ao, b->ao, points * 4},
        {"clump ids", a->clump_ids, b->clump_ids, strands * 4 * (size_t)a->clump_width},
    };
    if (a->clump_width != b->clump_width)
        return "clump ids";
    for (size_t i = 0; i < sizeof ARRAYS / sizeof ARRAYS[0]; i++) {
        if (!same(ARRAYS[i].a, ARRAYS[i].b, ARRAYS[i].size))
            return ARRAYS[i].name;
    }
    return same_groups(a, b) ? NULL : "groups";
}

static bool near_values(const float *a, const float *b, size_t count) {
    float largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmaxf(largest, fabsf(a[i]));
    for (size_t i = 0; i < count; i++) {
        if (!(fabsf(a[i] - b[i]) <= largest * ROUNDING))
            return false;
    }
    return true;
}

static bw_result fail(const char *shown_path, const char *what, bw_error *error) {
    return bwi_fail(error, BW_ERR_DIFFERS, shown_path, -1,
                    "was read back and does not hold the %s that were written; the disk or a bug changed them, so "
                    "nothing was kept: try again",
                    what);
}

/* The positions of a cache at a time, mixed linearly. */
static bw_result read_at(float *positions, float *scratch, const bw_cache *cache, double time_s, size_t floats,
                         bw_error *error) {
    uint32_t k = 0;
    while (k + 1 < cache->sample_count && cache->times_s[k + 1] <= time_s + SAME_TIME)
        k++;
    bw_result result = cache->read(cache->ctx, k, positions, error);
    const double from = cache->times_s[k];
    if (result != BW_OK || k + 1 == cache->sample_count || time_s - from <= SAME_TIME)
        return result;
    result = cache->read(cache->ctx, k + 1, scratch, error);
    const double part = (time_s - from) / (cache->times_s[k + 1] - from);
    for (size_t i = 0; result == BW_OK && i < floats; i++)
        positions[i] = (float)((double)positions[i] + ((double)scratch[i] - (double)positions[i]) * part);
    return result;
}

/* How much later a file's times are meant to be: those before 0 were moved to begin there, from a whole step where the rhythm was uneven. */
static double time_shift(const bw_cache *meant, const bw_cache *found) {
    const double first = meant->times_s[0], step = found->sample_count > 1 ? found->times_s[1] - found->times_s[0] : 1;
    if (first >= -SAME_TIME)
        return 0;
    return meant->sample_count == found->sample_count ? first : step * floor(first / step + 0.5);
}

/* Every sample of the file against the groom's motion at its time: a file's times may be other ones, since caches of grooms have even times. */
static bw_result compare_motion(const bw_groom *a, const bw_groom *b, const char *shown_path, bwi_groom_job *job,
                                bw_error *error) {
    const bool moves = a->animation && a->animation->sample_count > 1;
    if (moves != (b->animation != NULL))
        return fail(shown_path, "samples over time", error);
    const size_t floats = (size_t)a->point_count * 3;
    float *blocks = bwi_alloc(&job->call.mem, 3 * floats, sizeof *blocks);
    bw_result result = blocks ? BW_OK : bwi_fail_memory(error, shown_path, &job->call.mem, 3 * floats * sizeof *blocks);
    float *meant = blocks, *scratch = blocks + floats, *found = blocks + 2 * floats;
    const double shift = moves ? time_shift(a->animation, b->animation) : 0;
    for (uint32_t s = 0; result == BW_OK && moves && s < b->animation->sample_count; s++) {
        result = read_at(meant, scratch, a->animation, b->animation->times_s[s] + shift, floats, error);
        if (result == BW_OK)
            result = b->animation->read(b->animation->ctx, s, found, error);
        if (result == BW_OK && !near_values(meant, found, floats))
            result = fail(shown_path, "moving positions", error);
        if (result == BW_OK && !bwi_progress_step(job->call.env.progress, 0))
            result = bwi_fail_cancelled(error);
    }
    bwi_free(&job->call.mem, blocks);
    return result;
}

static bw_result compare(const bw_groom *meant, const bw_groom *found, const bwi_warnings *changes,
                         const char *shown_path, bool lossless, bwi_groom_job *job, bw_error *error) {
    if (found->strand_count != meant->strand_count || found->point_count != meant->point_count ||
        !same(meant->first_points, found->first_points,
              ((size_t)meant->strand_count + 1) * sizeof *meant->first_points))
        return fail(shown_path, "strands", error);
    if (!lossless)
        return near_values(meant->positions, found->positions, (size_t)meant->point_count * 3)
                   ? BW_OK
                   : fail(shown_path, "positions", error);
    const char *what = differing_array(meant, found);
    if (what)
        return fail(shown_path, what, error);
    if (!(meant->animation && meant->animation->sample_count > 1) &&
        memcmp(meant->positions, found->positions, (size_t)meant->point_count * 12) != 0)
        return fail(shown_path, "positions", error);
    if (changes->count)
        return bwi_fail(error, BW_ERR_INTERNAL, shown_path, -1, "is not taken as it is when it is read back: %s",
                        changes->data[0].message);
    return compare_motion(meant, found, shown_path, job, error);
}

bw_result bwi_groom_prove(const char *path, const char *shown_path, const bw_groom *groom, bool lossless,
                          bwi_groom_job *job, bw_error *error) {
    /* Not those of the repair: what was asked for, such as groups by object, stands in the file now. */
    const bw_groom_opts opts = {0};
    bwi_hair *hair = NULL;
    bwi_groom_space space;
    bwi_groom_measures measures;
    bw_groom *found = NULL;
    bwi_arena *arena = bwi_arena_create(&job->call.mem);
    bwi_warnings changes;
    bw_result result =
        arena ? bwi_read_hair(&hair, path, &job->opts->run, error) : bwi_fail_memory(error, path, &job->call.mem, 0);
    if (result == BW_OK) {
        bwi_warnings_init(&changes, arena);
        result = bwi_groom_space_find(&space, arena, hair, &opts, error);
        if (result == BW_OK)
            result = bwi_groom_fix(&found, &measures, &changes, arena, hair, &opts, &space, &job->call.env, error);
    }
    if (result == BW_OK)
        result = compare(groom, found, &changes, shown_path, lossless, job, error);
    bwi_hair_free(hair);
    bwi_arena_free(arena);
    return result;
}
