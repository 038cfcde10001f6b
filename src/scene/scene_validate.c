/* SPDX-License-Identifier: MIT
 * Checks every promise of bakewell/scene.h, so that nothing behind a reader needs checks of its own. */
#include "scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A reader divides by the sum in float; 64 influences round by less than this. */
#define WEIGHT_SUM_TOLERANCE 1e-5
/* Room for unit vectors that a reader normalised in float. */
#define UNIT_TOLERANCE 1e-4

typedef struct checker {
    const bw_scene *scene;
    bw_error *error;
    uint32_t *order_of_node; /* [nodes] place in node_order + 1 */
    uint32_t *joint_limits;  /* [meshes] fewest joints of the skins that the mesh is used with */
    uint32_t *seen_channels; /* [nodes][4] clip + 1 that last animated the property */
    const char **clip_names; /* [clips] */
    uint32_t cached_clips;   /* that play caches */
} checker;

#define MALFORMED(c, ...) bwi_fail((c)->error, BW_ERR_MALFORMED, (c)->scene->path, -1, __VA_ARGS__)
#define BUG(c, ...) bwi_fail((c)->error, BW_ERR_INTERNAL, (c)->scene->path, -1, "the reader left " __VA_ARGS__)
#define CHECK(call)                 \
    do {                            \
        bw_result check_r = (call); \
        if (check_r != BW_OK) {     \
            return check_r;         \
        }                           \
    } while (0)

/* Index of the first value that is not finite, or count. */
static size_t first_not_finite(const float *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return i;
        }
    }
    return count;
}

/* values may be NULL only if count is 0 or `optional`. */
static bw_result check_floats(const checker *c, const float *values, size_t count, size_t per_item, bool optional,
                              const char *place, const char *what) {
    if (values == NULL) {
        return count == 0 || optional ? BW_OK : BUG(c, "%s: %s without data", place, what);
    }
    size_t bad = first_not_finite(values, count);
    if (bad < count) {
        return MALFORMED(
            c, "%s: value %zu of %s %zu is not a finite number; export the file again without NaN or infinity", place,
            bad % per_item, what, bad / per_item);
    }
    return BW_OK;
}

static bool is_unit(const float *v, size_t dimension) {
    double sum = 0;
    for (size_t i = 0; i < dimension; i++) {
        sum += (double)v[i] * (double)v[i];
    }
    return fabs(sum - 1.0) <= 2.0 * UNIT_TOLERANCE;
}

static bw_result check_units(const checker *c, const float *values, size_t count, size_t stride, size_t dimension,
                             const char *place, const char *what) {
    for (size_t i = 0; values != NULL && i < count; i++) {
        if (!is_unit(values + i * stride, dimension)) {
            return BUG(c, "%s: %s %zu not of unit length", place, what, i);
        }
    }
    return BW_OK;
}

static bw_result check_strings(const checker *c, const char *const *data, size_t count, const char *what) {
    if (count > 0 && data == NULL) {
        return BUG(c, "%zu %s without data", count, what);
    }
    for (size_t i = 0; i < count; i++) {
        if (data[i] == NULL) {
            return BUG(c, "%s %zu without text", what, i);
        }
    }
    return BW_OK;
}

/* What a cache holds is checked as it is read; NULL: there is none. */
static bw_result check_cache(const checker *c, const bw_cache *cache, const char *place, const char *what) {
    if (cache == NULL) {
        return BW_OK;
    }
    if (cache->sample_count == 0 || cache->times_s == NULL || cache->read == NULL) {
        return BUG(c, "%s: a cache of %s without samples", place, what);
    }
    for (uint32_t k = 0; k < cache->sample_count; k++) {
        if (!isfinite(cache->times_s[k]) || (k > 0 && cache->times_s[k] <= cache->times_s[k - 1])) {
            return MALFORMED(c,
                             "%s: sample %" PRIu32 " of %s is at %g s, not after the one before it; sort the samples",
                             place, k, what, cache->times_s[k]);
        }
    }
    return BW_OK;
}

static bool in_range(uint32_t index, size_t count) {
    return index == BW_NO_INDEX || index < count;
}

