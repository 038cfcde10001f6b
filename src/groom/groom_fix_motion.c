/* SPDX-License-Identifier: MIT
 * Motion of a repaired groom: samples of curves and of the transforms above them, read when they are asked for, and put through what was done to
 * the groom at rest. */
#include <stdlib.h>
#include <string.h>

#include "groom/groom_fix_priv.h"

/* Times that count as one, in seconds: as everywhere in bw_cache. */
static const double SAME_TIME = 1e-5;

/* Uneven times become at most so many times as many even ones. */
enum { MOST_SAMPLES = 10 };

/* Times of samples in ascending order, each once. */
typedef struct track {
    const double *times_s; /* as the file has them */
    uint32_t *order;       /* [count] samples */
    uint32_t count;        /* 0: it stands still */
} track;

/* A transform above a source. */
typedef struct motion_link {
    const bwi_hair_object *object;
    track matrix;
} motion_link;

typedef struct moving_source {
    uint32_t source;
    track points;
    motion_link *links; /* from the lowest up */
    uint32_t link_count;
} moving_source;

typedef struct motion {
    bwi_fix fix; /* of what it was made: strands, places, sources; its scratch and options are gone */
    const float *rest;
    bwi_mat4 to_unreal;
    moving_source *sources;
    size_t source_count;
    bw_cache cache;
    double *times_s;
} motion;

/* ---- tracks ---- */

typedef struct timed {
    double time_s;
    uint32_t sample;
} timed;

static int compare_timed(const void *a, const void *b) {
    const timed *x = a, *y = b;
    if (x->time_s != y->time_s)
        return x->time_s < y->time_s ? -1 : 1;
    return x->sample < y->sample ? -1 : x->sample > y->sample;
}

static bw_result sort_track(track *out, bwi_fix *fix, const double *times_s, uint32_t count, const char *path,
                            bw_error *error) {
    timed *all = bwi_arena_alloc(fix->scratch, count, sizeof *all);
    uint32_t *order = bwi_arena_alloc(fix->arena, count, sizeof *order);
    if (!all || !order)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, count * sizeof *all);
    uint32_t kept = 0, usable = 0, unordered = 0;
    for (uint32_t i = 0; i < count; i++) {
        unordered += i > 0 && times_s[i] < times_s[i - 1];
        if (bwi_is_finite(times_s[i]))
            all[usable++] = (timed){times_s[i], i};
    }
    qsort(all, usable, sizeof *all, compare_timed);
    for (uint32_t i = 0; i < usable; i++) {
        if (kept == 0 || all[i].time_s > times_s[order[kept - 1]] + SAME_TIME)
            order[kept++] = all[i].sample;
    }
    if (kept < count)
        bwi_warn(fix->changes, "samples-left-out", count - kept,
                 "samples of a time that another has, or that is none, were left out", "%s", path);
    if (unordered)
        bwi_warn(fix->changes, "samples-sorted", unordered, "samples were put in the order of their times", "%s", path);
    *out = (track){times_s, order, kept < 2 ? 0 : kept};
    return BW_OK;
}

/* The samples on both sides of a time, and how far it is from the first to the second. */
static void bracket(uint32_t *from, uint32_t *to, double *part, const track *t, double time_s) {
    uint32_t low = 0, high = t->count - 1; /* the last that is not after it */
    while (low < high) {
        const uint32_t middle = low + (high - low + 1) / 2;
        if (t->times_s[t->order[middle]] <= time_s + SAME_TIME)
            low = middle;
        else
            high = middle - 1;
    }
    *from = *to = t->order[low];
    *part = 0;
    if (low + 1 == t->count || time_s <= t->times_s[*from] + SAME_TIME)
        return;
    *to = t->order[low + 1];
    *part = (time_s - t->times_s[*from]) / (t->times_s[*to] - t->times_s[*from]);
}

/* ---- a sample ---- */

