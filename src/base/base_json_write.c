/* SPDX-License-Identifier: MIT
 * The streaming JSON writer. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/json.h"

/* What jansson reads is at most 2048 levels deep; a document may hold such a value some levels down. */
enum { MAX_DEPTH = 2048 + 64, CHUNK = 4096 };

typedef enum container { IN_DOCUMENT, IN_OBJECT, IN_ARRAY } container;

typedef struct level {
    container kind;
    bool filled; /* has a member */
    bool tall;   /* its closing bracket stands on a line of its own */
} level;

struct bwi_json_writer {
    bwi_mem *mem;
    FILE *file; /* NULL: text is kept whole */
    int indent;
    bool failed;
    bool key_given;
    char *text;
    size_t size, capacity;
    size_t depth;
    level levels[MAX_DEPTH];
};

bwi_json_writer *bwi_json_writer_create(bwi_mem *mem, FILE *file, int indent) {
    bwi_json_writer *w = bwi_alloc(mem, 1, sizeof(bwi_json_writer));
    if (w) {
        w->mem = mem;
        w->file = file;
        w->indent = indent;
    }
    return w;
}

static void flush(bwi_json_writer *w) {
    if (w->size > 0 && fwrite(w->text, 1, w->size, w->file) != w->size) {
        w->failed = true;
    }
    w->size = 0;
}

static void put(bwi_json_writer *w, const char *bytes, size_t size) {
    if (w->failed) {
        return;
    }
    if (w->file && w->size + size > CHUNK) {
        flush(w);
    }
    if (size > w->capacity - w->size) {
        size_t wanted;
        size_t capacity = w->capacity ? 2 * w->capacity : CHUNK;
        if (!bwi_add_size(&wanted, w->size, size)) {
            w->failed = true;
            return;
        }
        capacity = capacity < wanted ? wanted : capacity;
        char *grown = bwi_realloc(w->mem, w->text, capacity, 1);
        if (!grown) {
            w->failed = true;
            return;
        }
        w->text = grown;
        w->capacity = capacity;
    }
    memcpy(w->text + w->size, bytes, size);
    w->size += size;
}

static void put_text(bwi_json_writer *w, const char *text) {
    put(w, text, strlen(text));
}

static void put_line_break(bwi_json_writer *w, size_t depth) {
    static const char SPACES[] = "                ";
    put(w, "\n", 1);
    for (size_t left = depth * (size_t)w->indent; left > 0;) {
        size_t part = left < sizeof(SPACES) - 1 ? left : sizeof(SPACES) - 1;
        put(w, SPACES, part);
        left -= part;
    }
}

/* Comma and space before a member.  Indented text gives each key and each container a line, and keeps the numbers of
 * an array on one. */
static void begin_member(bwi_json_writer *w, bool tall) {
    level *inside = &w->levels[w->depth];
    if (inside->filled) {
        put(w, ",", 1);
    }
    if (w->indent > 0 && inside->kind != IN_DOCUMENT) {
        if (tall) {
            inside->tall = true;
            put_line_break(w, w->depth);
        } else if (inside->filled) {
            put(w, " ", 1);
        }
    }
    inside->filled = true;
}

static void begin_value(bwi_json_writer *w, bool tall) {
    assert(w->levels[w->depth].kind != IN_OBJECT || w->key_given);
    assert(w->levels[w->depth].kind != IN_DOCUMENT || !w->levels[w->depth].filled);
    if (w->key_given) {
        w->key_given = false;
    } else {
        begin_member(w, tall);
    }
}

static void begin_container(bwi_json_writer *w, container kind, const char *bracket) {
    if (!w) {
        return;
    }
    begin_value(w, true);
    assert(w->depth + 1 < MAX_DEPTH);
    put_text(w, bracket);
    w->levels[++w->depth] = (level){.kind = kind};
}

static void end_container(bwi_json_writer *w, container kind, const char *bracket) {
    if (!w) {
        return;
    }
    assert(w->levels[w->depth].kind == kind && !w->key_given);
    (void)kind;
    bool tall = w->levels[w->depth].tall;
    w->depth--;
    if (tall) {
        put_line_break(w, w->depth);
    }
    put_text(w, bracket);
}

void bwi_json_begin_object(bwi_json_writer *w) {
    begin_container(w, IN_OBJECT, "{");
}

void bwi_json_end_object(bwi_json_writer *w) {
    end_container(w, IN_OBJECT, "}");
}

void bwi_json_begin_array(bwi_json_writer *w) {
    begin_container(w, IN_ARRAY, "[");
}

void bwi_json_end_array(bwi_json_writer *w) {
    end_container(w, IN_ARRAY, "]");
}

/* Length of the well-formed UTF-8 sequence that text begins with (Unicode, table 3-7), 0 if it begins with none. */
static size_t sequence_length(const unsigned char *text) {
    unsigned char lead = text[0];
    size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    for (size_t i = 1; i < length; i++) {
        if (text[i] < low || text[i] > high) {
            return 0; /* the zero at the end of the text stops here too */
        }
        low = 0x80;
        high = 0xBF;
    }
    return length;
}

bool bwi_is_utf8(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    size_t length = 1;
    for (; *c && length > 0; c += length) {
        length = sequence_length(c);
    }
    return length > 0;
}

