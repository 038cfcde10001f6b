/* SPDX-License-Identifier: MIT
 * Alembic archives written, then read with every value summed, and as scenes, every frame of every mesh and strand summed, beside the plainest ways of going through the same file: mapping it and summing
 * or copying its bytes.  The archives are made here.  Each row is a process of its own, so that its peak memory is its own; the fastest of three
 * runs is printed, with the file in the system's cache. */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bakewell/bakewell.h"
#include "row.h"

enum { STRANDS = 1000000, STRAND_POINTS = 8, MESH_POINTS = 20000, MESH_FRAMES = 200, PARTS = 20000 };

static void check(bw_result result, const bw_error *error) {
    if (result != BW_OK) {
        fprintf(stderr, "alembic_bench: %s\n", error->message);
        exit(1);
    }
}

/* Sum of all 32-bit words and of the bytes left over.  Integers, so that it is vectorised and the order does not matter. */
static uint64_t sum_of(const uint8_t *bytes, size_t size) {
    uint64_t sum = 0;
    size_t i = 0;
    for (; i + 4 <= size; i += 4) {
        uint32_t word;
        memcpy(&word, bytes + i, 4);
        sum += word;
    }
    for (; i < size; i++)
        sum += bytes[i];
    return sum;
}

/* ---- writing ---- */

typedef struct output {
    bw_alembic_writer *writer;
    uint64_t sum; /* of all samples put, the repeated ones once for each time */
} output;

static const bw_alembic_meta MESH[] = {{"schema", "AbcGeom_PolyMesh_v1"},
                                       {"schemaObjTitle", "AbcGeom_PolyMesh_v1:.geom"},
                                       {"schemaBaseType", "AbcGeom_GeomBase_v1"}};
static const bw_alembic_meta CURVES[] = {{"schema", "AbcGeom_Curve_v2"},
                                         {"schemaObjTitle", "AbcGeom_Curve_v2:.geom"},
                                         {"schemaBaseType", "AbcGeom_GeomBase_v1"}};
static const bw_alembic_meta XFORM[] = {{"schema", "AbcGeom_Xform_v3"}, {"schemaObjTitle", "AbcGeom_Xform_v3:.xform"}};

static bw_alembic_id add_object(output *out, bw_alembic_id parent, const char *name, const bw_alembic_meta *pairs,
                                size_t count) {
    bw_error error;
    bw_alembic_id id;
    const bw_alembic_metadata metadata = {.data = pairs, .count = count};
    check(bw_alembic_add_object(&id, out->writer, parent, name, &metadata, &error), &error);
    return id;
}

static bw_alembic_id add_property(output *out, bw_alembic_id parent, const char *name, bw_alembic_kind kind,
                                  bw_alembic_pod pod, uint32_t extent) {
    bw_error error;
    bw_alembic_id id;
    const bw_alembic_property_opts opts = {.kind = kind, .pod = pod, .extent = extent};
    check(bw_alembic_add_property(&id, out->writer, parent, name, &opts, &error), &error);
    return id;
}

static void put(output *out, bw_alembic_id property, const void *values, size_t size, uint64_t points) {
    bw_error error;
    check(bw_alembic_put(out->writer, property, values, points, &error), &error);
    out->sum += sum_of(values, size);
}

/* Adds an array with one sample of words that differ. */
static void add_array(output *out, bw_alembic_id parent, const char *name, bw_alembic_pod pod, uint32_t extent,
                      size_t points, uint32_t seed) {
    uint32_t *values = malloc(points * extent * sizeof *values);
    if (!values)
        exit(1);
    for (size_t i = 0; i < points * extent; i++)
        values[i] = (uint32_t)i * 2654435761u >> 9 | (seed & 7u) << 23; /* positive floats of one size, too */
    put(out, add_property(out, parent, name, BW_ALEMBIC_ARRAY, pod, extent), values, points * extent * sizeof *values,
        points);
    free(values);
}

