/* SPDX-License-Identifier: MIT
 * OpenEXR out and in, by OpenEXRCore: scan lines of R, G, B, A as 16- or 32-bit floats, every bit kept.  Written with
 * ZIP; read with every lossless compression, also without A, which is then 1.  Chunks are packed and unpacked on all
 * threads.
 * Source: OpenEXR File Layout; openexr.h 3.1. */
#include <errno.h>
#include <inttypes.h>
#include <openexr.h>
#include <string.h>

#include "base/error.h"
#include "image/image_priv.h"

enum {
    CHANNEL_COUNT = 4,
    ZIP_LEVEL = 2, /* a quarter faster than 4 on baked animation, files 6% larger */
    /* The library's allocator hook has no context, so what a pipeline takes at most is charged to the budget as one
     * block: buffers for a packed chunk, an unpacked one and two scratch ones, the compressor's margin, and PIZ's
     * tables. */
    PIPELINE_BUFFERS = 4,
    PIPELINE_FIXED_BYTES = 2 << 20,
};

/* The library asks for a file name, which it does not use where reading and writing are ours. */
#define CONTEXT_NAME "image.exr"

/* In the file's order, by name, with their place in a texel. */
static const struct {
    const char *name;
    size_t component;
} channels[CHANNEL_COUNT] = {{"A", 3}, {"B", 2}, {"G", 1}, {"R", 0}};

static bw_result fail_exr(const char *path, exr_result_t status, const char *what, const char *reason,
                          bw_error *error) {
    const bool ended = status == EXR_ERR_READ_IO;
    return bwi_fail(error, ended ? BW_ERR_TRUNCATED : BW_ERR_MALFORMED, path, -1,
                    "%s: %s, expected a whole OpenEXR file; copy or bake it again", what,
                    ended     ? "the file ends too early"
                    : *reason ? reason
                              : exr_get_default_error_message(status));
}