static bw_result world_at(bwi_mat4 *world, const motion *m, const moving_source *s, double time_s, bw_error *error) {
    bwi_mat4 chain = bwi_mat4_identity();
    for (uint32_t k = 0; k < s->link_count; k++) {
        const motion_link *link = &s->links[k];
        bwi_mat4 local;
        bool inherits = link->object->inherits;
        memcpy(local.m, link->object->matrix, sizeof local.m);
        if (link->matrix.count) {
            uint32_t from, to;
            double part;
            bracket(&from, &to, &part, &link->matrix, time_s);
            bw_result result = link->object->read(link->object->ctx, from, local.m, &inherits, error);
            if (result == BW_OK && part > 0) {
                bwi_mat4 next;
                bool unused;
                result = link->object->read(link->object->ctx, to, next.m, &unused, error);
                for (int i = 0; result == BW_OK && i < 16; i++)
                    local.m[i] += part * (next.m[i] - local.m[i]);
            }
            if (result != BW_OK)
                return result;
        }
        chain = bwi_mat4_mul(&local, &chain);
        if (!inherits)
            break;
    }
    *world = bwi_mat4_mul(&m->to_unreal, &chain);
    return BW_OK;
}

/* Control points at a time; those that are not finite stand where they stood first.  Out: mended — how many. */
static bw_result points_at(float *cvs, float *spare, uint64_t *mended, const moving_source *s,
                           const bwi_hair_curves *curves, double time_s, bw_error *error) {
    const size_t values = (size_t)curves->point_count * 3;
    uint32_t from, to;
    double part;
    bracket(&from, &to, &part, &s->points, time_s);
    bw_result result = curves->read(curves->ctx, from, cvs, error);
    if (result == BW_OK && part > 0) {
        result = curves->read(curves->ctx, to, spare, error);
        for (size_t i = 0; result == BW_OK && i < values; i++)
            cvs[i] = (float)((double)cvs[i] + part * ((double)spare[i] - (double)cvs[i]));
    }
    for (size_t i = 0; result == BW_OK && i < values; i++) {
        if (cvs[i] > -1e18f && cvs[i] < 1e18f)
            continue;
        cvs[i] = curves->positions[i];
        *mended += bwi_is_finite((double)cvs[i]); /* else its strand is left out anyway */
    }
    return result;
}

/* In: room — twice the points of the largest source that moves. */
static bw_result sample_into(float *out, float *room, uint64_t *mended, const motion *m, uint32_t sample,
                             bw_error *error) {
    const bw_groom *g = m->fix.groom;
    const double time_s = m->times_s[sample];
    memcpy(out, m->rest, (size_t)g->point_count * 3 * sizeof *out);
    for (size_t k = 0; k < m->source_count; k++) {
        const moving_source *s = &m->sources[k];
        const bwi_source *source = &m->fix.sources.data[s->source];
        const bwi_hair_curves *curves = source->curves;
        bwi_mat4 world;
        bw_result result = world_at(&world, m, s, time_s, error);
        const float *cvs = curves->positions;
        if (result == BW_OK && s->points.count) {
            result = points_at(room, room + 3 * curves->point_count, mended, s, curves, time_s, error);
            cvs = room;
        }
        if (result != BW_OK)
            return result;
        const uint32_t begin = source->first_strand, end = begin + source->strand_count;
        float *to = out + 3 * (size_t)g->first_points[begin];
        bwi_fix_place(to, &m->fix, source, &world, cvs, begin, end);
        const size_t values = 3 * (size_t)(g->first_points[end] - g->first_points[begin]);
        for (size_t i = 0; i < values; i++) {
            if (!(to[i] > -1e18f && to[i] < 1e18f)) { /* a transform that is not finite */
                to[i] = m->rest[3 * (size_t)g->first_points[begin] + i];
                ++*mended;
            }
        }
    }
    return BW_OK;
}

static size_t room_size(const motion *m) {
    uint64_t most = 0;
    for (size_t k = 0; k < m->source_count; k++) {
        const uint64_t n =
            m->sources[k].points.count ? m->fix.sources.data[m->sources[k].source].curves->point_count : 0;
        most = n > most ? n : most;
    }
    return (size_t)(6 * most);
}

static bw_result read_sample(const void *ctx, uint32_t sample, float *dst, bw_error *error) {
    const motion *m = ctx;
    bwi_mem *mem = bwi_arena_mem(m->fix.arena);
    float *room = bwi_alloc(mem, room_size(m), sizeof *room);
    if (!room)
        return bwi_fail_memory(error, m->fix.hair->path, mem, room_size(m) * sizeof *room);
    uint64_t mended = 0;
    const bw_result result = sample_into(dst, room, &mended, m, sample, error);
    bwi_free(mem, room);
    return result;
}

/* ---- what moves ---- */

