/* SPDX-License-Identifier: MIT
 * Filling bw_error, collecting warnings. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A longer path would leave no room for the message, so only its end is shown there. */
enum { SHOWN_PATH = 400 };

static bool is_continuation(char c) {
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* Text that came from files reaches terminals: control characters (C0, DEL, and C1 in UTF-8) become '?'. */
static void replace_controls(char *text) {
    for (char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte < 0x20 || byte == 0x7F) {
            *c = '?';
        } else if (byte == 0xC2 && (unsigned char)c[1] >= 0x80 && (unsigned char)c[1] < 0xA0) {
            c[0] = '?';
            c[1] = '?';
        }
    }
}

/* Drops a UTF-8 sequence that was cut off at the end. */
static void trim_cut_sequence(char *text) {
    size_t length = strlen(text);
    size_t start = length;
    while (start > 0 && length - start < 3 && is_continuation(text[start - 1])) {
        start--;
    }
    if (start == 0) {
        return;
    }
    unsigned char lead = (unsigned char)text[start - 1];
    size_t expected = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (expected > length - start + 1) {
        text[start - 1] = 0;
    }
}

static void copy_text(char *out, size_t size, const char *text) {
    size_t length = strlen(text);
    bool cut = length >= size;
    size_t kept = cut ? size - 1 : length;
    memmove(out, text, kept);
    out[kept] = 0;
    if (cut) {
        trim_cut_sequence(out);
    }
}

static void format_text(char *out, size_t size, const char *format, va_list args) {
    int length = vsnprintf(out, size, format, args);
    if (length < 0) {
        out[0] = 0;
    } else if ((size_t)length >= size) {
        trim_cut_sequence(out);
    }
    replace_controls(out);
}

bw_result bwi_fail(bw_error *error, bw_result result, const char *path, int64_t offset, const char *format, ...) {
    if (!error) {
        return result;
    }
    /* The arguments may point into *error (a message that is wrapped), so it is written last. */
    char message[sizeof(error->message)];
    size_t used = 0;
    if (path && path[0]) {
        size_t length = strlen(path);
        const char *shown = path;
        const char *dots = "";
        if (length > SHOWN_PATH) {
            shown = path + length - SHOWN_PATH;
            while (is_continuation(*shown)) {
                shown++;
            }
            dots = "...";
        }
        used = (size_t)snprintf(message, sizeof(message), "%s%s: ", dots, shown);
        replace_controls(message);
    }
    va_list args;
    va_start(args, format);
    format_text(message + used, sizeof(message) - used, format, args);
    va_end(args);
    char kept_path[sizeof(error->path)];
    copy_text(kept_path, sizeof(kept_path), path ? path : "");
    *error = (bw_error){.result = result, .offset = offset};
    memcpy(error->path, kept_path, sizeof(kept_path));
    memcpy(error->message, message, strlen(message) + 1);
    return result;
}

bw_result bwi_fail_memory(bw_error *error, const char *path, const bwi_mem *mem, size_t wanted) {
    size_t used = __atomic_load_n(&mem->used, __ATOMIC_RELAXED);
    size_t free_bytes = used < mem->limit ? mem->limit - used : 0;
    /* What the budget refused may be more than the caller knows of: an arena's block, or one of several. */
    size_t missing = __atomic_load_n(&mem->missing, __ATOMIC_RELAXED);
    if (missing == 0 && wanted > free_bytes) {
        missing = wanted - free_bytes;
    }
    if (missing > 0) {
        return bwi_fail(error, BW_ERR_MEMORY, path, -1,
                        "needs %zu bytes more than the memory limit of %zu; raise --memory-limit", missing, mem->limit);
    }
    return bwi_fail(error, BW_ERR_MEMORY, path, -1,
                    "the system refused %zu bytes of memory; close other programs or use a machine with more", wanted);
}

void bwi_warnings_init(bwi_warnings *warnings, bwi_arena *arena) {
    *warnings = (bwi_warnings){.arena = arena};
}

static char *copy_clean(bwi_arena *arena, const char *text) {
    char *copy = bwi_arena_string(arena, text, SIZE_MAX);
    if (copy) {
        replace_controls(copy);
    }
    return copy;
}

void bwi_warn(bwi_warnings *warnings, const char *code, uint64_t count, const char *message, const char *place_format,
              ...) {
    if (!warnings) {
        return;
    }
    for (size_t i = 0; i < warnings->count; i++) {
        if (strcmp(warnings->data[i].code, code) == 0) {
            warnings->data[i].count += count;
            return;
        }
    }
    if (warnings->count == warnings->capacity) {
        size_t capacity = warnings->capacity ? 2 * warnings->capacity : 8;
        bw_warning *data = bwi_arena_alloc(warnings->arena, capacity, sizeof(bw_warning));
        if (!data) {
            warnings->lost = true;
            return;
        }
        if (warnings->count > 0) {
            memcpy(data, warnings->data, warnings->count * sizeof(bw_warning));
        }
        warnings->data = data;
        warnings->capacity = capacity;
    }
    char place[512];
    va_list args;
    va_start(args, place_format);
    format_text(place, sizeof(place), place_format, args);
    va_end(args);
    char *kept_message = copy_clean(warnings->arena, message);
    char *first = bwi_arena_string(warnings->arena, place, SIZE_MAX);
    if (!kept_message || !first) {
        warnings->lost = true;
        return;
    }
    warnings->data[warnings->count++] = (bw_warning){code, kept_message, first, count};
}

bw_warning_list bwi_warnings_list(const bwi_warnings *warnings) {
    return (bw_warning_list){warnings->data, warnings->count};
}
