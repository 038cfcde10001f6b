/* SPDX-License-Identifier: MIT
 * A whole bake of 10,000 vertices × 1,000 frames beside the naive way of doing its core: time, bytes, error, peak memory.
 * The scene is made here: a skinned tube of 16 joints, four influences a vertex.  Each row is a process of its own, so that its peak memory is
 * its own; the fastest of three runs is printed. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bakewell/bakewell.h"
#include "row.h"

enum { RING = 100, RINGS = 100, JOINTS = 16, KEYS = 1000 };

/* ---- the scene, as a GLB ---- */

typedef struct scene_arrays {
    float positions[RING * RINGS][3], normals[RING * RINGS][3], weights[RING * RINGS][4];
    unsigned short joints[RING * RINGS][4];
    unsigned indices[(RINGS - 1) * RING * 6];
    float inverse_bind[JOINTS][16];
    float times[KEYS], rotations[JOINTS][KEYS][4];
} scene_arrays;

static void fill_scene(scene_arrays *s) {
    for (int r = 0; r < RINGS; r++)
        for (int k = 0; k < RING; k++) {
            const int i = r * RING + k;
            const double angle = 2.0 * 3.14159265358979 * k / RING, along = (double)r / (RINGS - 1) * (JOINTS - 1);
            const float x = (float)cos(angle), z = (float)sin(angle);
            memcpy(s->positions[i], (float[3]){0.1f * x, 0.1f * (float)along, 0.1f * z}, sizeof s->positions[i]);
            memcpy(s->normals[i], (float[3]){x, 0.0f, z}, sizeof s->normals[i]);
            const int first = (int)along > 0 ? ((int)along < JOINTS - 2 ? (int)along - 1 : JOINTS - 4) : 0;
            float sum = 0.0f;
            for (int j = 0; j < 4; j++) {
                s->joints[i][j] = (unsigned short)(first + j);
                s->weights[i][j] = (float)exp(-(along - first - j) * (along - first - j));
                sum += s->weights[i][j];
            }
            for (int j = 0; j < 4; j++)
                s->weights[i][j] /= sum;
        }
    unsigned *index = s->indices;
    for (unsigned r = 0; r + 1 < RINGS; r++)
        for (unsigned k = 0; k < RING; k++) {
            const unsigned a = r * RING + k, b = r * RING + (k + 1) % RING;
            const unsigned corners[6] = {a, a + RING, b, b, a + RING, b + RING};
            memcpy(index, corners, sizeof corners);
            index += 6;
        }
    for (int j = 0; j < JOINTS; j++) {
        const float m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -0.1f * (float)j, 0, 1};
        memcpy(s->inverse_bind[j], m, sizeof m);
        for (int k = 0; k < KEYS; k++) {
            const double half = 0.1 * sin(0.05 * k + 0.4 * j);
            memcpy(s->rotations[j][k], (float[4]){(float)sin(half), 0, 0, (float)cos(half)}, sizeof s->rotations[j][k]);
        }
    }
    for (int k = 0; k < KEYS; k++)
        s->times[k] = (float)(k / 30.0);
}

/* One buffer view an array; accessors in the order of the views. */
typedef struct glb_text {
    char json[65536];
    size_t length;
    size_t offset;
    unsigned count;
} glb_text;

static void add_array(glb_text *views, glb_text *accessors, size_t bytes, const char *accessor) {
    views->length +=
        (size_t)sprintf(views->json + views->length, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}",
                        views->count ? "," : "", views->offset, bytes);
    accessors->length += (size_t)sprintf(accessors->json + accessors->length, "%s{\"bufferView\":%u,%s}",
                                         views->count ? "," : "", views->count, accessor);
    views->offset += bytes;
    views->count++;
}

