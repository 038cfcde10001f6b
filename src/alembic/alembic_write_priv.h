/* SPDX-License-Identifier: MIT
 * What the files of the Alembic writer share: nodes on the disk, and the tree of what is open. */
#ifndef BWI_ALEMBIC_WRITE_PRIV_H
#define BWI_ALEMBIC_WRITE_PRIV_H

#include <stdio.h>

#include "alembic/alembic_priv.h"
#include "bakewell/alembic_write.h"
#include "base/file.h"
#include "base/mem.h"

/* ---- nodes on the disk (alembic_write_store.c) ---- */

/* Codes of children without a node. */
#define BWI_OGAWA_EMPTY_GROUP UINT64_C(0)
#define BWI_OGAWA_EMPTY_DATA (UINT64_C(1) << 63)

/* Samples share a node only with those of the same class. */
typedef enum bwi_alembic_class { BWI_ALEMBIC_NUMBERS = 0, BWI_ALEMBIC_STRINGS, BWI_ALEMBIC_WIDE_STRINGS } bwi_alembic_class;

/* A stored sample: key, then `size` bytes; child is its code, EMPTY_DATA if size is 0. */
typedef struct bwi_alembic_stored {
    uint8_t key[16];
    uint64_t child, size;
    uint64_t value_count; /* as seen by who wrote it first */
    bwi_alembic_class of;
} bwi_alembic_stored;

/* The file being written, with an index of the samples in it. */
typedef struct bwi_alembic_store {
    bwi_mem *mem;
    bwi_outputs *outputs;
    FILE *file; /* NULL: closed, or lost */
    int read_fd; /* of the same file */
    uint8_t *tail; /* bytes from `flushed` to `position` */
    uint64_t flushed, position;
    uint8_t *compared; /* scratch */
    bwi_alembic_stored *samples; /* open addressing by key; child 0: free */
    size_t sample_count, sample_capacity;
    bw_error failure; /* what lost the file; result BW_OK while it is good */
} bwi_alembic_store;

/* Err: as bw_alembic_create. */
bw_result bwi_alembic_store_open(bwi_alembic_store *store, FILE *file, const char *path, bwi_mem *mem, bw_error *error);
void bwi_alembic_store_close(bwi_alembic_store *store); /* {0}-safe */
/* Writes a node of two parts, either of which may be empty.  Out: child. */
bw_result bwi_alembic_store_data(uint64_t *child, bwi_alembic_store *store, const void *head, size_t head_size, const void *bytes, size_t size,
                                 bw_error *error);
bw_result bwi_alembic_store_group(uint64_t *child, bwi_alembic_store *store, const uint64_t *children, size_t count, bw_error *error);
/* True if a stored sample's bytes are these, of which there are as many. */
bool bwi_alembic_store_holds(const bwi_alembic_store *store, const bwi_alembic_stored *stored, const void *bytes);
/* Writes a sample, or finds an equal one.  In: sample — key, size, value_count, of.  Out: sample — child; value_count of the first. */
bw_result bwi_alembic_store_sample(bwi_alembic_stored *sample, bwi_alembic_store *store, const void *bytes, bw_error *error);
/* Writes the root's place and the mark that the file is whole, and makes it appear.  In: root — a group. */
bw_result bwi_alembic_store_finish(bwi_alembic_store *store, uint64_t root, const char *before_write, bw_error *error);

/* ---- the tree (alembic_write_tree.c) ---- */

typedef enum bwi_alembic_node_kind { BWI_NODE_OBJECT = 0, BWI_NODE_COMPOUND, BWI_NODE_SCALAR, BWI_NODE_ARRAY } bwi_alembic_node_kind;

typedef struct bwi_alembic_node bwi_alembic_node;

typedef struct bwi_alembic_node_list {
    bwi_alembic_node **data;
    uint32_t count, capacity;
    uint32_t *names; /* open addressing by name: index + 1; NULL while the list is short */
    uint32_t name_capacity;
} bwi_alembic_node_list;

