/* SPDX-License-Identifier: MIT
 * PNG out: 8- or 16-bit RGBA without any colour chunk, filtered and deflated in blocks of rows, on all threads.
 * Source: PNG (Third Edition) §5, §9; RFC 1950, RFC 1951.
 *
 * libpng deflates on one thread.  Here each block of rows is a deflate stream of its own that ends on a byte
 * (Z_SYNC_FLUSH), so blocks can be made at once and laid end to end; their sizes depend on the image alone, and so do
 * the bytes of the file. */
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "image/image_priv.h"

enum {
    BLOCK_BYTES = 1 << 19, /* of filtered rows; a block is at least one row */
    CHUNK_HEAD = 8,        /* length, name */
    CHUNK_TAIL = 4,        /* CRC */
    ZLIB_HEAD = 2,
    FLUSH_BYTES = 64, /* more than a sync flush adds to deflateBound */
};

/* What one thread needs. */
typedef struct packer {
    z_stream stream;
    bool ready;
    uint8_t *rows;     /* [2][row_size]: the row before, the row */
    uint8_t *filtered; /* [rows_per_block][1 + row_size] */
    uint8_t *chunk;    /* a whole IDAT chunk */
    size_t chunk_size;
} packer;

typedef struct png_job {
    const bwi_image_sink *sink;
    const bwi_texels *texels;
    const bwi_env *env;
    packer *packers;
    size_t row_size, pixel_size, block_count, payload_capacity;
    uint32_t rows_per_block;
    bwi_turn turn;
    uLong adler; /* of all blocks written so far */
} png_job;

static void put_big(uint8_t *to, uint32_t value) {
    to[0] = (uint8_t)(value >> 24);
    to[1] = (uint8_t)(value >> 16);
    to[2] = (uint8_t)(value >> 8);
    to[3] = (uint8_t)value;
}

/* Turns `chunk` with its payload in place into a whole chunk; returns its size. */
static size_t close_chunk(uint8_t *chunk, const char name[4], size_t payload_size) {
    put_big(chunk, (uint32_t)payload_size);
    memcpy(chunk + 4, name, 4);
    put_big(chunk + CHUNK_HEAD + payload_size, (uint32_t)crc32(0, chunk + 4, (uInt)(4 + payload_size)));
    return CHUNK_HEAD + payload_size + CHUNK_TAIL;
}

static void load_row(uint8_t *row, const png_job *job, uint32_t y) {
    const uint8_t *texels = job->texels->data;
    const uint8_t *from = texels + y * job->row_size;
    if (job->texels->type == BWI_TEXEL_U8) {
        memcpy(row, from, job->row_size);
        return;
    }
    for (size_t i = 0; i < job->row_size; i += 2) {
        uint16_t value;
        memcpy(&value, from + i, 2);
        row[i] = (uint8_t)(value >> 8);
        row[i + 1] = (uint8_t)value;
    }
}

static uint32_t distance(const uint8_t *a, const uint8_t *b, size_t count) {
    uint32_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        uint8_t difference = (uint8_t)(a[i] - b[i]);
        sum += difference < 128 ? difference : 256u - difference;
    }
    return sum;
}

static void subtract(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t count) {
    for (size_t i = 0; i < count; ++i)
        out[i] = (uint8_t)(a[i] - b[i]);
}

/* Filters by the texel to the left (the vertex before) or above (the frame before, where a frame is one row),
 * whichever is nearer.  Paeth made files no smaller than the better of the two on baked animation, at a tenth of the
 * speed. */
static void filter_row(uint8_t *out, const uint8_t *row, const uint8_t *above, size_t row_size, size_t pixel_size) {
    const size_t rest = row_size - pixel_size;
    if (distance(row, above, row_size) < distance(row + pixel_size, row, rest)) {
        out[0] = 2;
        subtract(out + 1, row, above, row_size);
    } else {
        out[0] = 1;
        memcpy(out + 1, row, pixel_size);
        subtract(out + 1 + pixel_size, row + pixel_size, row, rest);
    }
}

static size_t filter_block(packer *p, const png_job *job, size_t block) {
    const uint32_t first = (uint32_t)block * job->rows_per_block;
    const uint32_t left = job->texels->height - first;
    const uint32_t count = left < job->rows_per_block ? left : job->rows_per_block;
    uint8_t *above = p->rows, *row = p->rows + job->row_size;
    if (first > 0)
        load_row(above, job, first - 1);
    else
        memset(above, 0, job->row_size);
    for (uint32_t y = 0; y < count; ++y) {
        load_row(row, job, first + y);
        filter_row(p->filtered + y * (1 + job->row_size), row, above, job->row_size, job->pixel_size);
        uint8_t *swap = above;
        above = row;
        row = swap;
    }
    return count * (1 + job->row_size);
}

/* Makes the block's IDAT chunk.  False if zlib does what it cannot do with valid arguments. */
static bool pack_block(packer *p, const png_job *job, size_t block, size_t filtered_size) {
    const bool last = block + 1 == job->block_count;
    uint8_t *payload = p->chunk + CHUNK_HEAD;
    size_t size = 0;
    if (block == 0) {
        payload[size++] = 0x78; /* deflate, 32 KiB window */
        payload[size++] = 0x01; /* fastest, no dictionary; makes the pair a multiple of 31 */
    }
    z_stream *z = &p->stream;
    if (deflateReset(z) != Z_OK)
        return false;
    z->next_in = p->filtered;
    z->avail_in = (uInt)filtered_size;
    z->next_out = payload + size;
    z->avail_out = (uInt)(job->payload_capacity - size);
    const int status = deflate(z, last ? Z_FINISH : Z_SYNC_FLUSH);
    if (status != (last ? Z_STREAM_END : Z_OK) || z->avail_in != 0 || z->avail_out == 0)
        return false;
    p->chunk_size = close_chunk(p->chunk, "IDAT", job->payload_capacity - z->avail_out);
    return true;
}

