/* SPDX-License-Identifier: MIT
 * Meshes of an archive: of one topology, whose vertices are chosen once for all samples, and of topologies that change. */
#include <string.h>

#include "read/alembic/abc_priv.h"

uint32_t bwi_abc_last_change(const bwi_abc_param *param) {
    const uint32_t values = bwi_abc_is_animated(param->values) ? param->values->last_changed : 0;
    const uint32_t indices = bwi_abc_is_animated(param->indices) ? param->indices->last_changed : 0;
    return values > indices ? values : indices;
}

uint32_t bwi_abc_next_change(const bw_alembic_property *property, uint32_t sample) {
    if (!bwi_abc_is_animated(property) || sample >= property->last_changed)
        return UINT32_MAX;
    return sample + 1 < property->first_changed ? property->first_changed : sample + 1;
}

uint32_t bwi_abc_next_param_change(const bwi_abc_param *param, uint32_t sample) {
    const uint32_t values = bwi_abc_next_change(param->values, sample);
    const uint32_t indices = bwi_abc_next_change(param->indices, sample);
    return values < indices ? values : indices;
}

static bool param_moves(const bwi_abc_param *param) {
    return bwi_abc_last_change(param) > 0;
}

/* The property whose samples are the attribute's. */
static const bw_alembic_property *clock_of(const bwi_abc_param *param) {
    return param->indices && param->indices->sample_count > param->values->sample_count ? param->indices
                                                                                        : param->values;
}

/* One mesh while it is made. */
typedef struct builder {
    bwi_abc_reader *r;
    bwi_abc_shape *shape;
    bwi_abc_mesh mesh;
    bwi_abc_faces faces; /* of the first sample */
    bw_alembic_sample points;
    bw_primitive *primitive;
} builder;

static void warn(const builder *b, const char *code, const char *message) {
    bwi_abc_warn(b->shape, code, 1, message);
}

/* Drops an attribute that has not one value for every element of its scope in all samples that matter. */
static bw_result keep_fitting(builder *b, bwi_abc_param *param, uint32_t last, const char *code, const char *message) {
    const bwi_abc_counts counts = bwi_abc_mesh_counts(&b->faces, b->points.point_count);
    for (uint32_t k = 0; param->values && k <= last; k = bwi_abc_next_param_change(param, k)) {
        bwi_abc_param_sample sample;
        BWI_ABC_TRY(bwi_abc_param_view(&sample, b->r->archive, param, k, b->r->error));
        if (!bwi_abc_param_fits(&sample, param->scope, &counts)) {
            warn(b, code, message);
            *param = (bwi_abc_param){0};
        }
        if (bwi_progress_cancelled(b->r->progress))
            return bwi_fail_cancelled(b->r->error);
    }
    return BW_OK;
}

static void warn_of_large_faces(const builder *b, uint64_t count) {
    if (count > 0)
        bwi_abc_warn(b->shape, "faces-large", count,
                     "faces of more than 2048 corners become fans around the first, which is right for convex ones");
}

static uint32_t count_large_faces(const bwi_abc_faces *faces) {
    uint32_t found = 0;
    for (uint32_t k = 0; k < faces->face_count; k++)
        found += bwi_abc_int(&faces->counts, k) > BWI_ABC_CUT_MAX;
    return found;
}

static bw_result choose_attributes(builder *b) {
    bwi_abc_mesh *m = &b->mesh;
    BWI_ABC_TRY(
        keep_fitting(b, &m->uv, 0, "uvs-unfit", "UVs that are not one for each element of their scope are left out"));
    if (m->uv.values && param_moves(&m->uv))
        warn(b, "uvs-move", "UVs that change over time stand still as in the first sample: a mesh has one set");
    if (m->normals.values && !param_moves(&m->normals) && bwi_abc_is_animated(m->positions)) {
        warn(b, "normals-still",
             "normals that stand still on a mesh that moves are left out; export normals with every sample to keep "
             "them");
        m->normals = (bwi_abc_param){0};
    }
    return keep_fitting(b, &m->normals, bwi_abc_last_change(&m->normals), "normals-unfit",
                        "normals that are not one for each element of their scope in every sample are left out");
}

