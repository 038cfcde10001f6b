/* SPDX-License-Identifier: MIT
 * Images for tests: every kind of file, texels with edge values, a temporary folder. */
#ifndef TESTS_IMAGE_FIXTURE_H
#define TESTS_IMAGE_FIXTURE_H

#include "image/image.h"

/* A container with a texel type that it can hold. */
typedef struct image_kind { const char *name; bwi_container container; bwi_texel_type type; } image_kind;
enum { IMAGE_KIND_COUNT = 13 };
extern const image_kind image_kinds[IMAGE_KIND_COUNT];

/* The size of texels->data in bytes. */
size_t image_size(const bwi_texels *texels);
/* Texels in malloc'ed memory: the type's edge values first (zeros of both signs, denormals, infinities, NaNs with payload; 0 and the
 * greatest code), then rows of noise, of slow change and of one value by turns.  The same for the same sides, type and seed. */
bwi_texels image_make(uint32_t width, uint32_t height, bwi_texel_type type, uint32_t seed);

/* Opens path, writes, closes. */
bw_result image_save(const char *path, const image_kind *kind, const bwi_texels *texels, const bwi_env *env, bw_error *error);

/* cmocka's group set-up and tear-down: a folder of the program's own. */
int image_make_folder(void **state);
int image_remove_folder(void **state);
/* A path in that folder, in static memory until the next call. */
const char *image_path(const char *name);
void image_write_bytes(const char *path, const void *data, size_t size);
/* A whole file in malloc'ed memory. */
uint8_t *image_read_bytes(const char *path, size_t *size);

#endif