static bw_result check_node(checker *c, size_t index) {
    const bw_scene *scene = c->scene;
    const bw_node *node = &scene->nodes.data[index];
    if (node->name == NULL) {
        return BUG(c, "node %zu without a name", index);
    }
    char place[192];
    snprintf(place, sizeof place, "node %zu (%.100s)", index, node->name);
    if (!in_range(node->parent, scene->nodes.count) || !in_range(node->mesh, scene->meshes.count) ||
        !in_range(node->skin, scene->skins.count)) {
        return MALFORMED(c,
                         "%s: parent, mesh or skin points past the file's %zu nodes, %zu meshes and %zu skins; export "
                         "the file again",
                         place, scene->nodes.count, scene->meshes.count, scene->skins.count);
    }
    if (node->matrix_cache != NULL && !node->has_matrix) {
        return BUG(c, "%s: a cache of matrices and no matrix", place);
    }
    CHECK(check_cache(c, node->matrix_cache, place, "the matrix"));
    CHECK(check_cache(c, node->visibility_cache, place, "the visibility"));
    CHECK(check_floats(c, node->matrix, 16, 16, false, place, "matrix"));
    CHECK(check_floats(c, node->translation, 3, 3, false, place, "translation"));
    CHECK(check_floats(c, node->rotation, 4, 4, false, place, "rotation"));
    CHECK(check_floats(c, node->scale, 3, 3, false, place, "scale"));
    CHECK(check_floats(c, node->weights.data, node->weights.count, 1, false, place, "weight"));
    if (node->weights.count > 0 && node->mesh != BW_NO_INDEX &&
        node->weights.count != scene->meshes.data[node->mesh].target_count) {
        return MALFORMED(c, "%s: has %zu morph weights, its mesh has %" PRIu32 " targets; give one weight a target",
                         place, node->weights.count, scene->meshes.data[node->mesh].target_count);
    }
    if (node->instances.count > 0 && node->instances.data == NULL) {
        return BUG(c, "%s: %zu instances without data", place, node->instances.count);
    }
    for (size_t i = 0; i < node->instances.count; i++) {
        const bw_instance *instance = &node->instances.data[i];
        CHECK(check_floats(c, instance->translation, 3, 3, false, place, "instance translation"));
        CHECK(check_floats(c, instance->rotation, 4, 4, false, place, "instance rotation"));
        CHECK(check_floats(c, instance->scale, 3, 3, false, place, "instance scale"));
        CHECK(check_units(c, instance->rotation, 1, 4, 4, place, "instance rotation"));
    }
    if (node->mesh != BW_NO_INDEX && node->skin != BW_NO_INDEX) {
        size_t joints = scene->skins.data[node->skin].joints.count;
        if (joints < c->joint_limits[node->mesh]) {
            c->joint_limits[node->mesh] = (uint32_t)joints;
        }
    }
    return BW_OK;
}

/* node_order names every node once, parents first; a cycle has no such order. */
static bw_result check_forest(checker *c) {
    const bw_scene *scene = c->scene;
    if (scene->node_order.count != scene->nodes.count || (scene->nodes.count > 0 && scene->node_order.data == NULL)) {
        return BUG(c, "an order of %zu nodes for %zu nodes", scene->node_order.count, scene->nodes.count);
    }
    for (size_t i = 0; i < scene->node_order.count; i++) {
        uint32_t node = scene->node_order.data[i];
        if (node >= scene->nodes.count || c->order_of_node[node] != 0) {
            return BUG(c, "node %" PRIu32 " twice or out of range in the order of nodes", node);
        }
        c->order_of_node[node] = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < scene->nodes.count; i++) {
        uint32_t parent = scene->nodes.data[i].parent;
        if (parent == BW_NO_INDEX || c->order_of_node[parent] < c->order_of_node[i]) {
            continue;
        }
        uint32_t up = parent;
        for (size_t steps = 0; up != BW_NO_INDEX && steps <= scene->nodes.count; steps++) {
            up = scene->nodes.data[up].parent;
        }
        if (up != BW_NO_INDEX) {
            return MALFORMED(c, "node %zu (%s): is among its own ancestors; remove the cycle from the hierarchy", i,
                             scene->nodes.data[i].name);
        }
        return BUG(c, "node %zu before its parent in the order of nodes", i);
    }
    return BW_OK;
}

