/* SPDX-License-Identifier: MIT
 * PNG in, by libpng: RGBA of 8 or 16 bits, as the file holds it, or RGB, whose alpha is then the largest code; every
 * chunk that could change or explain values is skipped. */
#include <inttypes.h>
#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "base/error.h"
#include "image/image_priv.h"

/* Everything that is used after a longjmp lives here, in memory that setjmp leaves alone. */
typedef struct png_input {
    const bwi_image_source *source;
    size_t offset;
    bwi_mem *mem;
    size_t refused; /* bytes that memory was too short for; 0: none */
    bool ended;     /* libpng asked for more than the file has */
    char reason[128];
    png_structp png;
    png_infop info;
    uint32_t width, height;
    int bit_depth, color_type, interlace;
} png_input;

static void on_error(png_structp png, png_const_charp message) {
    png_input *in = png_get_error_ptr(png);
    snprintf(in->reason, sizeof in->reason, "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void on_read(png_structp png, png_bytep to, png_size_t size) {
    png_input *in = png_get_io_ptr(png);
    if (size > in->source->size - in->offset) {
        in->ended = true;
        png_error(png, "the file ends inside a chunk");
    }
    memcpy(to, in->source->data + in->offset, size);
    in->offset += size;
}

static png_voidp on_alloc(png_structp png, png_alloc_size_t size) {
    png_input *in = png_get_mem_ptr(png);
    void *block = bwi_alloc(in->mem, size, 1);
    if (!block)
        in->refused = size;
    return block;
}

static void on_free(png_structp png, png_voidp block) {
    png_input *in = png_get_mem_ptr(png);
    bwi_free(in->mem, block);
}

static bool read_head(png_input *in) {
    if (setjmp(png_jmpbuf(in->png)))
        return false;
    png_set_user_limits(in->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX); /* bwi_image_claim judges the sides */
    png_set_keep_unknown_chunks(in->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_read_fn(in->png, in, on_read);
    png_read_info(in->png, in->info);
    png_get_IHDR(in->png, in->info, &in->width, &in->height, &in->bit_depth, &in->color_type, &in->interlace, NULL,
                 NULL);
    return true;
}

/* Reads all rows, and the chunks after them. */
static bool read_rows(png_input *in, const bwi_texels *texels) {
    if (setjmp(png_jmpbuf(in->png)))
        return false;
    uint8_t *texel_bytes = texels->data;
    const size_t row_size = texels->width * bwi_texel_size(texels->type);
    if (in->color_type == PNG_COLOR_TYPE_RGB)
        png_set_add_alpha(in->png, 0xFFFF, PNG_FILLER_AFTER);
    png_read_update_info(in->png, in->info);
    if (png_get_rowbytes(in->png, in->info) != row_size)
        png_error(in->png, "a row has another size than its texels");
    for (uint32_t y = 0; y < texels->height; ++y)
        png_read_row(in->png, texel_bytes + y * row_size, NULL);
    png_read_end(in->png, NULL);
    return true;
}

static void host_from_big(const bwi_texels *texels) {
    uint8_t *bytes = texels->data;
    const size_t count = (size_t)texels->width * texels->height * 4;
    for (size_t i = 0; i < count; ++i) {
        uint16_t value = (uint16_t)(bytes[2 * i] << 8 | bytes[2 * i + 1]);
        memcpy(bytes + 2 * i, &value, 2);
    }
}

static bw_result fail(const png_input *in, bw_error *error) {
    const char *path = in->source->path;
    if (in->refused)
        return bwi_fail_memory(error, path, in->mem, in->refused);
    if (in->ended)
        return bwi_fail(error, BW_ERR_TRUNCATED, path, (int64_t)in->source->size,
                        "the PNG ends after %zu bytes, before its image does; copy or bake it again", in->source->size);
    return bwi_fail(error, BW_ERR_MALFORMED, path, (int64_t)in->offset,
                    "the PNG is damaged near byte %zu (%s), expected valid chunks; copy or bake it again", in->offset,
                    in->reason);
}

static bw_result check_kind(const png_input *in, bw_error *error) {
    const char *path = in->source->path;
    if ((in->color_type != PNG_COLOR_TYPE_RGB_ALPHA && in->color_type != PNG_COLOR_TYPE_RGB) || in->bit_depth < 8)
        return bwi_fail(
            error, BW_ERR_UNSUPPORTED, path, 24,
            "the PNG has colour type %d with %d bits, expected RGBA (type 6) or RGB (2) with 8 or 16; save it as RGBA",
            in->color_type, in->bit_depth);
    if (in->interlace != PNG_INTERLACE_NONE)
        return bwi_fail(error, BW_ERR_UNSUPPORTED, path, 28,
                        "the PNG is interlaced, expected plain rows; save it without interlacing");
    return BW_OK;
}

static bw_result read_open(png_input *in, bwi_texels *texels, const bwi_texels *expected, const bwi_env *env,
                           bw_error *error) {
    if (!read_head(in))
        return fail(in, error);
    bw_result result = check_kind(in, error);
    if (result != BW_OK)
        return result;
    const bwi_texels claimed = {in->width, in->height, in->bit_depth == 8 ? BWI_TEXEL_U8 : BWI_TEXEL_U16, NULL};
    bwi_texels read = {0};
    result = bwi_image_claim(&read, claimed, (uint64_t)in->source->size * BWI_DEFLATE_MOST_RATIO, in->source, expected,
                             env, error);
    if (result != BW_OK)
        return result;
    if (!read_rows(in, &read)) {
        bwi_texels_free(&read, env->mem);
        return fail(in, error);
    }
    if (read.type == BWI_TEXEL_U16)
        host_from_big(&read);
    *texels = read;
    return BW_OK;
}

bw_result bwi_png_read(bwi_texels *texels, const bwi_image_source *source, const bwi_texels *expected,
                       const bwi_env *env, bw_error *error) {
    if (png_sig_cmp(source->data, 0, source->size < 8 ? source->size : 8) != 0)
        return bwi_fail(error, BW_ERR_MALFORMED, source->path, 0,
                        "does not begin with the PNG signature, expected a PNG file; check what the file is");
    png_input in = {.source = source, .mem = env->mem};
    in.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &in, on_error, on_warning, &in, on_alloc, on_free);
    in.info = in.png ? png_create_info_struct(in.png) : NULL;
    bw_result result = in.info ? read_open(&in, texels, expected, env, error)
                               : bwi_fail_memory(error, source->path, env->mem, in.refused);
    png_destroy_read_struct(&in.png, &in.info, NULL);
    return result;
}
