/* SPDX-License-Identifier: MIT
 * What the fuzz harnesses of image readers share. */
#ifndef TESTS_IMAGE_FUZZ_H
#define TESTS_IMAGE_FUZZ_H

#include "image/image_priv.h"

typedef bw_result (*image_reader)(bwi_texels *texels, const bwi_image_source *source, const bwi_texels *expected, const bwi_env *env,
                                  bw_error *error);

/* Reads under a budget of 64 MiB.  A failure must have a message and leave nothing; a success must come through our own writer unchanged.
 * Aborts where that does not hold. */
void image_fuzz_one(image_reader reader, bwi_container container, const uint8_t *data, size_t size);

#endif
