/* SPDX-License-Identifier: MIT
 * Verifying: the key of every sample and the hash of every object, made again from what is there.
 *
 * A hash covers an object's properties, another what is below it.  The hash of an object goes into its parent's, so one defect shows in all
 * objects above; to name the place it is reported at the deepest only, and the properties hash that goes upwards is the stored one. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "alembic/alembic_priv.h"

enum {
    FINDINGS_MAX = 1000,
    PATH_SIZE = 1024,
    UNSURE_MAX = 6 /* properties whose rank is tried both ways each by itself; further ones go with the last of these */
};

/* Samples that only repeat others take no bytes, so their number is a claim of the file; hashing takes a step for each.  This leaves room for
 * thousands of frames of every property, and ends where there is no end. */
static uint64_t most_logical_samples(uint64_t file_size) {
    return (UINT64_C(1) << 24) + 64 * file_size;
}

/* Places of samples that were hashed: writers let equal samples share their bytes. */
typedef struct offset_set {
    uint64_t *slots;
    size_t slot_count, count;
} offset_set;

typedef struct verifier {
    bwi_alembic *a;
    bwi_arena *arena;
    bw_alembic_report *report;
    bw_alembic_finding *findings;
    const bw_run_opts *run;
    bw_error *error;
    bw_result stopped;     /* MEMORY or CANCELLED: nothing more is done */
    offset_set seen[2];    /* of wide strings apart: their key is made otherwise */
    uint64_t unhashed;     /* bytes that may still be hashed: samples that do not overlap are no longer than the file */
    uint64_t logical_left; /* of most_logical_samples */
} verifier;

/* ---- findings ---- */

static char *keep_path(bwi_arena *arena, size_t length, const char *path) {
    return bwi_arena_string(arena, path, length < PATH_SIZE ? length : PATH_SIZE - 1);
}

static void stop_for_memory(verifier *v) {
    if (v->stopped == BW_OK)
        v->stopped = bwi_fail_memory(v->error, v->a->archive.path, bwi_arena_mem(v->arena), 1);
}

static void add_finding(verifier *v, bw_alembic_damage kind, const bw_alembic_object *object,
                        const bw_alembic_property *property, uint32_t sample, int64_t offset, const char *message) {
    if (v->report->finding_count++ >= FINDINGS_MAX || v->stopped != BW_OK)
        return;
    /* The report is about one file: its name need not stand in every sentence. */
    const char *file = v->a->archive.path;
    const size_t file_size = strlen(file);
    if (strncmp(message, file, file_size) == 0 && strncmp(message + file_size, ": ", 2) == 0)
        message += file_size + 2;
    char path[PATH_SIZE];
    bw_alembic_finding *finding = &v->findings[v->report->findings.count];
    finding->kind = kind;
    finding->sample = sample;
    finding->offset = offset;
    finding->message = bwi_arena_string(v->arena, message, SIZE_MAX);
    finding->object = keep_path(v->arena, bw_alembic_object_path(path, sizeof(path), object), path);
    if (property)
        finding->property = keep_path(v->arena, bw_alembic_property_path(path, sizeof(path), property), path);
    if (!finding->message || !finding->object || (property && !finding->property)) {
        stop_for_memory(v);
        return;
    }
    v->report->findings.count++;
}

/* What a call of the reader failed with. */
static void add_failure(verifier *v, const bw_alembic_object *object, const bw_alembic_property *property,
                        uint32_t sample, const bw_error *failure) {
    if (failure->result == BW_ERR_MEMORY) {
        if (v->stopped == BW_OK && v->error)
            *v->error = *failure;
        v->stopped = BW_ERR_MEMORY;
        return;
    }
    add_finding(v, BW_ALEMBIC_DAMAGE_STRUCTURE, object, property, sample, failure->offset, failure->message);
}

static void add_damage(verifier *v, bw_alembic_damage kind, const bw_alembic_object *object,
                       const bw_alembic_property *property, uint32_t sample, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 7, 8)));