static bw_result check_influences(const checker *c, const bw_primitive *primitive, uint32_t joint_limit,
                                  const char *place) {
    uint32_t count = primitive->influence_count;
    if (count == 0) {
        return BW_OK;
    }
    if (count % 4 != 0 || primitive->joints == NULL || primitive->weights == NULL) {
        return BUG(c, "%s: %" PRIu32 " influences, not in fours or without data", place, count);
    }
    CHECK(check_floats(c, primitive->weights, (size_t)primitive->vertex_count * count, count, false, place,
                       "weights of vertex"));
    if (joint_limit == UINT32_MAX) { /* no skin: nothing follows them */
        return BW_OK;
    }
    for (size_t v = 0; v < primitive->vertex_count; v++) {
        double sum = 0;
        for (uint32_t k = 0; k < count; k++) {
            float weight = primitive->weights[v * count + k];
            uint32_t joint = primitive->joints[v * count + k];
            if (weight < 0) {
                return MALFORMED(c, "%s: vertex %zu has the weight %g; weights must be 0 or more", place, v,
                                 (double)weight);
            }
            if (joint >= joint_limit) {
                return MALFORMED(c,
                                 "%s: vertex %zu names joint %" PRIu32 " of a skin with %" PRIu32
                                 " joints; export the skin again",
                                 place, v, joint, joint_limit);
            }
            if (weight == 0 && joint != 0) {
                return BUG(c, "%s: vertex %zu with an unused influence of joint %" PRIu32, place, v, joint);
            }
            sum += (double)weight;
        }
        if (fabs(sum - 1.0) > WEIGHT_SUM_TOLERANCE) {
            return MALFORMED(c, "%s: the weights of vertex %zu sum to %g, not to 1; normalise them", place, v, sum);
        }
    }
    return BW_OK;
}

static bool same_samples(const bw_cache *a, const bw_cache *b) {
    return a == NULL || (a->sample_count == b->sample_count &&
                         memcmp(a->times_s, b->times_s, a->sample_count * sizeof(double)) == 0);
}

static bool is_unindexed(const bw_primitive *primitive) {
    for (size_t i = 0; i < primitive->indices.count; i++) {
        if (primitive->indices.data[i] != i) {
            return false;
        }
    }
    return primitive->indices.count == primitive->vertex_count;
}

static bw_result check_caches(const checker *c, const bw_primitive *primitive, const char *place) {
    const bw_cache *positions = primitive->position_cache, *normals = primitive->normal_cache;
    CHECK(check_cache(c, positions, place, "the positions"));
    CHECK(check_cache(c, normals, place, "the normals"));
    CHECK(check_cache(c, primitive->velocity_cache, place, "the velocities"));
    if ((positions != NULL || normals != NULL) &&
        (primitive->influence_count > 0 || primitive->targets.count > 0 || primitive->tangents != NULL)) {
        return BUG(c, "%s: caches beside skin data, targets or tangents", place);
    }
    if (normals != NULL && primitive->normals == NULL) {
        return BUG(c, "%s: a cache of normals and no normals", place);
    }
    if (!primitive->topology_changes) {
        return primitive->velocity_cache == NULL ? BW_OK : BUG(c, "%s: velocities of a mesh of one topology", place);
    }
    if (positions == NULL || primitive->mode != BW_PRIMITIVE_TRIANGLES || !is_unindexed(primitive)) {
        return BUG(c, "%s: a changing topology that is no cache of unshared triangles", place);
    }
    if (!same_samples(normals, positions) || !same_samples(primitive->velocity_cache, positions)) {
        return BUG(c, "%s: a changing topology whose samples are not at one time", place);
    }
    return BW_OK;
}

