/* SPDX-License-Identifier: MIT
 * Which bones a vertex follows and by how much: the largest influences, as codes of 16 bits; the texture that holds them. */
#include <stdlib.h>
#include <string.h>

#include "vat/vat_priv.h"

enum { LARGEST_CODE = 65535 };

typedef struct influence {
    double weight;
    uint32_t bone;
} influence;

/* The lighter weight first where the bones are equal: sums must not depend on the order that a sort leaves. */
static int by_bone(const void *a, const void *b) {
    const influence *x = a, *y = b;
    const int order = (x->bone > y->bone) - (x->bone < y->bone);
    return order ? order : (x->weight > y->weight) - (x->weight < y->weight);
}

static int by_weight(const void *a, const void *b) {
    const influence *x = a, *y = b;
    const int order = (x->weight < y->weight) - (x->weight > y->weight);
    return order ? order : (x->bone > y->bone) - (x->bone < y->bone);
}

/* Adds up what one bone does, and sorts by falling weight.  Returns how many are left. */
static uint32_t tidy(influence *list, uint32_t count) {
    uint32_t kept = 0;
    qsort(list, count, sizeof *list, by_bone);
    for (uint32_t k = 0; k < count; ++k) {
        if (kept && list[kept - 1].bone == list[k].bone)
            list[kept - 1].weight += list[k].weight;
        else
            list[kept++] = list[k];
    }
    qsort(list, kept, sizeof *list, by_weight);
    return kept;
}

/* Codes whose sum is 65535: rounded down, what is missing goes to the largest remainders, of equals the first. */
static void quantise(uint16_t *codes, const influence *list, uint32_t count) {
    double sum = 0.0, remainders[8];
    uint32_t left = LARGEST_CODE;
    for (uint32_t k = 0; k < count; ++k)
        sum += list[k].weight;
    for (uint32_t k = 0; k < count; ++k) {
        const double exact = sum > 0.0 ? LARGEST_CODE * (list[k].weight / sum) : k == 0 ? LARGEST_CODE : 0.0;
        const uint32_t code = (uint32_t)exact < left ? (uint32_t)exact : left;
        codes[k] = (uint16_t)code;
        remainders[k] = exact - code;
        left -= code;
    }
    for (; left; --left) {
        uint32_t most = 0;
        for (uint32_t k = 1; k < count; ++k)
            most = remainders[k] > remainders[most] ? k : most;
        remainders[most] -= 1.0;
        ++codes[most];
    }
}

typedef struct weigher {
    bwi_palette *palette;
    const bwi_vat_plan *plan;
    const uint32_t *const *bone_of_joint;
    const uint32_t *part_bones;
    influence *list; /* of one vertex */
    uint16_t *indices, *weights;
    bwi_weight_change *changes; /* NULL: they are only counted */
} weigher;

static const bw_primitive *primitive_of(const weigher *w, const bwi_part *part) {
    return &w->plan->list->scene->meshes.data[part->mesh].primitives.data[part->primitive];
}

/* The source's influences, tidied.  Returns how many there are. */
static uint32_t gather(const weigher *w, uint32_t part_index, uint32_t vertex) {
    const bwi_part *part = &w->plan->list->parts[part_index];
    const bw_primitive *primitive = primitive_of(w, part);
    if (part->skin == BW_NO_INDEX) {
        w->list[0] = (influence){1.0, w->part_bones[part_index]};
        return 1;
    }
    const size_t width = primitive->influence_count, first = part->source_vertices[vertex] * width;
    uint32_t count = 0;
    for (size_t k = first; k < first + width; ++k)
        if (primitive->weights[k] > 0.0f)
            w->list[count++] =
                (influence){(double)primitive->weights[k], w->bone_of_joint[part->skin][primitive->joints[k]]};
    return tidy(w->list, count);
}