static void add_damage(verifier *v, bw_alembic_damage kind, const bw_alembic_object *object,
                       const bw_alembic_property *property, uint32_t sample, uint64_t offset, const char *format, ...) {
    char text[512];
    bw_error error;
    const bwi_alembic_place place = {v->a, object, property, sample == BW_NO_INDEX ? -1 : (int64_t)sample, &error};
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    (void)bwi_alembic_fail(&place, BW_ERR_DIFFERS, offset, "%s", text);
    add_finding(v, kind, object, property, sample, offset > 0 ? (int64_t)offset : -1, error.message);
}

/* ---- samples ---- */

static size_t slot_of(const offset_set *set, uint64_t offset) {
    size_t at = (size_t)(offset * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (set->slot_count - 1);
    while (set->slots[at] != 0 && set->slots[at] != offset)
        at = (at + 1) & (set->slot_count - 1);
    return at;
}

/* True if the offset was not there.  False too where memory ran out. */
static bool add_offset(verifier *v, offset_set *set, uint64_t offset) {
    if (2 * set->count >= set->slot_count) {
        offset_set grown = {NULL, set->slot_count ? 2 * set->slot_count : 1024, set->count};
        bwi_mem *mem = bwi_arena_mem(v->arena);
        grown.slots = bwi_alloc(mem, grown.slot_count, sizeof(*grown.slots));
        if (!grown.slots) {
            stop_for_memory(v);
            return false;
        }
        for (size_t i = 0; i < set->slot_count; i++) {
            if (set->slots[i] != 0)
                grown.slots[slot_of(&grown, set->slots[i])] = set->slots[i];
        }
        bwi_free(mem, set->slots);
        *set = grown;
    }
    size_t at = slot_of(set, offset);
    if (set->slots[at] == offset)
        return false;
    set->slots[at] = offset;
    set->count++;
    return true;
}

/* Before 1.5.8 the whole of a wide string was hashed. */
static bool is_old_key(const verifier *v, const bw_alembic_property *property, const bw_alembic_sample *sample) {
    enum { QUARTER_SINCE = 10508 };
    uint8_t key[16];
    if (property->pod != BW_ALEMBIC_WSTRING || v->a->archive.library_version >= QUARTER_SINCE)
        return false;
    bwi_alembic_key(key, BW_ALEMBIC_STRING, sample->bytes, sample->size);
    return memcmp(key, sample->key, sizeof(key)) == 0;
}

static void check_key(verifier *v, const bw_alembic_property *property, uint32_t index,
                      const bw_alembic_sample *sample) {
    v->report->sample_count++;
    if (sample->offset == 0 || !add_offset(v, &v->seen[property->pod == BW_ALEMBIC_WSTRING], sample->offset))
        return;
    if (sample->size > v->unhashed) {
        add_damage(v, BW_ALEMBIC_DAMAGE_STRUCTURE, property->object, property, index, sample->offset,
                   "its bytes are also those of other samples in part, expected whole ones; they were not checked, "
                   "export it again");
        return;
    }
    uint8_t key[16];
    v->unhashed -= sample->size;
    v->report->byte_count += sample->size;
    bwi_alembic_key(key, property->pod, sample->bytes, sample->size);
    if (memcmp(key, sample->key, sizeof(key)) != 0 && !is_old_key(v, property, sample))
        add_damage(v, BW_ALEMBIC_DAMAGE_KEY, property->object, property, index, sample->offset,
                   "its %zu bytes do not give the key stored with them, expected as they were written; copy the file "
                   "again or export it again",
                   sample->size);
}

/* ---- properties ---- */

/* How the properties hash of an object is made.  A sample without values and dimensions may have had rank 0 or 1, which hash otherwise: bit k of
 * `rank_0` says so for the k-th property with such samples, its last bit also for those behind. */
typedef struct attempt {
    unsigned rank_0;
    unsigned unsure_count;
    bool check_keys; /* once is enough */
    bool whole;      /* all could be read */
} attempt;

static bool is_unsure(const bw_alembic_property *property, const bw_alembic_sample *sample) {
    return property->kind == BW_ALEMBIC_ARRAY && sample->size == 0 && !sample->dimensions_stored;
}

/* How many logical samples show the stored one. */
static uint64_t repeats_of(const bw_alembic_property *property, uint32_t stored) {
    if (property->last_changed == 0)
        return property->sample_count;
    if (stored == 0)
        return property->first_changed;
    uint32_t index = property->first_changed + stored - 1;
    return index == property->last_changed ? property->sample_count - index : 1;
}

static bool add_samples(verifier *v, attempt *t, bwi_alembic_samples_hash *hash, const bw_alembic_property *property) {
    const uint32_t stored_count = bwi_alembic_stored_count(property);
    bool unsure = false;
    bool whole = true;
    for (uint32_t k = 0; k < stored_count && v->stopped == BW_OK; k++) {
        const uint32_t index = k == 0 ? 0 : property->first_changed + k - 1;
        bw_alembic_sample sample;
        bw_error failure;
        const bw_result result = bw_alembic_view(&sample, &v->a->archive, property, index, &failure);
        if (result != BW_OK) {
            whole = false;
            if (t->check_keys)
                add_failure(v, property->object, property, index, &failure);
            if (result == BW_ERR_TRUNCATED)
                break; /* the ones behind it are missing too, and their number is a claim */
            continue;
        }
        if (t->check_keys)
            check_key(v, property, index, &sample);
        uint32_t rank = sample.rank;
        if (is_unsure(property, &sample)) {
            unsure = true;
            const unsigned bit = t->unsure_count < UNSURE_MAX ? t->unsure_count : UNSURE_MAX - 1;
            rank = t->rank_0 >> bit & 1 ? 0 : 1;
        }
        uint8_t digest[16];
        bwi_alembic_digest(digest, rank, sample.dimensions, sample.key);
        for (uint64_t i = repeats_of(property, k); i > 0; i--)
            bwi_alembic_samples_hash_add(hash, digest);
    }
    t->unsure_count += unsure;
    return whole && v->stopped == BW_OK;
}

static bool hash_list(verifier *v, attempt *t, bwi_spooky *spooky, bw_alembic_property_list list);

static bool hash_property(verifier *v, attempt *t, uint8_t hash[16], const bw_alembic_property *property) {
    const size_t name_size = strlen(property->name);
    const bw_alembic_metadata *metadata = property->metadata;
    if (property->kind == BW_ALEMBIC_COMPOUND) {
        bw_alembic_property_list members;
        bw_error failure;
        if (bw_alembic_members(&members, &v->a->archive, property, &failure) != BW_OK) {
            if (t->check_keys)
                add_failure(v, property->object, property, BW_NO_INDEX, &failure);
            return false;
        }
        bwi_spooky spooky;
        bwi_spooky_init(&spooky);
        const bool whole = hash_list(v, t, &spooky, members);
        bwi_spooky_add(&spooky, property->name, name_size);
        bwi_spooky_add(&spooky, metadata->text, metadata->text_size);
        bwi_spooky_end(hash, &spooky);
        return whole;
    }
    if (property->sample_count > v->logical_left) {
        if (t->check_keys)
            add_damage(
                v, BW_ALEMBIC_DAMAGE_STRUCTURE, property->object, property, BW_NO_INDEX, property->offset,
                "claims %u samples, more than can be hashed; its object's properties hash was not checked, export "
                "it again with fewer samples",
                (unsigned)property->sample_count);
        return false;
    }
    v->logical_left -= property->sample_count;
    bwi_alembic_property_facts facts = {.name = property->name,
                                        .name_size = name_size,
                                        .metadata = metadata->text,
                                        .metadata_size = metadata->text_size,
                                        .pod = property->pod,
                                        .extent = property->extent,
                                        .scalar = property->kind == BW_ALEMBIC_SCALAR,
                                        .sampling = &v->a->archive.time_samplings.data[property->time_sampling]};
    if (!add_samples(v, t, &facts.samples, property))
        return false;
    bwi_alembic_property_hash(hash, &facts);
    return true;
}

/* Goes through all, also behind one that cannot be read, so that their samples are checked. */
static bool hash_list(verifier *v, attempt *t, bwi_spooky *spooky, bw_alembic_property_list list) {
    bool whole = true;
    for (size_t i = 0; i < list.count && v->stopped == BW_OK; i++) {
        uint8_t hash[16] = {0};
        v->report->property_count += t->check_keys;
        whole = hash_property(v, t, hash, &list.data[i]) && whole;
        bwi_spooky_add(spooky, hash, sizeof(hash));
    }
    return whole && v->stopped == BW_OK;
}

static bool try_properties(verifier *v, attempt *t, bw_alembic_property_list list, const uint8_t stored[16]) {
    bwi_spooky spooky;
    uint8_t hash[16];
    bwi_spooky_init(&spooky);
    t->unsure_count = 0;
    t->whole = hash_list(v, t, &spooky, list);
    bwi_spooky_end(hash, &spooky);
    return memcmp(hash, stored, sizeof(hash)) == 0;
}

static void check_properties(verifier *v, const bw_alembic_object *object, const uint8_t stored[16]) {
    bw_alembic_property_list list;
    bw_error failure;
    if (bw_alembic_properties(&list, &v->a->archive, object, &failure) != BW_OK) {
        add_failure(v, object, NULL, BW_NO_INDEX, &failure);
        return;
    }
    attempt t = {.check_keys = true};
    bool equal = try_properties(v, &t, list, stored);
    if (!t.whole)
        return; /* what is wrong was said */
    t.check_keys = false;
    const unsigned unsure_count = t.unsure_count < UNSURE_MAX ? t.unsure_count : UNSURE_MAX;
    for (unsigned rank_0 = 1; !equal && t.whole && rank_0 < 1u << unsure_count; rank_0++) {
        t.rank_0 = rank_0;
        equal = try_properties(v, &t, list, stored);
    }
    if (!t.whole)
        add_damage(v, BW_ALEMBIC_DAMAGE_STRUCTURE, object, NULL, BW_NO_INDEX, object->offset,
                   "has empty arrays that claim more samples than can be hashed; its properties hash was not checked, "
                   "export it again with fewer samples");
    else if (!equal)
        add_damage(v, BW_ALEMBIC_DAMAGE_PROPERTIES, object, NULL, BW_NO_INDEX, object->offset,
                   "the keys, names, types and times of its properties do not give the hash stored with them, expected "
                   "as they were written; copy the file again or export it again");
}

/* ---- objects ---- */

static bool check_progress(verifier *v) {
    if (v->stopped == BW_OK && v->run && v->run->progress &&
        !v->run->progress(v->run->progress_ctx, "verify", v->report->byte_count, v->a->size))
        v->stopped =
            bwi_fail(v->error, BW_ERR_CANCELLED, v->a->archive.path, -1, "was cancelled while it was verified");
    return v->stopped == BW_OK;
}

/* Whether a sibling before has the name: this one cannot be found then. */
static bool is_repeated(const bwi_alembic_names *names, const char *const *first, size_t count, size_t stride,
                        const char *name, size_t index) {
    enum { SHORT_LIST = 64 };
    if (!names->slots && count > SHORT_LIST)
        return false; /* names that were made to fall together: too many to compare */
    return bwi_alembic_names_find(names, first, count, stride, name, strlen(name)) != index;
}

static void check_child_names(verifier *v, const bwi_alembic_object *state) {
    for (size_t i = 0; i < state->child_count; i++) {
        const bw_alembic_object *child = &state->children[i];
        if (is_repeated(&state->names, &state->children[0].name, state->child_count, sizeof(*child), child->name, i))
            add_damage(v, BW_ALEMBIC_DAMAGE_STRUCTURE, child, NULL, BW_NO_INDEX, child->offset,
                       "has the name of a sibling before it, expected one of its own; rename it where the file was "
                       "exported from");
    }
}

/* Out: hash — what goes into the parent's.  False: it cannot be told. */
static bool verify_object(verifier *v, uint8_t hash[16], const bw_alembic_object *object) {
    static const uint8_t NONE[16] = {0};
    bwi_alembic_object *state = NULL;
    bw_error failure;
    if (!check_progress(v))
        return false;
    if (bwi_alembic_load_object(&state, v->a, object, &failure) != BW_OK) {
        add_failure(v, object, NULL, BW_NO_INDEX, &failure);
        return false;
    }
    v->report->object_count++;
    check_properties(v, object, state->hashes);
    check_child_names(v, state);
    bwi_spooky below;
    bwi_spooky_init(&below);
    bool known = true;
    for (size_t i = 0; i < state->child_count && v->stopped == BW_OK; i++) {
        uint8_t child[16] = {0};
        known = verify_object(v, child, &state->children[i]) && known;
        bwi_spooky_add(&below, child, sizeof(child));
    }
    if (!known || v->stopped != BW_OK)
        return false;
    uint8_t children[16] = {0};
    if (state->child_count > 0)
        bwi_spooky_end(children, &below);
    if (memcmp(state->child_count > 0 ? children : NONE, state->hashes + 16, 16) != 0) {
        add_damage(v, BW_ALEMBIC_DAMAGE_CHILDREN, object, NULL, BW_NO_INDEX, object->offset,
                   "the names, metadata and hashes of its children do not give the hash stored with them, expected as "
                   "they were written; copy the file again or export it again");
        return false;
    }
    bwi_spooky_add(&below, state->hashes, 16);
    bwi_spooky_add(&below, object->metadata->text, object->metadata->text_size);
    bwi_spooky_add(&below, object->name, strlen(object->name));
    bwi_spooky_end(hash, &below);
    return true;
}

bw_result bw_alembic_verify(bw_alembic_report **report, bw_alembic *archive, const bw_run_opts *run, bw_error *error) {
    bwi_arena *arena = bwi_arena_create_owning(run ? run->memory_limit : 0);
    bw_alembic_report *out = arena ? bwi_arena_alloc(arena, 1, sizeof(*out)) : NULL;
    bw_alembic_finding *findings = out ? bwi_arena_alloc(arena, FINDINGS_MAX, sizeof(*findings)) : NULL;
    if (!findings) {
        bwi_arena_free(arena);
        return bwi_fail(error, BW_ERR_MEMORY, archive->path, -1,
                        "memory ran out before it was verified; raise --memory-limit");
    }
    verifier v = {.a = archive->state,
                  .arena = arena,
                  .report = out,
                  .findings = findings,
                  .run = run,
                  .error = error,
                  .unhashed = archive->size,
                  .logical_left = most_logical_samples(archive->size)};
    uint8_t hash[16];
    out->findings.data = findings;
    out->arena = arena;
    (void)verify_object(&v, hash, archive->top);
    bwi_free(bwi_arena_mem(arena), v.seen[0].slots);
    bwi_free(bwi_arena_mem(arena), v.seen[1].slots);
    if (v.stopped != BW_OK) {
        bwi_arena_free(arena);
        return v.stopped;
    }
    *report = out;
    if (out->finding_count == 0)
        return BW_OK;
    const char *first = findings[0].message;
    return bwi_fail(error, BW_ERR_DIFFERS, archive->path, findings[0].offset, "%llu damaged part%s, the first: %s",
                    (unsigned long long)out->finding_count, out->finding_count == 1 ? "" : "s", first);
}

void bw_free_alembic_report(bw_alembic_report *report) {
    if (report)
        bwi_arena_free(report->arena);
}