static bw_result check_primitive(const checker *c, const bw_mesh *mesh, size_t mesh_index, size_t index) {
    const bw_primitive *primitive = &mesh->primitives.data[index];
    size_t count = primitive->vertex_count;
    char place[192];
    snprintf(place, sizeof place, "mesh %zu (%.100s), primitive %zu", mesh_index, mesh->name, index);
    if (primitive->mode > BW_PRIMITIVE_POINTS) {
        return BUG(c, "%s: mode %d", place, (int)primitive->mode);
    }
    if (!in_range(primitive->material, c->scene->materials.count)) {
        return MALFORMED(c, "%s: has material %" PRIu32 " of %zu; export the file again", place, primitive->material,
                         c->scene->materials.count);
    }
    CHECK(check_floats(c, primitive->positions, count * 3, 3, false, place, "position of vertex"));
    CHECK(check_floats(c, primitive->normals, count * 3, 3, true, place, "normal of vertex"));
    CHECK(check_units(c, primitive->normals, count, 3, 3, place, "normal of vertex"));
    CHECK(check_floats(c, primitive->tangents, count * 4, 4, true, place, "tangent of vertex"));
    CHECK(check_units(c, primitive->tangents, count, 4, 3, place, "tangent of vertex"));
    for (size_t v = 0; primitive->tangents != NULL && v < count; v++) {
        float w = primitive->tangents[4 * v + 3];
        if (w != 1.0f && w != -1.0f) {
            return BUG(c, "%s: tangent of vertex %zu with w = %g", place, v, (double)w);
        }
    }
    if ((primitive->uv_sets.count > 0 && primitive->uv_sets.data == NULL) ||
        (primitive->colors.count > 0 && primitive->colors.data == NULL) ||
        (primitive->targets.count > 0 && primitive->targets.data == NULL)) {
        return BUG(c, "%s: UV sets, colours or targets without data", place);
    }
    for (size_t i = 0; i < primitive->uv_sets.count; i++) {
        CHECK(check_floats(c, primitive->uv_sets.data[i], count * 2, 2, true, place, "UV of vertex"));
    }
    for (size_t i = 0; i < primitive->colors.count; i++) {
        CHECK(check_floats(c, primitive->colors.data[i], count * 4, 4, true, place, "colour of vertex"));
    }
    if (primitive->targets.count != mesh->target_count) {
        return MALFORMED(
            c, "%s: has %zu morph targets, its mesh %" PRIu32 "; every primitive of a mesh needs the same targets",
            place, primitive->targets.count, mesh->target_count);
    }
    for (size_t i = 0; i < primitive->targets.count; i++) {
        const bw_morph_target *target = &primitive->targets.data[i];
        CHECK(check_floats(c, target->positions, count * 3, 3, true, place, "morph position of vertex"));
        CHECK(check_floats(c, target->normals, count * 3, 3, true, place, "morph normal of vertex"));
        CHECK(check_floats(c, target->tangents, count * 3, 3, true, place, "morph tangent of vertex"));
    }
    CHECK(check_influences(c, primitive, c->joint_limits[mesh_index], place));

    static const uint32_t corners[] = {
        [BW_PRIMITIVE_TRIANGLES] = 3, [BW_PRIMITIVE_LINES] = 2, [BW_PRIMITIVE_POINTS] = 1};
    if (primitive->indices.count == 0 || primitive->indices.data == NULL) {
        return BUG(c, "%s: no indices", place);
    }
    if (primitive->indices.count % corners[primitive->mode] != 0) {
        return MALFORMED(c, "%s: has %zu indices, not a multiple of %" PRIu32 "; export the mesh again", place,
                         primitive->indices.count, corners[primitive->mode]);
    }
    for (size_t i = 0; i < primitive->indices.count; i++) {
        if (primitive->indices.data[i] >= count) {
            return MALFORMED(c, "%s: index %zu is %" PRIu32 ", past the %zu vertices; export the mesh again", place, i,
                             primitive->indices.data[i], count);
        }
    }
    return check_caches(c, primitive, place);
}