static void write_strands(output *out) {
    const size_t points = (size_t)STRANDS * STRAND_POINTS;
    const bw_alembic_id object = add_object(out, BW_ALEMBIC_TOP, "groom", CURVES, 3);
    const bw_alembic_id geom = add_property(out, object, ".geom", BW_ALEMBIC_COMPOUND, BW_ALEMBIC_NO_POD, 0);
    add_array(out, geom, "P", BW_ALEMBIC_FLOAT32, 3, points, 1);
    static int32_t counts[STRANDS];
    for (size_t i = 0; i < STRANDS; i++)
        counts[i] = STRAND_POINTS;
    put(out, add_property(out, geom, "nVertices", BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1), counts, sizeof counts,
        STRANDS);
    static const uint8_t LINEAR[] = {1, 0, 0, 0};
    put(out, add_property(out, geom, "curveBasisAndType", BW_ALEMBIC_SCALAR, BW_ALEMBIC_UINT8, 4), LINEAR,
        sizeof LINEAR, 1);
    add_array(out, geom, "width", BW_ALEMBIC_FLOAT32, 1, points, 3);
    const bw_alembic_id more = add_property(out, geom, ".arbGeomParams", BW_ALEMBIC_COMPOUND, BW_ALEMBIC_NO_POD, 0);
    add_array(out, more, "groom_color", BW_ALEMBIC_FLOAT32, 3, points, 4);
    add_array(out, more, "groom_root_uv", BW_ALEMBIC_FLOAT32, 2, STRANDS, 5);
    add_array(out, more, "groom_id", BW_ALEMBIC_INT32, 1, STRANDS, 6);
    add_array(out, more, "groom_closest_guides", BW_ALEMBIC_INT32, 3, STRANDS, 7);
    add_array(out, more, "groom_guide_weights", BW_ALEMBIC_FLOAT32, 3, STRANDS, 8);
}

static void write_mesh(output *out) {
    static float points[MESH_POINTS][3];
    static int32_t indices[MESH_POINTS][4], counts[MESH_POINTS];
    for (int i = 0; i < MESH_POINTS; i++) {
        counts[i] = 4;
        for (int k = 0; k < 4; k++)
            indices[i][k] = (i + k * 141) % MESH_POINTS;
    }
    const bw_alembic_id object = add_object(out, BW_ALEMBIC_TOP, "cloth", MESH, 3);
    const bw_alembic_id geom = add_property(out, object, ".geom", BW_ALEMBIC_COMPOUND, BW_ALEMBIC_NO_POD, 0);
    const bw_alembic_id p = add_property(out, geom, "P", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3);
    put(out, add_property(out, geom, ".faceIndices", BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1), indices, sizeof indices,
        4 * MESH_POINTS);
    put(out, add_property(out, geom, ".faceCounts", BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1), counts, sizeof counts,
        MESH_POINTS);
    for (int frame = 0; frame < MESH_FRAMES; frame++) {
        for (int i = 0; i < MESH_POINTS; i++)
            for (int k = 0; k < 3; k++)
                points[i][k] = (float)(i * 3 + k) * 0.01f + (float)frame;
        put(out, p, points, sizeof points, MESH_POINTS);
    }
}

static void write_parts(output *out) {
    const bw_alembic_id all = add_object(out, BW_ALEMBIC_TOP, "all", XFORM, 2);
    const bw_alembic_id parts = add_object(out, all, "parts", XFORM, 2);
    static const uint8_t OPS[] = {0x30};
    static const int32_t INDICES[] = {0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3},
                         COUNTS[] = {4, 4, 4, 4, 4, 4};
    for (int i = 0; i < PARTS; i++) {
        char name[32];
        snprintf(name, sizeof name, "part_%d", i);
        const bw_alembic_id xform = add_object(out, parts, name, XFORM, 2);
        const bw_alembic_id of_xform = add_property(out, xform, ".xform", BW_ALEMBIC_COMPOUND, BW_ALEMBIC_NO_POD, 0);
        const double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, i, 2.0 * i, 0, 1};
        put(out, add_property(out, of_xform, ".inherits", BW_ALEMBIC_SCALAR, BW_ALEMBIC_BOOL, 1), "\1", 1, 1);
        put(out, add_property(out, of_xform, ".ops", BW_ALEMBIC_SCALAR, BW_ALEMBIC_UINT8, 1), OPS, 1, 1);
        put(out, add_property(out, of_xform, ".vals", BW_ALEMBIC_SCALAR, BW_ALEMBIC_FLOAT64, 16), matrix, sizeof matrix,
            1);
        const bw_alembic_id geom = add_property(out, add_object(out, xform, "shape", MESH, 3), ".geom",
                                                BW_ALEMBIC_COMPOUND, BW_ALEMBIC_NO_POD, 0);
        const double box[6] = {0, 0, 0, 1, 1, 1.0 + i};
        put(out, add_property(out, geom, ".selfBnds", BW_ALEMBIC_SCALAR, BW_ALEMBIC_FLOAT64, 6), box, sizeof box, 1);
        float points[8][3];
        for (int k = 0; k < 8; k++) {
            points[k][0] = (float)(k & 1);
            points[k][1] = (float)(k >> 1 & 1);
            points[k][2] = (float)(k >> 2) * (1.0f + (float)i);
        }
        put(out, add_property(out, geom, "P", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3), points, sizeof points, 8);
        put(out, add_property(out, geom, ".faceIndices", BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1), INDICES,
            sizeof INDICES, 24);
        put(out, add_property(out, geom, ".faceCounts", BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1), COUNTS, sizeof COUNTS,
            6);
        bw_error error;
        check(bw_alembic_end(out->writer, xform, &error), &error);
    }
}

