/* SPDX-License-Identifier: MIT
 * The schema layer where truth files have nothing to say: turns beyond all measure, products beyond all numbers, attributes that hold more than
 * values and indices. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "alembic/schema.h"
#include "bakewell/alembic_write.h"

typedef struct archive {
    char folder[32], path[64];
    bw_alembic_writer *w;
    bw_alembic *read;
    const bw_alembic_object *object; /* "/o" */
    bw_alembic_id id, compound;
    bw_error error;
} archive;

static void begin(archive *a, const char *compound) {
    *a = (archive){.folder = "/tmp/bw-abc-XXXXXX"};
    assert_non_null(mkdtemp(a->folder));
    snprintf(a->path, sizeof a->path, "%s/test.abc", a->folder);
    assert_int_equal(bw_alembic_create(&a->w, a->path, NULL, NULL), BW_OK);
    assert_int_equal(bw_alembic_add_object(&a->id, a->w, BW_ALEMBIC_TOP, "o", NULL, NULL), BW_OK);
    assert_int_equal(bw_alembic_add_property(&a->compound, a->w, a->id, compound, NULL, NULL), BW_OK);
}

static void put(archive *a, const char *name, bw_alembic_kind kind, bw_alembic_pod pod, uint32_t extent,
                const void *values, uint64_t points) {
    const bw_alembic_property_opts opts = {kind, pod, extent, 0, NULL};
    bw_alembic_id id;
    assert_int_equal(bw_alembic_add_property(&id, a->w, a->compound, name, &opts, NULL), BW_OK);
    assert_int_equal(bw_alembic_put(a->w, id, values, points, NULL), BW_OK);
}

static void open_again(archive *a) {
    assert_int_equal(bw_alembic_finish(a->w, NULL), BW_OK);
    bw_free_alembic_writer(a->w);
    assert_int_equal(bw_alembic_open(&a->read, a->path, NULL, NULL), BW_OK);
    assert_int_equal(bw_alembic_find_object(&a->object, a->read, "/o", NULL), BW_OK);
}

static void end(archive *a) {
    bw_free_alembic(a->read);
    unlink(a->path);
    rmdir(a->folder);
}

enum { SCALE = 0 << 4, ROTATE_X = 4 << 4 };

static bw_result matrix_of(bwi_mat4 *matrix, archive *a, const uint8_t *ops, uint32_t op_count, const double *values,
                           uint32_t value_count) {
    bwi_abc_xform xform;
    bool inherits;
    begin(a, ".xform");
    put(a, ".ops", BW_ALEMBIC_SCALAR, BW_ALEMBIC_UINT8, op_count, ops, 1);
    put(a, ".vals", BW_ALEMBIC_SCALAR, BW_ALEMBIC_FLOAT64, value_count, values, 1);
    open_again(a);
    assert_int_equal(bwi_abc_xform_open(&xform, a->read, a->object, NULL), BW_OK);
    /* The last sample stands for all after it. */
    return bwi_abc_xform_sample(matrix, &inherits, a->read, &xform, UINT32_MAX, &a->error);
}

/* Whole turns come off exactly, however many; their number used to be made an integer, which 1e30 turns are not. */
static void turns_without_measure(void **state) {
    (void)state;
    static const uint8_t op = ROTATE_X;
    static const double angles[] = {30, 30 + 720.0, 30 - 720e9, 1e300, -1e38};
    static const double cosine = 0.86602540378443865, off = 1e-15; /* rounding of a product of two */
    for (size_t k = 0; k < sizeof angles / sizeof angles[0]; k++) {
        archive a;
        bwi_mat4 m;
        assert_int_equal(matrix_of(&m, &a, &op, 1, &angles[k], 1), BW_OK);
        if (k < 3)
            assert_true(m.m[5] <= cosine + off && m.m[5] >= cosine - off);
        const double length = m.m[5] * m.m[5] + m.m[6] * m.m[6];
        assert_true(length <= 1 + 2 * off && length >= 1 - 2 * off);
        end(&a);
    }
}

static void products_that_no_number_holds(void **state) {
    (void)state;
    static const uint8_t ops[] = {SCALE, SCALE};
    static const double values[] = {1e300, 1, 1, 1e300, 1, 1};
    archive a;
    bwi_mat4 m;
    assert_int_equal(matrix_of(&m, &a, ops, 2, values, 6), BW_ERR_MALFORMED);
    if (!strstr(a.error.message, "object /o, property .xform/.vals, sample 0: its operations multiply to more"))
        fail_msg("%s", a.error.message);
    end(&a);
}

/* Programs may keep their own things beside values and indices; such as begin likewise were taken for the indices. */
static void indices_by_their_whole_name(void **state) {
    (void)state;
    static const float values[] = {1, 2, 3};
    static const uint32_t indices[] = {2, 0}, other[] = {7};
    archive a;
    const bw_alembic_property *property;
    bwi_abc_param param;
    bwi_abc_param_sample sample;
    begin(&a, "uv");
    put(&a, ".vals", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 1, values, 3);
    put(&a, ".indices", BW_ALEMBIC_ARRAY, BW_ALEMBIC_UINT32, 1, indices, 2);
    put(&a, ".ids", BW_ALEMBIC_ARRAY, BW_ALEMBIC_UINT32, 1, other, 1);
    open_again(&a);
    assert_int_equal(bw_alembic_find_property(&property, a.read, a.object, "uv", NULL), BW_OK);
    assert_int_equal(bwi_abc_param_open(&param, a.read, property, NULL), BW_OK);
    assert_int_equal(bwi_abc_param_view(&sample, a.read, &param, 0, NULL), BW_OK);
    assert_int_equal(sample.count, 2);
    assert_int_equal(bwi_abc_param_element(&sample, 0), 2);
    end(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_without_measure),
        cmocka_unit_test(products_that_no_number_holds),
        cmocka_unit_test(indices_by_their_whole_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