static void write_scene(const char *path, const scene_arrays *s) {
    static glb_text views, accessors, nodes, channels;
    static char json[300000];
    char text[256];
    add_array(&views, &accessors, sizeof s->positions,
              "\"componentType\":5126,\"count\":10000,\"type\":\"VEC3\",\"min\":[-1,-1,-1],\"max\":[1,2,1]");
    add_array(&views, &accessors, sizeof s->normals, "\"componentType\":5126,\"count\":10000,\"type\":\"VEC3\"");
    add_array(&views, &accessors, sizeof s->weights, "\"componentType\":5126,\"count\":10000,\"type\":\"VEC4\"");
    add_array(&views, &accessors, sizeof s->joints, "\"componentType\":5123,\"count\":10000,\"type\":\"VEC4\"");
    sprintf(text, "\"componentType\":5125,\"count\":%zu,\"type\":\"SCALAR\"", sizeof s->indices / 4);
    add_array(&views, &accessors, sizeof s->indices, text);
    sprintf(text, "\"componentType\":5126,\"count\":%d,\"type\":\"MAT4\"", JOINTS);
    add_array(&views, &accessors, sizeof s->inverse_bind, text);
    sprintf(text, "\"componentType\":5126,\"count\":%d,\"type\":\"SCALAR\",\"min\":[0],\"max\":[%.9g]", KEYS,
            (double)s->times[KEYS - 1]);
    add_array(&views, &accessors, sizeof s->times, text);
    for (int j = 0; j < JOINTS; j++) {
        sprintf(text, "\"componentType\":5126,\"count\":%d,\"type\":\"VEC4\"", KEYS);
        add_array(&views, &accessors, sizeof s->rotations[j], text);
        nodes.length += (size_t)sprintf(nodes.json + nodes.length, ",{\"name\":\"j%d\",\"translation\":[0,%s,0]", j,
                                        j ? "0.1" : "0");
        nodes.length += j + 1 < JOINTS ? (size_t)sprintf(nodes.json + nodes.length, ",\"children\":[%d]}", j + 2)
                                       : (size_t)sprintf(nodes.json + nodes.length, "}");
        channels.length += (size_t)sprintf(channels.json + channels.length,
                                           "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"rotation\"}}",
                                           j ? "," : "", j, j + 1);
    }
    size_t n = (size_t)sprintf(
        json,
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":[{\"name\":\"tube\","
        "\"mesh\":0,\"skin\":0}%s],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":1,"
        "\"WEIGHTS_0\":2,\"JOINTS_0\":3},\"indices\":4}]}],\"skins\":[{\"inverseBindMatrices\":5,\"joints\":[",
        nodes.json);
    for (int j = 0; j < JOINTS; j++)
        n += (size_t)sprintf(json + n, "%s%d", j ? "," : "", j + 1);
    n += (size_t)sprintf(json + n, "]}],\"animations\":[{\"name\":\"Sway\",\"channels\":[%s],\"samplers\":[",
                         channels.json);
    for (int j = 0; j < JOINTS; j++)
        n += (size_t)sprintf(json + n, "%s{\"input\":6,\"output\":%d}", j ? "," : "", 7 + j);
    n += (size_t)sprintf(json + n, "]}],\"bufferViews\":[%s],\"accessors\":[%s],\"buffers\":[{\"byteLength\":%zu}]}",
                         views.json, accessors.json, views.offset);
    while (n % 4)
        json[n++] = ' ';
    const unsigned head[5] = {0x46546C67, 2, (unsigned)(28 + n + views.offset), (unsigned)n, 0x4E4F534A};
    const unsigned binary[2] = {(unsigned)views.offset, 0x004E4942};
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(head, sizeof head, 1, file) != 1 || fwrite(json, n, 1, file) != 1 ||
        fwrite(binary, sizeof binary, 1, file) != 1 || fwrite(s, views.offset, 1, file) != 1 || fclose(file) != 0) {
        fprintf(stderr, "vat_bench: cannot write %s\n", path);
        exit(1);
    }
}

/* ---- the naive way: one thread, a matrix a joint and frame, a fetch a vertex, no files ---- */

static void pose(const scene_arrays *s, int frame, float skin[JOINTS][12]) {
    float world[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}; /* row-major 3 × 4 in the first twelve */
    for (int j = 0; j < JOINTS; j++) {
        const float *q = s->rotations[j][frame];
        const float c = q[3] * q[3] - q[0] * q[0], d = 2.0f * q[0] * q[3]; /* about x */
        const float lift = j ? 0.1f : 0.0f;
        float next[12];
        for (int r = 0; r < 3; r++) {
            const float *w = &world[4 * r];
            next[4 * r] = w[0];
            next[4 * r + 1] = w[1] * c + w[2] * d;
            next[4 * r + 2] = w[2] * c - w[1] * d;
            next[4 * r + 3] = w[3] + w[1] * lift;
        }
        memcpy(world, next, sizeof next);
        for (int r = 0; r < 3; r++) {
            memcpy(&skin[j][4 * r], &next[4 * r], 4 * sizeof(float));
            skin[j][4 * r + 3] += next[4 * r + 1] * s->inverse_bind[j][13];
        }
    }
}