static float finite_or_zero(float value) {
    return value - value == 0.0f ? value : 0.0f;
}

/* v runs up in the file, down in the scene. */
static bw_result make_uvs(builder *b, const bwi_abc_vertices *vertices) {
    bwi_abc_param_sample sample;
    if (!b->mesh.uv.values)
        return BW_OK;
    float *uv = bwi_abc_alloc(b->r, b->r->arena, vertices->count, 2 * sizeof *uv);
    const float **sets = uv ? bwi_abc_alloc(b->r, b->r->arena, 1, sizeof *sets) : NULL;
    if (!sets)
        return BW_ERR_MEMORY;
    BWI_ABC_TRY(bwi_abc_param_view(&sample, b->r->archive, &b->mesh.uv, 0, b->r->error));
    for (uint32_t v = 0; v < vertices->count; v++) {
        const uint64_t stored = bwi_abc_param_element(&sample, bwi_abc_vertex_element(vertices, b->mesh.uv.scope, v));
        uv[2 * (size_t)v] = finite_or_zero(bwi_abc_float(&sample.values, 2 * stored));
        uv[2 * (size_t)v + 1] = finite_or_zero(1.0f - bwi_abc_float(&sample.values, 2 * stored + 1));
    }
    sets[0] = uv;
    b->primitive->uv_sets.data = sets;
    b->primitive->uv_sets.count = 1;
    return BW_OK;
}

static void make_unit(float *n) {
    const bwi_vec3 v = bwi_vec3_normalize((bwi_vec3){(double)n[0], (double)n[1], (double)n[2]});
    const bool none = v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
    n[0] = (float)v.x;
    n[1] = none ? 1.0f : (float)v.y;
    n[2] = (float)v.z;
}

static bw_result make_normals(builder *b, const bwi_abc_vertices *vertices) {
    const bwi_abc_param *param = &b->mesh.normals;
    if (!param->values)
        return BW_OK;
    bwi_abc_normals *ctx = bwi_abc_alloc(b->r, b->r->arena, 1, sizeof *ctx);
    uint32_t *elements = ctx ? bwi_abc_alloc(b->r, b->r->arena, vertices->count, sizeof *elements) : NULL;
    if (!elements)
        return BW_ERR_MEMORY;
    for (uint32_t v = 0; v < vertices->count; v++)
        elements[v] = (uint32_t)bwi_abc_vertex_element(vertices, param->scope, v);
    const bwi_abc_counts counts = bwi_abc_mesh_counts(&b->faces, b->points.point_count);
    *ctx = (bwi_abc_normals){b->r->archive, *param, counts.of_scope[param->scope], vertices->count, elements};
    const float *normals = NULL;
    BWI_ABC_TRY(bwi_abc_make_vectors(b->r, &normals, &b->primitive->normal_cache, bwi_abc_read_normals, ctx,
                                     vertices->count, param_moves(param) ? clock_of(param) : NULL));
    float *unit = (float *)(uintptr_t)normals; /* made just now */
    for (uint32_t v = 0; v < vertices->count; v++)
        make_unit(unit + 3 * (size_t)v);
    b->primitive->normals = normals;
    return BW_OK;
}

/* Fills b->primitive. */
static bw_result build_part(builder *b, const bwi_abc_vertices *vertices) {
    bw_primitive *p = b->primitive;
    bwi_abc_positions *ctx = bwi_abc_alloc(b->r, b->r->arena, 1, sizeof *ctx);
    if (!ctx)
        return BW_ERR_MEMORY;
    *ctx =
        (bwi_abc_positions){b->r->archive, b->mesh.positions, b->points.point_count, vertices->count, vertices->points};
    BWI_ABC_TRY(bwi_abc_make_vectors(b->r, &p->positions, &p->position_cache, bwi_abc_read_positions, ctx,
                                     vertices->count,
                                     bwi_abc_is_animated(b->mesh.positions) ? b->mesh.positions : NULL));
    p->vertex_count = vertices->count;
    p->indices = (bw_index_list){vertices->indices, 3 * (size_t)vertices->triangle_count};
    BWI_ABC_TRY(make_uvs(b, vertices));
    return make_normals(b, vertices);
}