static void note_changes(weigher *w, uint32_t vertex, uint32_t count, const uint16_t *codes, uint32_t kept) {
    bwi_palette *out = w->palette;
    for (uint32_t k = 0; w->changes && k < count; ++k)
        w->changes[out->change_count + k] = (bwi_weight_change){
            vertex, w->list[k].bone, w->list[k].weight - (k < kept ? codes[k] / (double)LARGEST_CODE : 0.0)};
    out->change_count += count;
    ++out->dropped_vertices;
}

static void weigh_part(weigher *w, uint32_t part_index) {
    const bwi_part *part = &w->plan->list->parts[part_index];
    const uint32_t limit = w->plan->settings.influence_limit, width = w->plan->settings.influence_count;
    for (uint32_t i = 0; i < part->vertex_count; ++i) {
        const size_t vertex = part->first_vertex + i;
        const uint32_t count = gather(w, part_index, i), kept = count < limit ? count : limit;
        uint16_t *indices = w->indices + vertex * width, *weights = w->weights + vertex * width;
        quantise(weights, w->list, kept);
        for (uint32_t k = 0; k < kept; ++k)
            indices[k] = weights[k] ? (uint16_t)w->list[k].bone : 0;
        if (kept < count)
            note_changes(w, (uint32_t)vertex, count, weights, kept);
    }
}

static bw_result weigh_all(weigher *w, const bwi_env *env, bw_error *error) {
    w->palette->change_count = 0;
    w->palette->dropped_vertices = 0;
    for (uint32_t p = 0; p < w->plan->list->part_count; ++p) {
        weigh_part(w, p);
        if (bwi_progress_cancelled(env->progress))
            return bwi_fail_cancelled(error);
    }
    return BW_OK;
}

bw_result bwi_weigh_vertices(bwi_palette *palette, const bwi_vat_plan *plan, const uint32_t *const *bone_of_joint,
                             const uint32_t *part_bones, bwi_arena *arena, const bwi_env *env, bw_error *error) {
    weigher w = {palette, plan, bone_of_joint, part_bones, NULL, NULL, NULL, NULL};
    const size_t codes = (size_t)plan->list->vertex_count * plan->settings.influence_count;
    size_t most = 1;
    for (uint32_t p = 0; p < plan->list->part_count; ++p) {
        const size_t width = primitive_of(&w, &plan->list->parts[p])->influence_count;
        most = width > most ? width : most;
    }
    w.list = bwi_alloc(env->mem, most, sizeof *w.list);
    w.indices = bwi_arena_alloc(arena, codes, sizeof *w.indices);
    w.weights = bwi_arena_alloc(arena, codes, sizeof *w.weights);
    bw_result result = w.list && w.indices && w.weights
                           ? weigh_all(&w, env, error)
                           : bwi_fail_memory(error, plan->list->scene->path, env->mem, codes * 2 * sizeof *w.indices);
    if (result == BW_OK && palette->change_count) {
        w.changes = bwi_arena_alloc(arena, palette->change_count, sizeof *w.changes);
        result = w.changes ? weigh_all(&w, env, error)
                           : bwi_fail_memory(error, plan->list->scene->path, env->mem,
                                             palette->change_count * sizeof *w.changes);
    }
    bwi_free(env->mem, w.list);
    palette->indices = w.indices;
    palette->weights = w.weights;
    palette->changes = w.changes;
    return result;
}

void bwi_vat_encode_weights(const bwi_vat_plan *plan, bwi_texels *weights) {
    const bwi_palette *palette = plan->palette;
    const uint32_t groups = palette->influence_count / 4;
    memset(weights->data, 0, (size_t)weights->width * weights->height * bwi_texel_size(weights->type));
    for (uint32_t i = 0; i < plan->list->vertex_count; ++i)
        for (uint32_t block = 0; block < 2 * groups; ++block) {
            const uint16_t *values = block < groups ? palette->indices : palette->weights;
            bwi_texel texel;
            for (uint32_t k = 0; k < 4; ++k) {
                texel.code[k] = values[(size_t)i * palette->influence_count + 4 * (block % groups) + k];
                texel.value[k] = (float)texel.code[k];
            }
            bwi_texel_put(weights, i % weights->width, (size_t)block * plan->weight_rows + i / weights->width, &texel);
        }
}
