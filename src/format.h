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

#endif
