/* SPDX-License-Identifier: MIT
 * Root UVs of the unfolded sphere, by hand, and of scalps: by hand, and against a search of all triangles. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "groom/groom.h"
#include "scene_builder.h"
#include "strand_fixture.h"

static bw_result complete(strand_fixture *f, const bw_scene *scalp) {
    f->opts.engine = BW_GROOM_UNITY; /* no guides, so that strands are those of the test */
    return bwi_groom_complete(&f->groom, &f->changes, f->arena, &f->opts, scalp, &f->env, &f->error);
}

static void the_sphere(void **state) {
    (void)state;
    static const float roots[7][3] = {{2, 0, 0}, {-2, 0, 0}, {0, 0, 2}, {0, 0, -2}, {0, 2, 0}, {0, -2, 0}, {1, 2, 1}};
    /* The octahedron's tip in the middle, its square of x and −z around it, the far tip in the corners. */
    static const double wanted[7][2] = {{1, 0.5}, {0, 0.5}, {0.5, 0}, {0.5, 1}, {0.5, 0.5}, {1, 1}, {0.625, 0.375}};
    strand_fixture f;
    strands_open(&f, 7, 2, 1);
    for (uint32_t i = 0; i < 7; i++)
        strands_move(&f, i, 100 + roots[i][0], roots[i][1] - 50, roots[i][2]);
    f.opts.flip_v = true;
    assert_int_equal(complete(&f, NULL), BW_OK);
    for (uint32_t i = 0; i < 7; i++) {
        EXPECT1(f.groom.root_uvs[2 * i], wanted[i][0], 1e-6);
        EXPECT1(f.groom.root_uvs[2 * i + 1], 1 - wanted[i][1], 1e-6);
    }
    assert_int_equal(strands_changed(&f, "root-uvs-added"), 7);
    strands_close(&f);
}

/* Roots on one side of the sphere only are stretched to the whole square; given UVs stay. */
static void the_sphere_is_stretched(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 100, 2, 1);
    strands_scatter(&f);
    f.groom.root_uvs = bwi_arena_alloc(f.arena, 200, sizeof(float));
    for (uint32_t i = 0; i < 200; i++)
        f.groom.root_uvs[i] = NAN;
    f.groom.root_uvs[0] = 3;
    f.groom.root_uvs[1] = -2;
    assert_int_equal(complete(&f, NULL), BW_OK);
    EXPECT1(f.groom.root_uvs[0], 3, 0);
    EXPECT1(f.groom.root_uvs[1], -2, 0);
    float least = 1, most = 0;
    for (uint32_t i = 2; i < 200; i++) {
        least = fminf(least, f.groom.root_uvs[i]);
        most = fmaxf(most, f.groom.root_uvs[i]);
    }
    EXPECT1(least, 0, 1e-6);
    EXPECT1(most, 1, 1e-6);
    assert_int_equal(strands_changed(&f, "root-uvs-added"), 99);
    strands_close(&f);
}

/* A square of 10 cm, 1 m above the floor: u runs along x, v along z. */
typedef struct square {
    scene_builder b;
    float positions[12], uvs[8];
    const float *sets[1];
    uint32_t indices[6];
} square;

static const bw_scene *make_square(square *s) {
    static const float corners[12] = {0, 1, 0, 0.1f, 1, 0, 0.1f, 1, 0.1f, 0, 1, 0.1f},
                       uvs[8] = {0, 0, 1, 0, 1, 1, 0, 1};
    static const uint32_t indices[6] = {0, 2, 1, 0, 3, 2};
    memcpy(s->positions, corners, sizeof corners);
    memcpy(s->uvs, uvs, sizeof uvs);
    memcpy(s->indices, indices, sizeof indices);
    builder_init(&s->b);
    const uint32_t node = builder_node(&s->b, "scalp", BW_NO_INDEX), mesh = builder_mesh(&s->b, "scalp", 0);
    s->b.nodes[node].mesh = mesh;
    bw_primitive *p = builder_primitive(&s->b, mesh, 4, s->positions, NULL, s->indices, 6);
    s->sets[0] = s->uvs;
    p->uv_sets.data = s->sets;
    p->uv_sets.count = 1;
    s->b.scene.path = "scalp.glb";
    return builder_finish(&s->b);
}

