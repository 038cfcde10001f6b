/* SPDX-License-Identifier: MIT
 * Repair of hair of any shape: bytes become objects, counts, points, knots, attributes and samples that need not go together.  What comes out
 * keeps every promise of bw_groom, is the same for any number of threads, and repaired again is the same. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hair_builder.h"

enum { OBJECTS = 3, CURVES = 12, POINTS = 64, VALUES = 80, ATTRIBUTES = 6, SAMPLES = 4 };

static void check(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "groom_fix_fuzz: %s\n", what);
        abort();
    }
}

typedef struct input {
    const uint8_t *data;
    size_t size;
} input;

static uint32_t take(input *in) {
    if (in->size == 0)
        return 0;
    --in->size;
    return *in->data++;
}

/* Mostly small numbers 1/8 apart, so that points meet; seldom any bits. */
static float take_float(input *in) {
    const uint32_t byte = take(in);
    if (byte < 240)
        return (float)((int)byte - 120) / 8;
    uint32_t bits = byte;
    float value;
    for (int k = 0; k < 3; k++)
        bits = bits << 8 | take(in);
    memcpy(&value, &bits, sizeof value);
    return byte < 248 ? value : byte == 255 ? NAN : byte == 254 ? INFINITY : 3e38f;
}

/* What one object is made of. */
typedef struct part {
    int32_t counts[CURVES];
    float points[3 * POINTS], knots[POINTS * 2], weights[POINTS];
    uint8_t orders[CURVES];
    uint8_t values[ATTRIBUTES][VALUES * 8];
    const char *texts[ATTRIBUTES][VALUES];
    uint32_t indices[ATTRIBUTES][VALUES];
    float samples[SAMPLES][3 * POINTS];
    double times[SAMPLES], matrices[SAMPLES][16];
    uint64_t point_count;
} part;

static bw_result read_points(const void *ctx, uint32_t sample, float *dst, bw_error *error) {
    (void)error;
    const part *p = ctx;
    check(sample < SAMPLES, "a sample past the last was asked for");
    memcpy(dst, p->samples[sample], (size_t)p->point_count * 3 * sizeof *dst);
    return BW_OK;
}

static bw_result read_matrix(const void *ctx, uint32_t sample, double matrix[16], bool *inherits, bw_error *error) {
    (void)error;
    const part *p = ctx;
    memcpy(matrix, p->matrices[sample], sizeof p->matrices[sample]);
    *inherits = sample % 2 == 0;
    return BW_OK;
}

static void take_matrix(double m[16], input *in) {
    for (int k = 0; k < 16; k++)
        m[k] = k % 4 == 3 ? k == 15 : (double)take_float(in);
    for (int k = 0; k < 16; k++)
        m[k] = isfinite(m[k]) ? m[k] : 1;
}

