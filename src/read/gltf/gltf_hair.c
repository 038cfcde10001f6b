/* SPDX-License-Identifier: MIT
 * Hair in a glTF: line primitives as polylines, nodes as the transforms above them.  What its own writer adds is told in write/write.h. */
#include <string.h>

#include "base/math.h"
#include "read/gltf/gltf.h"
#include "read/gltf/gltf_priv.h"

enum { ATTRIBUTES_MAX = 9 };

/* Where a vertex attribute goes: of a vertex, or of a strand, which takes it from its root. */
typedef struct row {
    const char *key, *name;
    bwi_hair_place place;
    bw_alembic_pod pod;
    uint32_t extent;
    bw_alembic_scope scope;
} row;
static const row rows[] = {
    {"_WIDTH", "width", BWI_HAIR_NATIVE, BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_VERTEX},
    {"_STRAND", "groom_id", BWI_HAIR_ARBITRARY, BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM},
    {"_GROUP_ID", "groom_group_id", BWI_HAIR_ARBITRARY, BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM},
    {"_GUIDE", "groom_guide", BWI_HAIR_ARBITRARY, BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM},
    {"TEXCOORD_0", "groom_root_uv", BWI_HAIR_ARBITRARY, BW_ALEMBIC_FLOAT32, 2, BW_ALEMBIC_SCOPE_UNIFORM},
    {"COLOR_0", "groom_color", BWI_HAIR_ARBITRARY, BW_ALEMBIC_FLOAT32, 3, BW_ALEMBIC_SCOPE_VERTEX},
    {"_ROUGHNESS", "groom_roughness", BWI_HAIR_ARBITRARY, BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_VERTEX},
    {"_AO", "groom_ao", BWI_HAIR_ARBITRARY, BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_VERTEX},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };
_Static_assert(ATTRIBUTES_MAX > (int)ROW_COUNT, "one more: names of groups");

/* Strands of a mesh, made once for all nodes that show it. */
typedef struct strands {
    bool made;
    uint64_t curve_count, point_count;
    const int32_t *counts;
    const float *positions;
    bwi_hair_attribute attributes[ATTRIBUTES_MAX];
    uint32_t attribute_count;
} strands;

typedef struct hair_reader {
    bwi_gltf *g;
    bwi_hair *hair;
    strands *of_mesh;    /* [meshes] */
    uint32_t *object_of; /* [nodes] */
    bwi_hair_object *objects;
    bwi_hair_curves *curves;
    bwi_hair_attribute *attributes;
    size_t object_count, curve_count, attribute_count;
} hair_reader;

static bool is_lines(const bw_primitive *p) {
    return p->mode == BW_PRIMITIVE_LINES;
}

/* Whether a segment begins another strand than the one before it was of. */
static bool begins(const bw_primitive *p, size_t segment) {
    return segment == 0 || p->indices.data[2 * segment] != p->indices.data[2 * segment - 1];
}

static void count_strands(strands *s, const bw_mesh *mesh) {
    for (size_t k = 0; k < mesh->primitives.count; k++) {
        const bw_primitive *p = &mesh->primitives.data[k];
        for (size_t i = 0; is_lines(p) && i < p->indices.count / 2; i++) {
            s->curve_count += begins(p, i);
            s->point_count += begins(p, i) ? 2 : 1;
        }
    }
}

/* Points in the order of their strands.  Out: vertices — [point_count] of the primitive's; counts — [curve_count]. */
static void walk_strands(uint32_t *vertices, int32_t *counts, const bw_primitive *p) {
    size_t point = 0, curve = 0;
    for (size_t i = 0; i < p->indices.count / 2; i++) {
        if (begins(p, i)) {
            vertices[point++] = p->indices.data[2 * i];
            counts[curve++] = 1;
        }
        vertices[point++] = p->indices.data[2 * i + 1];
        counts[curve - 1] += counts[curve - 1] < INT32_MAX;
    }
}

/* One primitive's points as walk_strands gives them. */
typedef struct part {
    const bw_primitive *primitive;
    const json_t *json;
    const uint32_t *vertices;
    const int32_t *counts;
    uint64_t point_count, curve_count;
} part;