static unsigned naive_bake(const scene_arrays *s) {
    static unsigned short texels[RING * RINGS][4];
    unsigned sum = 0;
    for (int frame = 0; frame < KEYS; frame++) {
        float skin[JOINTS][12];
        pose(s, frame, skin);
        for (int i = 0; i < RING * RINGS; i++) {
            float p[3] = {0}, n[3] = {0};
            for (int k = 0; k < 4; k++) {
                const float *m = skin[s->joints[i][k]], w = s->weights[i][k], *v = s->positions[i], *o = s->normals[i];
                for (int r = 0; r < 3; r++) {
                    p[r] += w * (m[4 * r] * v[0] + m[4 * r + 1] * v[1] + m[4 * r + 2] * v[2] + m[4 * r + 3]);
                    n[r] += w * (m[4 * r] * o[0] + m[4 * r + 1] * o[1] + m[4 * r + 2] * o[2]);
                }
            }
            const float l1 = fabsf(n[0]) + fabsf(n[1]) + fabsf(n[2]);
            for (int r = 0; r < 3; r++)
                texels[i][r] = (unsigned short)(65535.0f * (p[r] + 2.0f) / 4.0f + 0.5f);
            texels[i][3] = (unsigned short)((unsigned)(127.5f * n[0] / l1 + 128.0f) |
                                            (unsigned)(127.5f * n[1] / l1 + 128.0f) << 8);
        }
        for (int k = 0; k < 4; k++)
            sum += texels[frame % (RING * RINGS)][k];
    }
    return sum;
}

/* ---- rows ---- */

typedef struct subject {
    const char *name;
    bw_vat_format format; /* default: the naive way */
    uint32_t threads;
    const char *scene, *folder;
    const scene_arrays *arrays;
} subject;

static bench_row naive_row(const subject *of) {
    const double start = bench_now_s();
    const unsigned sum = naive_bake(of->arrays);
    return (bench_row){.seconds = bench_now_s() - start, .sum = sum};
}

static bench_row bake_row(const void *ctx) {
    const subject *of = ctx;
    if (of->format == BW_VAT_FORMAT_DEFAULT)
        return naive_row(of);
    const bw_vat_opts opts = {
        .mode = BW_VAT_MODE_VERTEX, .format = of->format, .write = {.force = true}, .run = {.threads = of->threads}};
    bw_vat_report *report = NULL;
    bw_error error;
    const double start = bench_now_s();
    if (bw_vat_bake(&report, of->scene, of->folder, &opts, &error) != BW_OK) {
        fprintf(stderr, "vat_bench: %s\n", error.message);
        exit(1);
    }
    bench_row r = {.seconds = bench_now_s() - start, .error_mm = 1000.0 * report->error.stored.max};
    for (size_t k = 0; k < report->outputs.count; k++)
        r.bytes += (double)report->outputs.data[k].bytes;
    bw_free_vat_report(report);
    return r;
}

int main(void) {
    static scene_arrays s;
    char folder[] = "/tmp/bakewell-bench-XXXXXX", scene[64];
    if (!mkdtemp(folder))
        return 1;
    snprintf(scene, sizeof scene, "%s/tube.glb", folder);
    fill_scene(&s);
    write_scene(scene, &s);
    const subject rows[] = {
        {"naive skin + encode, 1 thread, no files", BW_VAT_FORMAT_DEFAULT, 1, scene, folder, &s},
        {"bakewell png16, 1 thread", BW_VAT_FORMAT_PNG16, 1, scene, folder, &s},
        {"bakewell png16, all cores", BW_VAT_FORMAT_PNG16, 0, scene, folder, &s},
        {"bakewell exr16, all cores", BW_VAT_FORMAT_EXR16, 0, scene, folder, &s},
        {"bakewell raw, 1 thread", BW_VAT_FORMAT_RAW, 1, scene, folder, &s},
        {"bakewell raw, all cores", BW_VAT_FORMAT_RAW, 0, scene, folder, &s},
    };
    printf("10,000 vertices x 1,000 frames, skinned, read back and compared (vat_bench)\n");
    printf("%-42s %9s %8s %10s %12s %10s\n", "", "seconds", "x naive", "MiB", "error, mm", "peak, MiB");
    double naive = 0.0;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const bench_row r = bench_measure(bake_row, &rows[k]);
        naive = k == 0 ? r.seconds : naive;
        printf("%-42s %9.3f %8.1f %10.1f %12.4f %10.1f\n", rows[k].name, r.seconds, r.seconds / naive,
               r.bytes / 1048576.0, r.error_mm, r.peak_mib);
        fflush(stdout);
    }
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) == 0 ? 0 : 1;
}