static void make_attribute(hair_builder *b, part *p, uint32_t k, input *in) {
    static const char *const NAMES[] = {"groom_width",
                                        "width",
                                        "groom_guide",
                                        "groom_group_id",
                                        "groom_group_name",
                                        "groom_id",
                                        "groom_root_uv",
                                        "uv",
                                        "groom_color",
                                        "Cd",
                                        "groom_roughness",
                                        "groom_ao",
                                        "groom_clumpid",
                                        "groom_closest_guides",
                                        "groom_guide_weights",
                                        "groom_guides",
                                        "pscale",
                                        "s",
                                        "t",
                                        "id",
                                        "groom_group",
                                        "groom_group_cards_id"};
    static const char *const TEXTS[] = {"a", "b", "", "17", "left", "-3.5"};
    const char *name = NAMES[take(in) % (sizeof NAMES / sizeof *NAMES)];
    const uint32_t extent = 1 + take(in) % 4, how = take(in);
    const bwi_hair_curves *c = &b->curves[b->hair.curves.count - 1];
    const uint64_t counts[] = {1, c->curve_count, c->point_count, take(in) % VALUES};
    uint64_t count = counts[how % 4];
    if (count * extent > VALUES)
        count = VALUES / extent;
    const bw_alembic_pod pod = (bw_alembic_pod)(BW_ALEMBIC_BOOL + take(in) % (BW_ALEMBIC_POD_END - BW_ALEMBIC_BOOL));
    bwi_hair_attribute *a = hair_attribute(b, name, pod, extent, (bw_alembic_scope)(take(in) % 6), count, p->values[k]);
    if (pod >= BW_ALEMBIC_STRING) {
        for (size_t i = 0; i < VALUES; i++)
            p->texts[k][i] = TEXTS[take(in) % (sizeof TEXTS / sizeof *TEXTS)];
        a->strings = p->texts[k];
        a->bytes = NULL;
    } else if (pod == BW_ALEMBIC_FLOAT32) {
        for (size_t i = 0; i < VALUES; i++) {
            const float value = take_float(in);
            memcpy(p->values[k] + sizeof value * i, &value, sizeof value);
        }
    } else {
        const uint32_t first = take(in), step = take(in);
        for (size_t i = 0; i < sizeof p->values[k]; i++)
            p->values[k][i] = (uint8_t)(pod == BW_ALEMBIC_BOOL         ? i & 1
                                        : how & 4                      ? first + step * i
                                        : i % bw_alembic_pod_size(pod) ? 0
                                                                       : i * step);
    }
    a->has_scope = how & 8;
    a->is_scalar = (how & 48) == 48;
    a->moves = how & 64;
    a->place = strcmp(name, "width") == 0 || strcmp(name, "uv") == 0 ? BWI_HAIR_NATIVE
               : how & 128                                           ? BWI_HAIR_ARBITRARY
                                                                     : (bwi_hair_place)(take(in) % 3);
    if (a->is_scalar) {
        a->count = a->value_count = 1;
    } else if (take(in) % 4 == 0) {
        for (size_t i = 0; i < VALUES; i++)
            p->indices[k][i] = take(in) % (VALUES / 4);
        a->indices = p->indices[k];
        a->count = take(in) % VALUES;
        a->is_compound = true;
    }
}

static void make_part(hair_builder *b, part *p, uint32_t index, uint32_t parent, input *in) {
    static const char *const PATHS[] = {"/hair/a", "/hair/b", "/guides"}, *const XFORMS[] = {"/x", "/x/y", "/x/y/z"};
    const uint32_t shape = take(in), curve_count = take(in) % (CURVES + 1);
    uint64_t total = 0;
    for (uint32_t i = 0; i < curve_count; i++) {
        const uint32_t n = take(in);
        p->counts[i] = n > 250 ? (int32_t)(n << 24 | take(in)) : (int32_t)(n % 12);
        total += p->counts[i] > 0 ? (uint32_t)p->counts[i] : 0;
    }
    p->point_count = total < POINTS && shape & 1 ? total : take(in) % (POINTS + 1);
    for (uint64_t i = 0; i < 3 * p->point_count; i++)
        p->points[i] = take_float(in);
    if (shape & 2) {
        double m[16];
        take_matrix(m, in);
        parent = hair_xform(b, XFORMS[index], parent, m);
        b->objects[parent].inherits = !(shape & 4);
        if (shape & 8) {
            b->objects[parent].moves = true;
            b->objects[parent].sample_count = 2;
            b->objects[parent].times_s = p->times;
            b->objects[parent].read = read_matrix;
            b->objects[parent].ctx = p;
            for (int s = 0; s < 2; s++)
                take_matrix(p->matrices[s], in);
            memcpy(b->objects[parent].matrix, p->matrices[0], sizeof p->matrices[0]);
        }
    }
    bwi_hair_curves *c = hair_curves(b, PATHS[index], parent, p->counts, curve_count, p->points, p->point_count);
    c->type = (bwi_hair_type)(take(in) % 3);
    c->basis = (bwi_hair_basis)(take(in) % 6);
    c->periodic = shape & 16;
    c->known_basis = !(shape & 32);
    if (!c->known_basis)
        c->type = BWI_HAIR_LINEAR;
    const uint32_t extras = take(in);
    for (uint32_t i = 0; i < CURVES; i++)
        p->orders[i] = (uint8_t)(extras & 1 ? 4 : take(in) % 40);
    c->orders = p->orders;
    c->order_count = extras & 2 ? curve_count : take(in) % (CURVES + 1);
    for (uint32_t i = 0; i < 2 * POINTS; i++)
        p->knots[i] = extras & 4 ? (float)(i % 16) : take_float(in);
    c->knots = p->knots;
    c->knot_count = total + (extras & 8 ? 4 : 2) * (uint64_t)curve_count;
    if (c->knot_count > 2 * POINTS || extras & 16)
        c->knot_count = take(in) % (2 * POINTS + 1);
    for (uint32_t i = 0; i < POINTS; i++)
        p->weights[i] = take_float(in);
    c->weights = p->weights;
    c->weight_count = extras & 32 ? p->point_count : 0;
    b->objects[c->object].hidden = (shape & 192) == 192;
    for (int s = 0; s < SAMPLES; s++)
        p->times[s] = extras & 64 ? s / 24.0 : (double)take_float(in);
    if (shape & 64) {
        c->sample_count = SAMPLES;
        c->times_s = p->times;
        c->read = read_points;
        c->ctx = p;
        c->topology_moves = (extras & 192) == 192;
        for (int s = 0; s < SAMPLES; s++) {
            for (uint64_t i = 0; i < 3 * p->point_count; i++)
                p->samples[s][i] = s == 0 ? p->points[i] : extras & 128 ? take_float(in) : p->points[i] + (float)s;
        }
    }
    const uint32_t attributes = take(in) % (ATTRIBUTES + 1);
    for (uint32_t k = 0; k < attributes; k++)
        make_attribute(b, p, k, in);
}