/* Values of a row in a primitive, of `stride` floats a vertex; *values NULL: it has none that fit. */
static bw_result find_values(const float **values, size_t *stride, bwi_gltf *g, const row *r, const part *p) {
    const bw_primitive *primitive = p->primitive;
    *values = NULL;
    *stride = r->extent;
    if (r->key[0] == 'C') {
        *stride = 4;
        *values = primitive->colors.count > 0 ? primitive->colors.data[0] : NULL;
        return BW_OK;
    }
    if (r->key[0] == 'T') {
        *values = primitive->uv_sets.count > 0 ? primitive->uv_sets.data[0] : NULL;
        return BW_OK;
    }
    const bwi_gltf_place place = {NULL, r->key, BW_NO_INDEX, NULL};
    uint32_t accessor;
    float *floats;
    BWI_GLTF_TRY(
        bwi_gltf_get_index(g, &accessor, &place, json_object_get(p->json, "attributes"), r->key, g->accessors_json));
    if (accessor == BW_NO_INDEX || g->accessors[accessor].count != primitive->vertex_count ||
        g->accessors[accessor].type != BWI_GLTF_SCALAR)
        return BW_OK;
    BWI_GLTF_TRY(bwi_gltf_floats(g, &floats, g->scratch, &place, accessor, false, BWI_GLTF_ZERO_NOT_FINITE));
    *values = floats;
    return BW_OK;
}

static int32_t to_int(float value) {
    return value >= 2147483648.0f ? INT32_MAX : value < -2147483648.0f ? INT32_MIN : (int32_t)value;
}

static void store(void *to, uint64_t element, const row *r, const float *from) {
    for (uint32_t i = 0; i < r->extent; i++) {
        const uint64_t at = element * r->extent + i;
        if (r->pod == BW_ALEMBIC_INT32)
            ((int32_t *)to)[at] = to_int(from[i]);
        else
            ((float *)to)[at] = r->key[0] == 'T' && i == 1 ? 1.0f - from[i] : from[i]; /* glTF's v runs down */
    }
}

/* An attribute that every primitive of the mesh has. */
static bw_result add_row(strands *s, bwi_gltf *g, const row *r, const part *parts, size_t part_count) {
    const bool each = r->scope == BW_ALEMBIC_SCOPE_VERTEX;
    const uint64_t count = each ? s->point_count : s->curve_count;
    void *to = NULL;
    uint64_t element = 0;
    for (size_t k = 0; k < part_count; k++) {
        const part *p = &parts[k];
        const float *values;
        size_t stride;
        BWI_GLTF_TRY(find_values(&values, &stride, g, r, p));
        if (!values)
            return BW_OK;
        to = to ? to : bwi_gltf_alloc(g, g->arena, (size_t)count, 4 * r->extent);
        if (!to)
            return BW_ERR_MEMORY;
        uint64_t root = 0;
        for (uint64_t i = 0; i < (each ? p->point_count : p->curve_count); i++) {
            store(to, element++, r, values + stride * p->vertices[each ? i : root]);
            root += each ? 0 : (uint64_t)p->counts[i];
        }
    }
    s->attributes[s->attribute_count++] = (bwi_hair_attribute){.name = r->name,
                                                               .place = r->place,
                                                               .pod = r->pod,
                                                               .extent = r->extent,
                                                               .has_scope = true,
                                                               .scope = r->scope,
                                                               .sample_count = 1,
                                                               .value_count = count,
                                                               .count = count,
                                                               .bytes = to};
    return BW_OK;
}

/* The name of each strand's group, by the list that the mesh brings. */
static bw_result add_names(strands *s, bwi_gltf *g, const json_t *mesh) {
    const json_t *names = json_object_get(json_object_get(mesh, "extras"), "groups");
    const bwi_hair_attribute *ids = NULL;
    for (uint32_t k = 0; k < s->attribute_count; k++)
        ids = strcmp(s->attributes[k].name, "groom_group_id") == 0 ? &s->attributes[k] : ids;
    const size_t count = json_array_size(names);
    if (!ids || count == 0)
        return BW_OK;
    const char **known = bwi_gltf_alloc(g, g->scratch, count, sizeof *known);
    const char **texts = known ? bwi_gltf_alloc(g, g->arena, (size_t)s->curve_count, sizeof *texts) : NULL;
    if (!texts)
        return BW_ERR_MEMORY;
    for (uint32_t k = 0; k < count; k++)
        BWI_GLTF_TRY(bwi_gltf_copy_name(g, &known[k], json_string_value(json_array_get(names, k)), "group", k));
    for (uint64_t k = 0; k < s->curve_count; k++) {
        const double id = bwi_hair_number(ids, k, 0);
        texts[k] = id >= 0 && id < (double)count ? known[(size_t)id] : "";
    }
    s->attributes[s->attribute_count++] = (bwi_hair_attribute){.name = "groom_group_name",
                                                               .place = BWI_HAIR_ARBITRARY,
                                                               .pod = BW_ALEMBIC_STRING,
                                                               .extent = 1,
                                                               .has_scope = true,
                                                               .scope = BW_ALEMBIC_SCOPE_UNIFORM,
                                                               .sample_count = 1,
                                                               .value_count = s->curve_count,
                                                               .count = s->curve_count,
                                                               .strings = texts};
    return BW_OK;
}