static bw_result check_mesh(const checker *c, size_t index) {
    const bw_mesh *mesh = &c->scene->meshes.data[index];
    if (mesh->name == NULL) {
        return BUG(c, "mesh %zu without a name", index);
    }
    char place[192];
    snprintf(place, sizeof place, "mesh %zu (%.100s)", index, mesh->name);
    if (mesh->primitives.count > 0 && mesh->primitives.data == NULL) {
        return BUG(c, "%s: primitives without data", place);
    }
    if (mesh->weights.count != mesh->target_count ||
        (mesh->target_names.count != 0 && mesh->target_names.count != mesh->target_count)) {
        return BUG(c, "%s: %zu weights and %zu names for %" PRIu32 " targets", place, mesh->weights.count,
                   mesh->target_names.count, mesh->target_count);
    }
    CHECK(check_floats(c, mesh->weights.data, mesh->weights.count, 1, false, place, "weight"));
    CHECK(check_strings(c, mesh->target_names.data, mesh->target_names.count, "target name"));
    for (size_t i = 0; i < mesh->primitives.count; i++) {
        CHECK(check_primitive(c, mesh, index, i));
    }
    return BW_OK;
}

static bw_result check_skin(const checker *c, size_t index) {
    const bw_skin *skin = &c->scene->skins.data[index];
    if (skin->name == NULL || skin->joints.count == 0 || skin->joints.count > UINT32_MAX || skin->joints.data == NULL) {
        return BUG(c, "skin %zu without a name or joints", index);
    }
    char place[192];
    snprintf(place, sizeof place, "skin %zu (%.100s)", index, skin->name);
    for (size_t i = 0; i < skin->joints.count; i++) {
        if (skin->joints.data[i] >= c->scene->nodes.count) {
            return MALFORMED(c, "%s: joint %zu is node %" PRIu32 " of %zu; export the skin again", place, i,
                             skin->joints.data[i], c->scene->nodes.count);
        }
    }
    return check_floats(c, skin->inverse_bind, skin->joints.count * 16, 16, false, place, "inverse bind matrix");
}

static bw_result check_channel(checker *c, size_t clip_index, size_t index, double *first_s, double *last_s) {
    const bw_scene *scene = c->scene;
    const bw_clip *clip = &scene->clips.data[clip_index];
    const bw_channel *channel = &clip->channels.data[index];
    char place[192];
    snprintf(place, sizeof place, "clip %zu (%.100s), channel %zu", clip_index, clip->name, index);
    if (channel->path < BW_CHANNEL_TRANSLATION || channel->path > BW_CHANNEL_WEIGHTS ||
        channel->interpolation > BW_INTERPOLATION_CUBICSPLINE) {
        return BUG(c, "%s: path %d, interpolation %d", place, (int)channel->path, (int)channel->interpolation);
    }
    if (channel->node >= scene->nodes.count) {
        return MALFORMED(c, "%s: moves node %" PRIu32 " of %zu; export the clip again", place, channel->node,
                         scene->nodes.count);
    }
    const bw_node *node = &scene->nodes.data[channel->node];
    if (node->has_matrix && channel->path != BW_CHANNEL_WEIGHTS) {
        return MALFORMED(c,
                         "%s: moves node %" PRIu32
                         " (%s), which has a matrix; animated nodes need translation, rotation and scale",
                         place, channel->node, node->name);
    }
    uint32_t components = channel->path == BW_CHANNEL_ROTATION ? 4 : 3;
    if (channel->path == BW_CHANNEL_WEIGHTS) {
        components = node->mesh == BW_NO_INDEX ? 0 : scene->meshes.data[node->mesh].target_count;
    }
    if (channel->component_count != components || components == 0) {
        return MALFORMED(
            c, "%s: has %" PRIu32 " values a key, node %" PRIu32 " (%s) takes %" PRIu32 "; export the clip again",
            place, channel->component_count, channel->node, node->name, components);
    }
    uint32_t *seen = &c->seen_channels[4 * (size_t)channel->node + (size_t)channel->path - 1];
    if (*seen == (uint32_t)clip_index + 1) {
        return BUG(c, "%s: a second channel of the same property of node %" PRIu32, place, channel->node);
    }
    *seen = (uint32_t)clip_index + 1;

    if (channel->key_count == 0 || channel->times_s == NULL || channel->values == NULL) {
        return BUG(c, "%s: no keys", place);
    }
    CHECK(check_floats(c, channel->times_s, channel->key_count, 1, false, place, "time of key"));
    size_t per_key = (size_t)components * (channel->interpolation == BW_INTERPOLATION_CUBICSPLINE ? 3 : 1);
    CHECK(check_floats(c, channel->values, channel->key_count * per_key, per_key, false, place, "key"));
    for (uint32_t k = 1; k < channel->key_count; k++) {
        if (channel->times_s[k] <= channel->times_s[k - 1]) {
            return MALFORMED(c, "%s: key %" PRIu32 " is at %g s, not after the one before it at %g s; sort the keys",
                             place, k, (double)channel->times_s[k], (double)channel->times_s[k - 1]);
        }
    }
    *first_s = fmin(*first_s, (double)channel->times_s[0]);
    *last_s = fmax(*last_s, (double)channel->times_s[channel->key_count - 1]);
    return BW_OK;
}

