/* SPDX-License-Identifier: MIT
 * Grooms reported beside what `info` does with the same file, and repaired with everything made that they lack: widths, root UVs, guides, closest guides and
 * weights.  The files are made here; each row is a process of its own, so that its peak memory is its own; the fastest of three runs is printed. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bakewell/bakewell.h"
#include "row.h"

static void check(bw_result result, const bw_error *error) {
    if (result == BW_OK)
        return;
    fprintf(stderr, "groom_bench: %s\n", error->message);
    exit(1);
}

/* ---- a groom ---- */

typedef struct groom_size {
    const char *name;
    uint32_t strands, points;
} groom_size;

static float chance(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (float)(1u << 24);
}

static bw_alembic_id add(bw_alembic_writer *writer, bw_alembic_id parent, const char *name, bw_alembic_kind kind,
                         bw_alembic_pod pod, uint32_t extent, const char *scope) {
    bw_error error;
    bw_alembic_id id = BW_ALEMBIC_TOP;
    const bw_alembic_meta pairs[] = {{"geoScope", scope}};
    const bw_alembic_metadata metadata = {.data = pairs, .count = scope != NULL};
    const bw_alembic_property_opts opts = {kind, pod, extent, 0, &metadata};
    check(bw_alembic_add_property(&id, writer, parent, name, &opts, &error), &error);
    return id;
}

static void put(bw_alembic_writer *writer, bw_alembic_id property, const void *values, size_t count) {
    bw_error error;
    check(bw_alembic_put(writer, property, values, count, &error), &error);
}

/* Strands on a ball of 10 cm, bent down, in two groups; nothing but points and groups. */
static void write_groom(const char *path, const groom_size *size) {
    static const bw_alembic_meta CURVES[] = {{"schema", "AbcGeom_Curve_v2"},
                                             {"schemaObjTitle", "AbcGeom_Curve_v2:.geom"},
                                             {"schemaBaseType", "AbcGeom_GeomBase_v1"}};
    static const uint8_t LINEAR[4] = {1, 0, 0, 0};
    const size_t n = size->strands, points = size->points;
    float *positions = malloc(n * points * 3 * sizeof *positions);
    int32_t *counts = malloc(n * sizeof *counts), *groups = malloc(n * sizeof *groups);
    if (!positions || !counts || !groups)
        exit(1);
    uint32_t state = 1;
    for (size_t i = 0; i < n; i++) {
        float d[3], square = 0;
        do { /* in the ball, so that directions are as dense everywhere */
            square = 0;
            for (int c = 0; c < 3; c++) {
                d[c] = 2 * chance(&state) - 1;
                square += d[c] * d[c];
            }
        } while (square > 1 || square < 0.01f);
        for (size_t k = 0; k < points; k++) {
            const float along = (float)k / (float)(points - 1), out = (10 + 8 * along) / (1 + 9 * square);
            float *p = positions + 3 * (i * points + k);
            p[0] = d[0] * out;
            p[1] = d[1] * out;
            p[2] = d[2] * out - 6 * along * along;
        }
        counts[i] = (int32_t)points;
        groups[i] = d[0] > 0;
    }
    bw_error error;
    bw_alembic_writer *writer = NULL;
    bw_alembic_id object;
    const bw_alembic_metadata metadata = {.data = CURVES, .count = 3};
    check(bw_alembic_create(&writer, path, NULL, &error), &error);
    check(bw_alembic_add_object(&object, writer, BW_ALEMBIC_TOP, "hair", &metadata, &error), &error);
    static const bw_alembic_meta BOX[] = {{"interpretation", "box"}};
    const bw_alembic_metadata box = {.data = BOX, .count = 1};
    const bw_alembic_property_opts bounds = {BW_ALEMBIC_SCALAR, BW_ALEMBIC_FLOAT64, 6, 0, &box};
    const double around[6] = {-18, -18, -24, 18, 18, 18};
    bw_alembic_id self_bounds;
    const bw_alembic_id geom = add(writer, object, ".geom", BW_ALEMBIC_COMPOUND, BW_ALEMBIC_NO_POD, 0, NULL);
    check(bw_alembic_add_property(&self_bounds, writer, geom, ".selfBnds", &bounds, &error), &error);
    put(writer, self_bounds, around, 1);
    put(writer, add(writer, geom, "P", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3, "vtx"), positions, n * points);
    put(writer, add(writer, geom, "nVertices", BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1, NULL), counts, n);
    put(writer, add(writer, geom, "curveBasisAndType", BW_ALEMBIC_SCALAR, BW_ALEMBIC_UINT8, 4, NULL), LINEAR, 1);
    const bw_alembic_id more = add(writer, geom, ".arbGeomParams", BW_ALEMBIC_COMPOUND, BW_ALEMBIC_NO_POD, 0, NULL);
    put(writer, add(writer, more, "groom_group_id", BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1, "uni"), groups, n);
    check(bw_alembic_finish(writer, &error), &error);
    bw_free_alembic_writer(writer);
    free(positions);
    free(counts);
    free(groups);
}

