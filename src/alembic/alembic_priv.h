/* SPDX-License-Identifier: MIT
 * What the files of the Alembic room share: hashes, and nodes of the mapped file. */
#ifndef BWI_ALEMBIC_PRIV_H
#define BWI_ALEMBIC_PRIV_H

#include "bakewell/alembic.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are shown and written as they lie in files");

/* ---- SpookyHash V2, 128 bits, seeds 0 (Bob Jenkins, public domain), whole and streamed: the same result ---- */

enum { BWI_SPOOKY_BUFFER = 192 };
typedef struct bwi_spooky {
    uint64_t state[12];
    uint64_t length;
    uint32_t used; /* of buffer */
    uint8_t buffer[BWI_SPOOKY_BUFFER];
} bwi_spooky;
void bwi_spooky_init(bwi_spooky *spooky);
void bwi_spooky_add(bwi_spooky *spooky, const void *data, size_t size);
void bwi_spooky_add_u64(bwi_spooky *spooky, uint64_t value); /* little-endian */
void bwi_spooky_end(uint8_t hash[16], const bwi_spooky *spooky);
/* The last step of the short form, over a, b, c, d; a and b are what is kept. */
void bwi_spooky_short_end(uint64_t *a, uint64_t *b, uint64_t c, uint64_t d);

/* ---- keys and hashes of archives ---- */

/* Key of a sample: MurmurHash3 of its bytes.  Of wide strings a quarter of the bytes is hashed and a quarter of the length is mixed in, as the
 * reference library has done since 1.5.8. */
void bwi_alembic_key(uint8_t key[16], bw_alembic_pod pod, const void *bytes, size_t size);
/* Digest of an array's sample from its dimensions, as stored, and key.  In: rank — 0: the key itself, as for scalars. */
void bwi_alembic_digest(uint8_t digest[16], uint32_t rank, const uint64_t *dimensions, const uint8_t key[16]);
/* What a property's samples hash to.  {0} before the first; every logical sample is added, repeats included. */
typedef struct bwi_alembic_samples_hash {
    uint64_t a, b;
    uint64_t count;
} bwi_alembic_samples_hash;
void bwi_alembic_samples_hash_add(bwi_alembic_samples_hash *hash, const uint8_t digest[16]);
/* Hash of a scalar or an array.  In: name, metadata — as in the file; samples — left out if there are none. */
typedef struct bwi_alembic_property_facts {
    const char *name;
    size_t name_size;
    const char *metadata;
    size_t metadata_size;
    bw_alembic_pod pod;
    uint32_t extent;
    bool scalar;
    const bw_alembic_time_sampling *sampling;
    bwi_alembic_samples_hash samples;
} bwi_alembic_property_facts;
void bwi_alembic_property_hash(uint8_t hash[16], const bwi_alembic_property_facts *facts);
/* A compound: spooky of its members' hashes in order, then name, then metadata.  An object: spooky of its children's object hashes in order, then
 * its properties hash, metadata, name.  Properties hash: spooky of the top properties' hashes.  Children hash: spooky of the children's object
 * hashes, or zeros where there are none. */

/* ---- headers of properties: bits of the first word ---- */

enum {
    BWI_INFO_KIND = 3, /* mask: 0 compound, 1 scalar, 2 array, 3 array of which every sample has one point */
    BWI_INFO_HINT = 2, /* shift: 0, 1, 2 where the small numbers of the header take 1, 2, 4 bytes */
    BWI_INFO_POD = 4,  /* shift */
    BWI_INFO_SAMPLING = 1 << 8,
    BWI_INFO_CHANGES = 1 << 9,
    BWI_INFO_HOMOGENOUS = 1 << 10,
    BWI_INFO_CONSTANT = 1 << 11,
    BWI_INFO_EXTENT = 12,  /* shift */
    BWI_INFO_METADATA = 20 /* shift: index into the archive's table, or INLINE */
};

/* ---- bytes of samples (alembic_sample.c) ---- */

bool bwi_alembic_is_text(bw_alembic_pod pod);
/* Counts strings or wide strings, each with its zero.  False where the last does not end. */
bool bwi_alembic_count_strings(uint64_t *count, bw_alembic_pod pod, const uint8_t *bytes, size_t size);
/* Points that dimensions ask for: their product, UINT64_MAX where that is more. */
uint64_t bwi_alembic_count_points(const uint64_t *dimensions, uint32_t rank);

/* ---- an open archive ---- */

enum {
    BWI_ALEMBIC_HEAD = 16,        /* bytes before the first node */
    BWI_ALEMBIC_DEPTH_MAX = 1000, /* of objects, and of compounds in an object */
    BWI_ALEMBIC_TABLE_MAX = 255,  /* indexed metadata, the implicit empty one included */
    BWI_ALEMBIC_INLINE = 255      /* instead of an index: metadata stands in the header */
};

/* A list of things with names, and a hash table of their places + 1 for finding one; slots NULL: the list is short, look through it. */
typedef struct bwi_alembic_names { uint32_t *slots; size_t slot_count; } bwi_alembic_names;

typedef struct bwi_alembic_compound {
    bw_alembic_property *data;
    size_t count;
    bwi_alembic_names names;
} bwi_alembic_compound;

typedef struct bwi_alembic_object {
    bw_alembic_object *children;
    size_t child_count;
    bwi_alembic_names names;
    bwi_alembic_compound *properties; /* NULL: not read yet */
    uint8_t hashes[32];               /* of properties, of children */
} bwi_alembic_object;