static bool is_key_rate(double rate_fps) {
    static const double rates[] = {0, 24, 25, 30, 48, 50, 60};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        if (rate_fps == rates[i]) {
            return true;
        }
    }
    return false;
}

static bw_result check_clip(checker *c, size_t index) {
    const bw_clip *clip = &c->scene->clips.data[index];
    double first_s = INFINITY, last_s = -INFINITY;
    if (clip->plays_caches) {
        if (!bwi_scene_cache_span(c->scene, &first_s, &last_s) || c->cached_clips++ > 0) {
            return BUG(c, "clip %zu to play caches that there are none of, or that another plays", index);
        }
    } else if (clip->channels.count == 0) {
        return BUG(c, "clip %zu without channels", index);
    }
    if (clip->name == NULL || (clip->channels.count > 0 && clip->channels.data == NULL)) {
        return BUG(c, "clip %zu without a name or channels", index);
    }
    c->clip_names[index] = clip->name;
    for (size_t i = 0; i < clip->channels.count; i++) {
        CHECK(check_channel(c, index, i, &first_s, &last_s));
    }
    if (!(clip->start_s == first_s && clip->end_s == last_s)) {
        return BUG(c, "clip %zu (%s) from %g s to %g s, its keys from %g s to %g s", index, clip->name, clip->start_s,
                   clip->end_s, first_s, last_s);
    }
    if (!(clip->plays_caches ? isfinite(clip->key_rate_fps) && clip->key_rate_fps >= 0
                             : is_key_rate(clip->key_rate_fps))) {
        return BUG(c, "clip %zu (%s) with a key rate of %g", index, clip->name, clip->key_rate_fps);
    }
    return BW_OK;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bw_result check_clip_names(checker *c) {
    size_t count = c->scene->clips.count;
    qsort(c->clip_names, count, sizeof *c->clip_names, compare_names);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(c->clip_names[i - 1], c->clip_names[i]) == 0) {
            return BUG(c, "two clips named \"%s\"", c->clip_names[i]);
        }
    }
    return BW_OK;
}

static bw_result check_carried(const checker *c) {
    const bw_scene *scene = c->scene;
    if ((scene->materials.count > 0 && scene->materials.data == NULL) ||
        (scene->textures.count > 0 && scene->textures.data == NULL) ||
        (scene->images.count > 0 && scene->images.data == NULL) ||
        (scene->files.count > 0 && scene->files.data == NULL) ||
        (scene->warnings.count > 0 && scene->warnings.data == NULL)) {
        return BUG(c, "materials, textures, images, files or warnings without data");
    }
    for (size_t i = 0; i < scene->materials.count; i++) {
        if (scene->materials.data[i].name == NULL || scene->materials.data[i].json == NULL) {
            return BUG(c, "material %zu without name or text", i);
        }
    }
    for (size_t i = 0; i < scene->textures.count; i++) {
        if (scene->textures.data[i].json == NULL) {
            return BUG(c, "texture %zu without text", i);
        }
        if (!in_range(scene->textures.data[i].image, scene->images.count)) {
            return MALFORMED(c, "texture %zu: has image %" PRIu32 " of %zu; export the file again", i,
                             scene->textures.data[i].image, scene->images.count);
        }
    }
    for (size_t i = 0; i < scene->images.count; i++) {
        const bw_image *image = &scene->images.data[i];
        if (image->name == NULL || image->mime == NULL || (image->data == NULL && image->size > 0)) {
            return BUG(c, "image %zu without name, type or data", i);
        }
    }
    for (size_t i = 0; i < scene->files.count; i++) {
        if (scene->files.data[i].path == NULL) {
            return BUG(c, "file %zu without a path", i);
        }
    }
    for (size_t i = 0; i < scene->warnings.count; i++) {
        const bw_warning *warning = &scene->warnings.data[i];
        if (warning->code == NULL || warning->message == NULL || warning->first == NULL || warning->count == 0) {
            return BUG(c, "warning %zu without code, message, place or count", i);
        }
    }
    CHECK(check_strings(c, scene->samplers.data, scene->samplers.count, "texture sampler"));
    return check_strings(c, scene->material_extensions.data, scene->material_extensions.count, "material extension");
}