static bw_result write_block(void *ctx, size_t block, uint32_t worker, bw_error *error) {
    png_job *job = ctx;
    packer *p = &job->packers[worker];
    bw_result result = bwi_image_check_cancelled(job->env, error);
    uLong adler = 0;
    size_t size = 0;
    if (result == BW_OK) {
        size = filter_block(p, job, block);
        adler = adler32(1, p->filtered, (uInt)size);
        if (!pack_block(p, job, block, size))
            result = bwi_fail(error, BW_ERR_INTERNAL, job->sink->path, -1, "zlib refused rows of the image");
    }
    if (result == BW_OK && !bwi_turn_wait(&job->turn, block))
        result = BW_ERR_INTERNAL; /* a lower index has failed: its error is the one reported */
    if (result == BW_OK) {
        job->adler = adler32_combine(job->adler, adler, (z_off_t)size);
        result = bwi_image_put(job->sink, p->chunk, p->chunk_size, error);
    }
    bwi_turn_end(&job->turn, block, result == BW_OK);
    return result;
}

static voidpf zlib_alloc(voidpf mem, uInt count, uInt size) {
    return bwi_alloc(mem, count, size);
}

static void zlib_free(voidpf mem, voidpf block) {
    bwi_free(mem, block);
}

static bw_result open_packer(packer *p, png_job *job, bw_error *error) {
    bwi_mem *mem = job->env->mem;
    const size_t filtered_capacity = job->rows_per_block * (1 + job->row_size);
    p->stream = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = mem};
    /* Filtered texels of moving vertices hardly ever repeat: searching for more than runs takes twice the time, for
     * files as large. */
    p->ready = deflateInit2(&p->stream, 1, Z_DEFLATED, -15, 9, Z_RLE) == Z_OK;
    if (p->ready)
        job->payload_capacity = ZLIB_HEAD + deflateBound(&p->stream, (uLong)filtered_capacity) + FLUSH_BYTES;
    p->rows = p->ready ? bwi_alloc(mem, 2, job->row_size) : NULL;
    p->filtered = p->rows ? bwi_alloc(mem, filtered_capacity, 1) : NULL;
    p->chunk = p->filtered ? bwi_alloc(mem, CHUNK_HEAD + job->payload_capacity + CHUNK_TAIL, 1) : NULL;
    return p->chunk ? BW_OK : bwi_fail_memory(error, job->sink->path, mem, 3 * filtered_capacity);
}

static void close_packer(packer *p, bwi_mem *mem) {
    if (p->ready)
        deflateEnd(&p->stream);
    bwi_free(mem, p->rows);
    bwi_free(mem, p->filtered);
    bwi_free(mem, p->chunk);
}

static bw_result write_head(const bwi_image_sink *sink, const bwi_texels *texels, bw_error *error) {
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    uint8_t head[8 + CHUNK_HEAD + 13 + CHUNK_TAIL] = {0};
    memcpy(head, signature, 8);
    uint8_t *ihdr = head + 8 + CHUNK_HEAD;
    put_big(ihdr, texels->width);
    put_big(ihdr + 4, texels->height);
    ihdr[8] = texels->type == BWI_TEXEL_U8 ? 8 : 16;
    ihdr[9] = 6; /* RGBA; deflate, adaptive filters and no interlacing are 0 */
    close_chunk(head + 8, "IHDR", 13);
    return bwi_image_put(sink, head, sizeof head, error);
}

static bw_result write_tail(const bwi_image_sink *sink, uLong adler, bw_error *error) {
    uint8_t tail[CHUNK_HEAD + 4 + CHUNK_TAIL + CHUNK_HEAD + CHUNK_TAIL];
    put_big(tail + CHUNK_HEAD, (uint32_t)adler);
    size_t size = close_chunk(tail, "IDAT", 4);
    close_chunk(tail + size, "IEND", 0);
    return bwi_image_put(sink, tail, sizeof tail, error);
}

bw_result bwi_png_write(const bwi_image_sink *sink, const bwi_texels *texels, const bwi_env *env, bw_error *error) {
    png_job job = {.sink = sink, .texels = texels, .adler = 1};
    job.pixel_size = bwi_texel_size(texels->type);
    job.row_size = texels->width * job.pixel_size;
    size_t rows = BLOCK_BYTES / (1 + job.row_size);
    rows = rows < 1 ? 1 : rows > texels->height ? texels->height : rows;
    job.rows_per_block = (uint32_t)rows;
    job.block_count = (texels->height + rows - 1) / rows;
    const bwi_env loop_env = bwi_image_loop_env(env, job.block_count);
    job.env = &loop_env;
    job.packers = bwi_alloc(env->mem, loop_env.thread_count, sizeof *job.packers);
    if (!job.packers)
        return bwi_fail_memory(error, sink->path, env->mem, loop_env.thread_count * sizeof *job.packers);
    bwi_turn_init(&job.turn);
    bw_result result = BW_OK;
    for (uint32_t i = 0; i < loop_env.thread_count && result == BW_OK; ++i)
        result = open_packer(&job.packers[i], &job, error);
    if (result == BW_OK)
        result = write_head(sink, texels, error);
    if (result == BW_OK)
        result = bwi_parallel_for(&loop_env, job.block_count, write_block, &job, error);
    if (result == BW_OK)
        result = write_tail(sink, job.adler, error);
    for (uint32_t i = 0; i < loop_env.thread_count; ++i)
        close_packer(&job.packers[i], env->mem);
    bwi_free(env->mem, job.packers);
    bwi_turn_destroy(&job.turn);
    return result;
}
