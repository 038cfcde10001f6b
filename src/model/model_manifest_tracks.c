/* SPDX-License-Identifier: MIT
 * What a clip of the manifest carries beside its frames: root motion, attachments, events. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "model/model_priv.h"

/* How far a quaternion of floats, rounded once more by whoever edits a manifest, may be from length 1. */
#define UNIT_TOLERANCE 1e-3

/* ---- writing ---- */

static void write_vector(bwi_json_writer *w, const float *v, size_t components) {
    bwi_json_begin_array(w);
    for (size_t k = 0; k < components; k++)
        bwi_json_float(w, v[k]);
    bwi_json_end_array(w);
}

static void write_track(bwi_json_writer *w, const char *key, const float *data, size_t count, size_t components) {
    bwi_json_key(w, key);
    bwi_json_begin_array(w);
    for (size_t k = 0; k < count; k++)
        write_vector(w, data + k * components, components);
    bwi_json_end_array(w);
}

static void write_root(bwi_json_writer *w, const bwi_manifest_clip *clip) {
    bwi_json_key(w, "root");
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "node", clip->root.node);
    bwi_json_key(w, "pivot");
    write_vector(w, clip->root.pivot, 3);
    write_track(w, "translation", clip->root.translation, clip->frame_count, 3);
    bwi_json_key(w, "yaw_rad");
    write_vector(w, clip->root.yaw_rad, clip->frame_count);
    bwi_json_key(w, "cycle");
    bwi_json_begin_object(w);
    bwi_json_key(w, "translation");
    write_vector(w, clip->root.cycle_translation, 3);
    bwi_json_key_float(w, "yaw_rad", clip->root.cycle_yaw_rad);
    bwi_json_end_object(w);
    bwi_json_end_object(w);
}

void bwi_manifest_tracks_write(bwi_json_writer *w, const bwi_manifest_clip *clip) {
    if (clip->root.node)
        write_root(w, clip);
    if (clip->attachments.count) {
        bwi_json_key(w, "attachments");
        bwi_json_begin_array(w);
        for (size_t k = 0; k < clip->attachments.count; k++) {
            const bwi_attachment *a = &clip->attachments.data[k];
            bwi_json_begin_object(w);
            bwi_json_key_string(w, "node", a->node);
            write_track(w, "translation", a->translation.data, a->translation.count, 3);
            write_track(w, "rotation", a->rotation.data, a->rotation.count, 4);
            write_track(w, "scale", a->scale.data, a->scale.count, 3);
            bwi_json_end_object(w);
        }
        bwi_json_end_array(w);
    }
    if (clip->events.count) {
        bwi_json_key(w, "events");
        bwi_json_begin_array(w);
        for (size_t k = 0; k < clip->events.count; k++) {
            bwi_json_begin_object(w);
            bwi_json_key_string(w, "name", clip->events.data[k].name);
            bwi_json_key_double(w, "time_s", clip->events.data[k].time_s);
            bwi_json_end_object(w);
        }
        bwi_json_end_array(w);
    }
}

/* ---- reading ---- */

typedef struct reader {
    bwi_arena *arena;
    const char *path;
    const char *where; /* "clips[3].root" */
    bw_error *error;
    bw_result result;
} reader;

static bool fail_value(reader *r, const char *key, const char *expected) {
    r->result = bwi_fail(r->error, BW_ERR_MALFORMED, r->path, -1, "%s.%s is not %s; bake again, or restore the file",
                         r->where, key, expected);
    return false;
}

static bool fail_memory(reader *r, size_t wanted) {
    r->result = bwi_fail_memory(r->error, r->path, bwi_arena_mem(r->arena), wanted);
    return false;
}

static bool read_float(float *out, const json_t *value) {
    const double number = json_number_value(value);
    if (!json_is_number(value) || !(fabs(number) <= (double)FLT_MAX))
        return false;
    *out = (float)number;
    return true;
}

/* An array of `components` numbers. */
static bool read_vector(float *out, const json_t *value, size_t components) {
    bool ok = json_is_array(value) && json_array_size(value) == components;
    for (size_t k = 0; ok && k < components; k++)
        ok = read_float(&out[k], json_array_get(value, k));
    return ok;
}

static bool is_unit(const float q[4]) {
    double square = 0.0;
    for (int k = 0; k < 4; k++)
        square += (double)q[k] * (double)q[k];
    return fabs(sqrt(square) - 1.0) <= UNIT_TOLERANCE;
}

/* One entry a frame; where `constant`, one for all frames will do. */
static bool read_track(reader *r, bwi_track *out, const json_t *object, const char *key, size_t components,
                       uint32_t frame_count, bool constant) {
    const json_t *array = json_object_get(object, key);
    const size_t count = json_array_size(array);
    if (!json_is_array(array) || (count != frame_count && !(constant && count == 1)))
        return fail_value(r, key,
                          constant ? "an array of one entry a frame, or of one" : "an array of one entry a frame");
    float *data = bwi_arena_alloc(r->arena, count, components * sizeof *data);
    if (!data)
        return fail_memory(r, count * components * sizeof *data);
    for (size_t k = 0; k < count; k++) {
        const json_t *item = json_array_get(array, k);
        const bool ok =
            components == 1 ? read_float(&data[k], item) : read_vector(data + k * components, item, components);
        if (!ok || (components == 4 && !is_unit(data + k * components)))
            return fail_value(r, key,
                              components == 1   ? "all numbers in the range of a 32-bit float"
                              : components == 3 ? "all arrays of 3 numbers in the range of a 32-bit float"
                                                : "all unit quaternions: arrays of 4 numbers, x y z w");
    }
    *out = (bwi_track){data, (uint32_t)count};
    return true;
}