/* Whether any control point of a source that moves can be told: counts that change cannot. */
static bool points_move(bwi_fix *fix, const bwi_source *source) {
    const bwi_hair_curves *c = source->curves;
    if (c->only_attributes_move)
        bwi_warn(fix->changes, "only-attributes-move", 1,
                 "objects of which only widths or other attributes move stand still: importers take positions alone",
                 "%s", source->object->path);
    if (c->sample_count < 2 || !c->read)
        return false;
    if (!c->topology_moves)
        return true;
    bwi_warn(fix->changes, "topology-moves", 1,
             "objects whose strands or points change in number stand still at their first sample: no importer takes "
             "such a cache",
             "%s", source->object->path);
    return false;
}

/* Lists the transforms above a source.  Out: moves — set where one does. */
static bw_result list_links(moving_source *s, bool *moves, bwi_fix *fix, const bwi_source *source, bw_error *error) {
    const bwi_hair_object *objects = fix->hair->objects.data;
    uint32_t count = 0;
    for (uint32_t o = source->curves->object; o != BW_NO_INDEX; o = objects[o].parent)
        count += objects[o].kind == BWI_HAIR_XFORM;
    s->links = bwi_arena_alloc(fix->arena, count, sizeof *s->links);
    if (!s->links)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, count * sizeof *s->links);
    for (uint32_t o = source->curves->object; o != BW_NO_INDEX; o = objects[o].parent) {
        if (objects[o].kind != BWI_HAIR_XFORM)
            continue;
        motion_link *link = &s->links[s->link_count++];
        *link = (motion_link){.object = &objects[o]};
        if (objects[o].moves && objects[o].sample_count > 1 && objects[o].read && objects[o].times_s) {
            const bw_result result =
                sort_track(&link->matrix, fix, objects[o].times_s, objects[o].sample_count, objects[o].path, error);
            if (result != BW_OK)
                return result;
            *moves |= link->matrix.count > 0;
        } else if (!objects[o].inherits) {
            break;
        }
    }
    return BW_OK;
}

static bool some_transform_moves(const bwi_fix *fix, const bwi_source *source) {
    for (uint32_t o = source->curves->object; o != BW_NO_INDEX; o = fix->hair->objects.data[o].parent) {
        const bwi_hair_object *object = &fix->hair->objects.data[o];
        if (object->kind == BWI_HAIR_XFORM && object->moves)
            return true;
        if (object->kind == BWI_HAIR_XFORM && !object->inherits)
            return false;
    }
    return false;
}

static bw_result list_sources(motion *m, bwi_fix *fix, bw_error *error) {
    m->sources = bwi_arena_alloc(fix->arena, fix->sources.count, sizeof *m->sources);
    if (!m->sources)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, fix->sources.count * sizeof *m->sources);
    for (size_t k = 0; k < fix->sources.count; k++) {
        const bwi_source *source = &fix->sources.data[k];
        if (source->strand_count == 0)
            continue;
        const bool has_samples = points_move(fix, source);
        if (!has_samples && !some_transform_moves(fix, source))
            continue;
        moving_source s = {.source = (uint32_t)k};
        bool moves = false;
        bw_result result = list_links(&s, &moves, fix, source, error);
        if (result == BW_OK && has_samples)
            result = sort_track(&s.points, fix, source->curves->times_s, source->curves->sample_count,
                                source->object->path, error);
        if (result != BW_OK)
            return result;
        if (moves)
            bwi_warn(fix->changes, "moving-transforms-baked", 1,
                     "objects whose transforms move were moved themselves: an importer reads the first sample", "%s",
                     source->object->path);
        if (moves || s.points.count)
            m->sources[m->source_count++] = s;
    }
    return BW_OK;
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static size_t add_times(double *out, const track *t) {
    for (uint32_t i = 0; i < t->count; i++)
        out[i] = t->times_s[t->order[i]];
    return t->count;
}

/* The step to take in place of times that keep none: as short as the shortest between two, within reason.  0: they keep one. */
static double even_step(const double *times_s, size_t count) {
    const double span = times_s[count - 1] - times_s[0], mean = span / (double)(count - 1);
    double least = span;
    bool even = true;
    for (size_t i = 1; i < count; i++) {
        const double step = times_s[i] - times_s[i - 1], off = times_s[i] - (times_s[0] + (double)i * mean);
        least = step < least ? step : least;
        even = even && off < SAME_TIME && off > -SAME_TIME;
    }
    const double shortest = mean / MOST_SAMPLES;
    return even ? 0 : least > shortest ? least : shortest;
}

