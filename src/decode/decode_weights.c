/* SPDX-License-Identifier: MIT
 * Meshes that follow bones: the pose x, and which bones a vertex follows by how much.  Source: docs/FORMATS.md §11. */
#include <math.h>
#include <string.h>

#include "decode/decode_priv.h"

enum { LARGEST_CODE = 65535 };

void bwi_bone_mesh_free(bwi_bone_mesh *mesh, bwi_mem *mem) {
    bwi_free(mem, mesh->positions);
    bwi_free(mem, mesh->bones);
    bwi_free(mem, mesh->weights);
    *mesh = (bwi_bone_mesh){0};
}

/* What a mesh's vertices follow, as its files have it: numbers that may be anything. */
typedef struct raw_influence {
    double bone, weight; /* weight: 0 … 1 */
} raw_influence;

typedef struct raw_source {
    const bwi_decoder *d;
    const bw_scene *scene;
    const uint32_t *texel;
    const bwi_texels *weights;
} raw_source;

static double code_at(const bwi_texels *image, size_t texel, uint32_t channel) {
    return image->type == BWI_TEXEL_F32 ? (double)((const float *)image->data)[4 * texel + channel]
                                        : (double)((const uint16_t *)image->data)[4 * texel + channel];
}

/* Block g holds the bones of influences 4g … 4g + 3, block G + g their weights. */
static raw_influence of_texture(const raw_source *s, uint32_t vertex, uint32_t k) {
    const size_t groups = s->d->manifest->bones.influence_count / 4, rows = s->weights->height / (2 * groups);
    const size_t block = rows * s->weights->width, texel = s->texel[vertex] + block * (k / 4);
    return (raw_influence){code_at(s->weights, texel, k % 4),
                           code_at(s->weights, texel + block * groups, k % 4) / LARGEST_CODE};
}

/* The bone whose first texel it is; the number of bones, where it is none. */
static raw_influence of_texel(const raw_source *s, uint32_t vertex) {
    const bwi_manifest_bones *bones = &s->d->manifest->bones;
    const uint32_t column = s->texel[vertex] % s->d->width, row = s->texel[vertex] / s->d->width;
    const bool first = column % bones->texel_count == 0 && column / bones->texel_count < bones->per_row;
    return (raw_influence){first ? row * (double)bones->per_row + column / bones->texel_count : bones->count, 1.0};
}

/* Takes one vertex over.  Out: a bone past the last is left as 0. */
static void take(bwi_bone_mesh *mesh, const raw_influence *raw, uint32_t vertex, const bwi_decoder *d, bool *known,
                 bwi_warnings *findings) {
    const uint32_t width = d->manifest->bones.influence_count, count = d->manifest->bones.count;
    double sum = 0.0;
    for (uint32_t k = 0; k < width; k++) {
        const bool fits = raw[k].bone >= 0.0 && raw[k].bone < count && floor(raw[k].bone) == raw[k].bone;
        if (!fits) {
            bwi_warn(findings, "bone-index", 1,
                     "vertices follow bones that the bake does not have: the mesh or the weights are of another bake",
                     "vertex %u: bone %g of %u", vertex, raw[k].bone, count);
            *known = false;
        }
        mesh->bones[(size_t)width * vertex + k] = fits ? (uint16_t)raw[k].bone : 0;
        mesh->weights[(size_t)width * vertex + k] = (float)raw[k].weight;
        sum += raw[k].weight;
    }
    /* Codes, or their 65535th parts as floats, which are off by far less than half a code. */
    if (!(fabs(sum - 1.0) * LARGEST_CODE < 0.5))
        bwi_warn(findings, "weights", 1,
                 "weights of a vertex do not sum to 1: they were compressed, or edited; it would shrink or grow",
                 "vertex %u: %g", vertex, sum);
}

static bool has_influences(const bw_primitive *p, uint32_t width) {
    return p->influence_count == width;
}