static void check_groom(const bw_groom *g) {
    check(g->strand_count > 0 && g->first_points[0] == 0 && g->first_points[g->strand_count] == g->point_count,
          "prefix sum");
    check(g->groups.count >= 1 && g->groups.count <= 64, "number of groups");
    uint32_t rendered[64] = {0};
    uint8_t *seen = calloc(g->strand_count, 1);
    check(seen != NULL, "memory");
    for (uint32_t s = 0; s < g->strand_count; s++) {
        const uint32_t first = g->first_points[s], end = g->first_points[s + 1],
                       group = g->group_of ? g->group_of[s] : 0;
        check(end >= first + 2 && end - first <= 255, "points of a strand");
        check(group < g->groups.count, "group of a strand");
        bool has_length = false;
        for (uint32_t p = first + 1; p < end; p++)
            has_length |= memcmp(g->positions + 3 * p, g->positions + 3 * first, 12) != 0;
        check(has_length, "a strand without length");
        const bool guide = g->guides && g->guides[s];
        rendered[group] += !guide;
        if (g->ids) {
            check(g->ids[s] >= 0 && (uint32_t)g->ids[s] < g->strand_count && !seen[g->ids[s]], "ids");
            seen[g->ids[s]] = 1;
        }
        if (g->widths)
            check(isnan(g->widths[first]) == isnan(g->widths[end - 1]), "widths of half a strand");
        if (g->root_uvs)
            check(isnan(g->root_uvs[2 * s]) == isnan(g->root_uvs[2 * s + 1]) && !isinf(g->root_uvs[2 * s]), "root UVs");
        for (uint32_t c = 0; c < g->clump_width; c++)
            check(g->clump_ids[s * g->clump_width + c] >= 0 && g->clump_ids[s * g->clump_width + c] <= 65535,
                  "clump ids");
        if (!g->closest_guides)
            continue;
        check(g->ids && g->guide_weights, "closest guides without ids or weights");
        const int32_t *closest = g->closest_guides + 3 * s;
        const float *w = g->guide_weights + 3 * s;
        const double sum = (double)w[0] + (double)w[1] + (double)w[2];
        check(closest[0] < 0 ? sum == 0 : fabs(sum - 1) < 1e-3, "sum of weights");
        for (int c = 0; c < 3; c++)
            check(closest[c] >= -1 && closest[c] < (int32_t)g->strand_count && w[c] >= 0, "closest guides");
    }
    for (size_t i = 0; i < g->groups.count; i++)
        check(rendered[i] > 0 && g->groups.data[i].name != NULL, "a group without strands");
    for (uint32_t p = 0; p < g->point_count; p++) {
        for (int a = 0; a < 3; a++)
            check(isfinite(g->positions[3 * p + (uint32_t)a]), "a position that is not finite");
        check(!g->widths || isnan(g->widths[p]) || (g->widths[p] >= 0 && !isinf(g->widths[p])), "a width");
        check(!g->colors || (g->colors[3 * p] >= 0 && !isinf(g->colors[3 * p])), "a colour");
    }
    free(seen);
}

