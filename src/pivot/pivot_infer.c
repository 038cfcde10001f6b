/* SPDX-License-Identifier: MIT
 * Parents of parts: grown from the root as Prim's algorithm grows a tree, so that no circle can arise.  The next part is always that whose end
 * is nearest to the surface of one that has a place, measured by its own length; what is longer than the part, and no sheet, is preferred. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pivot/pivot_priv.h"

#define TOLERANCE 1e-4    /* of the diagonal: options_pivot.def */
#define MAX_DISTANCE 0.05 /* of the diagonal: options_pivot.def */
#define REACH 0.5 /* of a part's length: an end as near may hang there; only where nothing is, what is farther counts */
#define TOUCH 0.02 /* of a part's length: as near is touching */
#define UNLIKELY \
    0.3 /* added to the cost of parents that are sheets or shorter: half a leaf is nearer to the next leaf than to its twig */
#define FAR_COST 1.0     /* added to that of parents out of reach */
#define THICKNESS 2.5    /* times the mean radius of a limb: what is behind its surface and nearer is in it */
#define STAND_SHARE 0.02 /* of the height: what begins as low grows from the ground unless it touches another */
#define GROUND_SHARE 0.1 /* of the height: what begins as low stands on the ground */

/* What to look at next: how well a part hangs on another, or, child BW_NO_INDEX, which parts hang on one that has a place. */
typedef enum stage { NEAR = 0, NEAR_UNLIKELY, FAR, FAR_UNLIKELY, STAGES } stage;
static const double stage_costs[STAGES] = {0, UNLIKELY, FAR_COST, FAR_COST + UNLIKELY};
typedef struct entry {
    double cost;
    uint32_t child, parent; /* child BW_NO_INDEX: parts that may hang on the parent */
    stage stage;
} entry;

/* The best place of a part so far. */
typedef struct place {
    double cost, second; /* second: of the best other parent */
    double distance;
    uint32_t parent, end;
    bool behind, turned, placed; /* turned: the end is the parent's, and it is the part's surface that is near */
} place;

typedef struct grower {
    bwi_pivot_work *work;
    bwi_pivot_surface surface;
    bwi_pivot_ends ends;
    bwi_box_tree end_tree, part_tree;
    uint32_t *live, *homes; /* ends of parts without a place */
    uint32_t *far_live;     /* of those that do not stand on the ground, which what is far cannot hold */
    place *places;          /* [elements] */
    bool *roots;            /* [elements] */
    entry *heap;
    size_t heap_count, heap_room;
    uint32_t placed_count;
    double tolerance, max_distance, ground, height; /* ground: the lowest place */
    double longest;
    bool failed; /* memory */
    /* Of the part that is explored. */
    uint32_t parent;
    stage stage;
    double radius; /* as of a round limb of its area and length */
} grower;

/* ---- the heap: cheapest first; of equals what is explored, then the lower child ---- */

static bool before(const entry *a, const entry *b) {
    if (a->cost != b->cost)
        return a->cost < b->cost;
    const uint32_t x = a->child + 1, y = b->child + 1; /* BW_NO_INDEX comes first */
    if (x != y)
        return x < y;
    return a->parent != b->parent ? a->parent < b->parent : a->stage < b->stage;
}

static void push(grower *g, entry e) {
    if (g->heap_count == g->heap_room) {
        const size_t room = g->heap_room ? 2 * g->heap_room : 1024;
        entry *heap = bwi_realloc(g->work->env->mem, g->heap, room, sizeof *heap);
        if (!heap) {
            g->failed = true;
            return;
        }
        g->heap = heap;
        g->heap_room = room;
    }
    size_t at = g->heap_count++;
    for (; at > 0 && before(&e, &g->heap[(at - 1) / 2]); at = (at - 1) / 2)
        g->heap[at] = g->heap[(at - 1) / 2];
    g->heap[at] = e;
}

static entry pop(grower *g) {
    const entry top = g->heap[0], last = g->heap[--g->heap_count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < g->heap_count; at = child) {
        child += child + 1 < g->heap_count && before(&g->heap[child + 1], &g->heap[child]);
        if (!before(&g->heap[child], &last))
            break;
        g->heap[at] = g->heap[child];
    }
    g->heap[at] = last;
    return top;
}

/* ---- parts that may hang on one ---- */