/* The times at which anything has a sample, evened. */
static bw_result list_times(motion *m, bwi_fix *fix, bw_error *error) {
    size_t total = 0, filled = 0, kept = 0;
    for (size_t k = 0; k < m->source_count; k++) {
        total += m->sources[k].points.count;
        for (uint32_t l = 0; l < m->sources[k].link_count; l++)
            total += m->sources[k].links[l].matrix.count;
    }
    double *all = bwi_arena_alloc(fix->scratch, total, sizeof *all);
    if (!all)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, total * sizeof *all);
    for (size_t k = 0; k < m->source_count; k++) {
        filled += add_times(all + filled, &m->sources[k].points);
        for (uint32_t l = 0; l < m->sources[k].link_count; l++)
            filled += add_times(all + filled, &m->sources[k].links[l].matrix);
    }
    qsort(all, total, sizeof *all, compare_doubles);
    for (size_t i = 0; i < total; i++) {
        if (kept == 0 || all[i] > all[kept - 1] + SAME_TIME)
            all[kept++] = all[i];
    }
    if (kept > UINT32_MAX / (MOST_SAMPLES + 1))
        return bwi_fail(error, BW_ERR_TOO_LARGE, fix->hair->path, -1, "moves at %zu times; a groom may have %u", kept,
                        UINT32_MAX / (MOST_SAMPLES + 1));
    const double step = even_step(all, kept);
    const size_t count = step > 0 ? (size_t)((all[kept - 1] - all[0]) / step + 0.5) + 1 : kept;
    m->times_s = bwi_arena_alloc(fix->arena, count, sizeof *m->times_s);
    if (!m->times_s)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, count * sizeof *m->times_s);
    for (size_t i = 0; i < count; i++)
        m->times_s[i] = step > 0 ? all[0] + (double)i * step : all[i];
    if (step > 0)
        bwi_warn(fix->changes, "samples-evened", count,
                 "samples were taken at even times, without which an importer drops the motion", "%g samples a second",
                 1 / step);
    m->cache = (bw_cache){m->times_s, (uint32_t)count, read_sample, m};
    return BW_OK;
}

static void *copy_of(bwi_arena *arena, const void *data, size_t count, size_t size) {
    void *copy = bwi_arena_alloc(arena, count, size);
    if (copy && count)
        memcpy(copy, data, count * size);
    return copy;
}

/* What samples need stays with the groom; all else of the repair goes. */
static bw_result keep_fix(motion *m, const bwi_fix *fix, bw_error *error) {
    const bw_groom *g = fix->groom;
    bw_groom *own = copy_of(fix->arena, g, 1, sizeof *g);
    m->fix = (bwi_fix){.hair = fix->hair, .arena = fix->arena, .groom = own};
    m->fix.sources.data = copy_of(fix->arena, fix->sources.data, fix->sources.count, sizeof *fix->sources.data);
    m->fix.sources.count = fix->sources.count;
    m->fix.strands.data = copy_of(fix->arena, fix->strands.data, fix->strands.count, sizeof *fix->strands.data);
    m->fix.strands.count = fix->strands.count;
    if (fix->places)
        m->fix.places = copy_of(fix->arena, fix->places, g->point_count, sizeof *fix->places);
    m->rest = copy_of(fix->arena, g->positions, g->point_count, 3 * sizeof *g->positions);
    if (!own || !m->fix.sources.data || !m->fix.strands.data || (fix->places && !m->fix.places) || !m->rest)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, (size_t)g->point_count * 12);
    own->first_points = copy_of(fix->arena, g->first_points, (size_t)g->strand_count + 1, sizeof *g->first_points);
    return own->first_points ? BW_OK
                             : bwi_fail_memory(error, fix->hair->path, fix->env->mem, (size_t)g->strand_count * 4);
}

static bool all_have_length(const bw_groom *g, const float *positions) {
    for (uint32_t s = 0; s < g->strand_count; s++) {
        const float *root = positions + 3 * (size_t)g->first_points[s];
        bool has = false;
        for (uint32_t k = 3; k < 3 * (g->first_points[s + 1] - g->first_points[s]) && !has; k++)
            has = root[k] < root[k % 3] || root[k] > root[k % 3];
        if (!has)
            return false;
    }
    return true;
}