/* ---- rows ---- */

typedef enum way { INFO = 0, INFO_VERIFY, REPORT, REPAIR, WAYS } way;

typedef struct task {
    const char *path, *out;
    way how;
} task;

static uint64_t say_info(const char *path, way how) {
    bw_error error;
    bw_alembic *archive = NULL;
    const bw_info_opts opts = {.verify = how == INFO_VERIFY};
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere)
        exit(1);
    check(bw_alembic_open(&archive, path, NULL, &error), &error);
    check(bw_alembic_info_json(nowhere, archive, &opts, &error), &error);
    bw_free_alembic(archive);
    return (uint64_t)fclose(nowhere);
}

static bench_row run_task(const void *ctx) {
    const task *t = ctx;
    bw_error error;
    bw_groom_report *report = NULL;
    bench_row row = {0};
    const double start = bench_now_s();
    if (t->how < REPORT) {
        row.sum = say_info(t->path, t->how);
    } else {
        check(t->how == REPORT ? bw_groom_check(&report, t->path, NULL, &error)
                               : bw_groom_repair(&report, t->path, t->out, NULL, &error),
              &error);
        row.sum = report->strands;
        for (size_t i = 0; i < report->outputs.count; i++)
            row.bytes += (double)report->outputs.data[i].bytes;
    }
    row.seconds = bench_now_s() - start;
    bw_free_groom_report(report);
    return row;
}

int main(void) {
    static const groom_size SIZES[] = {{"100 k strands x 12 points", 100000, 12},
                                       {"1 M strands x 8 points", 1000000, 8}};
    static const char *const NAMES[WAYS] = {"info: names and counts, no value is read",
                                            "info --verify: every byte hashed", "groom: the whole report",
                                            "groom -o: repaired, with guides and weights"};
    char folder[] = "/tmp/bakewell-bench-XXXXXX", in[64], out[64];
    if (!mkdtemp(folder))
        return 1;
    snprintf(in, sizeof in, "%s/hair.abc", folder);
    snprintf(out, sizeof out, "%s/fixed.abc", folder);
    printf("Grooms, warm cache (groom_bench)\n");
    printf("%-46s %9s %8s %10s %10s\n", "", "seconds", "x verify", "peak, MiB", "MB written");
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        write_groom(in, &SIZES[i]);
        printf("%s\n", SIZES[i].name);
        double verify_s = 0;
        for (way how = INFO; how < WAYS; how++) {
            const bench_row row = bench_measure(run_task, &(task){in, out, how});
            verify_s = how == INFO_VERIFY ? row.seconds : verify_s;
            if (how >= REPORT && row.sum < SIZES[i].strands) {
                fprintf(stderr, "groom_bench: %s: strands were lost\n", SIZES[i].name);
                return 1;
            }
            printf("  %-44s %9.4f %8.1f %10.1f %10.1f\n", NAMES[how], row.seconds,
                   verify_s > 0 ? row.seconds / verify_s : 0, row.peak_mib, row.bytes / 1e6);
            fflush(stdout);
        }
        unlink(in);
        unlink(out);
    }
    return rmdir(folder) != 0;
}
