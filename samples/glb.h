/* SPDX-License-Identifier: MIT
 * A small glTF builder for made assets: one JSON list a kind, one binary chunk.  Memory that runs out ends the program. */
#ifndef SAMPLES_GLB_H
#define SAMPLES_GLB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that grow; {0} is empty. */
typedef struct blob {
    unsigned char *data;
    size_t size, capacity;
} blob;
void blob_add(blob *b, const void *data, size_t size);
void blob_print(blob *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void blob_free(blob *b);

/* realloc that never returns NULL. */
void *grow(void *block, size_t count, size_t size);

typedef enum glb_list {
    GLB_ACCESSORS, GLB_ANIMATIONS, GLB_VIEWS, GLB_IMAGES, GLB_MATERIALS, GLB_MESHES, GLB_NODES, GLB_SAMPLERS, GLB_SCENES, GLB_SKINS,
    GLB_TEXTURES, GLB_LIST_COUNT
} glb_list;

typedef struct glb {
    blob bin;
    blob text[GLB_LIST_COUNT];
    uint32_t count[GLB_LIST_COUNT];
} glb;

/* Appends one object to a list; the format gives its JSON text.  Returns its index. */
uint32_t glb_add(glb *g, glb_list list, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Appends bytes as a buffer view. */
uint32_t glb_view(glb *g, const void *data, size_t size);
/* Accessor of `count` elements of 1, 2, 3, 4 or 16 floats, with its bounds. */
uint32_t glb_floats(glb *g, const float *values, size_t count, unsigned components);
/* Indices, 16 bits wide where they fit. */
uint32_t glb_indices(glb *g, const uint32_t *values, size_t count);
/* VEC4 of bytes: joints. */
uint32_t glb_bytes4(glb *g, const uint8_t *values, size_t count);

/* An animation in the making; {0} begins one. */
typedef struct glb_clip {
    blob samplers, channels;
    uint32_t count;
} glb_clip;
/* In: times — accessor; values — accessor. */
void glb_channel(glb_clip *clip, uint32_t node, const char *path, const char *interpolation, uint32_t times, uint32_t values);
void glb_clip_end(glb *g, glb_clip *clip, const char *name);

/* The whole JSON text; buffer 0 holds the binary chunk.  uri NULL: in the GLB; else named in the buffer. */
blob glb_json(const glb *g, const char *uri);
/* Writes folder/name.glb and forgets everything.  Ends the program where a file cannot be written. */
void glb_write(glb *g, const char *folder, const char *name);
void glb_free(glb *g);
/* Bytes of a GLB made of a JSON text and a binary chunk. */
blob glb_pack(const blob *json, const blob *bin);
/* Writes bytes to folder/file_name. */
void write_file(const char *folder, const char *file_name, const void *data, size_t size);

#endif
