/* SPDX-License-Identifier: MIT
 * What the fuzz harnesses of Alembic's schemas share. */
#define _POSIX_C_SOURCE 200809L
#include "schema_fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bakewell/alembic_write.h"

enum { OBJECTS_MAX = 6, ROWS_MAX = 24, FACES_MAX = 6, VALUES_MAX = 1 << 18, MEMORY_LIMIT = 64 << 20 };

void schema_fuzz_must(bool held, const char *what) {
    if (!held) {
        fprintf(stderr, "schema_fuzz: %s\n", what);
        abort();
    }
}

bool schema_fuzz_went_well(bw_result result, const bw_error *error) {
    if (result == BW_OK)
        return true;
    schema_fuzz_must(error->result == result && strstr(error->message, "fuzz.abc: "), "failed without saying where");
    schema_fuzz_must(strstr(error->message, "; ") != NULL, "failed without saying what to do");
    return false;
}

/* ---- what exporters write ---- */

/* How many points a sample has: one, or one for each of these. */
typedef enum amount { ONE, POINT, FACE, CORNER, KNOT, SCOPE } amount;
/* What the values are. */
typedef enum content { NUMBER, COUNT, PLACE, ZERO, OP } content;
enum { OPS = 256, CHANNELS = 257 }; /* extents that the operations of a transform decide */

typedef struct row {
    const char *name;
    bw_alembic_kind kind;
    bw_alembic_pod pod;
    uint32_t extent;
    amount amount;
    content content;
    bool optional;  /* only where the bytes ask for it */
    bool attribute; /* has a scope, and may be indexed */
} row;