static bw_result make_strands(strands *s, bwi_gltf *g, uint32_t index) {
    const bw_mesh *mesh = &g->meshes[index];
    s->made = true;
    count_strands(s, mesh);
    if (s->curve_count == 0)
        return BW_OK;
    int32_t *counts = bwi_gltf_alloc(g, g->arena, (size_t)s->curve_count, sizeof *counts);
    float *positions = counts ? bwi_gltf_alloc(g, g->arena, (size_t)s->point_count, 3 * sizeof *positions) : NULL;
    uint32_t *vertices = positions ? bwi_gltf_alloc(g, g->scratch, (size_t)s->point_count, sizeof *vertices) : NULL;
    part *parts = vertices ? bwi_gltf_alloc(g, g->scratch, mesh->primitives.count, sizeof *parts) : NULL;
    if (!parts)
        return BW_ERR_MEMORY;
    size_t part_count = 0;
    uint64_t point = 0, curve = 0;
    for (size_t k = 0; k < mesh->primitives.count; k++) {
        const bw_primitive *p = &mesh->primitives.data[k];
        strands own = {0};
        if (!is_lines(p))
            continue;
        const bw_mesh alone = {.primitives = {p, 1}};
        count_strands(&own, &alone);
        walk_strands(vertices + point, counts + curve, p);
        for (uint64_t i = point; i < point + own.point_count; i++)
            memcpy(positions + 3 * i, p->positions + 3 * (size_t)vertices[i], 3 * sizeof(float));
        parts[part_count++] =
            (part){p, g->kept_json[index][k], vertices + point, counts + curve, own.point_count, own.curve_count};
        point += own.point_count;
        curve += own.curve_count;
    }
    s->counts = counts;
    s->positions = positions;
    for (size_t k = 0; k < ROW_COUNT; k++)
        BWI_GLTF_TRY(add_row(s, g, &rows[k], parts, part_count));
    return add_names(s, g, json_array_get(g->meshes_json, index));
}

/* ---- nodes ---- */

static bw_result read_positions(const void *ctx, uint32_t sample, float *dst, bw_error *error) {
    const strands *s = ctx;
    (void)sample;
    (void)error;
    memcpy(dst, s->positions, (size_t)s->point_count * 3 * sizeof *dst);
    return BW_OK;
}

static bool has_mode(const bw_mesh *mesh, bw_primitive_mode mode) {
    for (size_t k = 0; k < mesh->primitives.count; k++)
        if (mesh->primitives.data[k].mode == mode)
            return true;
    return false;
}

static bw_result add_object(hair_reader *r, bwi_hair_kind kind, uint32_t parent, const char *name, bool hidden) {
    const char *above = parent == BW_NO_INDEX ? "" : r->objects[parent].path;
    bwi_hair_object *o = &r->objects[r->object_count++];
    *o = (bwi_hair_object){.path = bwi_arena_printf(r->g->arena, "%s/%s", above, name),
                           .schema = "",
                           .parent = parent,
                           .kind = kind,
                           .inherits = true,
                           .hidden = hidden};
    for (size_t k = 0; k < 4; k++)
        o->matrix[5 * k] = 1.0;
    return o->path ? BW_OK : bwi_fail_memory(r->g->error, r->g->path, r->g->mem, strlen(above) + strlen(name) + 2);
}

static void add_curves(hair_reader *r, const strands *s, const bw_node *node, const bw_mesh *mesh) {
    static const double start[1] = {0.0};
    const uint32_t object = (uint32_t)r->object_count - 1;
    const uint32_t first = (uint32_t)r->attribute_count;
    if (node->skin != BW_NO_INDEX || mesh->target_count > 0 || node->instances.count > 0)
        r->objects[object].problem = "its skin, morph targets and copies are left out: it is taken as it rests";
    for (uint32_t k = 0; k < s->attribute_count; k++) {
        r->attributes[r->attribute_count] = s->attributes[k];
        r->attributes[r->attribute_count++].object = object;
    }
    r->curves[r->curve_count++] = (bwi_hair_curves){.object = object,
                                                    .counts = s->counts,
                                                    .curve_count = s->curve_count,
                                                    .positions = s->positions,
                                                    .point_count = s->point_count,
                                                    .type = BWI_HAIR_LINEAR,
                                                    .raw_basis = {1, 0, 0, 0},
                                                    .known_basis = true,
                                                    .first_attribute = first,
                                                    .attribute_count = s->attribute_count,
                                                    .times_s = start,
                                                    .sample_count = 1,
                                                    .read = read_positions,
                                                    .ctx = s};
}

