/* SPDX-License-Identifier: MIT
 * Alembic archives built node by node in memory: whole ones with right keys and hashes, and parts to build wrong ones from. */
#ifndef TESTS_ARCHIVE_BUILDER_H
#define TESTS_ARCHIVE_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bakewell/alembic.h"

typedef struct archive_builder {
    uint8_t *bytes;
    size_t size, capacity;
} archive_builder;

/* What stands in a parent's list of children or members. */
typedef struct archive_part {
    uint8_t header[512];
    size_t header_size;
    uint64_t child; /* the word in the parent's group */
    uint8_t hash[16];
} archive_part;

typedef struct archive_sample {
    const void *bytes;
    size_t size;
    const uint64_t *dimensions; /* NULL: none are stored */
    uint32_t rank;              /* that goes into the hash: 1 where none are stored */
    uint64_t point_count;
} archive_sample;

void archive_begin(archive_builder *b);
void archive_free(archive_builder *b);
/* Nodes; each gives the word for a parent's group. */
uint64_t archive_data(archive_builder *b, const void *bytes, size_t size);
uint64_t archive_group(archive_builder *b, const uint64_t *children, size_t count);
/* A sample with its key; empty ones take no node.  Out: key — may be NULL. */
uint64_t archive_values(archive_builder *b, bw_alembic_pod pod, const void *bytes, size_t size, uint8_t key[16]);

/* A property of which every sample is stored. */
void archive_simple(archive_builder *b, archive_part *part, const char *name, const char *metadata, bw_alembic_kind kind, bw_alembic_pod pod,
                    uint32_t extent, uint32_t time_sampling, const bw_alembic_time_sampling *sampling, const archive_sample *samples,
                    uint32_t count);
void archive_compound(archive_builder *b, archive_part *part, const char *name, const char *metadata, const archive_part *members,
                      size_t count);
/* In: table_index — 255: metadata stands in the header; else the entry that holds it. */
void archive_object(archive_builder *b, archive_part *part, const char *name, const char *metadata, uint8_t table_index,
                    const archive_part *properties, size_t property_count, const archive_part *children, size_t child_count);
/* Writes the root group and closes the archive.  In: samplings — one record after the other; table — likewise. */
void archive_end(archive_builder *b, const archive_part *top, const char *metadata, const bw_alembic_time_sampling *samplings,
                 size_t sampling_count, const char *const *table, size_t table_count);

/* A small whole archive: /cloth moves at 24 fps, /cloth/shape is a mesh of two triangles with three frames, names, wide text and an empty
 * list, /again is an instance of /cloth. */
void archive_cloth(archive_builder *b);

#endif
