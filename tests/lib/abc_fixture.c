/* SPDX-License-Identifier: MIT
 * Alembic scenes that tests write and read back. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include "abc_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read/read.h"
#include "scene/scene.h"

void abc_begin(abc_fixture *a) {
    *a = (abc_fixture){.folder = "/tmp/bw-abc-XXXXXX"};
    assert_non_null(mkdtemp(a->folder));
    snprintf(a->path, sizeof a->path, "%s/test.abc", a->folder);
    assert_int_equal(bw_alembic_create(&a->w, a->path, NULL, NULL), BW_OK);
    static const double first = 0.2;
    const bw_alembic_time_sampling sampling = {.time_per_cycle_s = 0.04, .times_s = {&first, 1}};
    assert_int_equal(bw_alembic_add_time_sampling(&a->frames, a->w, &sampling, NULL), BW_OK);
}

bw_result abc_read_back(abc_fixture *a) {
    assert_int_equal(bw_alembic_finish(a->w, &a->error), BW_OK);
    bw_free_alembic_writer(a->w);
    const bw_scene_opts opts = {.up = BW_UP_Y, .units = BW_UNIT_M};
    return bwi_read_scene(&a->scene, a->path, &opts, &a->error);
}

void abc_end(abc_fixture *a) {
    bwi_scene_free(a->scene);
    unlink(a->path);
    rmdir(a->folder);
}

void abc_read_whole(abc_fixture *a) {
    if (abc_read_back(a) != BW_OK)
        fail_msg("%s", a->error.message);
}

bw_alembic_id abc_object(abc_fixture *a, bw_alembic_id parent, const char *name, const char *schema) {
    bw_alembic_id id;
    const bw_alembic_meta pair = {"schema", schema};
    const bw_alembic_metadata metadata = {.data = &pair, .count = 1};
    assert_int_equal(bw_alembic_add_object(&id, a->w, parent, name, &metadata, NULL), BW_OK);
    return id;
}

bw_alembic_id abc_property(abc_fixture *a, bw_alembic_id parent, const char *name,
                           const bw_alembic_property_opts *opts) {
    bw_alembic_id id;
    assert_int_equal(bw_alembic_add_property(&id, a->w, parent, name, opts, &a->error), BW_OK);
    return id;
}

/* All samples of an array, each of `points`. */
void abc_array(abc_fixture *a, bw_alembic_id parent, const char *name, const char *scope, bw_alembic_pod pod,
               uint32_t extent, uint32_t samples, const void *values, uint64_t points) {
    const bw_alembic_meta pair = {"geoScope", scope};
    const bw_alembic_metadata metadata = {.data = &pair, .count = scope ? 1 : 0};
    const bw_alembic_id id = abc_property(
        a, parent, name,
        &(bw_alembic_property_opts){BW_ALEMBIC_ARRAY, pod, extent, samples > 1 ? a->frames : 0, &metadata});
    for (uint32_t k = 0; k < samples; k++)
        assert_int_equal(bw_alembic_put(a->w, id, (const uint8_t *)values + k * points * extent * 4, points, NULL),
                         BW_OK);
}

void abc_scalar(abc_fixture *a, bw_alembic_id parent, const char *name, bw_alembic_pod pod, uint32_t extent,
                uint32_t samples, const void *values, size_t size) {
    const bw_alembic_id id =
        abc_property(a, parent, name,
                     &(bw_alembic_property_opts){BW_ALEMBIC_SCALAR, pod, extent, samples > 1 ? a->frames : 0, NULL});
    for (uint32_t k = 0; k < samples; k++)
        assert_int_equal(bw_alembic_put(a->w, id, (const uint8_t *)values + k * size, 1, NULL), BW_OK);
}

/* A strip of two quads, clockwise: points 0 1 2 below, 3 4 5 above. */
const int32_t abc_strip_counts[] = {4, 4}, abc_strip_corners[] = {0, 3, 4, 1, 1, 4, 5, 2};
const float abc_strip[2][18] = {{0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0},
                                {0, 0, 0, 1, 0, 1, 2, 0, 0, 0, 1, 0, 1, 1, 1, 2, 1, 0}};

/* Returns the compound of its geometry. */
bw_alembic_id abc_mesh(abc_fixture *a, bw_alembic_id parent, const char *name, uint32_t samples) {
    const bw_alembic_id geom = abc_property(a, abc_object(a, parent, name, "AbcGeom_PolyMesh_v1"), ".geom", NULL);
    abc_array(a, geom, "P", "vtx", BW_ALEMBIC_FLOAT32, 3, samples, abc_strip, 6);
    abc_array(a, geom, ".faceIndices", NULL, BW_ALEMBIC_INT32, 1, 1, abc_strip_corners, 8);
    abc_array(a, geom, ".faceCounts", NULL, BW_ALEMBIC_INT32, 1, 1, abc_strip_counts, 2);
    return geom;
}

uint64_t abc_warned(const bw_scene *scene, const char *code) {
    for (size_t k = 0; k < scene->warnings.count; k++)
        if (strcmp(scene->warnings.data[k].code, code) == 0)
            return scene->warnings.data[k].count;
    return 0;
}

const bw_primitive *abc_primitive_of(const bw_scene *scene, const char *name) {
    for (size_t k = 0; k < scene->nodes.count; k++)
        if (strcmp(scene->nodes.data[k].name, name) == 0)
            return &scene->meshes.data[scene->nodes.data[k].mesh].primitives.data[0];
    fail_msg("no node %s", name);
    return NULL;
}

bw_alembic_id abc_xform(abc_fixture *a, bw_alembic_id parent, const char *name, uint32_t samples, const double *travel,
                        const bool *inherits) {
    static const uint8_t translate = 1 << 4;
    const bw_alembic_id id = abc_object(a, parent, name, "AbcGeom_Xform_v3"),
                        compound = abc_property(a, id, ".xform", NULL);
    abc_scalar(a, compound, ".ops", BW_ALEMBIC_UINT8, 1, 1, &translate, 1);
    abc_scalar(a, compound, ".vals", BW_ALEMBIC_FLOAT64, 3, samples, travel, 3 * sizeof(double));
    if (inherits)
        abc_scalar(a, compound, ".inherits", BW_ALEMBIC_BOOL, 1, 1, inherits, 1);
    return id;
}

bw_alembic_id abc_instance(abc_fixture *a, bw_alembic_id parent, const char *name, const char *source) {
    const bw_alembic_meta pair = {"isInstance", "1"};
    const bw_alembic_metadata metadata = {.data = &pair, .count = 1};
    bw_alembic_id id;
    assert_int_equal(bw_alembic_add_object(&id, a->w, parent, name, &metadata, NULL), BW_OK);
    const bw_alembic_id path = abc_property(
        a, id, ".instanceSource", &(bw_alembic_property_opts){BW_ALEMBIC_SCALAR, BW_ALEMBIC_STRING, 1, 0, NULL});
    assert_int_equal(bw_alembic_put_strings(a->w, path, &source, 1, NULL), BW_OK);
    return id;
}