typedef struct subject {
    const char *name, *file;
    void (*write)(output *);
    double reference_s; /* the reference library 1.8.12, whole process, two cores of another machine */
} subject;

static uint64_t write_archive(const subject *of, const char *path) {
    bw_error error;
    output out = {0};
    check(bw_alembic_create(&out.writer, path, NULL, &error), &error);
    of->write(&out);
    check(bw_alembic_finish(out.writer, &error), &error);
    bw_free_alembic_writer(out.writer);
    return out.sum;
}

/* ---- reading ---- */

static uint64_t sum_properties(bw_alembic *archive, const bw_alembic_property_list *list) {
    bw_error error;
    uint64_t sum = 0;
    for (size_t i = 0; i < list->count; i++) {
        const bw_alembic_property *property = &list->data[i];
        if (property->kind == BW_ALEMBIC_COMPOUND) {
            bw_alembic_property_list members;
            check(bw_alembic_members(&members, archive, property, &error), &error);
            sum += sum_properties(archive, &members);
        }
        for (uint32_t k = 0; k < property->sample_count; k++) {
            bw_alembic_sample sample;
            check(bw_alembic_view(&sample, archive, property, k, &error), &error);
            sum += sum_of(sample.bytes, sample.size);
        }
    }
    return sum;
}

static uint64_t sum_objects(bw_alembic *archive, const bw_alembic_object *object) {
    bw_error error;
    bw_alembic_property_list properties;
    bw_alembic_object_list children;
    check(bw_alembic_properties(&properties, archive, object, &error), &error);
    uint64_t sum = sum_properties(archive, &properties);
    check(bw_alembic_children(&children, archive, object, &error), &error);
    for (size_t i = 0; i < children.count; i++)
        sum += sum_objects(archive, &children.data[i]);
    return sum;
}

static uint64_t read_archive(const char *path) {
    bw_error error;
    bw_alembic *archive = NULL;
    check(bw_alembic_open(&archive, path, NULL, &error), &error);
    const uint64_t sum = sum_objects(archive, archive->top);
    bw_free_alembic(archive);
    return sum;
}

/* What read_scene sums, straight from the archive: positions. */
static uint64_t sum_positions(bw_alembic *archive, const bw_alembic_object *object) {
    bw_error error;
    const bw_alembic_property *property = NULL;
    bw_alembic_object_list children;
    uint64_t sum = 0;
    check(bw_alembic_find_property(&property, archive, object, ".geom/P", &error), &error);
    for (uint32_t k = 0; property && k < property->sample_count; k++) {
        bw_alembic_sample sample;
        check(bw_alembic_view(&sample, archive, property, k, &error), &error);
        sum += sum_of(sample.bytes, sample.size);
    }
    check(bw_alembic_children(&children, archive, object, &error), &error);
    for (size_t i = 0; i < children.count; i++)
        sum += sum_positions(archive, &children.data[i]);
    return sum;
}

static uint64_t expected_of_scene(const char *path) {
    bw_error error;
    bw_alembic *archive = NULL;
    check(bw_alembic_open(&archive, path, NULL, &error), &error);
    const uint64_t sum = sum_positions(archive, archive->top);
    bw_free_alembic(archive);
    return sum;
}

