/* SPDX-License-Identifier: MIT
 * Image files: texel blocks out and in.  Linear data: no gamma, no colour chunk, no mip level, no flip. */
#ifndef BWI_IMAGE_IMAGE_H
#define BWI_IMAGE_IMAGE_H

#include <stdio.h>

#include "base/thread.h"
#include "model/texels.h"

/* Writes texels as a container that holds their type (PNG: U8, U16; EXR: F16, F32; KTX2: U16, U10, F16, F32; RAW: U8 … F32, little-endian,
 * row 0 first).  In: path — for messages.  Err: FILE_WRITE, MEMORY, CANCELLED.  The bytes do not depend on env->thread_count. */
bw_result bwi_image_write(FILE *file, const char *path, bwi_container container, const bwi_texels *texels, const bwi_env *env,
                          bw_error *error);

/* Reads an image of exactly these sides and type.  Out: texels->data — from env->mem, freed by bwi_texels_free.
 * In: expected — width, height and type of the file; what differs is BW_ERR_DIFFERS, found before the pixels are decoded; NULL: whatever
 * the file holds (not for RAW).  Err: FILE_*, EMPTY, TRUNCATED, MALFORMED, UNSUPPORTED (deep, tiled, interlaced …), TOO_LARGE, MEMORY,
 * CANCELLED. */
bw_result bwi_image_read(bwi_texels *texels, const char *path, bwi_container container, const bwi_texels *expected, const bwi_env *env,
                         bw_error *error);
/* What kind of image a file is, by its first bytes; TGA, which begins like nothing, by its name's end.  Returns false for none of PNG, EXR, TGA. */
bool bwi_image_recognise(bwi_container *container, const char *path, const void *data, size_t size);
/* "16-bit floats". */
const char *bwi_texel_type_text(bwi_texel_type type);
void bwi_texels_free(bwi_texels *texels, bwi_mem *mem); /* {0}-safe */

#endif