static void check_motion(const bw_groom *g) {
    const bw_cache *cache = g->animation;
    float *sample = malloc((size_t)g->point_count * 12);
    check(sample != NULL && cache->sample_count > 1, "motion of one sample");
    for (uint32_t i = 0; i < cache->sample_count; i++) {
        check(i == 0 || cache->times_s[i] > cache->times_s[i - 1], "times do not ascend");
        check(cache->read(cache->ctx, i, sample, NULL) == BW_OK, "a sample cannot be read");
        check(i > 0 || memcmp(sample, g->positions, (size_t)g->point_count * 12) == 0,
              "the first sample is not the rest");
        for (uint32_t k = 0; k < 3 * g->point_count; k++)
            check(isfinite(sample[k]), "a sample that is not finite");
    }
    free(sample);
}

/* A groom as it would be read back comes out as it went in. */
static void check_again(const bw_groom *g) {
    hair_builder b;
    hair_fix f;
    int32_t *counts = malloc(g->strand_count * sizeof *counts);
    check(counts != NULL, "memory");
    for (uint32_t s = 0; s < g->strand_count; s++)
        counts[s] = (int32_t)(g->first_points[s + 1] - g->first_points[s]);
    hair_init(&b);
    hair_curves(&b, "/groom/hair", BW_NO_INDEX, counts, g->strand_count, g->positions, g->point_count);
    check(hair_repair(&f, &b, NULL, 1) == BW_OK, "repaired hair cannot be repaired");
    check(f.changes.count == 0 && f.groom->point_count == g->point_count, "repaired hair is changed again");
    check(memcmp(f.groom->positions, g->positions, (size_t)g->point_count * 12) == 0, "positions change again");
    hair_close(&f);
    free(counts);
}

static void check_same(const bw_groom *a, const bw_groom *b) {
    check(a->strand_count == b->strand_count && a->point_count == b->point_count, "threads change the size");
    check(memcmp(a->positions, b->positions, (size_t)a->point_count * 12) == 0, "threads change positions");
    check(!a->widths == !b->widths && (!a->widths || memcmp(a->widths, b->widths, (size_t)a->point_count * 4) == 0),
          "threads change widths");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {data, size};
    hair_builder *b = malloc(sizeof *b);
    part *parts = calloc(OBJECTS, sizeof *parts);
    check(b && parts, "memory");
    hair_init(b);
    const uint32_t how = take(&in), count = 1 + take(&in) % OBJECTS;
    static const char *const MAKERS[] = {"", "Maya 2024", "Blender 4.1", "Houdini 20"};
    b->hair.made_by = MAKERS[how % 4];
    bw_groom_opts opts = {
        .points = how & 4 ? 2 + take(&in) % 254 : 0,
        .group_by = (bw_groom_group_by)(how >> 3 & 3),
        .flip_v = how & 32,
        .tolerance = {how & 64 ? (double)take(&in) / 1e4 : 0,
                      how & 64 ? (how & 128 ? BW_LENGTH_RELATIVE : BW_LENGTH_METRE) : BW_LENGTH_NONE}};
    static const char *const GUIDES[] = {"guides"};
    uint32_t parent = BW_NO_INDEX;
    for (uint32_t k = 0; k < count; k++) {
        make_part(b, &parts[k], k, parent, &in);
        if (b->objects[0].kind == BWI_HAIR_XFORM)
            parent = 0;
    }
    if (count == 3 && how & 16)
        opts.guide_objects = (bw_string_list){GUIDES, 1};
    hair_fix f, g;
    const bw_result result = hair_repair(&f, b, &opts, 1);
    check(result == BW_OK || result == BW_ERR_NO_CURVES, f.error.message);
    check(hair_repair(&g, b, &opts, 3) == result, "threads change the result");
    if (result == BW_OK) {
        check_groom(f.groom);
        check_same(f.groom, g.groom);
        check_again(f.groom);
        if (f.groom->animation)
            check_motion(f.groom);
    }
    hair_close(&f);
    hair_close(&g);
    free(parts);
    free(b);
    return 0;
}