static uint64_t read_scene(const char *path) {
    bw_error error;
    bw_scene *scene = NULL;
    uint64_t sum = 0;
    check(bw_scene_load(&scene, path, NULL, &error), &error);
    for (size_t m = 0; m < scene->meshes.count; m++)
        for (size_t k = 0; k < scene->meshes.data[m].primitives.count; k++) {
            const bw_primitive *p = &scene->meshes.data[m].primitives.data[k];
            const size_t size = 3 * (size_t)p->vertex_count * sizeof(float);
            const bw_cache *cache = p->position_cache;
            float *values = cache ? malloc(size) : NULL;
            if (!cache)
                sum += sum_of((const uint8_t *)p->positions, size);
            for (uint32_t i = 0; values && i < cache->sample_count; i++) {
                check(cache->read(cache->ctx, i, values, &error), &error);
                sum += sum_of((const uint8_t *)values, size);
            }
            free(values);
        }
    bw_free_scene(scene);
    return sum;
}

/* Maps the whole file; sums it, or copies it to memory and sums one byte in 4,096 of the copy, so that the copy is not left out. */
static uint64_t read_plain(const char *path, bool copied) {
    struct stat status;
    const int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &status) != 0)
        exit(1);
    const size_t size = (size_t)status.st_size;
    uint8_t *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        exit(1);
    uint64_t sum = 0;
    if (copied) {
        uint8_t *copy = malloc(size);
        if (!copy)
            exit(1);
        memcpy(copy, bytes, size);
        for (size_t i = 0; i < size; i += 4096)
            sum += copy[i];
        free(copy);
    } else {
        sum = sum_of(bytes, size);
    }
    munmap(bytes, size);
    close(fd);
    return sum;
}

/* ---- rows ---- */

typedef enum way { WRITE = 0, READ, SCENE, PLAIN_SUM, PLAIN_COPY, WAYS } way;

typedef struct task {
    const subject *of;
    const char *path;
    way how;
} task;

static bench_row run_task(const void *ctx) {
    const task *t = ctx;
    const double start = bench_now_s();
    const uint64_t sum = t->how == WRITE   ? write_archive(t->of, t->path)
                         : t->how == READ  ? read_archive(t->path)
                         : t->how == SCENE ? read_scene(t->path)
                                           : read_plain(t->path, t->how == PLAIN_COPY);
    return (bench_row){.seconds = bench_now_s() - start, .sum = sum};
}

int main(void) {
    static const subject SUBJECTS[] = {
        {"1 M strands x 8 points", "strands.abc", write_strands, 0.92},
        {"mesh of 20 k points x 200 frames", "mesh.abc", write_mesh, 0.025},
        {"40,002 objects", "parts.abc", write_parts, 0.155},
    };
    static const char *const NAMES[WAYS] = {"written, on the disk", "read, every value summed",
                                            "read as a scene, every frame summed", "plain: mapped and summed",
                                            "plain: mapped and copied"};
    char folder[] = "/tmp/bakewell-bench-XXXXXX";
    if (!mkdtemp(folder))
        return 1;
    printf("Alembic archives, warm cache, one thread (alembic_bench)\n");
    printf("%-42s %9s %8s %10s %10s\n", "", "seconds", "x copy", "MB/s", "peak, MiB");
    int wrong = 0;
    for (size_t i = 0; i < sizeof SUBJECTS / sizeof SUBJECTS[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", folder, SUBJECTS[i].file);
        bench_row rows[WAYS];
        for (way how = WRITE; how < WAYS; how++)
            rows[how] = bench_measure(run_task, &(task){&SUBJECTS[i], path, how});
        struct stat status;
        if (stat(path, &status) != 0)
            return 1;
        const double size_mb = (double)status.st_size / 1e6, copy_s = rows[PLAIN_COPY].seconds;
        printf("%s, %.0f MB\n", SUBJECTS[i].name, size_mb);
        for (way how = WRITE; how < WAYS; how++)
            printf("  %-40s %9.4f %8.2f %10.0f %10.1f\n", NAMES[how], rows[how].seconds, rows[how].seconds / copy_s,
                   size_mb / rows[how].seconds, rows[how].peak_mib);
        printf("  %-40s %9.4f\n", "for scale: reference library, elsewhere", SUBJECTS[i].reference_s);
        fflush(stdout);
        if (rows[READ].sum != rows[WRITE].sum) {
            fprintf(stderr, "alembic_bench: %s: what was read is not what was written\n", SUBJECTS[i].file);
            wrong = 1;
        }
        if (rows[SCENE].sum != expected_of_scene(path)) {
            fprintf(stderr, "alembic_bench: %s: the scene's positions are not the archive's\n", SUBJECTS[i].file);
            wrong = 1;
        }
        unlink(path);
    }
    return rmdir(folder) != 0 || wrong;
}