/* Joints and weights of every vertex.  False: they cannot be used. */
static bool weigh(bwi_bone_mesh *mesh, const raw_source *s, const char *file, bwi_warnings *findings) {
    const uint32_t width = s->d->manifest->bones.influence_count;
    uint32_t vertex = 0;
    bool known = true;
    for (size_t k = 0; k < s->scene->meshes.count; k++)
        for (size_t j = 0; j < s->scene->meshes.data[k].primitives.count; j++) {
            const bw_primitive *p = &s->scene->meshes.data[k].primitives.data[j];
            if (!s->texel && !has_influences(p, width)) {
                bwi_warn(findings, "joints-missing", 1,
                         "the mesh has not as many joints and weights a vertex as the manifest says: an exporter left "
                         "them out",
                         "%s: %u, expected %u", file, p->influence_count, width);
                return false;
            }
            for (size_t i = 0; i < p->vertex_count; i++, vertex++) {
                raw_influence raw[8] = {{0}};
                for (uint32_t n = 0; n < width; n++)
                    raw[n] = s->weights ? of_texture(s, vertex, n)
                             : s->texel ? of_texel(s, vertex)
                                        : (raw_influence){p->joints[width * i + n], (double)p->weights[width * i + n]};
                take(mesh, raw, vertex, s->d, &known, findings);
            }
        }
    return known;
}

/* From glTF's axes and metres into the space of the texture data. */
static void turn(float *out, const float *in, size_t stride, size_t count, const bwi_decoder *d, float scale) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++)
            out[3 * i + k] = d->sign[k] * scale * in[stride * i + (size_t)d->axis[k]];
}

static void copy_pose(bwi_bone_mesh *mesh, const bwi_decoder *d, const bw_scene *scene) {
    const float units = d->metres < 1.0f ? 100.0f : 1.0f; /* a metre's */
    size_t at = 0;
    for (size_t k = 0; k < scene->meshes.count; k++)
        for (size_t j = 0; j < scene->meshes.data[k].primitives.count; j++) {
            const bw_primitive *p = &scene->meshes.data[k].primitives.data[j];
            turn(mesh->positions + at, p->positions, 3, p->vertex_count, d, units);
            if (mesh->normals)
                turn(mesh->normals + at, p->normals, 3, p->vertex_count, d, 1.0f);
            if (mesh->tangents)
                turn(mesh->tangents + at, p->tangents, 4, p->vertex_count, d, 1.0f);
            at += 3 * (size_t)p->vertex_count;
        }
}

bw_result bwi_bone_mesh_read(bwi_bone_mesh *mesh, const bwi_decoder *d, const char *file, const bw_scene *scene,
                             const uint32_t *texel, const bwi_texels *weights, const bwi_env *env,
                             bwi_warnings *findings, bw_error *error) {
    const size_t width = d->manifest->bones.influence_count;
    size_t v = 0;
    bool normals = true, tangents = true;
    for (size_t k = 0; k < scene->meshes.count; k++)
        for (size_t j = 0; j < scene->meshes.data[k].primitives.count; j++) {
            const bw_primitive *p = &scene->meshes.data[k].primitives.data[j];
            v += p->vertex_count;
            normals = normals && p->normals;
            tangents = tangents && p->tangents;
        }
    mesh->vertex_count = (uint32_t)v;
    mesh->positions = bwi_alloc(env->mem, v, 9 * sizeof(float));
    mesh->bones = bwi_alloc(env->mem, v, width * sizeof *mesh->bones);
    mesh->weights = bwi_alloc(env->mem, v, width * sizeof *mesh->weights);
    if (!mesh->positions || !mesh->bones || !mesh->weights)
        return bwi_fail_memory(error, file, env->mem, v * (9 + 2 * width) * sizeof(float));
    mesh->normals = normals ? mesh->positions + 3 * v : NULL;
    mesh->tangents = tangents ? mesh->positions + 6 * v : NULL;
    copy_pose(mesh, d, scene);
    const raw_source source = {d, scene, texel, weights};
    if (!weigh(mesh, &source, file, findings))
        return bwi_fail(error, BW_ERR_DIFFERS, scene->path, -1, "its bones are not those of the textures; bake again");
    return BW_OK;
}