#define ARRAY(name, pod, extent, amount, content) \
    { name, BW_ALEMBIC_ARRAY, BW_ALEMBIC_##pod, extent, amount, content, false, false }
#define MAYBE(name, pod, extent, amount, content) \
    { name, BW_ALEMBIC_ARRAY, BW_ALEMBIC_##pod, extent, amount, content, true, false }
#define PARAM(name, extent) \
    { name, BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, extent, SCOPE, NUMBER, true, true }

static const row XFORM_ROWS[] = {
    {".ops", BW_ALEMBIC_SCALAR, BW_ALEMBIC_UINT8, OPS, ONE, OP, false, false},
    {".vals", BW_ALEMBIC_SCALAR, BW_ALEMBIC_FLOAT64, CHANNELS, ONE, NUMBER, false, false},
    {".inherits", BW_ALEMBIC_SCALAR, BW_ALEMBIC_BOOL, 1, ONE, ZERO, true, false},
};
static const row MESH_ROWS[] = {
    ARRAY("P", FLOAT32, 3, POINT, NUMBER),
    ARRAY(".faceIndices", INT32, 1, CORNER, PLACE),
    ARRAY(".faceCounts", INT32, 1, FACE, COUNT),
    MAYBE(".velocities", FLOAT32, 3, POINT, NUMBER),
    PARAM("uv", 2),
    PARAM("N", 3),
};
static const row POINTS_ROWS[] = {
    ARRAY("P", FLOAT32, 3, POINT, NUMBER),
    ARRAY(".pointIds", UINT64, 1, POINT, PLACE),
    MAYBE(".velocities", FLOAT32, 3, POINT, NUMBER),
    PARAM(".widths", 1),
};
static const row CURVES_ROWS[] = {
    ARRAY("P", FLOAT32, 3, CORNER, NUMBER),
    ARRAY("nVertices", INT32, 1, FACE, COUNT),
    {"curveBasisAndType", BW_ALEMBIC_SCALAR, BW_ALEMBIC_UINT8, 4, ONE, ZERO, false, false},
    MAYBE("w", FLOAT32, 1, CORNER, NUMBER),
    MAYBE(".orders", UINT8, 1, FACE, COUNT),
    MAYBE(".knots", FLOAT32, 1, KNOT, NUMBER),
    MAYBE(".velocities", FLOAT32, 3, CORNER, NUMBER),
    PARAM("uv", 2),
    PARAM("N", 3),
    PARAM("width", 1),
};

typedef struct schema_rows {
    const char *schema, *compound;
    const row *rows;
    size_t count;
} schema_rows;

static schema_rows rows_of(bwi_abc_schema schema) {
#define ROWS(rows) rows, sizeof rows / sizeof rows[0]
    switch (schema) {
    case BWI_ABC_XFORM:
        return (schema_rows){"AbcGeom_Xform_v3", ".xform", ROWS(XFORM_ROWS)};
    case BWI_ABC_POLYMESH:
        return (schema_rows){"AbcGeom_PolyMesh_v1", ".geom", ROWS(MESH_ROWS)};
    case BWI_ABC_SUBD:
        return (schema_rows){"AbcGeom_SubD_v1", ".geom", ROWS(MESH_ROWS)};
    case BWI_ABC_POINTS:
        return (schema_rows){"AbcGeom_Points_v1", ".geom", ROWS(POINTS_ROWS)};
    default:
        return (schema_rows){"AbcGeom_Curve_v2", ".geom", ROWS(CURVES_ROWS)};
    }
}

/* ---- bytes to calls ---- */

typedef struct put_to { /* a property that samples go to */
    bw_alembic_id id;
    row as; /* as it was made, which may differ from what it should be */
    int scope;
    bool indices;
} put_to;

typedef struct topology {
    uint32_t points, faces, corners;
    int32_t counts[FACES_MAX];
} topology;

typedef struct builder {
    const uint8_t *data;
    size_t size;
    bw_alembic_writer *writer;
    bw_alembic_id objects[OBJECTS_MAX];
    char paths[OBJECTS_MAX][64];
    int object_count;
    uint32_t sampling_count;
    bool curves; /* the object at hand */
    topology shape;
    uint8_t ops[8];
    uint32_t op_count, channel_count;
    put_to to[ROWS_MAX];
    size_t to_count;
    uint8_t values[VALUES_MAX];
} builder;

static uint32_t take(builder *b) {
    if (b->size == 0)
        return 0;
    b->size--;
    return *b->data++;
}

/* True for few bytes. */
static bool rarely(builder *b) {
    return take(b) >= 240;
}

/* Only what makes no sense is refused. */
static bool went_well(bw_result result) {
    schema_fuzz_must(result == BW_OK || result == BW_ERR_USAGE, "the writer failed by something else than misuse");
    return result == BW_OK;
}

static void add_samplings(builder *b) {
    static const double CYCLES[] = {1.0 / 24, 1.0 / 30, 1, 1e-320, 1e300, 1e-5};
    static const double STARTS[] = {0, 1.0 / 24, -1, 1e308, -1e308, 1e15};
    const uint32_t count = take(b) % 4;
    b->sampling_count = 1;
    for (uint32_t k = 0; k < count; k++) {
        double times[4] = {STARTS[take(b) % 6]};
        const uint32_t kind = take(b);
        const double cycle = CYCLES[kind / 3 % 6];
        for (size_t i = 1; i < 4; i++)
            times[i] = times[i - 1] + cycle * (take(b) % 4 ? 0.3 : 0.2);
        const bw_alembic_time_sampling sampling = {
            (bw_alembic_time_kind)(kind % 3), cycle, {times, kind % 3 ? kind / 18 % 4 + 1 : 1}, 0};
        uint32_t index;
        if (went_well(bw_alembic_add_time_sampling(&index, b->writer, &sampling, NULL)))
            b->sampling_count = index + 1;
    }
}

static void choose_shape(builder *b, uint32_t choice) {
    topology *t = &b->shape;
    *t = (topology){.points = choice % 16, .faces = choice / 16 % (FACES_MAX + 1)};
    for (uint32_t k = 0; k < t->faces; k++) {
        t->counts[k] = (int32_t)((take(b) + 3) % 8);
        t->corners += (uint32_t)t->counts[k];
    }
}

static void choose_ops(builder *b) {
    static const uint8_t NUMBERS[] = {3, 3, 4, 16, 1, 1, 1, 0};
    static const uint8_t USUAL[] = {1, 4, 5, 6, 0, 2, 3, 7};
    b->op_count = (take(b) + 5) % 8 + 1;
    b->channel_count = 0;
    for (uint32_t k = 0; k < b->op_count; k++) {
        const uint32_t op = (USUAL[k] + take(b)) % 8;
        b->ops[k] = (uint8_t)(op << 4);
        b->channel_count += NUMBERS[op];
    }
}

static void add_property(builder *b, bw_alembic_id parent, row as, const char *meta, int scope, bool indices) {
    if (b->to_count == ROWS_MAX)
        return;
    const uint32_t choice = take(b);
    const bw_alembic_metadata metadata = {.text = meta, .text_size = strlen(meta)};
    const bw_alembic_property_opts opts = {as.kind, as.pod, as.extent, choice % b->sampling_count, &metadata};
    put_to to = {.as = as, .scope = scope, .indices = indices};
    if (went_well(bw_alembic_add_property(&to.id, b->writer, parent, as.name, &opts, NULL)) &&
        as.kind != BW_ALEMBIC_COMPOUND)
        b->to[b->to_count++] = to;
}

/* An attribute: an array, or values that indices choose from. */
static void add_param(builder *b, bw_alembic_id parent, const row *as) {
    static const char *const SCOPES[] = {"vtx", "var", "fvr", "uni", "con", "odd"};
    static const char *const EXTENTS[] = {"1", "2", "0", "65536", "x", "65537"};
    const uint32_t choice = take(b), scope = choice % 6, extent = choice / 12 % 8;
    char meta[100];
    snprintf(meta, sizeof meta, "geoScope=%s;isGeomParam=true%s%s", SCOPES[scope], extent > 1 ? ";arrayExtent=" : "",
             extent > 1 ? EXTENTS[extent - 2] : "");
    if (choice / 6 % 2 == 0) {
        add_property(b, parent, *as, meta, (int)scope, false);
        return;
    }
    const bw_alembic_metadata metadata = {.text = meta, .text_size = strlen(meta)};
    const bw_alembic_property_opts opts = {.metadata = &metadata};
    bw_alembic_id compound;
    if (!went_well(bw_alembic_add_property(&compound, b->writer, parent, as->name, &opts, NULL)))
        return;
    row values = *as, indices = *as;
    values.name = rarely(b) ? ".val" : ".vals";
    indices.name = rarely(b) ? ".indexes" : ".indices";
    indices.pod = rarely(b) ? BW_ALEMBIC_INT32 : BW_ALEMBIC_UINT32;
    indices.extent = rarely(b) ? 2 : 1;
    add_property(b, compound, values, "", (int)scope, false);
    add_property(b, compound, indices, "", (int)scope, true);
}

static void add_row(builder *b, bw_alembic_id compound, const row *wanted) {
    row as = *wanted;
    if (as.extent >= OPS)
        as.extent = as.extent == OPS ? b->op_count : b->channel_count;
    as.extent += as.extent == 0;
    const uint32_t choice = take(b);
    if (as.optional ? choice % 3 == 0 : choice >= 248)
        return;
    if (choice >= 240)
        as.pod = (bw_alembic_pod)(BW_ALEMBIC_BOOL + take(b) % (BW_ALEMBIC_POD_END - BW_ALEMBIC_BOOL));
    else if (choice >= 232)
        as.extent = take(b) % 255 + 1;
    else if (choice >= 224)
        as.kind = (bw_alembic_kind)(take(b) % 3);
    if (as.attribute)
        add_param(b, compound, &as);
    else
        add_property(b, compound, as, "", 0, false);
}

/* Attributes and properties that an exporter chose. */
static void add_extras(builder *b, bw_alembic_id compound) {
    static const char *const COMPOUNDS[] = {".arbGeomParams", ".userProperties"};
    static const char *const NAMES[] = {"colour", "rest", "id", "P"};
    for (int k = 0; k < 2; k++) {
        const uint32_t count = take(b) % 5;
        bw_alembic_id extras;
        if (count == 0)
            continue;
        if (rarely(b)) {
            add_property(b, compound, (row){COMPOUNDS[k], BW_ALEMBIC_SCALAR, BW_ALEMBIC_INT32, 1, ONE, ZERO, 0, 0}, "",
                         0, false);
            continue;
        }
        if (!went_well(bw_alembic_add_property(&extras, b->writer, compound, COMPOUNDS[k], NULL, NULL)))
            continue;
        for (uint32_t i = 0; i < count; i++) {
            row extra = {NAMES[i % 4], BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 1, SCOPE, NUMBER, true, true};
            extra.pod = (bw_alembic_pod)(BW_ALEMBIC_BOOL + (take(b) + 10) % (BW_ALEMBIC_POD_END - BW_ALEMBIC_BOOL));
            extra.extent = take(b) % 17 + 1;
            extra.kind = rarely(b) ? BW_ALEMBIC_SCALAR : BW_ALEMBIC_ARRAY;
            add_param(b, extras, &extra);
        }
    }
}

/* ---- samples ---- */

static uint32_t amount_of(const builder *b, const put_to *to) {
    const topology *t = &b->shape;
    const uint32_t of_scope[] = {
        b->curves ? t->corners : t->points, b->curves ? t->corners : t->points, t->corners, t->faces, 1, 2};
    switch (to->as.amount) {
    case ONE:
        return 1;
    case POINT:
        return t->points;
    case FACE:
        return t->faces;
    case CORNER:
        return t->corners;
    case KNOT: {
        uint32_t knots = t->corners;
        for (uint32_t k = 0; k < t->faces; k++)
            knots += (uint32_t)t->counts[k];
        return knots;
    }
    default:
        return of_scope[to->scope];
    }
}

static double number_of(const builder *b, const put_to *to, uint32_t k, uint32_t sample) {
    switch (to->indices ? PLACE : to->as.content) {
    case COUNT:
        return b->shape.faces ? b->shape.counts[k % b->shape.faces] : 0;
    case PLACE:
        return b->shape.points ? k * 7 % b->shape.points : 0;
    case ZERO:
        return 0;
    case OP:
        return b->op_count ? b->ops[k % b->op_count] : 0;
    default:
        return 0.25 * k + sample;
    }
}

static size_t put_number(uint8_t *at, bw_alembic_pod pod, double number) {
    const float single = (float)number;
    const int64_t whole = number < 1e18 && number > -1e18 ? (int64_t)number : INT64_MAX;
    const uint32_t wide[] = {'a' + (uint32_t)(whole & 7), 0};
    switch (pod) {
    case BW_ALEMBIC_FLOAT32:
        memcpy(at, &single, sizeof single);
        return sizeof single;
    case BW_ALEMBIC_FLOAT64:
        memcpy(at, &number, sizeof number);
        return sizeof number;
    case BW_ALEMBIC_STRING:
        at[0] = (uint8_t)('a' + (whole & 7));
        at[1] = 0;
        return 2;
    case BW_ALEMBIC_WSTRING:
        memcpy(at, wide, sizeof wide);
        return sizeof wide;
    default:
        memcpy(at, &whole, bw_alembic_pod_size(pod));
        return bw_alembic_pod_size(pod);
    }
}

/* Puts a value that no sound file holds at a place. */
static void spoil(builder *b, const put_to *to, size_t count) {
    static const double NUMBERS[] = {-1, 2147483647.0, -2147483648.0, 1e38, 1e300, -0.0, 1e-300, 255};
    const size_t size = bw_alembic_pod_size(to->as.pod);
    const uint32_t choice = take(b), place = take(b);
    if (size == 0 || count == 0)
        return;
    uint8_t *at = b->values + place % count * size;
    if (choice % 3 == 0)
        for (size_t i = 0; i < size; i++)
            at[i] = (uint8_t)take(b);
    else if (choice % 3 == 1)
        memset(at, choice / 3 % 2 ? 0xFF : 0x7F, size); /* no number; large */
    else
        (void)put_number(at, to->as.pod, NUMBERS[choice / 3 % 8]);
}

static void put_sample(builder *b, const put_to *to, uint32_t index) {
    const uint32_t choice = take(b);
    if (choice >= 248)
        return;
    if (choice >= 240) {
        (void)went_well(bw_alembic_repeat(b->writer, to->id, NULL));
        return;
    }
    const bool array = to->as.kind == BW_ALEMBIC_ARRAY;
    uint32_t points = array ? amount_of(b, to) : 1;
    if (array && choice >= 224)
        points = take(b) % 24;
    size_t size = 0;
    for (uint32_t k = 0; k < points * to->as.extent; k++)
        size += put_number(b->values + size, to->as.pod, number_of(b, to, k, index));
    if (choice >= 200)
        spoil(b, to, (size_t)points * to->as.extent);
    bw_alembic_sample sample = {.bytes = b->values, .size = size, .rank = array ? 1 : 0, .dimensions = {points, 1}};
    if (array && choice >= 192 && choice < 200)
        sample.rank = 2;
    (void)went_well(bw_alembic_put_sample(b->writer, to->id, &sample, NULL));
}

static void put_samples(builder *b) {
    static const uint32_t COUNTS[] = {2, 1, 3, 4, 0, 6};
    const uint32_t count = COUNTS[take(b) % 6];
    for (uint32_t index = 0; index < count; index++) {
        const uint32_t change = index ? take(b) : 0;
        if (change > 127)
            choose_shape(b, take(b));
        for (size_t k = 0; k < b->to_count; k++)
            put_sample(b, &b->to[k], index);
    }
}

/* ---- objects ---- */

static void add_source(builder *b, bw_alembic_id object) {
    const bw_alembic_property_opts opts = {BW_ALEMBIC_SCALAR, BW_ALEMBIC_STRING, 1, 0, NULL};
    const uint32_t choice = take(b);
    bw_alembic_id property;
    const char *target = choice % 8 == 7   ? "/none"
                         : choice % 8 == 6 ? ""
                         : choice % 8 == 5 ? "/"
                                           : b->paths[choice % (uint32_t)(b->object_count + 1)];
    if (went_well(bw_alembic_add_property(&property, b->writer, object, ".instanceSource", &opts, NULL)))
        (void)went_well(bw_alembic_put_strings(b->writer, property, &target, 1, NULL));
}

static void add_object(builder *b, const schema_fuzz_plan *plan) {
    uint32_t schema_count = 0;
    while (schema_count < 4 && plan->schemas[schema_count])
        schema_count++;
    const bwi_abc_schema schema = plan->schemas[take(b) % schema_count];
    const schema_rows rows = rows_of(schema);
    const uint32_t above = take(b) % (uint32_t)(b->object_count + 1), kind = take(b);
    char name[8], meta[80] = "";
    snprintf(name, sizeof name, "o%d", b->object_count);
    if (kind < 240)
        snprintf(meta, sizeof meta, "schema=%s%s", rows.schema, kind >= 192 ? ";isInstance=1" : "");
    else if (kind >= 248)
        snprintf(meta, sizeof meta, "isInstance=1");
    const bw_alembic_metadata metadata = {.text = meta, .text_size = strlen(meta)};
    bw_alembic_id object, compound;
    schema_fuzz_must(bw_alembic_add_object(&object, b->writer, above ? b->objects[above - 1] : BW_ALEMBIC_TOP, name,
                                           &metadata, NULL) == BW_OK,
                     "an object is refused");
    snprintf(b->paths[b->object_count], sizeof b->paths[0], "%.50s/%s", above ? b->paths[above - 1] : "", name);
    if (kind >= 192 && (kind < 240 || kind >= 248))
        add_source(b, object);
    b->curves = schema == BWI_ABC_CURVES;
    b->to_count = 0;
    choose_shape(b, take(b) ^ 36); /* 0: four points, two triangles */
    choose_ops(b);
    const uint32_t visible = take(b);
    if (visible % 4 == 3) {
        row as = {"visible", BW_ALEMBIC_SCALAR, BW_ALEMBIC_INT8, 1, ONE, ZERO, false, false};
        as.pod = visible >= 248 ? BW_ALEMBIC_FLOAT64 : as.pod;
        as.kind = visible >= 240 && visible < 248 ? BW_ALEMBIC_ARRAY : as.kind;
        add_property(b, object, as, "", 0, false);
    }
    if (rarely(b))
        add_property(b, object, (row){rows.compound, BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1, ONE, ZERO, 0, 0}, "", 0,
                     false);
    else if (went_well(bw_alembic_add_property(&compound, b->writer, object, rows.compound, NULL, NULL))) {
        for (size_t k = 0; k < rows.count; k++)
            add_row(b, compound, &rows.rows[k]);
        add_extras(b, compound);
    }
    put_samples(b);
    b->objects[b->object_count++] = object;
}

/* ---- the archive ---- */

static char folder[64], path[96];

static void remove_folder(void) {
    unlink(path);
    rmdir(folder);
}

static void make_folder(void) {
    if (folder[0])
        return;
    snprintf(folder, sizeof folder, "%s/bakewell-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    schema_fuzz_must(mkdtemp(folder) != NULL && atexit(remove_folder) == 0, "no folder");
    snprintf(path, sizeof path, "%s/a.abc", folder);
}

static void read_file(uint8_t **bytes, size_t *size) {
    FILE *file = fopen(path, "rb");
    schema_fuzz_must(file && fseek(file, 0, SEEK_END) == 0, "the archive is not there");
    *size = (size_t)ftell(file);
    *bytes = malloc(*size);
    rewind(file);
    schema_fuzz_must(*bytes && fread(*bytes, 1, *size, file) == *size, "the archive cannot be read");
    fclose(file);
}

/* Where a name stands last: in the list that its header is in. */
static size_t last_place_of(const char *name, const uint8_t *bytes, size_t size) {
    const size_t length = strlen(name);
    for (size_t at = size - length; at > 16; at--)
        if (memcmp(bytes + at, name, length) == 0)
            return at;
    return 16;
}

/* Bytes of the archive that the writer did not write: in headers, that claim samples and types, or anywhere. */
static void damage(builder *b, uint8_t *bytes, size_t size) {
    static const char *const NAMES[] = {".vals", ".indices",     "P", "uv",          "N",      "nVertices", ".inherits",
                                        ".ops",  ".faceIndices", "w", ".faceCounts", "visible"};
    while (b->size >= 3) {
        const uint32_t where = take(b), place = take(b), value = take(b);
        size_t at = (where * 256 + place) * size >> 16;
        if (where >= 32)
            at = last_place_of(NAMES[where % 12], bytes, size) - place % 16;
        if (at >= 16)
            bytes[at] = (uint8_t)value;
    }
}

void schema_fuzz_build(uint8_t **bytes, size_t *bytes_size, const schema_fuzz_plan *plan, const uint8_t *data,
                       size_t size) {
    static builder b;
    if (size >= 5 && memcmp(data, "Ogawa", 5) == 0) {
        *bytes = malloc(size);
        schema_fuzz_must(*bytes != NULL, "no memory");
        memcpy(*bytes, data, size);
        *bytes_size = size;
        return;
    }
    make_folder();
    memset(&b, 0, offsetof(builder, values));
    b.data = data;
    b.size = size;
    schema_fuzz_must(bw_alembic_create(&b.writer, path, NULL, NULL) == BW_OK, "cannot be begun");
    add_samplings(&b);
    const uint32_t count = take(&b) % (OBJECTS_MAX - 1) + 1;
    for (uint32_t k = 0; k < count; k++)
        add_object(&b, plan);
    schema_fuzz_must(bw_alembic_finish(b.writer, NULL) == BW_OK, "cannot be finished");
    bw_free_alembic_writer(b.writer);
    read_file(bytes, bytes_size);
    damage(&b, *bytes, *bytes_size);
}

/* ---- looking ---- */

uint32_t schema_fuzz_pick(uint32_t pick, uint32_t sample_count) {
    return pick + 2 < SCHEMA_FUZZ_PICKS                    ? pick
           : pick + 2 == SCHEMA_FUZZ_PICKS && sample_count ? sample_count - 1
                                                           : UINT32_MAX;
}

static volatile unsigned read_sum; /* so that reading is not left out */

void schema_fuzz_read(const bw_alembic_sample *sample) {
    unsigned sum = 0;
    for (size_t k = 0; k < sample->size; k++)
        sum += sample->bytes[k];
    read_sum = sum;
    schema_fuzz_must(sample->bytes || sample->size == 0, "values are missing");
}

void schema_fuzz_look_at_param(const bw_alembic *archive, const bwi_abc_param *param, uint32_t index,
                               const bwi_abc_counts *counts) {
    bwi_abc_param_sample sample;
    bw_error error;
    if (!param->values || !schema_fuzz_went_well(bwi_abc_param_view(&sample, archive, param, index, &error), &error))
        return;
    schema_fuzz_read(&sample.values);
    schema_fuzz_must(sample.width == param->width && sample.width >= 1 &&
                         sample.value_count * sample.width == sample.values.value_count,
                     "elements are not whole");
    schema_fuzz_must(!sample.indexed || param->indices, "indices of nowhere");
    uint64_t outside = 0;
    for (uint64_t k = 0; k < sample.count; k++) {
        const uint64_t element = bwi_abc_param_element(&sample, k);
        schema_fuzz_must(element == UINT64_MAX || element < sample.value_count, "an element past the values");
        outside += element == UINT64_MAX;
    }
    if (counts && bwi_abc_param_fits(&sample, param->scope, counts))
        schema_fuzz_must(outside == 0 && sample.count == counts->of_scope[param->scope], "fits, and does not");
}

static void look_at_objects(bw_alembic *archive, const bw_alembic_object *object, schema_fuzz_look *look) {
    bw_alembic_object_list children;
    bw_error error;
    look(archive, object);
    if (!schema_fuzz_went_well(bw_alembic_children(&children, archive, object, &error), &error))
        return;
    for (size_t k = 0; k < children.count; k++)
        look_at_objects(archive, &children.data[k], look);
}

void schema_fuzz_run(const schema_fuzz_plan *plan, schema_fuzz_look *look, const uint8_t *data, size_t size) {
    const bw_run_opts run = {.memory_limit = MEMORY_LIMIT};
    uint8_t *bytes = NULL;
    size_t bytes_size = 0;
    bw_alembic *archive = NULL;
    bw_error error;
    schema_fuzz_build(&bytes, &bytes_size, plan, data, size);
    if (bw_alembic_open_bytes(&archive, bytes, bytes_size, "fuzz.abc", &run, &error) == BW_OK)
        look_at_objects(archive, archive->top, look);
    else
        schema_fuzz_must(error.message[0] != 0, "refused without a message");
    bw_free_alembic(archive);
    free(bytes);
}