static bw_result check_all(checker *c) {
    const bw_scene *scene = c->scene;
    for (size_t i = 0; i < scene->meshes.count; i++) {
        c->joint_limits[i] = UINT32_MAX;
    }
    /* Skins before nodes, nodes before meshes: each takes the counts of the one before for granted. */
    for (size_t i = 0; i < scene->skins.count; i++) {
        CHECK(check_skin(c, i));
    }
    for (size_t i = 0; i < scene->nodes.count; i++) {
        CHECK(check_node(c, i));
    }
    CHECK(check_forest(c));
    for (size_t i = 0; i < scene->meshes.count; i++) {
        CHECK(check_mesh(c, i));
    }
    for (size_t i = 0; i < scene->clips.count; i++) {
        CHECK(check_clip(c, i));
    }
    CHECK(check_clip_names(c));
    return check_carried(c);
}

bw_result bwi_scene_validate(const bw_scene *scene, bw_error *error) {
    checker c = {.scene = scene, .error = error};
    if (scene->path == NULL || scene->format == NULL || scene->generator == NULL) {
        return bwi_fail(error, BW_ERR_INTERNAL, scene->path, -1,
                        "the reader left the scene without path, format or generator");
    }
    if (scene->nodes.count >= BW_NO_INDEX || scene->meshes.count >= BW_NO_INDEX || scene->clips.count >= BW_NO_INDEX ||
        scene->skins.count >= BW_NO_INDEX || scene->materials.count >= BW_NO_INDEX ||
        scene->images.count >= BW_NO_INDEX) {
        return BUG(&c, "a count past 32 bits");
    }
    if ((scene->nodes.count > 0 && scene->nodes.data == NULL) ||
        (scene->meshes.count > 0 && scene->meshes.data == NULL) ||
        (scene->skins.count > 0 && scene->skins.data == NULL) ||
        (scene->clips.count > 0 && scene->clips.data == NULL)) {
        return BUG(&c, "nodes, meshes, skins or clips without data");
    }
    bwi_mem own_mem;
    bwi_mem_init(&own_mem, 0);
    bwi_mem *mem = scene->arena != NULL ? bwi_arena_mem(scene->arena) : &own_mem;
    bwi_arena *scratch = bwi_arena_create(mem);
    bw_result result = BW_OK;
    if (scratch != NULL) {
        c.order_of_node = bwi_arena_alloc(scratch, scene->nodes.count, sizeof *c.order_of_node);
        c.joint_limits = bwi_arena_alloc(scratch, scene->meshes.count, sizeof *c.joint_limits);
        c.seen_channels = bwi_arena_alloc(scratch, scene->nodes.count, 4 * sizeof *c.seen_channels);
        c.clip_names = bwi_arena_alloc(scratch, scene->clips.count, sizeof *c.clip_names);
    }
    if (scratch == NULL || c.order_of_node == NULL || c.joint_limits == NULL || c.seen_channels == NULL ||
        c.clip_names == NULL) {
        result = bwi_fail_memory(error, scene->path, mem, 5 * scene->nodes.count * sizeof *c.order_of_node);
    } else {
        result = check_all(&c);
    }
    bwi_arena_free(scratch);
    return result;
}