static bool read_string(reader *r, const char **out, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value) || json_string_length(value) == 0)
        return fail_value(r, key, "a name");
    *out = bwi_arena_string(r->arena, json_string_value(value), json_string_length(value));
    return *out || fail_memory(r, json_string_length(value));
}

static bool read_root(reader *r, bwi_manifest_clip *clip, const json_t *object) {
    bwi_root_track *root = &clip->root;
    bwi_track translation, yaw;
    if (!read_string(r, &root->node, object, "node"))
        return false;
    if (!read_vector(root->pivot, json_object_get(object, "pivot"), 3))
        return fail_value(r, "pivot", "an array of 3 numbers");
    if (!read_track(r, &translation, object, "translation", 3, clip->frame_count, false) ||
        !read_track(r, &yaw, object, "yaw_rad", 1, clip->frame_count, false))
        return false;
    const json_t *cycle = json_object_get(object, "cycle");
    if (!read_vector(root->cycle_translation, json_object_get(cycle, "translation"), 3) ||
        !read_float(&root->cycle_yaw_rad, json_object_get(cycle, "yaw_rad")))
        return fail_value(r, "cycle", "an object of a translation and a yaw_rad");
    root->translation = translation.data;
    root->yaw_rad = yaw.data;
    return true;
}

static bool read_attachment(reader *r, bwi_attachment *a, uint32_t frame_count, const json_t *object) {
    return read_string(r, &a->node, object, "node") &&
           read_track(r, &a->translation, object, "translation", 3, frame_count, true) &&
           read_track(r, &a->rotation, object, "rotation", 4, frame_count, true) &&
           read_track(r, &a->scale, object, "scale", 3, frame_count, true);
}

static bool read_event(reader *r, bwi_manifest_event *event, double duration_s, const json_t *object) {
    const json_t *time = json_object_get(object, "time_s");
    if (!read_string(r, &event->name, object, "name"))
        return false;
    event->time_s = json_number_value(time);
    if (!json_is_number(time) || !(event->time_s >= 0.0 && event->time_s <= duration_s))
        return fail_value(r, "time_s", "a time inside the clip");
    return true;
}

/* Elements of an array that may be missing.  Out: data — [count] of `size` bytes. */
static bool begin_list(reader *r, void **data, size_t *count, const json_t *item, const char *key, size_t size) {
    const json_t *array = json_object_get(item, key);
    *count = json_array_size(array);
    if (array && !json_is_array(array))
        return fail_value(r, key, "an array");
    *data = bwi_arena_alloc(r->arena, *count, size);
    return *data || fail_memory(r, *count * size);
}

static bool read_lists(reader *r, bwi_manifest_clip *clip, const json_t *item, size_t index) {
    void *attachments, *events;
    size_t attachment_count, event_count;
    if (!begin_list(r, &attachments, &attachment_count, item, "attachments", sizeof *clip->attachments.data) ||
        !begin_list(r, &events, &event_count, item, "events", sizeof *clip->events.data))
        return false;
    clip->attachments.data = attachments;
    clip->events.data = events;
    for (size_t k = 0; k < attachment_count; k++) {
        r->where = bwi_arena_printf(r->arena, "clips[%zu].attachments[%zu]", index, k);
        if (!r->where)
            return fail_memory(r, 0);
        const json_t *object = json_array_get(json_object_get(item, "attachments"), k);
        if (!read_attachment(r, &clip->attachments.data[k], clip->frame_count, object))
            return false;
    }
    for (size_t k = 0; k < event_count; k++) {
        r->where = bwi_arena_printf(r->arena, "clips[%zu].events[%zu]", index, k);
        if (!r->where)
            return fail_memory(r, 0);
        const json_t *object = json_array_get(json_object_get(item, "events"), k);
        if (!read_event(r, &clip->events.data[k], clip->duration_s, object))
            return false;
    }
    clip->attachments.count = attachment_count;
    clip->events.count = event_count;
    return true;
}

bw_result bwi_manifest_tracks_read(bwi_manifest_clip *clip, bwi_arena *arena, const json_t *item, size_t index,
                                   const char *path, bw_error *error) {
    reader r = {arena, path, "", error, BW_OK};
    const json_t *root = json_object_get(item, "root");
    const char *clip_at = bwi_arena_printf(arena, "clips[%zu]", index);
    const char *root_at = bwi_arena_printf(arena, "clips[%zu].root", index);
    if (!clip_at || !root_at)
        return bwi_fail_memory(error, path, bwi_arena_mem(arena), 0);
    r.where = root_at;
    if (root && !read_root(&r, clip, root))
        return r.result;
    r.where = clip_at;
    return read_lists(&r, clip, item, index) ? BW_OK : r.result;
}