/* The samples of an open scalar or array. */
typedef struct bwi_alembic_samples {
    struct {
        uint64_t *data; /* children of the property's group */
        size_t count, capacity;
    } stored;
    bwi_alembic_stored last; /* the sample put last, and its dimensions */
    uint64_t last_dimensions_child;
    uint32_t last_rank;
    uint64_t last_dimensions[BW_ALEMBIC_RANK_MAX];
    uint8_t last_digest[16];
    bwi_alembic_samples_hash hash;
} bwi_alembic_samples;

/* An object or a property; once ended, what its parent needs. */
struct bwi_alembic_node {
    bwi_alembic_node *parent; /* NULL: the top object */
    bwi_alembic_node_kind kind;
    uint32_t slot;  /* BW_NO_INDEX once ended */
    uint32_t depth; /* below the top object */
    const char *metadata;
    uint32_t metadata_size, name_size;
    uint8_t metadata_index; /* in the archive's table, or INLINE: the text is the node's own */
    uint8_t extent;
    bw_alembic_pod pod;
    uint32_t time_sampling;
    uint32_t sample_count, first_changed, last_changed;
    bool scalar_like, homogenous;
    uint64_t child; /* once ended: its code, */
    uint8_t hash[16]; /* and what it adds to its parent's */
    bwi_alembic_node_list properties; /* of an object or a compound */
    bwi_alembic_node_list objects;    /* of an object */
    bwi_alembic_samples *samples;     /* of a scalar or an array */
    char name[];
};

typedef struct bwi_alembic_slot {
    bwi_alembic_node *node; /* NULL: free */
    uint32_t generation;
    uint32_t next_free; /* or BW_NO_INDEX */
} bwi_alembic_slot;

struct bw_alembic_writer {
    bwi_mem mem;
    bwi_arena *arena; /* path, times, the metadata table */
    const char *path, *before_write;
    bwi_alembic_store store;
    bwi_alembic_node *top;
    struct {
        bwi_alembic_slot *data;
        uint32_t count, capacity, first_free;
    } slots;
    struct {
        bw_alembic_time_sampling *data;
        uint32_t count, capacity;
    } samplings;
    struct {
        const char *data[BWI_ALEMBIC_INLINE - 1]; /* the entry of index i + 1 */
        uint8_t sizes[BWI_ALEMBIC_INLINE - 1];
        uint32_t count;
    } table;
    bool finished;
    char place[512]; /* of the node last asked for */
};

/* The open node of an id.  Err: USAGE; FILE_WRITE, that which lost the file. */
bw_result bwi_alembic_writer_check(const bw_alembic_writer *writer, bw_error *error);
bw_result bwi_alembic_writer_find(bwi_alembic_node **node, const bw_alembic_writer *writer, bw_alembic_id id, bw_error *error);
/* "/a/b" or "/a/b:.geom/P", in writer->place; cut from the left if it is long. */
const char *bwi_alembic_node_place(bw_alembic_writer *writer, const bwi_alembic_node *node);
/* Text of metadata as files hold it, in a block of the writer's budget (NULL for none).  In: version — true: add "_ai_AlembicVersion". */
bw_result bwi_alembic_metadata_text(char **text, size_t *size, bw_alembic_writer *writer, const bw_alembic_metadata *metadata, bool version,
                                    bw_error *error);
/* Adds a node to its parent (NULL: the top object) and opens it.  In: node — kind, pod, extent, time_sampling are used. */
bw_result bwi_alembic_node_add(bw_alembic_id *id, bw_alembic_writer *writer, bwi_alembic_node *parent, const char *name,
                               const bwi_alembic_node *like, const bw_alembic_metadata *metadata, bw_error *error);
/* Ends a node and all below it: writes groups and headers, fills child and hash. */
bw_result bwi_alembic_node_end(bw_alembic_writer *writer, bwi_alembic_node *node, bw_error *error);
void bwi_alembic_node_free(bw_alembic_writer *writer, bwi_alembic_node *node); /* and all below; NULL-safe */

#endif