static bw_result build_still_topology(builder *b) {
    bwi_abc_vertices whole, parts[BWI_ABC_SETS_MAX + 1];
    bwi_abc_sets sets;
    warn_of_large_faces(b, count_large_faces(&b->faces));
    BWI_ABC_TRY(choose_attributes(b));
    BWI_ABC_TRY(bwi_abc_find_sets(&sets, b->shape, b->faces.face_count));
    BWI_ABC_TRY(bwi_abc_split(&whole, b->r, &b->faces, &b->points, &sets, &b->mesh.uv, &b->mesh.normals));
    if (sets.count == 0)
        return build_part(b, &whole);
    BWI_ABC_TRY(bwi_abc_divide(parts, b->r, &whole, &b->faces, &sets));
    b->shape->primitives = bwi_abc_alloc(b->r, b->r->arena, sets.count + (size_t)1, sizeof *b->shape->primitives);
    b->shape->primitive_count = 0;
    if (!b->shape->primitives)
        return BW_ERR_MEMORY;
    for (uint32_t k = 0; k <= sets.count; k++) {
        if (parts[k].triangle_count == 0)
            continue;
        b->primitive = &b->shape->primitives[b->shape->primitive_count++];
        *b->primitive = (bw_primitive){.material = sets.materials[k]};
        BWI_ABC_TRY(build_part(b, &parts[k]));
    }
    return BW_OK;
}

/* ---- topologies that change ---- */

/* What holds of all samples of a mesh whose topology changes. */
typedef struct survey {
    uint32_t triangle_count;  /* of the largest */
    uint64_t large_faces;     /* of all samples together */
    float first_point[3];     /* of the first sample that has a triangle */
    bool normals, velocities; /* fit in every sample */
} survey;

static bw_result survey_sample(survey *s, const builder *b, uint32_t k) {
    const bw_alembic *archive = b->r->archive;
    const bwi_abc_mesh *m = &b->mesh;
    bw_alembic_sample points, velocities;
    bwi_abc_faces faces;
    bwi_abc_param_sample normals;
    BWI_ABC_TRY(bwi_abc_vectors_view(&points, archive, m->positions, k, b->r->error));
    BWI_ABC_TRY(bwi_abc_faces_view(&faces, archive, m, bwi_abc_beside(archive, m->positions, k, m->face_counts),
                                   points.point_count, b->r->error));
    if (faces.triangle_count > 0 && s->triangle_count == 0) {
        const uint64_t point = (uint64_t)bwi_abc_int(&faces.indices, 0);
        for (uint64_t i = 0; i < 3; i++)
            s->first_point[i] = bwi_abc_float(&points, 3 * point + i);
    }
    s->large_faces += count_large_faces(&faces);
    s->triangle_count = faces.triangle_count > s->triangle_count ? faces.triangle_count : s->triangle_count;
    if (s->normals) {
        const bwi_abc_counts counts = bwi_abc_mesh_counts(&faces, points.point_count);
        BWI_ABC_TRY(bwi_abc_param_view(&normals, archive, &m->normals,
                                       bwi_abc_beside(archive, m->positions, k, m->normals.values), b->r->error));
        s->normals = bwi_abc_param_fits(&normals, m->normals.scope, &counts);
    }
    if (s->velocities) {
        BWI_ABC_TRY(bwi_abc_vectors_view(&velocities, archive, m->velocities,
                                         bwi_abc_beside(archive, m->positions, k, m->velocities), b->r->error));
        s->velocities = velocities.point_count == points.point_count;
    }
    return bwi_progress_step(b->r->progress, 0) ? BW_OK : bwi_fail_cancelled(b->r->error);
}

