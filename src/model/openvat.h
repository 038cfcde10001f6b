/* SPDX-License-Identifier: MIT
 * OpenVAT's "…-remap_info.json": range of the offsets, number of frames, animations.  Source: docs/FORMATS.md. */
#ifndef BWI_MODEL_OPENVAT_H
#define BWI_MODEL_OPENVAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"

typedef struct bwi_openvat_clip {
    const char *name;
    int64_t start_frame, end_frame; /* counted from 1, both played */
    double rate_fps;
    bool loop;
} bwi_openvat_clip;

typedef struct bwi_openvat_info {
    float min[3], max[3]; /* of the offsets, Blender's axes, metres */
    uint32_t frame_count;
    struct { bwi_openvat_clip *data; size_t count; } clips; /* may overlap, may be none */
} bwi_openvat_info;

/* Whether a JSON text is such a file and no manifest of ours. */
bool bwi_openvat_recognise(const char *text, size_t size);
/* Reads it as its own tools wrote and people edited it: commas may trail, "animations" may be missing.  Out: info — in the arena.
 * Err: JSON, MALFORMED (names the key), MEMORY. */
bw_result bwi_openvat_parse(bwi_openvat_info **info, bwi_arena *arena, const char *text, size_t size, const char *path, bw_error *error);
/* Err: FILE_WRITE, MEMORY. */
bw_result bwi_openvat_write(FILE *file, const char *path, const bwi_openvat_info *info, bwi_mem *mem, bw_error *error);

#endif
