/* SPDX-License-Identifier: MIT
 * The manifest's "options": values as a job file would have them, by the option table alone. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "model/model_priv.h"
#include "model/option_json.h"

const char *const bwi_texture_role_names[] = {"position", "normal", "bones", "weights", NULL};
const char *const bwi_texture_decode_names[] = {"bounds",           "bounds+oct8",  "absolute",      "oct",
                                                "oct+oct",          "offset",       "offset+normal", "normal",
                                                "pivot+quaternion", "matrix+pivot", "weights",       NULL};

const char *bwi_texture_role_name(bwi_texture_role role) {
    return bwi_texture_role_names[role];
}

const char *bwi_texture_decode_name(bwi_texture_decode decode) {
    return bwi_texture_decode_names[decode];
}

bool bwi_choice_name(char name[64], const bw_option *option, int value) {
    const char *at = option->choices;
    for (int k = 1; at; k++) {
        const char *bar = strchr(at, '|');
        if (k == value) {
            size_t length = bar ? (size_t)(bar - at) : strlen(at);
            assert(length < 64);
            memcpy(name, at, length);
            name[length] = 0;
            return true;
        }
        at = bar ? bar + 1 : NULL;
    }
    return false;
}

int bwi_choice_value(const bw_option *option, const char *name) {
    char choice[64];
    for (int value = 1; bwi_choice_name(choice, option, value); value++) {
        if (strcmp(choice, name) == 0)
            return value;
    }
    return 0;
}

const char *bwi_mode_name(bw_vat_mode mode) {
    static const char *const names[] = {NULL, "auto", "vertex", "bone", "rigid", "soup"};
    return (size_t)mode < sizeof names / sizeof names[0] ? names[mode] : NULL;
}

const char *bwi_layout_name(bw_vat_layout layout) {
    static const char *const names[] = {NULL, "native", "seed", "openvat"};
    return (size_t)layout < sizeof names / sizeof names[0] ? names[layout] : NULL;
}

void bwi_manifest_options_write(bwi_json_writer *w, bw_option_list table, const void *opts) {
    bwi_json_begin_object(w);
    bwi_options_write(w, table, opts, false);
    bwi_json_end_object(w);
}

/* Text of the options as the manifest holds them; NULL if memory fails.  Free with bwi_free. */
static char *options_text(bw_option_list table, const void *opts, size_t *size, bwi_mem *mem) {
    char *text = NULL;
    bwi_json_writer *w = bwi_json_writer_create(mem, NULL, 0);
    if (!w)
        return NULL;
    bwi_manifest_options_write(w, table, opts);
    return bwi_json_writer_end(w, &text, size) ? text : NULL;
}

bool bwi_options_equal(bw_option_list table, const void *a, const void *b, bwi_mem *mem) {
    size_t a_size = 0, b_size = 0;
    char *a_text = options_text(table, a, &a_size, mem), *b_text = options_text(table, b, &b_size, mem);
    const bool equal = a_text && b_text && a_size == b_size && memcmp(a_text, b_text, a_size) == 0;
    bwi_free(mem, a_text);
    bwi_free(mem, b_text);
    return equal;
}

bool bwi_manifest_options_equal(const bw_vat_opts *a, const bw_vat_opts *b, bwi_mem *mem) {
    return bwi_options_equal(bw_vat_options(), a, b, mem);
}

bw_result bwi_manifest_options_read(void *opts, bw_option_list table, bwi_arena *arena, const json_t *object,
                                    const char *path, bw_error *error) {
    const bwi_option_place place = {path, "options", "bake again, or restore the file", BW_ERR_MALFORMED};
    for (size_t i = 0; i < table.count; i++) {
        const json_t *value = json_object_get(object, table.data[i].key);
        bw_result result = value ? bwi_option_read(opts, &table.data[i], arena, value, &place, error) : BW_OK;
        if (result != BW_OK)
            return result;
    }
    return BW_OK;
}
