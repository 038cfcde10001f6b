/* SPDX-License-Identifier: MIT
 * What the files of the image room share: one writer and one reader a container, and the checks that all of them make. */
#ifndef BWI_IMAGE_IMAGE_PRIV_H
#define BWI_IMAGE_IMAGE_PRIV_H

#include <pthread.h>

#include "image/image.h"

/* Largest side that is read: beyond any GPU's limit, and small enough that no product of sides and texel size overflows. */
#define BWI_IMAGE_MAX_SIDE 65536u

/* A file that is to be written, and its name for messages. */
typedef struct bwi_image_sink { FILE *file; const char *path; } bwi_image_sink;

bw_result bwi_image_put(const bwi_image_sink *sink, const void *data, size_t size, bw_error *error);
/* All texels, tight, in little-endian order. */
bw_result bwi_image_put_texels(const bwi_image_sink *sink, const bwi_texels *texels, bw_error *error);

bw_result bwi_png_write(const bwi_image_sink *sink, const bwi_texels *texels, const bwi_env *env, bw_error *error);
bw_result bwi_exr_write(const bwi_image_sink *sink, const bwi_texels *texels, const bwi_env *env, bw_error *error);
bw_result bwi_ktx2_write(const bwi_image_sink *sink, const bwi_texels *texels, bw_error *error);

/* A whole file in memory: what readers, and the fuzzers, start from. */
typedef struct bwi_image_source { const uint8_t *data; size_t size; const char *path; } bwi_image_source;

/* As bwi_image_read. */
bw_result bwi_png_read(bwi_texels *texels, const bwi_image_source *source, const bwi_texels *expected, const bwi_env *env, bw_error *error);
bw_result bwi_exr_read(bwi_texels *texels, const bwi_image_source *source, const bwi_texels *expected, const bwi_env *env, bw_error *error);
bw_result bwi_ktx2_read(bwi_texels *texels, const bwi_image_source *source, const bwi_texels *expected, const bwi_env *env, bw_error *error);
bw_result bwi_tga_read(bwi_texels *texels, const bwi_image_source *source, const bwi_texels *expected, const bwi_env *env, bw_error *error);
bw_result bwi_raw_read(bwi_texels *texels, const bwi_image_source *source, const bwi_texels *expected, const bwi_env *env, bw_error *error);

/* Judges the sides and the type that a file claims, then allocates for them.
 * Out: texels — zeroed texels from env->mem.  In: most_bytes — the most that the file's size can hold once decompressed.
 * Err: MALFORMED (a side of 0), TOO_LARGE, DIFFERS, TRUNCATED (the file is too small for its claim), MEMORY. */
bw_result bwi_image_claim(bwi_texels *texels, bwi_texels claimed, uint64_t most_bytes, const bwi_image_source *source,
                          const bwi_texels *expected, const bwi_env *env, bw_error *error);

/* Deflate makes at most 1032 bytes out of one. */
#define BWI_DEFLATE_MOST_RATIO 1032u

/* Copies components from host order to little-endian or back, which is the same permutation.  In: component_size — 1, 2 or 4; src and dst
 * are the same or apart, of any alignment. */
void bwi_image_swap_little(void *dst, const void *src, size_t component_size, size_t count);
size_t bwi_image_component_size(bwi_texel_type type); /* 1, 2 or 4 */

/* Lets the tasks of bwi_parallel_for do one part of their work in the order of their indices. */
typedef struct bwi_turn {
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    size_t next, failed; /* failed: the lowest index that failed, SIZE_MAX if none did */
} bwi_turn;
void bwi_turn_init(bwi_turn *turn);
void bwi_turn_destroy(bwi_turn *turn);
/* Waits until every lower index has ended its turn.  False if one of them failed. */
bool bwi_turn_wait(bwi_turn *turn, size_t index);
/* Ends the turn of an index, or its task before its turn if that failed: each index that began calls this exactly once. */
void bwi_turn_end(bwi_turn *turn, size_t index, bool good);

/* The part of an environment that a loop of `count` tasks can use: no more threads than tasks. */
bwi_env bwi_image_loop_env(const bwi_env *env, size_t count);
/* BW_ERR_CANCELLED if the user has cancelled. */
bw_result bwi_image_check_cancelled(const bwi_env *env, bw_error *error);

#endif