/* Whatever hangs on it is unlikely. */
static bool is_leaf_like(const grower *g, uint32_t element) {
    return g->ends.sheets[element] && !g->roots[element];
}

/* Nothing is that hangs on a root. */
static bool is_unlikely(const grower *g, uint32_t child) {
    return is_leaf_like(g, g->parent) || (!g->roots[g->parent] && g->ends.lengths[g->parent] < g->ends.lengths[child]);
}

static double touch_of(const grower *g, uint32_t element) {
    return fmax(g->tolerance, TOUCH * g->ends.lengths[element]);
}

/* Blades of grass, stems of a clump, trees of a wood do not hang on each other, near as they may be; unless somebody names the one root. */
static bool stands(const grower *g, uint32_t element) {
    return !g->work->opts->root && (double)g->surface.bounds[element][1] <= g->ground + STAND_SHARE * g->height;
}

/* Keeps the better of two places, and the cost of the better other parent. */
static void offer(grower *g, uint32_t child, const place *found) {
    place *best = &g->places[child];
    const bool again = best->parent == found->parent;
    if (found->cost < best->cost) {
        const double second = again ? best->second : best->cost;
        *best = *found;
        best->second = second;
        push(g, (entry){found->cost, child, g->parent, g->stage});
    } else if (!again && found->cost < best->second) {
        best->second = found->cost;
    }
}

static void look_at_end(void *ctx, uint32_t item) {
    grower *g = ctx;
    const bwi_pivot_end *end = &g->ends.ends[item];
    const uint32_t child = end->element;
    const place *best = &g->places[child];
    const double length = g->ends.lengths[child], reach = fmin(REACH * length, g->max_distance);
    const bool far = g->stage >= FAR, unlikely = g->stage == NEAR_UNLIKELY || g->stage == FAR_UNLIKELY;
    if (best->placed || is_unlikely(g, child) != unlikely)
        return;
    /* Far ones by distance alone: by their length, large parts would hang on what is far. */
    const double scale = far ? g->work->diagonal : length, added = stage_costs[g->stage];
    const double thickness = g->ends.sheets[g->parent] ? 0 : THICKNESS * g->radius;
    double within = far ? g->max_distance : fmin(fmax(reach, thickness), g->max_distance);
    within = stands(g, child) ? fmin(within, fmax(touch_of(g, child), thickness)) : within;
    if (!(scale > 0) || !(best->second > added)) /* nothing is gained */
        return;
    const double p[3] = {(double)end->p[0], (double)end->p[1], (double)end->p[2]};
    const double useful = fmin(within, fmax((best->second - added) * scale, thickness));
    place found = {.parent = g->parent, .end = item, .second = HUGE_VAL};
    found.distance = bwi_pivot_surface_distance(&found.behind, &g->surface, g->parent, p, useful);
    if (!(found.distance <= useful))
        return;
    /* In a limb is on it: of all that begin in a trunk, each is nearer to the next one's surface than to the trunk's. */
    found.behind = found.behind && found.distance <= thickness;
    if (stands(g, child) && !found.behind && found.distance > touch_of(g, child))
        return;
    found.cost = added + ((found.behind ? 0 : found.distance) + (double)end->handicap) / scale;
    offer(g, child, &found);
}

/* Squared distance to a part that has no place yet. */
static double part_distance(const void *ctx, uint32_t item, const double p[3]) {
    const grower *g = ctx;
    if (g->places[item].placed)
        return HUGE_VAL;
    const double within = stands(g, item) ? fmin(touch_of(g, item), g->max_distance) : g->max_distance;
    const double distance = bwi_pivot_surface_distance(NULL, &g->surface, item, p, within);
    return distance * distance;
}

/* What no end brought near may still lie along the part, as ivy does: surfaces that are near its ends. */
static void look_around(grower *g, uint32_t parent) {
    for (uint32_t i = g->ends.first[parent]; i < g->ends.first[parent + 1]; i++) {
        const bwi_pivot_end *end = &g->ends.ends[i];
        const double p[3] = {(double)end->p[0], (double)end->p[1], (double)end->p[2]};
        uint32_t items[BWI_NEAREST_MAX];
        double squared[BWI_NEAREST_MAX];
        const uint32_t count = bwi_box_tree_nearest(items, squared, &g->part_tree, p, BWI_NEAREST_MAX, g->max_distance,
                                                    BWI_PIVOT_BOX_SLACK, part_distance, g);
        for (uint32_t k = 0; k < count; k++) {
            place found = {.parent = parent, .end = i, .second = HUGE_VAL, .turned = true};
            found.distance = bwi_sqrt(squared[k]);
            found.cost = stage_costs[g->stage] + found.distance / g->work->diagonal;
            offer(g, items[k], &found);
        }
    }
}

