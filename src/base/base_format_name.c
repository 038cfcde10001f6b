/* SPDX-License-Identifier: MIT
 * Formats that people try, by what their files start with. */
#include "base/format_name.h"

#include <stdbool.h>
#include <string.h>

static const struct {
    const char *magic;
    size_t size;
    const char *name;
} FORMATS[] = {
    {"glTF", 4, "a binary glTF file"},
    {"Kaydara FBX Binary", 18, "an FBX file"},
    {"; FBX", 5, "an FBX file in text form"},
    {"Ogawa", 5, "an Alembic file"},
    {"\x89HDF", 4, "an HDF5 file (old Alembic)"},
    {"PK\x03\x04", 4, "a ZIP archive"},
    {"\x1f\x8b", 2, "a gzip archive"},
    {"7z\xbc\xaf\x27\x1c", 6, "a 7z archive"},
    {"\x28\xb5\x2f\xfd", 4, "a zstd archive"},
    {"Rar!", 4, "a RAR archive"},
    {"BLENDER", 7, "a Blender file"},
    {"PXR-USDC", 8, "a USD file"},
    {"#usda", 5, "a USD file in text form"},
    {"//Maya ASCII", 12, "a Maya scene in text form"},
    {"FOR4", 4, "a Maya scene"},
    {"FOR8", 4, "a Maya scene"},
    {"\x7fNSJb", 5, "a Houdini geometry file"},
    {"ply\n", 4, "a PLY file"},
    {"ply\r", 4, "a PLY file"},
    {"HAIR", 4, "a cyHair file"},
    {"BINARY_HAIR", 11, "a hair file of Mitsuba"},
    {"version 2.0\nscale", 17, "a TressFX file in text form"},
    {"\0\0\x80\x40", 4, "a TressFX file"},
    {"-i ", 3, "a list of options for Embree"},
    {"%PDF", 4, "a PDF document"},
    {"\x89PNG", 4, "a PNG image"},
    {"\xff\xd8\xff", 3, "a JPEG image"},
    {"GIF8", 4, "a GIF image"},
    {"II*", 4, "a TIFF image"},
    {"RIFF", 4, "a RIFF file (sound, film or WebP)"},
    {"\x76\x2f\x31\x01", 4, "an OpenEXR image"},
    {"\xabKTX 20", 7, "a KTX2 image"},
    {"version https://git-lfs", 23, "a Git LFS pointer, not the model itself"},
};

static bool is_space(uint8_t c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Whether text begins with lower-case `word`, in any case. */
static bool begins(const uint8_t *text, size_t size, const char *word) {
    size_t length = strlen(word);
    if (size < length) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        uint8_t c = text[i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != (uint8_t)word[i]) {
            return false;
        }
    }
    return true;
}

/* An OBJ file has no magic: a line of its beginning must be a vertex, after comments and statements. */
static bool is_obj(const uint8_t *text, size_t size) {
    static const char *const STATEMENTS[] = {"mtllib ", "o ", "g ", "usemtl ", "s "};
    const size_t beginning = 4096;
    size_t end = size < beginning ? size : beginning;
    for (size_t at = 0; at < end;) {
        const uint8_t *line = text + at;
        size_t left = end - at;
        const uint8_t *newline = memchr(line, '\n', left);
        if (begins(line, left, "v ")) {
            return true;
        }
        bool known = line[0] == '#' || is_space(line[0]);
        for (size_t i = 0; i < sizeof(STATEMENTS) / sizeof(STATEMENTS[0]); i++) {
            known = known || begins(line, left, STATEMENTS[i]);
        }
        if (!known || !newline) {
            return false;
        }
        at += (size_t)(newline - line) + 1;
    }
    return false;
}

static bool holds(const uint8_t *text, size_t size, const char *word) {
    const size_t beginning = 4096, length = strlen(word);
    for (size_t at = 0; at + length <= size && at < beginning; at++) {
        if (memcmp(text + at, word, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Points a line each, as renderers take curves in. */
static bool is_numbers(const uint8_t *text, size_t size) {
    const size_t beginning = 256;
    size_t digits = 0;
    for (size_t i = 0; i < size && i < beginning; i++) {
        if (text[i] == 0 || !strchr("0123456789+-.eE, \t\r\n", text[i])) {
            return false;
        }
        digits += text[i] >= '0' && text[i] <= '9';
    }
    return digits > 0;
}

static bool is_zero(const uint8_t *data, size_t size) {
    const size_t beginning = 512;
    for (size_t i = 0; i < size && i < beginning; i++) {
        if (data[i] != 0) {
            return false;
        }
    }
    return size > 0;
}

const char *bwi_format_name(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < sizeof(FORMATS) / sizeof(FORMATS[0]); i++) {
        if (size >= FORMATS[i].size && memcmp(data, FORMATS[i].magic, FORMATS[i].size) == 0) {
            return FORMATS[i].name;
        }
    }
    const uint8_t *text = data;
    size_t left = size;
    if (left >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        left -= 3;
    }
    for (; left > 0 && is_space(*text); text++) {
        left--;
    }
    if (begins(text, left, "<!doctype html") || begins(text, left, "<html")) {
        return "a web page, not the model itself";
    }
    if (left > 0 && *text == '{') {
        return "a JSON file";
    }
    if (begins(text, left, "<?xml")) {
        return holds(text, left, "<scene") ? "an XML scene, as of Embree or Mitsuba" : "an XML file";
    }
    if (is_numbers(text, left)) {
        return "numbers in text form";
    }
    if (is_obj(text, left)) {
        return "an OBJ file";
    }
    return is_zero(data, size) ? "nothing but zeros at its beginning, as left by a failed copy" : NULL;
}