static void a_square_scalp(void **state) {
    (void)state;
    static square s;
    strand_fixture f;
    strands_open(&f, 4, 2, 1);
    strands_move(&f, 0, 3, 7, 101);   /* x, z and y in cm, a little above */
    strands_move(&f, 1, -5, 2, 100);  /* beside it */
    strands_move(&f, 2, 20, 20, 100); /* beyond a corner */
    strands_move(&f, 3, 5, 5, 99);
    assert_int_equal(complete(&f, make_square(&s)), BW_OK);
    const double wanted[4][2] = {{0.3, 0.7}, {0, 0.2}, {1, 1}, {0.5, 0.5}};
    for (uint32_t i = 0; i < 4; i++) {
        EXPECT1(f.groom.root_uvs[2 * i], wanted[i][0], 1e-5); /* metres in floats, a metre up */
        EXPECT1(f.groom.root_uvs[2 * i + 1], wanted[i][1], 1e-5);
    }
    assert_int_equal(strands_changed(&f, "root-uvs-from-scalp"), 4);
    assert_int_equal(strands_changed(&f, "scalp-far"), 0);
    strands_close(&f);

    /* The node's transform counts, UVs of the file give way, v is turned over on request; a scalp elsewhere is told. */
    strands_open(&f, 2, 2, 1);
    strands_move(&f, 0, 203, 7, 100);
    strands_move(&f, 1, 204, 7, 100);
    f.groom.root_uvs = bwi_arena_alloc(f.arena, 4, sizeof(float));
    f.opts.flip_v = true;
    const bw_scene *scene = make_square(&s);
    s.b.nodes[0].translation[0] = 2;
    assert_int_equal(complete(&f, scene), BW_OK);
    EXPECT1(f.groom.root_uvs[0], 0.3, 1e-4);
    EXPECT1(f.groom.root_uvs[1], 0.3, 1e-4);
    assert_int_equal(strands_changed(&f, "scalp-far"), 0);
    s.b.nodes[0].translation[0] = 0;
    assert_int_equal(complete(&f, scene), BW_OK);
    assert_int_equal(strands_changed(&f, "scalp-far"), 2);
    strands_close(&f);
}

static void scalps_that_do_not_do(void **state) {
    (void)state;
    static square s;
    strand_fixture f;
    strands_open(&f, 2, 2, 1);
    const bw_scene *scene = make_square(&s);
    s.b.primitives[0][0].uv_sets.count = 0;
    assert_int_equal(complete(&f, scene), BW_ERR_USAGE);
    assert_string_equal(f.error.message,
                        "scalp.glb: none of the scalp's 2 triangles has UVs; unwrap the mesh, or leave --scalp out");
    scene = make_square(&s);
    s.b.primitives[0][0].mode = BW_PRIMITIVE_POINTS;
    assert_int_equal(complete(&f, scene), BW_ERR_USAGE);
    assert_non_null(strstr(f.error.message, "the scalp has no triangles"));
    scene = make_square(&s);
    s.b.nodes[0].mesh = BW_NO_INDEX;
    assert_int_equal(complete(&f, scene), BW_ERR_USAGE);
    assert_non_null(strstr(f.error.message, "the scalp has no triangles"));
    strands_close(&f);
}

/* Squared distance from a point to a triangle, another way: the plane if the foot lies inside, else the nearest of its edges. */
static double to_segment(const double *p, const double *a, const double *b) {
    double along = 0, length = 0, sum = 0;
    for (int c = 0; c < 3; c++) {
        along += (p[c] - a[c]) * (b[c] - a[c]);
        length += (b[c] - a[c]) * (b[c] - a[c]);
    }
    const double t = length > 0 ? fmin(1, fmax(0, along / length)) : 0;
    for (int c = 0; c < 3; c++)
        sum += pow(a[c] + t * (b[c] - a[c]) - p[c], 2);
    return sum;
}