typedef struct bwi_alembic {
    bw_alembic archive;
    bwi_map map; /* {0}: the bytes are the caller's */
    const uint8_t *data;
    size_t size;
    bwi_arena *arena;
    /* What groups and headers may still take.  Writers never share these nodes, so together they are no longer than the file; a file whose
     * nodes form a circle, or point many times to the same ones, is found out by this. */
    uint64_t unread;
    bw_alembic_object top;
    bw_alembic_metadata table[BWI_ALEMBIC_TABLE_MAX];
    size_t table_count;
    const bw_alembic_metadata *last_own; /* that stood in a header; NULL: none yet */
} bwi_alembic;

/* ---- failing: "FILE: object /a, property .geom/P, sample 3: …" ---- */

typedef struct bwi_alembic_place {
    const bwi_alembic *a;
    const bw_alembic_object *object;     /* NULL: the archive itself */
    const bw_alembic_property *property; /* NULL: the object itself */
    int64_t sample;                      /* -1: none */
    bw_error *error;
} bwi_alembic_place;
bw_result bwi_alembic_fail(const bwi_alembic_place *place, bw_result result, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- nodes: alembic_node.c ---- */

/* A child of a group: a group or data, not yet looked at. */
typedef struct bwi_alembic_child { uint64_t offset; bool is_data; } bwi_alembic_child; /* offset 0: empty */
typedef struct bwi_alembic_group { uint64_t offset; const uint8_t *children; uint64_t count; } bwi_alembic_group;
typedef struct bwi_alembic_data { uint64_t offset; const uint8_t *bytes; size_t size; } bwi_alembic_data; /* offset: of bytes */

uint16_t bwi_alembic_u16(const uint8_t *bytes); /* little-endian, at any address */
uint32_t bwi_alembic_u32(const uint8_t *bytes);
uint64_t bwi_alembic_u64(const uint8_t *bytes);
double bwi_alembic_f64(const uint8_t *bytes);

/* Opens the group at an offset; offset 0: an empty one.  `what` names it in messages: "its group of children".  Err: MALFORMED. */
bw_result bwi_alembic_open_group(bwi_alembic_group *group, const bwi_alembic_place *place, uint64_t offset, const char *what);
/* In: index — below group->count. */
bwi_alembic_child bwi_alembic_get_child(const bwi_alembic_group *group, uint64_t index);
/* Opens data; empty data has size 0.  Err: MALFORMED, also where the child is a group. */
bw_result bwi_alembic_open_data(bwi_alembic_data *data, const bwi_alembic_place *place, bwi_alembic_child child, const char *what);
/* Takes bytes of the allowance `unread`.  Err: MALFORMED. */
bw_result bwi_alembic_charge(bwi_alembic *a, const bwi_alembic_place *place, uint64_t offset, uint64_t bytes);

/* A string of bytes that is read from its beginning; every take fails, and changes nothing, where too little is left. */
typedef struct bwi_alembic_cursor { const uint8_t *at; size_t left; } bwi_alembic_cursor;
bool bwi_alembic_take(const uint8_t **bytes, bwi_alembic_cursor *cursor, size_t size);
bool bwi_alembic_take_u32(uint32_t *value, bwi_alembic_cursor *cursor);
/* A number of 1, 2 or 4 bytes: hint 0, 1 or 2. */
bool bwi_alembic_take_hinted(uint32_t *value, bwi_alembic_cursor *cursor, unsigned hint);

/* ---- names and metadata: alembic_metadata.c ---- */

/* Copies a text of the file.  NULL: no memory. */
char *bwi_alembic_copy(const bwi_alembic *a, const void *text, size_t size);
/* Splits "key=value;key=value" into *metadata.  False: no memory. */
bool bwi_alembic_parse_metadata(bw_alembic_metadata *metadata, const bwi_alembic *a, const void *text, size_t size);
/* An entry of the archive's table, or metadata of its own where index is 255.  Err: MALFORMED, MEMORY. */
bw_result bwi_alembic_get_metadata(const bw_alembic_metadata **metadata, bwi_alembic *a, const bwi_alembic_place *place, uint32_t index,
                                   const uint8_t *text, size_t size);
/* Copies a name; refuses empty ones and those that hold '/' or a zero.  In: what — "an object's name".  Err: MALFORMED, MEMORY. */
bw_result bwi_alembic_get_name(const char **name, const bwi_alembic_place *place, const uint8_t *text, size_t size, const char *what);
/* Fills the table over `count` names, `stride` bytes apart from the first; short lists get none.  Of equal names the first is found.  False: no
 * memory. */
bool bwi_alembic_names_build(bwi_alembic_names *names, bwi_arena *arena, const char *const *first, size_t count, size_t stride);
/* Place of a name, or SIZE_MAX. */
size_t bwi_alembic_names_find(const bwi_alembic_names *names, const char *const *first, size_t count, size_t stride, const char *name, size_t size);

/* ---- parts of opening and walking ---- */

/* Fails with what a file is that does not begin like an archive.  Source: alembic_foreign.c. */
bw_result bwi_alembic_fail_foreign(const bwi_alembic *a, bw_error *error);
/* Reads an object's group: its children and hashes.  Err: as bw_alembic_children. */
bw_result bwi_alembic_load_object(bwi_alembic_object **state, bwi_alembic *a, const bw_alembic_object *object, bw_error *error);
/* Reads a compound's group.  In: parent — NULL: the object's own properties; offset — of the group.  Err: as bw_alembic_children. */
bw_result bwi_alembic_load_compound(bwi_alembic_compound **compound, bwi_alembic *a, const bw_alembic_object *object,
                                    const bw_alembic_property *parent, uint64_t offset, bw_error *error);
/* Which of the stored samples holds a logical one. */
uint32_t bwi_alembic_stored_index(const bw_alembic_property *property, uint32_t index);
uint32_t bwi_alembic_stored_count(const bw_alembic_property *property);

#endif
