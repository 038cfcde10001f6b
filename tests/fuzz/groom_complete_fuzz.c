/* SPDX-License-Identifier: MIT
 * Grooms of any shape completed, decimated, split and followed: bytes become strands, attributes that hold or don't, and a scalp.  What comes out
 * keeps the promises of bakewell/groom.h. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groom/groom_complete_priv.h"
#include "scene_builder.h"
#include "strand_fixture.h"

enum { STRANDS = 40, POINTS = 5, GROUPS = 4, SAMPLES = 3, TRIANGLES = 6 };

static void check(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "groom_complete_fuzz: %s\n", what);
        abort();
    }
}

typedef struct input {
    const uint8_t *data;
    size_t size;
    bool wild; /* floats of any bits */
} input;

static uint32_t take_byte(input *in) {
    if (in->size == 0)
        return 0;
    --in->size;
    return *in->data++;
}

static float take_any(input *in) {
    uint32_t bits = 0;
    float value;
    for (int k = 0; k < 4; k++)
        bits = bits << 8 | take_byte(in);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Finite; few values, so that roots meet. */
static float take(input *in) {
    if (in->wild) {
        const float value = take_any(in);
        return isfinite(value) ? value : 0;
    }
    return (float)((int)take_byte(in) - 128) / 8;
}

static int32_t take_id(input *in) {
    const uint32_t byte = take_byte(in);
    return byte < 250    ? (int32_t)byte % STRANDS
           : byte == 250 ? -1
           : byte == 251 ? INT32_MIN
                         : INT32_MAX - (int32_t)byte;
}

typedef struct hair {
    strand_fixture f;
    bw_groom_group groups[GROUPS];
    uint32_t first_points[STRANDS + 1], group_of[STRANDS];
    float positions[STRANDS * POINTS * 3], widths[STRANDS * POINTS], uvs[STRANDS * 2], weights[STRANDS * 3],
        ao[STRANDS * POINTS];
    uint8_t guides[STRANDS];
    int32_t ids[STRANDS], closest[STRANDS * 3], clumps[STRANDS];
    float moved[SAMPLES * STRANDS * POINTS * 3];
    double times_s[SAMPLES];
    builder_cache cache;
} hair;

static void make_hair(hair *h, input *in) {
    strands_open(&h->f, 1, 2, 1); /* for what goes with a groom */
    bw_groom *g = &h->f.groom;
    memset(g, 0, sizeof *g);
    const uint32_t has = take_byte(in), more = take_byte(in);
    g->strand_count = 1 + take_byte(in) % STRANDS;
    g->first_points = h->first_points;
    for (uint32_t i = 0; i < g->strand_count; i++)
        h->first_points[i + 1] = h->first_points[i] + 2 + take_byte(in) % (POINTS - 1);
    g->point_count = h->first_points[g->strand_count];
    g->positions = h->positions;
    g->groups.count = 1 + (more & 3);
    g->groups.data = h->groups;
    h->groups[0].name = "hair";
    for (uint32_t i = 0; i < g->strand_count; i++) {
        h->group_of[i] = take_byte(in) % (uint32_t)g->groups.count;
        h->guides[i] = take_byte(in) % 3 == 0;
        h->ids[i] = take_id(in);
        h->clumps[i] = (int32_t)take_byte(in);
        for (uint32_t j = 0; j < 3; j++) {
            h->closest[3 * i + j] = take_id(in);
            h->weights[3 * i + j] = has & 64 ? take_any(in) : (float)(take_byte(in) % 5) / 4;
        }
        for (uint32_t j = 0; j < 2; j++)
            h->uvs[2 * i + j] = take_any(in);
    }
    for (uint32_t i = 0; i < g->point_count; i++) {
        h->widths[i] = take_byte(in) % 3 ? 0.25f : NAN;
        for (uint32_t c = 0; c < 3; c++)
            h->positions[3 * i + c] = take(in);
    }
    for (uint32_t s = 0; s < SAMPLES; s++) {
        h->times_s[s] = s;
        for (uint32_t i = 0; i < g->point_count * 3; i++)
            h->moved[s * g->point_count * 3 + i] = h->positions[i] + (float)(s * (i % 7));
    }
    g->group_of = has & 1 ? h->group_of : NULL;
    g->guides = has & 2 ? h->guides : NULL;
    g->ids = has & 4 ? h->ids : NULL;
    g->widths = has & 8 ? h->widths : NULL;
    g->closest_guides = has & 16 ? h->closest : NULL;
    g->guide_weights = has & 32 ? h->weights : NULL;
    g->root_uvs = has & 128 ? h->uvs : NULL;
    g->ao = more & 4 ? h->ao : NULL;
    g->clump_ids = more & 8 ? h->clumps : NULL;
    g->clump_width = more & 8 ? 1 : 0;
    if (more & 16)
        g->animation = builder_cached(&h->cache, SAMPLES, h->times_s, h->moved, g->point_count * (size_t)3);
}

/* NULL: none. */
static const bw_scene *make_scalp(scene_builder *b, float *positions, float *uvs, const float **sets, uint32_t *indices,
                                  input *in) {
    const uint32_t kind = take_byte(in);
    if (kind % 3 == 0)
        return NULL;
    builder_init(b);
    for (uint32_t i = 0; i < TRIANGLES * 9; i++)
        positions[i] = take(in);
    for (uint32_t i = 0; i < TRIANGLES * 6; i++)
        uvs[i] = (float)take_byte(in) / 64;
    for (uint32_t i = 0; i < TRIANGLES * 3; i++)
        indices[i] = take_byte(in) % (TRIANGLES * 3);
    const uint32_t node = builder_node(b, "scalp", BW_NO_INDEX);
    b->nodes[node].mesh = builder_mesh(b, "scalp", 0);
    bw_primitive *p = builder_primitive(b, b->nodes[node].mesh, TRIANGLES * 3, positions, NULL, indices, TRIANGLES * 3);
    sets[0] = uvs;
    p->uv_sets.data = sets;
    p->uv_sets.count = kind % 16 != 1;
    p->mode = kind % 32 == 2 ? BW_PRIMITIVE_LINES : BW_PRIMITIVE_TRIANGLES;
    return builder_finish(b);
}

static uint32_t find_guide(const bw_groom *g, int32_t id) {
    for (uint32_t i = 0; i < g->strand_count; i++) {
        if (bwi_is_guide(g, i) && g->ids[i] == id)
            return i;
    }
    return BW_NO_INDEX;
}

static void check_whole(const bw_groom *g, bool unity) {
    check(g->ids && g->widths && g->root_uvs && g->groups.count > 0, "something is missing");
    check(unity || (g->closest_guides && g->guide_weights), "closest guides are missing");
    for (uint32_t i = 0; i < g->strand_count; i++) {
        const uint32_t n = g->first_points[i + 1] - g->first_points[i];
        check(n >= 2 && n <= POINTS, "points of a strand");
        check(g->ids[i] >= 0, "a negative id");
        for (uint32_t j = 0; j < i; j++)
            check(g->ids[i] != g->ids[j], "an id twice");
        check(isfinite(g->root_uvs[2 * i]) && isfinite(g->root_uvs[2 * i + 1]), "a root UV that is not finite");
        for (uint32_t k = 0; k < n; k++)
            check(isfinite(g->widths[g->first_points[i] + k]), "a width that is not finite");
        double sum = 0;
        for (uint32_t j = 0; j < 3 && g->closest_guides; j++) {
            const uint32_t guide = find_guide(g, g->closest_guides[3 * i + j]);
            check(guide != BW_NO_INDEX, "a closest guide that is none");
            check(bwi_group_of(g, guide) == bwi_group_of(g, i), "a closest guide of another group");
            check(!bwi_is_guide(g, i) || guide == i, "a guide that follows another");
            check(g->guide_weights[3 * i + j] >= 0, "a negative weight");
            sum += (double)g->guide_weights[3 * i + j];
        }
        check(!g->closest_guides || fabs(sum - 1) <= 1e-3, "weights that do not sum to 1");
    }
}

static void check_same(const bw_groom *a, const bw_groom *b) {
    check(a->strand_count == b->strand_count && a->point_count == b->point_count, "completing again changed counts");
    check(memcmp(a->ids, b->ids, a->strand_count * sizeof *a->ids) == 0, "completing again changed ids");
    check(memcmp(a->widths, b->widths, a->point_count * sizeof *a->widths) == 0, "completing again changed widths");
    check(memcmp(a->root_uvs, b->root_uvs, a->strand_count * 2 * sizeof *a->root_uvs) == 0,
          "completing again changed root UVs");
    check(!a->closest_guides ||
              memcmp(a->closest_guides, b->closest_guides, a->strand_count * 3 * sizeof *a->closest_guides) == 0,
          "completing again changed closest guides");
    check(!a->guide_weights ||
              memcmp(a->guide_weights, b->guide_weights, a->strand_count * 3 * sizeof *a->guide_weights) == 0,
          "completing again changed weights");
}

static void check_parts(hair *h, double fraction, bool unity) {
    strand_fixture *f = &h->f;
    bw_groom *g = &f->groom;
    const uint32_t before = g->strand_count;
    double max_cm, rms_cm;
    check(bwi_groom_decimate(g, &f->changes, f->arena, fraction, &f->env, &f->error) == BW_OK, "decimating failed");
    check(g->strand_count <= before && g->strand_count > 0, "decimating added strands");
    check_whole(g, unity);
    uint32_t sum = 0;
    for (uint32_t k = 0; k < g->groups.count; k++) {
        bw_groom *part = NULL;
        check(bwi_groom_take_group(&part, f->arena, g, k, &f->error) == BW_OK, "taking a group failed");
        if (part->strand_count > 0)
            check_whole(part, unity);
        sum += part->strand_count;
    }
    check(sum == g->strand_count, "groups are more or less than their groom");
    if (!g->closest_guides)
        return;
    float *out = calloc((size_t)g->point_count + 1, 3 * sizeof *out);
    check(bw_groom_follow(out, g, g->positions, &f->error) == BW_OK, "following failed");
    for (uint32_t i = 0; i < g->point_count * 3; i++)
        check(out[i] == g->positions[i], "a groom at rest has moved");
    free(out);
    const bw_result result = bwi_groom_guides_only(g, &max_cm, &rms_cm, f->arena, &f->env, &f->error);
    check(result == BW_OK && (isnan(max_cm) || max_cm >= 0), "measuring guides failed");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static hair h;
    static scene_builder b;
    static float positions[TRIANGLES * 9], uvs[TRIANGLES * 6];
    static uint32_t indices[TRIANGLES * 3];
    const float *sets[1];
    input in = {data, size, false};
    memset(&h, 0, sizeof h);
    const uint32_t choice = take_byte(&in), limit = take_byte(&in);
    in.wild = choice & 1;
    make_hair(&h, &in);
    const bw_scene *scalp = make_scalp(&b, positions, uvs, sets, indices, &in);
    const bool unity = choice & 2;
    h.f.opts = (bw_groom_opts){.engine = unity ? BW_GROOM_UNITY : BW_GROOM_ENGINE_DEFAULT,
                               .guides = choice & 4 ? 0.4 : 0,
                               .flip_v = choice & 8,
                               .taper = choice & 16 ? 0.5 : 0};
    h.f.env.thread_count = choice & 32 ? 2 : 1;
    h.f.mem.fail_after = choice & 64 ? (int64_t)limit : -1;
    const bw_groom before = h.f.groom;
    bw_result result = bwi_groom_complete(&h.f.groom, &h.f.changes, h.f.arena, &h.f.opts, scalp, &h.f.env, &h.f.error);
    h.f.mem.fail_after = -1;
    if (result == BW_OK) {
        check_whole(&h.f.groom, unity);
        const bw_groom once = h.f.groom;
        check(bwi_groom_complete(&h.f.groom, NULL, h.f.arena, &h.f.opts, scalp, &h.f.env, &h.f.error) == BW_OK,
              "completing again failed");
        check_same(&once, &h.f.groom);
        check_parts(&h, choice & 128 ? 0.3 : 1, unity);
    } else {
        check((result == BW_ERR_MEMORY && choice & 64) || (result == BW_ERR_USAGE && scalp),
              "it failed without a reason");
        check(h.f.error.result == result && h.f.error.message[0], "it failed without a message");
        check(memcmp(&before, &h.f.groom, sizeof before) == 0, "it failed and changed the groom");
    }
    strands_close(&h.f);
    return 0;
}