static void put_quoted(bwi_json_writer *w, const char *utf8) {
    put(w, "\"", 1);
    const unsigned char *c = (const unsigned char *)utf8;
    const unsigned char *plain = c; /* start of what is copied as it is */
    while (*c) {
        size_t length = sequence_length(c);
        bool escaped = length == 0 || *c < 0x20 || *c == '"' || *c == '\\';
        if (!escaped) {
            c += length;
            continue;
        }
        put(w, (const char *)plain, (size_t)(c - plain));
        char code[8];
        if (length == 0) {
            put_text(w, "\xEF\xBF\xBD");
        } else if (*c == '"' || *c == '\\') {
            put(w, (const char[]){'\\', (char)*c}, 2);
        } else if (*c == '\n') {
            put_text(w, "\\n");
        } else if (*c == '\t') {
            put_text(w, "\\t");
        } else {
            (void)snprintf(code, sizeof(code), "\\u%04x", *c);
            put_text(w, code);
        }
        plain = ++c;
    }
    put(w, (const char *)plain, (size_t)(c - plain));
    put(w, "\"", 1);
}

void bwi_json_key(bwi_json_writer *w, const char *key) {
    if (!w) {
        return;
    }
    assert(w->levels[w->depth].kind == IN_OBJECT && !w->key_given);
    begin_member(w, true);
    put_quoted(w, key);
    put_text(w, w->indent > 0 ? ": " : ":");
    w->key_given = true;
}

void bwi_json_raw(bwi_json_writer *w, const char *json_text) {
    if (w) {
        begin_value(w, json_text[0] == '{' || json_text[0] == '[');
        put_text(w, json_text);
    }
}

void bwi_json_string(bwi_json_writer *w, const char *utf8) {
    if (!utf8) {
        bwi_json_raw(w, "null");
    } else if (w) {
        begin_value(w, false);
        put_quoted(w, utf8);
    }
}

void bwi_json_uint(bwi_json_writer *w, uint64_t value) {
    char text[32];
    (void)snprintf(text, sizeof(text), "%" PRIu64, value);
    bwi_json_raw(w, text);
}

void bwi_json_int(bwi_json_writer *w, int64_t value) {
    char text[32];
    (void)snprintf(text, sizeof(text), "%" PRId64, value);
    bwi_json_raw(w, text);
}

void bwi_json_double(bwi_json_writer *w, double value) {
    char text[32];
    (void)bwi_format_double(text, value);
    bwi_json_raw(w, text);
}

void bwi_json_float(bwi_json_writer *w, float value) {
    char text[32];
    (void)bwi_format_float(text, value);
    bwi_json_raw(w, text);
}

void bwi_json_bool(bwi_json_writer *w, bool value) {
    bwi_json_raw(w, value ? "true" : "false");
}

void bwi_json_key_string(bwi_json_writer *w, const char *key, const char *utf8) {
    bwi_json_key(w, key);
    bwi_json_string(w, utf8);
}

void bwi_json_key_uint(bwi_json_writer *w, const char *key, uint64_t value) {
    bwi_json_key(w, key);
    bwi_json_uint(w, value);
}

void bwi_json_key_double(bwi_json_writer *w, const char *key, double value) {
    bwi_json_key(w, key);
    bwi_json_double(w, value);
}

void bwi_json_key_float(bwi_json_writer *w, const char *key, float value) {
    bwi_json_key(w, key);
    bwi_json_float(w, value);
}

void bwi_json_key_bool(bwi_json_writer *w, const char *key, bool value) {
    bwi_json_key(w, key);
    bwi_json_bool(w, value);
}

bool bwi_json_writer_end(bwi_json_writer *w, char **text, size_t *size) {
    if (text) {
        *text = NULL;
    }
    if (size) {
        *size = 0;
    }
    if (!w) {
        return false;
    }
    assert(w->failed || (w->depth == 0 && w->levels[0].filled));
    put(w, "\n", 1);
    if (w->file) {
        if (!w->failed) {
            flush(w);
        }
    } else {
        put(w, "", 1); /* the terminating zero */
    }
    bwi_mem *mem = w->mem;
    bool good = !w->failed;
    if (good && !w->file && text) {
        *text = w->text;
        if (size) {
            *size = w->size - 1;
        }
    } else {
        bwi_free(mem, w->text);
    }
    bwi_free(mem, w);
    return good;
}

void bwi_json_value(bwi_json_writer *w, const json_t *value) {
    const char *key;
    json_t *child;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        bwi_json_begin_object(w);
        json_object_foreach((json_t *)value, key, child) {
            bwi_json_key(w, key);
            bwi_json_value(w, child);
        }
        bwi_json_end_object(w);
        break;
    case JSON_ARRAY:
        bwi_json_begin_array(w);
        for (size_t k = 0; k < json_array_size(value); k++)
            bwi_json_value(w, json_array_get(value, k));
        bwi_json_end_array(w);
        break;
    case JSON_STRING:
        bwi_json_string(w, json_string_value(value));
        break;
    case JSON_INTEGER:
        bwi_json_int(w, json_integer_value(value));
        break;
    case JSON_REAL:
        bwi_json_double(w, json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        bwi_json_bool(w, json_is_true(value));
        break;
    case JSON_NULL:
        bwi_json_string(w, NULL);
        break;
    }
}