/* Reads every sample once: the groom at rest is the first, and what is mended in others is told now.  Out: moves — whether any differs. */
static bw_result look_at_samples(bool *moves, motion *m, bwi_fix *fix, bw_error *error) {
    bw_groom *g = fix->groom;
    bwi_mem *mem = fix->env->mem;
    const size_t values = (size_t)g->point_count * 3;
    float *room = bwi_alloc(mem, room_size(m), sizeof *room), *sample = bwi_alloc(mem, values, sizeof *sample);
    uint64_t mended = 0;
    bw_result result = BW_OK;
    bool usable = true;
    *moves = false;
    if (!room || !sample)
        result = bwi_fail_memory(error, fix->hair->path, mem, values * sizeof *sample);
    bwi_progress_begin(fix->env->progress, "reading samples", m->cache.sample_count);
    for (uint32_t i = 0; result == BW_OK && usable && i < m->cache.sample_count; i++) {
        result = sample_into(sample, room, &mended, m, i, error);
        if (result == BW_OK && i == 0) {
            usable = all_have_length(g, sample);
            if (usable)
                memcpy(g->positions, sample, values * sizeof *sample);
        } else if (result == BW_OK) {
            *moves |= memcmp(sample, g->positions, values * sizeof *sample) != 0;
        }
        if (result == BW_OK && !bwi_progress_step(fix->env->progress, 1))
            result = bwi_fail_cancelled(error);
    }
    bwi_free(mem, room);
    bwi_free(mem, sample);
    if (result == BW_OK && !usable)
        bwi_warn(fix->changes, "first-sample-collapses", 1,
                 "strands have no length at the earliest of times that are not in order: the groom stands still", "%s",
                 fix->hair->path);
    else if (mended)
        bwi_warn(fix->changes, "samples-mended", mended,
                 "coordinates that are not finite in a later sample stand where they stood first", "%s",
                 fix->hair->path);
    if (result == BW_OK && usable && !*moves)
        bwi_warn(fix->changes, "samples-equal", m->cache.sample_count,
                 "samples that are all the same became a groom that stands still", "%s", fix->hair->path);
    return result;
}

bw_result bwi_fix_motion(bwi_fix *fix, bw_error *error) {
    motion *m = bwi_arena_alloc(fix->arena, 1, sizeof *m);
    if (!m)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, sizeof *m);
    m->to_unreal = fix->to_unreal;
    bw_result result = list_sources(m, fix, error);
    if (result != BW_OK || m->source_count == 0)
        return result;
    result = list_times(m, fix, error);
    if (result == BW_OK)
        result = keep_fix(m, fix, error);
    bool moves = false;
    if (result == BW_OK)
        result = look_at_samples(&moves, m, fix, error);
    if (result != BW_OK)
        return result;
    if (moves)
        fix->groom->animation = &m->cache;
    return BW_OK;
}

/* ---- chosen points ---- */

typedef struct selection {
    const bw_cache *old;
    bwi_mem *mem;
    const uint32_t *of_points;
    uint32_t old_count, count;
    bw_cache cache;
} selection;

static bw_result read_selection(const void *ctx, uint32_t sample, float *dst, bw_error *error) {
    const selection *s = ctx;
    float *all = bwi_alloc(s->mem, s->old_count, 3 * sizeof *all);
    if (!all)
        return bwi_fail_memory(error, NULL, s->mem, (size_t)s->old_count * 3 * sizeof *all);
    const bw_result result = s->old->read(s->old->ctx, sample, all, error);
    for (uint32_t i = 0; result == BW_OK && i < s->count; i++)
        memcpy(dst + 3 * (size_t)i, all + 3 * (size_t)s->of_points[i], 3 * sizeof *dst);
    bwi_free(s->mem, all);
    return result;
}

bw_result bwi_groom_cache_select(const bw_cache **cache, bwi_arena *arena, const bw_cache *old, uint32_t old_count,
                                 const uint32_t *of_points, uint32_t count, bw_error *error) {
    if (!old) {
        *cache = NULL;
        return BW_OK;
    }
    selection *s = bwi_arena_alloc(arena, 1, sizeof *s);
    uint32_t *kept = s ? copy_of(arena, of_points, count, sizeof *of_points) : NULL;
    if (!kept)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), count * sizeof *kept + sizeof *s);
    *s = (selection){old, bwi_arena_mem(arena), kept, old_count, count, {0}};
    s->cache = (bw_cache){old->times_s, old->sample_count, read_selection, s};
    *cache = &s->cache;
    return BW_OK;
}