/* Looks at all ends in reach of a part's surface. */
static void explore(grower *g, uint32_t parent, stage at) {
    const float *bounds = g->surface.bounds[parent];
    double reach = g->max_distance;
    if (at < FAR) /* what is in the part is in its bounds; likely ones are shorter */
        reach = fmin(reach, REACH * (at == NEAR && !g->roots[parent] ? g->ends.lengths[parent] : g->longest));
    float low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = (float)((double)bounds[k] - reach * (1 + 1e-6));
        high[k] = (float)((double)bounds[k + 3] + reach * (1 + 1e-6));
    }
    g->parent = parent;
    g->stage = at;
    g->radius = g->ends.lengths[parent] > 0 ? g->ends.areas[parent] / (2 * BWI_PI * g->ends.lengths[parent]) : 0;
    bwi_box_tree_visit(&g->end_tree, at < FAR ? g->live : g->far_live, low, high, look_at_end, g);
    if (at == (is_leaf_like(g, parent) ? FAR_UNLIKELY : FAR))
        look_around(g, parent);
}

static void take_end(grower *g, uint32_t end) {
    bwi_box_tree_take(g->live, g->homes[end]);
    if (!stands(g, g->ends.ends[end].element))
        bwi_box_tree_take(g->far_live, g->homes[end]);
}

static void put_in_place(grower *g, uint32_t element) {
    g->places[element].placed = true;
    g->placed_count++;
    bwi_progress_step(g->work->env->progress, 1);
    for (uint32_t i = g->ends.first[element]; i < g->ends.first[element + 1]; i++)
        take_end(g, i);
    for (stage s = NEAR; s < STAGES; s++) {
        const bool unlikely = s == NEAR_UNLIKELY || s == FAR_UNLIKELY;
        if (unlikely ? g->roots[element] : is_leaf_like(g, element))
            continue;
        push(g, (entry){stage_costs[s], BW_NO_INDEX, element, s});
    }
}

/* ---- what was found ---- */

static void tell_child(const grower *g, uint32_t child) {
    bw_pivot_element *e = &g->work->elements[child];
    const place *p = &g->places[child];
    const bwi_pivot_end *end = &g->ends.ends[p->end];
    const double length = g->ends.lengths[child], ring = (double)end->ring;
    const bool touches = p->behind || p->distance <= touch_of(g, child);
    const bool at_ring = ring > 0 && !p->turned && (touches || p->distance <= ring);
    e->parent = p->parent;
    e->distance = p->distance;
    e->found = at_ring ? BW_PIVOT_FOUND_RING : touches ? BW_PIVOT_FOUND_CONTACT : BW_PIVOT_FOUND_NEAREST;
    memcpy(e->pivot, end->pivot, sizeof e->pivot);
    /* Halved where another parent is as good; the farther, the less. */
    const double known = p->turned ? 0.5 : at_ring ? 0.95 : touches ? 0.9 : 0.6;
    const double rival = (p->cost + TOUCH) / (p->second + TOUCH);
    e->confidence = known * (1 - 0.5 * rival) * (length > 0 ? length / (length + p->distance) : 1);
}

static void tell_root(const grower *g, uint32_t root, bw_pivot_found found, double confidence) {
    bw_pivot_element *e = &g->work->elements[root];
    e->parent = BW_NO_INDEX;
    e->found = found;
    e->confidence = confidence;
    memcpy(e->pivot, g->ends.feet[root], sizeof e->pivot);
}

/* ---- roots ---- */

typedef struct candidate {
    bool sheet;
    double area;
    uint32_t element;
} candidate;

static int compare_candidates(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->sheet != y->sheet)
        return x->sheet ? 1 : -1;
    if (x->area != y->area)
        return x->area > y->area ? -1 : 1;
    return x->element < y->element ? -1 : x->element > y->element;
}