static void take_matrix(double matrix[16], const bw_node *n) {
    if (n->has_matrix) {
        for (size_t k = 0; k < 16; k++)
            matrix[k] = (double)n->matrix[k];
        return;
    }
    const float *t = n->translation, *q = n->rotation, *s = n->scale;
    const bwi_mat4 m = bwi_mat4_from_trs((bwi_vec3){(double)t[0], (double)t[1], (double)t[2]},
                                         (bwi_quat){(double)q[0], (double)q[1], (double)q[2], (double)q[3]},
                                         (bwi_vec3){(double)s[0], (double)s[1], (double)s[2]});
    memcpy(matrix, m.m, sizeof m.m);
}

static bw_result add_node(hair_reader *r, uint32_t index) {
    bwi_gltf *g = r->g;
    const bw_node *n = &g->nodes[index];
    const uint32_t parent = n->parent == BW_NO_INDEX ? BW_NO_INDEX : r->object_of[n->parent];
    const uint32_t own = r->object_of[index] = (uint32_t)r->object_count;
    BWI_GLTF_TRY(add_object(r, BWI_HAIR_XFORM, parent, n->name, !n->in_scene));
    take_matrix(r->objects[own].matrix, n);
    if (n->mesh == BW_NO_INDEX)
        return BW_OK;
    const bw_mesh *mesh = &g->meshes[n->mesh];
    strands *s = &r->of_mesh[n->mesh];
    if (!s->made)
        BWI_GLTF_TRY(make_strands(s, g, n->mesh));
    if (s->curve_count > 0) {
        BWI_GLTF_TRY(add_object(r, BWI_HAIR_CURVES, own, mesh->name, !n->in_scene));
        add_curves(r, s, n, mesh);
    }
    if (has_mode(mesh, BW_PRIMITIVE_TRIANGLES))
        return add_object(r, BWI_HAIR_MESH, own, mesh->name, !n->in_scene);
    return has_mode(mesh, BW_PRIMITIVE_POINTS) ? add_object(r, BWI_HAIR_POINTS, own, mesh->name, !n->in_scene) : BW_OK;
}

bw_result bwi_gltf_read_hair(bwi_gltf *g, bwi_hair *hair) {
    static const bwi_hair_sampling second = {BW_ALEMBIC_UNIFORM, 1.0, 0.0};
    const size_t nodes = g->scene->nodes.count;
    size_t shown = 0;
    for (size_t k = 0; k < nodes; k++)
        shown += g->nodes[k].mesh != BW_NO_INDEX && has_mode(&g->meshes[g->nodes[k].mesh], BW_PRIMITIVE_LINES);
    hair_reader r = {.g = g, .hair = hair};
    r.of_mesh = bwi_gltf_alloc(g, g->arena, g->scene->meshes.count, sizeof *r.of_mesh);
    r.object_of = r.of_mesh ? bwi_gltf_alloc(g, g->scratch, nodes, sizeof *r.object_of) : NULL;
    r.objects = r.object_of ? bwi_gltf_alloc(g, g->arena, nodes, 3 * sizeof *r.objects) : NULL;
    r.curves = r.objects ? bwi_gltf_alloc(g, g->arena, shown, sizeof *r.curves) : NULL;
    r.attributes = r.curves ? bwi_gltf_alloc(g, g->arena, shown, ATTRIBUTES_MAX * sizeof *r.attributes) : NULL;
    if (!r.attributes)
        return BW_ERR_MEMORY;
    for (size_t k = 0; k < g->scene->node_order.count; k++) {
        if (!bwi_progress_step(g->progress, 0))
            return bwi_fail_cancelled(g->error);
        BWI_GLTF_TRY(add_node(&r, g->scene->node_order.data[k]));
    }
    hair->format = g->format;
    hair->objects.data = r.objects;
    hair->objects.count = r.object_count;
    hair->curves.data = r.curves;
    hair->curves.count = r.curve_count;
    hair->attributes.data = r.attributes;
    hair->attributes.count = r.attribute_count;
    hair->samplings.data = &second;
    hair->samplings.count = 1;
    for (size_t k = 0; k < 4; k++)
        hair->transform[5 * k] = 1.0;
    hair->has_transform = true;
    return BW_OK;
}