static double to_triangle(const double *p, double t[3][3]) {
    double n[3], height = 0, square_n = 0, foot[3];
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        n[c] = (t[1][d] - t[0][d]) * (t[2][e] - t[0][e]) - (t[1][e] - t[0][e]) * (t[2][d] - t[0][d]);
        square_n += n[c] * n[c];
    }
    for (int c = 0; c < 3; c++)
        height += (p[c] - t[0][c]) * n[c];
    for (int c = 0; c < 3; c++)
        foot[c] = p[c] - height / square_n * n[c];
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        const double *a = t[k], *b = t[(k + 1) % 3];
        double side = 0;
        for (int c = 0; c < 3; c++) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            side += ((b[d] - a[d]) * (foot[e] - a[e]) - (b[e] - a[e]) * (foot[d] - a[d])) * n[c];
        }
        inside = inside && side >= 0;
    }
    if (inside)
        return height * height / square_n;
    return fmin(to_segment(p, t[0], t[1]), fmin(to_segment(p, t[1], t[2]), to_segment(p, t[2], t[0])));
}

/* Triangles anywhere, each in a cell of its own of the square, so that a UV tells which triangle it is and where in it. */
static void a_soup_agrees_with_all_triangles(void **state) {
    (void)state;
    enum { N = 400, STRANDS = 1000 };
    static float positions[N * 9], uvs[N * 6];
    static uint32_t indices[N * 3];
    strand_fixture f;
    strands_open(&f, STRANDS, 2, 1);
    strands_scatter(&f);
    for (uint32_t i = 0; i < N; i++) {
        float middle[3];
        for (int c = 0; c < 3; c++)
            middle[c] = 0.2f * strands_random(&f);
        for (uint32_t k = 0; k < 3; k++) {
            for (uint32_t c = 0; c < 3; c++)
                positions[9 * i + 3 * k + c] = middle[c] + 0.02f * strands_random(&f);
            uvs[6 * i + 2 * k] = (float)(i % 20) + (k == 1 ? 0.5f : 0.1f);
            uvs[6 * i + 2 * k + 1] = (float)(i / 20) + (k == 2 ? 0.5f : 0.1f);
            indices[3 * i + k] = 3 * i + k;
        }
    }
    static scene_builder b;
    builder_init(&b);
    const uint32_t node = builder_node(&b, "soup", BW_NO_INDEX);
    b.nodes[node].mesh = builder_mesh(&b, "soup", 0);
    bw_primitive *p = builder_primitive(&b, b.nodes[node].mesh, 3 * N, positions, NULL, indices, 3 * N);
    const float *sets[1] = {uvs};
    p->uv_sets.data = sets;
    p->uv_sets.count = 1;
    f.env.thread_count = 3;
    assert_int_equal(complete(&f, builder_finish(&b)), BW_OK);
    for (uint32_t i = 0; i < STRANDS; i++) {
        double root[3], least = HUGE_VAL, point[3] = {0, 0, 0}, off = 0;
        for (int c = 0; c < 3; c++)
            root[c] = (double)strands_root(&f.groom, i)[c];
        double t[3][3];
        const float u = f.groom.root_uvs[2 * i], v = f.groom.root_uvs[2 * i + 1];
        const uint32_t told = (uint32_t)v * 20 + (uint32_t)u;
        const double parts[3] = {1 - (double)(u - floorf(u) - 0.1f) / 0.4 - (double)(v - floorf(v) - 0.1f) / 0.4,
                                 (double)(u - floorf(u) - 0.1f) / 0.4, (double)(v - floorf(v) - 0.1f) / 0.4};
        for (uint32_t k = 0; k < N; k++) {
            for (uint32_t j = 0; j < 3; j++) {
                const float *m = positions + 9 * k + 3 * j;
                t[j][0] = (double)m[0] * 100;
                t[j][1] = (double)m[2] * 100;
                t[j][2] = (double)m[1] * 100;
                for (uint32_t c = 0; c < 3 && k == told; c++)
                    point[c] += parts[j] * t[j][c];
            }
            least = fmin(least, to_triangle(root, t));
        }
        for (int c = 0; c < 3; c++)
            off += (point[c] - root[c]) * (point[c] - root[c]);
        EXPECT1(sqrt(off), sqrt(least), 2e-4); /* a UV near 20 is rounded to 1e-6 of its triangle's 0.4, 2 cm wide */
    }
    strands_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sphere),
        cmocka_unit_test(the_sphere_is_stretched),
        cmocka_unit_test(a_square_scalp),
        cmocka_unit_test(scalps_that_do_not_do),
        cmocka_unit_test(a_soup_agrees_with_all_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