/* The largest that stands on the ground, limbs before sheets; --root names another. */
static bw_result choose_root(uint32_t *root, const grower *g, const candidate *sorted) {
    const bwi_pivot_work *work = g->work;
    if (work->opts->root) {
        bwi_pivot_names names;
        bw_result result = bwi_pivot_names_build(&names, work);
        if (result != BW_OK)
            return result;
        *root = bwi_pivot_names_find(&names, work, work->opts->root);
        if (*root != BW_NO_INDEX)
            return BW_OK;
        char text[512];
        bwi_pivot_list_names(text, sizeof text, work, work->opts->root);
        return bwi_fail(work->error, BW_ERR_USAGE, work->scene->path, -1,
                        "--root=%s is no element; there are %s; a part is named after its node, with its number where "
                        "there are several",
                        work->opts->root, text);
    }
    for (uint32_t i = 0; i < work->element_count; i++) {
        *root = sorted[i].element;
        if ((double)g->surface.bounds[*root][1] <= g->ground + GROUND_SHARE * g->height)
            break;
    }
    return BW_OK;
}

static bw_result sort_candidates(candidate **sorted, const grower *g) {
    const uint32_t n = g->work->element_count;
    candidate *c = bwi_pivot_alloc(g->work, n, sizeof *c);
    if (!c)
        return BW_ERR_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        c[i] = (candidate){g->ends.sheets[i], g->ends.areas[i], i};
    qsort(c, n, sizeof *c, compare_candidates);
    *sorted = c;
    return BW_OK;
}

/* ---- growing ---- */

static bw_result prepare(grower *g) {
    bwi_pivot_work *work = g->work;
    const uint32_t v = work->list->vertex_count, n = work->element_count;
    uint32_t *points = bwi_pivot_alloc(work, v, sizeof *points);
    g->places = points ? bwi_pivot_alloc(work, n, sizeof *g->places) : NULL;
    g->roots = g->places ? bwi_pivot_alloc(work, n, sizeof *g->roots) : NULL;
    if (!g->roots)
        return BW_ERR_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        g->places[i] = (place){.cost = HUGE_VAL, .second = HUGE_VAL, .parent = BW_NO_INDEX};
    g->tolerance = bwi_pivot_length(work, work->opts->tolerance, TOLERANCE);
    g->max_distance = bwi_pivot_length(work, work->opts->max_distance, MAX_DISTANCE);
    bw_result result = bwi_pivot_weld(points, work->positions, v, g->tolerance, work->scratch, work->env, work->error);
    if (result == BW_OK)
        result =
            bwi_pivot_surface_build(&g->surface, work->scratch, work->positions, (const uint32_t(*)[3])work->triangles,
                                    work->triangle_elements, work->triangle_count, n, work->error);
    if (result == BW_OK)
        result = bwi_pivot_find_ends(&g->ends, work, &g->surface, points);
    if (result == BW_OK)
        result = bwi_box_tree_build(&g->end_tree, work->scratch, g->ends.ends[0].p, g->ends.ends[0].p,
                                    sizeof(bwi_pivot_end) / sizeof(float), g->ends.count, work->error);
    if (result == BW_OK)
        result = bwi_box_tree_build(&g->part_tree, work->scratch, g->surface.bounds[0], g->surface.bounds[0] + 3, 6, n,
                                    work->error);
    return result;
}

static void measure_ground(grower *g) {
    double high = -HUGE_VAL;
    g->ground = HUGE_VAL;
    for (uint32_t i = 0; i < g->work->element_count; i++) {
        g->ground = fmin(g->ground, (double)g->surface.bounds[i][1]);
        high = fmax(high, (double)g->surface.bounds[i][4]);
        g->longest = fmax(g->longest, g->ends.lengths[i]);
    }
    g->height = high - g->ground;
}

static bw_result count_live(grower *g) {
    measure_ground(g);
    g->live = bwi_pivot_alloc(g->work, g->end_tree.node_count, sizeof *g->live);
    g->far_live = g->live ? bwi_pivot_alloc(g->work, g->end_tree.node_count, sizeof *g->far_live) : NULL;
    g->homes = g->far_live ? bwi_pivot_alloc(g->work, g->ends.count, sizeof *g->homes) : NULL;
    if (!g->homes)
        return BW_ERR_MEMORY;
    bwi_box_tree_live(g->live, g->homes, &g->end_tree);
    bwi_box_tree_live(g->far_live, g->homes, &g->end_tree);
    for (uint32_t i = 0; i < g->ends.count; i++) {
        if (stands(g, g->ends.ends[i].element))
            bwi_box_tree_take(g->far_live, g->homes[i]);
    }
    return BW_OK;
}