/* What a loop over chunks may need outside bwi_alloc, as one block. */
static void *charge_pipelines(const bwi_env *env, size_t chunk_size) {
    return bwi_alloc(env->mem, env->thread_count, PIPELINE_BUFFERS * chunk_size + PIPELINE_FIXED_BYTES);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

typedef struct exr_output {
    const bwi_image_sink *sink;
    const bwi_texels *texels;
    const bwi_env *env;
    exr_context_t context;
    uint64_t position, end;
    int write_errno;
    int32_t lines_per_chunk;
    bwi_turn turn;
} exr_output;

/* A chunk on its way through a pipeline. */
typedef struct exr_chunk {
    exr_output *out;
    size_t index;
    exr_result_t (*compress)(exr_encode_pipeline_t *pipeline); /* the library's */
} exr_chunk;

static void on_write_error(exr_const_context_t context, exr_result_t code, const char *message) {
    (void)context;
    (void)code;
    (void)message; /* without a callback the library would print */
}

/* Chunks come in order; the library goes back only to fill in the table of their places. */
static int64_t on_write(exr_const_context_t context, void *userdata, const void *data, uint64_t size, uint64_t offset,
                        exr_stream_error_func_ptr_t error_cb) {
    (void)context;
    (void)error_cb;
    exr_output *out = userdata;
    errno = 0;
    if (offset != out->position && fseek(out->sink->file, (long)offset, SEEK_SET) != 0)
        out->write_errno = errno;
    else if (fwrite(data, 1, size, out->sink->file) != size)
        out->write_errno = errno ? errno : EIO;
    if (out->write_errno)
        return -1;
    out->position = offset + size;
    if (out->end < out->position)
        out->end = out->position;
    return (int64_t)size;
}

static exr_result_t on_yield(exr_encode_pipeline_t *pipeline) {
    const exr_chunk *chunk = pipeline->encoding_user_data;
    return bwi_turn_wait(&chunk->out->turn, chunk->index) ? EXR_ERR_SUCCESS : EXR_ERR_INCORRECT_CHUNK;
}

/* The library keeps packed bytes that are as many as they were, and every reader takes a chunk of that size for one that was never packed. */
static exr_result_t on_compress(exr_encode_pipeline_t *pipeline) {
    const exr_chunk *chunk = pipeline->encoding_user_data;
    const exr_result_t status = chunk->compress(pipeline);
    if (status == EXR_ERR_SUCCESS && pipeline->compressed_bytes == pipeline->packed_bytes)
        memcpy(pipeline->compressed_buffer, pipeline->packed_buffer, pipeline->packed_bytes);
    return status;
}

static exr_result_t encode_chunk(exr_encode_pipeline_t *pipeline, exr_chunk *chunk) {
    exr_output *out = chunk->out;
    const size_t texel_size = bwi_texel_size(out->texels->type), component_size = texel_size / CHANNEL_COUNT;
    const size_t row_size = out->texels->width * texel_size;
    const int32_t y = (int32_t)chunk->index * out->lines_per_chunk;
    exr_chunk_info_t info;
    exr_result_t status = exr_write_scanline_chunk_info(out->context, 0, y, &info);
    if (status == EXR_ERR_SUCCESS)
        status = exr_encoding_initialize(out->context, 0, &info, pipeline);
    if (status != EXR_ERR_SUCCESS)
        return status;
    const uint8_t *rows = (const uint8_t *)out->texels->data + (size_t)y * row_size;
    for (int c = 0; c < CHANNEL_COUNT; ++c) {
        exr_coding_channel_info_t *channel = &pipeline->channels[c];
        channel->encode_from_ptr = rows + channels[c].component * component_size;
        channel->user_pixel_stride = (int32_t)texel_size;
        channel->user_line_stride = (int32_t)row_size;
        channel->user_bytes_per_element = (int16_t)component_size;
        channel->user_data_type = channel->data_type;
    }
    status = exr_encoding_choose_default_routines(out->context, 0, pipeline);
    if (status != EXR_ERR_SUCCESS)
        return status;
    chunk->compress = pipeline->compress_fn;
    pipeline->compress_fn = on_compress;
    pipeline->encoding_user_data = chunk;
    pipeline->yield_until_ready_fn = on_yield;
    return exr_encoding_run(out->context, 0, pipeline);
}

static bw_result fail_write(const exr_output *out, exr_result_t status, bw_error *error) {
    const char *path = out->sink->path;
    if (out->write_errno)
        return bwi_fail(error, BW_ERR_FILE_WRITE, path, -1,
                        "the image could not be written: %s; make room or choose another folder",
                        strerror(out->write_errno));
    if (status == EXR_ERR_OUT_OF_MEMORY)
        return bwi_fail_memory(error, path, out->env->mem, PIPELINE_FIXED_BYTES);
    return bwi_fail(error, BW_ERR_INTERNAL, path, -1, "OpenEXRCore refused the image: %s",
                    exr_get_default_error_message(status));
}

static bw_result write_chunk(void *ctx, size_t index, uint32_t worker, bw_error *error) {
    (void)worker;
    exr_output *out = ctx;
    exr_chunk chunk = {out, index, NULL};
    bw_result result = bwi_image_check_cancelled(out->env, error);
    if (result == BW_OK) {
        exr_encode_pipeline_t pipeline = EXR_ENCODE_PIPELINE_INITIALIZER;
        exr_result_t status = encode_chunk(&pipeline, &chunk);
        exr_encoding_destroy(out->context, &pipeline);
        if (status != EXR_ERR_SUCCESS)
            result = fail_write(out, status, error);
    }
    bwi_turn_end(&out->turn, index, result == BW_OK);
    return result;
}

static exr_result_t write_header(exr_output *out) {
    int part = 0;
    const exr_pixel_type_t type = out->texels->type == BWI_TEXEL_F16 ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT;
    exr_result_t status = exr_add_part(out->context, NULL, EXR_STORAGE_SCANLINE, &part);
    if (status == EXR_ERR_SUCCESS)
        status = exr_initialize_required_attr_simple(out->context, part, (int32_t)out->texels->width,
                                                     (int32_t)out->texels->height, EXR_COMPRESSION_ZIP);
    for (int c = 0; c < CHANNEL_COUNT && status == EXR_ERR_SUCCESS; ++c)
        status = exr_add_channel(out->context, part, channels[c].name, type, EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1);
    if (status == EXR_ERR_SUCCESS)
        status = exr_write_header(out->context);
    if (status == EXR_ERR_SUCCESS)
        status = exr_get_scanlines_per_chunk(out->context, part, &out->lines_per_chunk);
    return status;
}

static bw_result write_open(exr_output *out, const bwi_env *env, bw_error *error) {
    exr_result_t status = write_header(out);
    if (status != EXR_ERR_SUCCESS)
        return fail_write(out, status, error);
    const size_t lines = (size_t)out->lines_per_chunk;
    const size_t chunk_count = (out->texels->height + lines - 1) / lines;
    const size_t chunk_size = lines * out->texels->width * bwi_texel_size(out->texels->type);
    const bwi_env loop_env = bwi_image_loop_env(env, chunk_count);
    void *charge = charge_pipelines(&loop_env, chunk_size);
    if (!charge)
        return bwi_fail_memory(error, out->sink->path, env->mem, PIPELINE_BUFFERS * chunk_size);
    out->env = &loop_env;
    bwi_turn_init(&out->turn);
    bw_result result = bwi_parallel_for(&loop_env, chunk_count, write_chunk, out, error);
    out->env = NULL;
    bwi_turn_destroy(&out->turn);
    bwi_free(env->mem, charge);
    return result;
}

bw_result bwi_exr_write(const bwi_image_sink *sink, const bwi_texels *texels, const bwi_env *env, bw_error *error) {
    exr_output out = {.sink = sink, .texels = texels, .env = env};
    exr_context_initializer_t setup = EXR_DEFAULT_CONTEXT_INITIALIZER;
    setup.error_handler_fn = on_write_error;
    setup.user_data = &out;
    setup.write_fn = on_write;
    setup.zip_level = ZIP_LEVEL;
    exr_result_t status = exr_start_write(&out.context, CONTEXT_NAME, EXR_WRITE_FILE_DIRECTLY, &setup);
    bw_result result = status == EXR_ERR_SUCCESS ? write_open(&out, env, error) : fail_write(&out, status, error);
    /* Writes nothing more: the table of chunks went out with the last chunk. */
    exr_finish(&out.context);
    /* Back from the table: what follows, and the size of a stream in memory, begin at the end. */
    if (result == BW_OK && fseek(sink->file, (long)out.end, SEEK_SET) != 0) {
        out.write_errno = errno;
        result = fail_write(&out, EXR_ERR_WRITE_IO, error);
    }
    return result;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct exr_input {
    const bwi_image_source *source;
    const bwi_env *env;
    exr_context_t context;
    bool opened;      /* then errors belong to chunks, and come from any thread */
    char reason[256]; /* the first error before that */
    int32_t top, lines_per_chunk;
    bool compressed;
    int channel_count; /* in the file: R, G, B, with or without A */
    bwi_texels texels;
} exr_input;

static void on_read_error(exr_const_context_t context, exr_result_t code, const char *message) {
    (void)code;
    void *userdata = NULL;
    if (!context || exr_get_user_data(context, &userdata) != EXR_ERR_SUCCESS || !userdata)
        return;
    exr_input *in = userdata;
    if (!in->opened && !*in->reason)
        snprintf(in->reason, sizeof in->reason, "%s", message);
}

static int64_t on_read(exr_const_context_t context, void *userdata, void *to, uint64_t size, uint64_t offset,
                       exr_stream_error_func_ptr_t error_cb) {
    (void)context;
    (void)error_cb;
    const exr_input *in = userdata;
    const uint64_t left = offset < in->source->size ? in->source->size - offset : 0;
    const uint64_t count = size < left ? size : left;
    if (count > 0)
        memcpy(to, in->source->data + offset, count);
    return (int64_t)count;
}

static int64_t on_size(exr_const_context_t context, void *userdata) {
    (void)context;
    const exr_input *in = userdata;
    return (int64_t)in->source->size;
}

static bw_result fail_kind(const exr_input *in, const char *found, const char *expected, bw_error *error) {
    return bwi_fail(error, BW_ERR_UNSUPPORTED, in->source->path, -1,
                    "the OpenEXR file %s, expected %s; save it that way or bake it again", found, expected);
}

/* Looks at magic number and version before the library does: of what other kinds of file hold, it never parses a byte. */
static bw_result check_version(const exr_input *in, bw_error *error) {
    static const uint8_t magic[4] = {0x76, 0x2F, 0x31, 0x01};
    const bwi_image_source *source = in->source;
    if (memcmp(source->data, magic, source->size < 4 ? source->size : 4) != 0)
        return bwi_fail(error, BW_ERR_MALFORMED, source->path, 0,
                        "does not begin with OpenEXR's magic number, expected an EXR file; check what the file is");
    if (source->size < 8)
        return fail_exr(source->path, EXR_ERR_READ_IO, "the header", "", error);
    if (source->data[4] != 2)
        return fail_kind(in, "is of another version than 2", "version 2", error);
    const uint8_t flags = source->data[5];
    if (flags & 0x02)
        return fail_kind(in, "is tiled", "scan lines", error);
    if (flags & 0x08)
        return fail_kind(in, "holds deep pixels", "plain scan lines", error);
    if (flags & 0x10)
        return fail_kind(in, "has several parts", "one part", error);
    if ((flags & ~0x04) != 0 || source->data[6] != 0 || source->data[7] != 0)
        return fail_kind(in, "has flags of a later version", "version 2", error);
    return BW_OK;
}

static bw_result check_channels(exr_input *in, bw_error *error) {
    const exr_attr_chlist_t *list = NULL;
    exr_result_t status = exr_get_channels(in->context, 0, &list);
    if (status != EXR_ERR_SUCCESS)
        return fail_exr(in->source->path, status, "the channel list", in->reason, error);
    const int count = list->num_channels;
    bool good = count == CHANNEL_COUNT || count == CHANNEL_COUNT - 1;
    for (int c = 0; c < count && good; ++c)
        good = strcmp(list->entries[c].name.str, channels[CHANNEL_COUNT - count + c].name) == 0;
    if (!good)
        return fail_kind(in, "has other channels", "exactly R, G and B, with or without A", error);
    for (int c = 0; c < count; ++c) {
        const exr_attr_chlist_entry_t *channel = &list->entries[c];
        if (channel->x_sampling != 1 || channel->y_sampling != 1)
            return fail_kind(in, "has subsampled channels", "a value a pixel", error);
        if (channel->pixel_type != list->entries[0].pixel_type)
            return fail_kind(in, "has channels of several types", "one type, half or float", error);
    }
    if (list->entries[0].pixel_type != EXR_PIXEL_HALF && list->entries[0].pixel_type != EXR_PIXEL_FLOAT)
        return fail_kind(in, "has channels of integers", "half or float", error);
    in->texels.type = list->entries[0].pixel_type == EXR_PIXEL_HALF ? BWI_TEXEL_F16 : BWI_TEXEL_F32;
    in->channel_count = count;
    return BW_OK;
}

static bw_result check_header(exr_input *in, bw_error *error) {
    exr_storage_t storage = EXR_STORAGE_LAST_TYPE;
    exr_compression_t compression = EXR_COMPRESSION_LAST_TYPE;
    exr_attr_box2i_t data, display;
    exr_result_t status = exr_get_storage(in->context, 0, &storage);
    if (status == EXR_ERR_SUCCESS)
        status = exr_get_compression(in->context, 0, &compression);
    if (status == EXR_ERR_SUCCESS)
        status = exr_get_data_window(in->context, 0, &data);
    if (status == EXR_ERR_SUCCESS)
        status = exr_get_display_window(in->context, 0, &display);
    if (status == EXR_ERR_SUCCESS)
        status = exr_get_scanlines_per_chunk(in->context, 0, &in->lines_per_chunk);
    if (status != EXR_ERR_SUCCESS)
        return fail_exr(in->source->path, status, "the header", in->reason, error);
    if (storage != EXR_STORAGE_SCANLINE)
        return fail_kind(in, "holds no plain scan lines", "scan lines", error);
    if (compression > EXR_COMPRESSION_PIZ)
        return fail_kind(in, "is compressed with loss", "no compression, RLE, ZIPS, ZIP or PIZ", error);
    if (memcmp(&data, &display, sizeof data) != 0)
        return fail_kind(in, "has a data window other than its display window", "every pixel stored", error);
    in->compressed = compression != EXR_COMPRESSION_NONE;
    in->top = data.min.y;
    /* The library has checked that no difference overflows, and that none is negative. */
    in->texels.width = (uint32_t)(data.max.x - data.min.x) + 1;
    in->texels.height = (uint32_t)(data.max.y - data.min.y) + 1;
    return check_channels(in, error);
}

/* What a sampler returns for a texture without alpha. */
static void fill_alpha(uint8_t *texels, size_t count, bwi_texel_type type) {
    static const uint16_t half_one = 0x3C00;
    static const float one = 1.0f;
    for (size_t i = 0; i < count; ++i) {
        if (type == BWI_TEXEL_F16)
            memcpy(texels + i * 8 + 6, &half_one, sizeof half_one);
        else
            memcpy(texels + i * 16 + 12, &one, sizeof one);
    }
}

static exr_result_t decode_chunk(exr_decode_pipeline_t *pipeline, const exr_input *in, size_t index) {
    const size_t texel_size = bwi_texel_size(in->texels.type), component_size = texel_size / CHANNEL_COUNT;
    const size_t row_size = in->texels.width * texel_size, first_channel = (size_t)(CHANNEL_COUNT - in->channel_count);
    const size_t packed_row_size = in->texels.width * component_size * (size_t)in->channel_count;
    const size_t first_row = index * (size_t)in->lines_per_chunk;
    exr_chunk_info_t info;
    exr_result_t status = exr_read_scanline_chunk_info(in->context, 0, in->top + (int32_t)first_row, &info);
    if (status != EXR_ERR_SUCCESS)
        return status;
    /* Writers store what would grow as it is.  The library takes an empty chunk for a decoded one, and leaves its
     * buffer as malloc made it. */
    const size_t lines = in->texels.height - first_row < (size_t)in->lines_per_chunk ? in->texels.height - first_row
                                                                                     : (size_t)in->lines_per_chunk;
    if (info.packed_size == 0 || info.packed_size > info.unpacked_size ||
        info.unpacked_size != lines * packed_row_size || (!in->compressed && info.packed_size != info.unpacked_size))
        return EXR_ERR_BAD_CHUNK_LEADER;
    status = exr_decoding_initialize(in->context, 0, &info, pipeline);
    if (status != EXR_ERR_SUCCESS)
        return status;
    uint8_t *rows = (uint8_t *)in->texels.data + first_row * row_size;
    if (first_channel != 0)
        fill_alpha(rows, lines * in->texels.width, in->texels.type);
    for (int c = 0; c < in->channel_count; ++c) {
        exr_coding_channel_info_t *channel = &pipeline->channels[c];
        channel->decode_to_ptr = rows + channels[first_channel + (size_t)c].component * component_size;
        channel->user_pixel_stride = (int32_t)texel_size;
        channel->user_line_stride = (int32_t)row_size;
        channel->user_bytes_per_element = (int16_t)component_size;
        channel->user_data_type = channel->data_type;
    }
    status = exr_decoding_choose_default_routines(in->context, 0, pipeline);
    return status != EXR_ERR_SUCCESS ? status : exr_decoding_run(in->context, 0, pipeline);
}

static bw_result read_chunk(void *ctx, size_t index, uint32_t worker, bw_error *error) {
    (void)worker;
    const exr_input *in = ctx;
    bw_result result = bwi_image_check_cancelled(in->env, error);
    if (result != BW_OK)
        return result;
    exr_decode_pipeline_t pipeline = EXR_DECODE_PIPELINE_INITIALIZER;
    exr_result_t status = decode_chunk(&pipeline, in, index);
    exr_decoding_destroy(in->context, &pipeline);
    if (status == EXR_ERR_SUCCESS)
        return BW_OK;
    if (status == EXR_ERR_OUT_OF_MEMORY)
        return bwi_fail_memory(error, in->source->path, in->env->mem, PIPELINE_FIXED_BYTES);
    char what[64];
    snprintf(what, sizeof what, "the rows from %zu on", index * (size_t)in->lines_per_chunk);
    return fail_exr(in->source->path, status, what, "", error);
}

static bw_result read_chunks(exr_input *in, bw_error *error) {
    const size_t lines = (size_t)in->lines_per_chunk;
    const size_t chunk_count = (in->texels.height + lines - 1) / lines;
    const size_t chunk_size = lines * in->texels.width * bwi_texel_size(in->texels.type);
    const bwi_env loop_env = bwi_image_loop_env(in->env, chunk_count);
    void *charge = charge_pipelines(&loop_env, chunk_size);
    if (!charge)
        return bwi_fail_memory(error, in->source->path, in->env->mem, PIPELINE_BUFFERS * chunk_size);
    bw_result result = bwi_parallel_for(&loop_env, chunk_count, read_chunk, in, error);
    bwi_free(in->env->mem, charge);
    return result;
}

static bw_result read_open(exr_input *in, const bwi_texels *expected, bw_error *error) {
    in->opened = true;
    bw_result result = check_header(in, error);
    if (result != BW_OK)
        return result;
    const uint64_t most_bytes = (uint64_t)in->source->size * (in->compressed ? BWI_DEFLATE_MOST_RATIO : 1u);
    const bwi_texels claimed = in->texels;
    result = bwi_image_claim(&in->texels, claimed, most_bytes, in->source, expected, in->env, error);
    if (result != BW_OK)
        return result;
    result = read_chunks(in, error);
    if (result != BW_OK)
        bwi_texels_free(&in->texels, in->env->mem);
    return result;
}

bw_result bwi_exr_read(bwi_texels *texels, const bwi_image_source *source, const bwi_texels *expected,
                       const bwi_env *env, bw_error *error) {
    exr_input in = {.source = source, .env = env};
    bw_result result = check_version(&in, error);
    if (result != BW_OK)
        return result;
    exr_context_initializer_t setup = EXR_DEFAULT_CONTEXT_INITIALIZER;
    setup.error_handler_fn = on_read_error;
    setup.user_data = &in;
    setup.read_fn = on_read;
    setup.size_fn = on_size;
    /* A damaged table of chunks is an error: the library would otherwise look for chunks in whatever bytes follow. */
    setup.flags = EXR_CONTEXT_FLAG_DISABLE_CHUNK_RECONSTRUCTION;
    exr_result_t status = exr_start_read(&in.context, CONTEXT_NAME, &setup);
    if (status == EXR_ERR_SUCCESS)
        result = read_open(&in, expected, error);
    else if (status == EXR_ERR_OUT_OF_MEMORY)
        result = bwi_fail_memory(error, source->path, env->mem, PIPELINE_FIXED_BYTES);
    else
        result = fail_exr(source->path, status, "the header", in.reason, error);
    exr_finish(&in.context);
    if (result == BW_OK)
        *texels = in.texels;
    return result;
}