/* The next sample of the positions after one at which anything can differ from it.  What keeps another time is looked up by it. */
static uint32_t next_sample(const builder *b, uint32_t sample) {
    const bw_alembic *archive = b->r->archive;
    const bwi_abc_mesh *m = &b->mesh;
    const struct {
        const bw_alembic_property *clock;
        bwi_abc_param parts; /* that are read at a sample of the clock */
    } rows[] = {{m->face_counts, {.values = m->face_counts, .indices = m->face_indices}},
                {m->velocities, {.values = m->velocities}},
                {m->normals.values, m->normals}};
    uint32_t next = bwi_abc_next_change(m->positions, sample);
    next = next < m->positions->sample_count ? next : m->positions->sample_count;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!rows[i].clock)
            continue;
        const uint32_t at = bwi_abc_beside(archive, m->positions, sample, rows[i].clock);
        const uint32_t change = bwi_abc_next_param_change(&rows[i].parts, at);
        uint32_t low = sample + 1;
        while (change < UINT32_MAX && low < next) {
            const uint32_t middle = low + (next - low) / 2;
            if (bwi_abc_beside(archive, m->positions, middle, rows[i].clock) < change)
                low = middle + 1;
            else
                next = middle;
        }
    }
    return next;
}

static bw_result survey_all(survey *s, const builder *b) {
    const bw_alembic_property *positions = b->mesh.positions;
    if (positions->sample_count > BWI_ABC_SAMPLES_MAX)
        return bwi_abc_fail(b->r->error, BW_ERR_TOO_LARGE, b->r->archive, b->mesh.object, positions, -1,
                            "claims %u samples, at most %d are read; export fewer frames at a time",
                            positions->sample_count, BWI_ABC_SAMPLES_MAX);
    *s = (survey){.normals = b->mesh.normals.values != NULL, .velocities = b->mesh.velocities != NULL};
    for (uint32_t k = 0; k < positions->sample_count; k = next_sample(b, k))
        BWI_ABC_TRY(survey_sample(s, b, k));
    warn_of_large_faces(b, s->large_faces);
    if (b->mesh.normals.values && !s->normals)
        warn(b, "normals-unfit",
             "normals that are not one for each element of their scope in every sample are left out");
    if (b->mesh.velocities && !s->velocities)
        warn(b, "velocities-unfit", "velocities that are not one for each point in every sample are left out");
    return BW_OK;
}

static bwi_abc_soup *make_soup(const builder *b, const survey *s, const bwi_abc_param *attribute,
                               const bw_alembic_property *vectors) {
    bwi_abc_soup *ctx = bwi_abc_alloc(b->r, b->r->arena, 1, sizeof *ctx);
    if (!ctx)
        return NULL;
    *ctx = (bwi_abc_soup){
        .archive = b->r->archive, .mesh = b->mesh, .vectors = vectors, .triangle_count = s->triangle_count};
    if (attribute)
        ctx->attribute = *attribute;
    memcpy(ctx->fallback, s->first_point, sizeof ctx->fallback);
    return ctx;
}

static bool has_face_set(const bw_alembic_object_list *children) {
    for (size_t k = 0; k < children->count; k++)
        if (bwi_abc_schema_of(&children->data[k]) == BWI_ABC_FACESET)
            return true;
    return false;
}