static void put_root(grower *g, uint32_t root, bw_pivot_found found, double confidence) {
    g->roots[root] = true;
    tell_root(g, root, found, confidence);
    put_in_place(g, root);
}

/* The largest without a place, of those on the ground or of all; BW_NO_INDEX: none is left. */
static uint32_t next_root(const grower *g, const candidate *sorted, uint32_t *cursor, bool standing) {
    for (; *cursor < g->work->element_count; ++*cursor) {
        const uint32_t next = sorted[*cursor].element;
        if (!g->places[next].placed && (!standing || stands(g, next)))
            return next;
    }
    return BW_NO_INDEX;
}

static void take_next(grower *g) {
    const entry e = pop(g);
    if (e.child == BW_NO_INDEX) {
        explore(g, e.parent, e.stage);
    } else if (!g->places[e.child].placed) {
        tell_child(g, e.child);
        put_in_place(g, e.child);
    }
}

/* What surely hangs on the root, on what hangs there, and so on; then what else stands on the ground, and all that is less sure; at last the rest. */
static bw_result grow_all(grower *g, const candidate *sorted) {
    bwi_pivot_work *work = g->work;
    uint32_t on_ground = 0, anywhere = 0;
    while (g->placed_count < work->element_count && !g->failed) {
        uint32_t root = BW_NO_INDEX;
        if (g->heap_count == 0 || g->heap[0].cost >= UNLIKELY)
            root = next_root(g, sorted, &on_ground, true);
        if (root != BW_NO_INDEX) {
            put_root(g, root, BW_PIVOT_FOUND_ROOT,
                     g->ends.sheets[root] ? 0.6 : 0.8); /* a leaf may droop to the ground */
        } else if (g->heap_count == 0) {
            root = next_root(g, sorted, &anywhere, false);
            put_root(g, root, BW_PIVOT_FOUND_ROOT, 0.5);
        } else {
            take_next(g);
        }
        if (bwi_progress_cancelled(work->env->progress))
            return bwi_fail_cancelled(work->error);
    }
    return g->failed
               ? bwi_fail_memory(work->error, work->scene->path, work->env->mem, g->heap_room * 2 * sizeof *g->heap)
               : BW_OK;
}

static bw_result grow(grower *g) {
    bwi_pivot_work *work = g->work;
    candidate *sorted;
    uint32_t root = 0;
    bw_result result = sort_candidates(&sorted, g);
    if (result == BW_OK)
        result = choose_root(&root, g, sorted);
    if (result != BW_OK)
        return result;
    const bool given = work->opts->root != NULL;
    bwi_progress_begin(work->env->progress, "find parents", work->element_count);
    put_root(g, root, given ? BW_PIVOT_FOUND_GIVEN : BW_PIVOT_FOUND_ROOT, given ? 1.0 : 0.9);
    return grow_all(g, sorted);
}

void bwi_pivot_hang(bwi_pivot_work *work, uint32_t element) {
    bw_pivot_element *e = &work->elements[element];
    if (!work->ends)
        return;
    if (e->parent == BW_NO_INDEX) {
        memcpy(e->pivot, work->ends->feet[element], sizeof e->pivot);
        return;
    }
    double least = HUGE_VAL;
    for (uint32_t i = work->ends->first[element]; i < work->ends->first[element + 1]; i++) {
        const bwi_pivot_end *end = &work->ends->ends[i];
        const double p[3] = {(double)end->p[0], (double)end->p[1], (double)end->p[2]};
        const double distance =
            bwi_pivot_surface_distance(NULL, work->surface, e->parent, p, HUGE_VAL) + (double)end->handicap;
        if (distance < least) {
            least = distance;
            memcpy(e->pivot, end->pivot, sizeof e->pivot);
        }
    }
}

bw_result bwi_pivot_infer(bwi_pivot_work *work) {
    grower *g = bwi_pivot_alloc(work, 1, sizeof *g);
    if (!g)
        return BW_ERR_MEMORY;
    g->work = work;
    bw_result result = prepare(g);
    if (result == BW_OK)
        result = count_live(g);
    if (result == BW_OK)
        result = grow(g);
    bwi_free(work->env->mem, g->heap);
    work->surface = &g->surface;
    work->ends = &g->ends;
    return result;
}
