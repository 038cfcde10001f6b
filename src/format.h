/* SPDX-License-Identifier: MIT
 * Constants of the texel formats: all that encoders, decoders and shaders share.  Preprocessor lines only, so that every language reads it.
 * Source: docs/FORMATS.md. */
#ifndef BW_FORMAT_H
#define BW_FORMAT_H

#define BW_NATIVE_VERSION 1

/* Largest code of an 8-bit half of a packed octahedral normal. */
#define BW_OCT8_MAX 255

/* The seed layout's rate, frames a second. */
#define BW_SEED_FPS 60

/* Pivot Painter 2: what is added to an index before its bits are those of a half, and how many indices that leaves; the length that an extent of 255
 * stands for and the shortest that is read, centimetres. */
#define BW_PIVOT_INDEX_BIAS 1024
#define BW_PIVOT_INDEX_COUNT 30720
#define BW_PIVOT_EXTENT_CM 2048
#define BW_PIVOT_EXTENT_LEAST_CM 8

#endif
