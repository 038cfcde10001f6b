/* SPDX-License-Identifier: MIT
 * Writes test images and says what image files hold, for comparisons with other programs' readers and writers.
 *
 * usage: image_tool write FOLDER             every kind of file with its texels beside it: NAME.EXT, NAME.texels
 *        image_tool read CONTAINER FILE OUT  OUT: the texels of a png, exr or ktx2 file
 * A .texels file is a line "width height type", type one of u8 u16 u10 f16 f32, and the texels in host byte order. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_fixture.h"

static const char *const type_names[] = {"u8", "u16", "u10", "f16", "f32"};
static const char *const extensions[] = {"png", "exr", "ktx2", "bin"};

static int fail(const char *what, const char *path) {
    fprintf(stderr, "image_tool: %s: %s\n", path, what);
    return 1;
}

static int write_texels(const char *path, const bwi_texels *texels) {
    FILE *file = fopen(path, "wb");
    if (!file)
        return fail("cannot be opened", path);
    fprintf(file, "%" PRIu32 " %" PRIu32 " %s\n", texels->width, texels->height, type_names[texels->type]);
    size_t size = image_size(texels);
    bool good = fwrite(texels->data, 1, size, file) == size;
    return fclose(file) == 0 && good ? 0 : fail("cannot be written", path);
}

static int write_images(const char *folder, const bwi_env *env) {
    static const uint32_t sides[][2] = {{1, 1}, {23, 19}, {700, 410}};
    for (int k = 0; k < IMAGE_KIND_COUNT; ++k) {
        const image_kind *kind = &image_kinds[k];
        for (size_t s = 0; s < sizeof sides / sizeof *sides; ++s) {
            char path[512], texels_path[512];
            const int length = snprintf(path, sizeof path, "%s/%s_%" PRIu32 "x%" PRIu32 ".%s", folder, kind->name,
                                        sides[s][0], sides[s][1], extensions[kind->container]);
            if (length < 0 || (size_t)length + 8 > sizeof path)
                return fail("the path is too long", folder);
            (void)snprintf(texels_path, sizeof texels_path, "%.*s.texels",
                           length - 1 - (int)strlen(extensions[kind->container]), path);
            bwi_texels made = image_make(sides[s][0], sides[s][1], kind->type, 77);
            bw_error error = {0};
            const bool good =
                image_save(path, kind, &made, env, &error) == BW_OK && write_texels(texels_path, &made) == 0;
            free(made.data);
            if (!good)
                return fail(error.message, path);
        }
    }
    return 0;
}

static int read_image(const char *extension, const char *path, const char *out, const bwi_env *env) {
    for (bwi_container container = BWI_CONTAINER_PNG; container <= BWI_CONTAINER_KTX2; ++container) {
        if (strcmp(extension, extensions[container]) != 0)
            continue;
        bw_error error = {0};
        bwi_texels read = {0};
        if (bwi_image_read(&read, path, container, NULL, env, &error) != BW_OK) {
            fprintf(stderr, "%s: %s\n", bw_result_name(error.result), error.message);
            return 1;
        }
        int status = write_texels(out, &read);
        bwi_texels_free(&read, env->mem);
        return status;
    }
    return fail("no such container", extension);
}

int main(int argc, char **argv) {
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    const bwi_env env = {&mem, 2, NULL};
    if (argc == 3 && strcmp(argv[1], "write") == 0)
        return write_images(argv[2], &env);
    if (argc == 5 && strcmp(argv[1], "read") == 0)
        return read_image(argv[2], argv[3], argv[4], &env);
    return fail("usage: write FOLDER | read CONTAINER FILE OUT", "arguments");
}