static bw_result build_changing_topology(builder *b, const survey *s) {
    bw_primitive *p = b->primitive;
    bw_alembic_object_list children;
    BWI_ABC_TRY(bw_alembic_children(&children, b->r->archive, b->shape->object, b->r->error));
    const uint64_t count = 3 * (uint64_t)s->triangle_count;
    if (count > INT32_MAX)
        return bwi_abc_fail(b->r->error, BW_ERR_TOO_LARGE, b->r->archive, b->mesh.object, NULL, -1,
                            "makes %u triangles, too many to bake; split the mesh", s->triangle_count);
    uint32_t *indices = bwi_abc_alloc(b->r, b->r->arena, (size_t)count, sizeof *indices);
    bwi_abc_soup *ctx = indices ? make_soup(b, s, NULL, b->mesh.positions) : NULL;
    if (!ctx)
        return BW_ERR_MEMORY;
    for (uint32_t k = 0; k < count; k++)
        indices[k] = k;
    p->topology_changes = true;
    p->vertex_count = (uint32_t)count;
    p->indices = (bw_index_list){indices, (size_t)count};
    BWI_ABC_TRY(bwi_abc_make_vectors(b->r, &p->positions, &p->position_cache, bwi_abc_read_soup, ctx, (uint32_t)count,
                                     b->mesh.positions));
    if (s->normals) {
        const float *normals = NULL;
        ctx = make_soup(b, s, &b->mesh.normals, NULL);
        if (!ctx)
            return BW_ERR_MEMORY;
        BWI_ABC_TRY(bwi_abc_make_vectors(b->r, &normals, &p->normal_cache, bwi_abc_read_soup, ctx, (uint32_t)count,
                                         b->mesh.positions));
        float *unit = (float *)(uintptr_t)normals; /* made just now */
        for (uint64_t k = 0; k < count; k++)
            make_unit(unit + 3 * k);
        p->normals = normals;
    }
    if (s->velocities) {
        const float *unused = NULL;
        ctx = make_soup(b, s, NULL, b->mesh.velocities);
        if (!ctx)
            return BW_ERR_MEMORY;
        BWI_ABC_TRY(bwi_abc_make_vectors(b->r, &unused, &p->velocity_cache, bwi_abc_read_soup, ctx, (uint32_t)count,
                                         b->mesh.positions));
    }
    if (has_face_set(&children))
        warn(b, "face-sets-of-changing-topology", "face sets of a mesh whose topology changes are no materials");
    if (b->mesh.uv.values)
        warn(b, "uvs-of-changing-topology",
             "UVs of a mesh whose topology changes are left out: its triangles are others in every frame");
    return BW_OK;
}

static bw_result build(builder *b) {
    bwi_abc_reader *r = b->r;
    bool same = false;
    BWI_ABC_TRY(bwi_abc_mesh_open(&b->mesh, r->archive, b->shape->object, r->error));
    if (b->mesh.positions->sample_count == 0 || b->mesh.face_counts->sample_count == 0 ||
        b->mesh.face_indices->sample_count == 0)
        return BW_OK;
    if (b->mesh.subdivision)
        warn(b, "subdivision-cage",
             "subdivision surfaces are baked as their cage; export the subdivided mesh for the smooth one");
    BWI_ABC_TRY(bwi_abc_mesh_has_one_topology(&same, r->archive, &b->mesh, r->error));
    if (!same) {
        survey s = {0};
        BWI_ABC_TRY(survey_all(&s, b));
        b->shape->shows = s.triangle_count > 0;
        return b->shape->shows ? build_changing_topology(b, &s) : BW_OK;
    }
    BWI_ABC_TRY(bwi_abc_vectors_view(&b->points, r->archive, b->mesh.positions, 0, r->error));
    BWI_ABC_TRY(bwi_abc_faces_view(&b->faces, r->archive, &b->mesh, 0, b->points.point_count, r->error));
    b->shape->shows = b->faces.triangle_count > 0;
    return b->shape->shows ? build_still_topology(b) : BW_OK;
}

bw_result bwi_abc_build_mesh(bwi_abc_shape *shape) {
    builder b = {.r = shape->r, .shape = shape, .primitive = shape->primitives};
    BWI_ABC_TRY(build(&b));
    if (!shape->shows)
        warn(&b, "mesh-empty", "meshes that have no triangle in any sample are left out");
    return BW_OK;
}
