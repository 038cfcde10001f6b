/* SPDX-License-Identifier: MIT
 * Files with one defect each, planted in a triangle that is skinned to two joints and moves: for tests of what a reader says. */
#include "assets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "glb.h"

static const char base_json[] =
    "{\"asset\":{\"version\":\"2.0\"},\n"
    "\"buffers\":[{\"byteLength\":136}],\n"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},\n"
    "{\"buffer\":0,\"byteOffset\":36,\"byteLength\":6},\n"
    "{\"buffer\":0,\"byteOffset\":44,\"byteLength\":8},\n"
    "{\"buffer\":0,\"byteOffset\":52,\"byteLength\":24},\n"
    "{\"buffer\":0,\"byteOffset\":76,\"byteLength\":12},\n"
    "{\"buffer\":0,\"byteOffset\":88,\"byteLength\":48}],\n"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,"
    "1,0]},\n"
    "{\"bufferView\":1,\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"},\n"
    "{\"bufferView\":2,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\",\"min\":[0],\"max\":[1]},\n"
    "{\"bufferView\":3,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"},\n"
    "{\"bufferView\":4,\"componentType\":5121,\"count\":3,\"type\":\"VEC4\"},\n"
    "{\"bufferView\":5,\"componentType\":5126,\"count\":3,\"type\":\"VEC4\"}],\n"
    "\"meshes\":[{\"name\":\"Triangle\",\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":4,\"WEIGHTS_0\":5}"
    ",\"indices\":1}]}],\n"
    "\"nodes\":[{\"name\":\"Triangle\",\"mesh\":0,\"skin\":0},\n"
    "{\"name\":\"Joint A\",\"children\":[2]},\n"
    "{\"name\":\"Joint B\"}],\n"
    "\"skins\":[{\"joints\":[1,2]}],\n"
    "\"animations\":[{\"name\":\"Move\",\"samplers\":[{\"input\":2,\"output\":3}],\n"
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}}]}],\n"
    "\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}]}\n";

/* The buffer that the text above describes. */
enum { POSITIONS_AT = 0, INDICES_AT = 36, TIMES_AT = 44, JOINTS_AT = 76, WEIGHTS_AT = 88, BIN_SIZE = 136 };

static void fill_bin(unsigned char bin[BIN_SIZE]) {
    static const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, times[2] = {0, 1}, moves[6] = {0, 0, 0, 0, 0, 1};
    static const float weights[12] = {1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0, 1, 0, 0};
    static const uint16_t indices[3] = {0, 1, 2};
    static const unsigned char joints[12] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0};
    memset(bin, 0, BIN_SIZE);
    memcpy(bin + POSITIONS_AT, positions, sizeof positions);
    memcpy(bin + INDICES_AT, indices, sizeof indices);
    memcpy(bin + TIMES_AT, times, sizeof times);
    memcpy(bin + TIMES_AT + 8, moves, sizeof moves);
    memcpy(bin + JOINTS_AT, joints, sizeof joints);
    memcpy(bin + WEIGHTS_AT, weights, sizeof weights);
}

typedef enum damage { INTACT = 0, EMPTY, TEXT, MAGIC, TRUNCATED, AS_GLTF } damage;

static const struct defect {
    const char *name, *about;
    damage damage;
    const char *find, *replace; /* in the JSON text; NULL: as it is */
    int at;                     /* in the buffer; with patch_size bytes of patch */
    int patch_size;
    unsigned char patch[4];
} defects[] = {
    {"bad-none", "no defect: the file the others are made from", INTACT, NULL, NULL, 0, 0, {0}},
    {"bad-empty", "no byte", EMPTY, NULL, NULL, 0, 0, {0}},
    {"bad-text", "words instead of a model", TEXT, NULL, NULL, 0, 0, {0}},
    {"bad-magic", "a GLB whose first four bytes are not glTF", MAGIC, NULL, NULL, 0, 0, {0}},
    {"bad-truncated", "a GLB cut in the middle", TRUNCATED, NULL, NULL, 0, 0, {0}},
    {"bad-json", "a comma too many in line 2", INTACT, "\"buffers\":[{", "\"buffers\":[{,", 0, 0, {0}},
    {"bad-version", "asset version 3.0", INTACT, "\"2.0\"", "\"3.0\"", 0, 0, {0}},
    {"bad-short-buffer",
     "a buffer shorter than its views",
     INTACT,
     "\"byteLength\":136",
     "\"byteLength\":100",
     0,
     0,
     {0}},
    {"bad-view-claim",
     "a view of four thousand million bytes",
     INTACT,
     "\"byteLength\":48",
     "\"byteLength\":4000000000",
     0,
     0,
     {0}},
    {"bad-accessor-range",
     "an accessor longer than its view",
     INTACT,
     "5126,\"count\":3,\"type\":\"VEC3\"",
     "5126,\"count\":4,\"type\":\"VEC3\"",
     0,
     0,
     {0}},
    {"bad-accessor-claim",
     "an accessor of four thousand million elements",
     INTACT,
     "5126,\"count\":3,\"type\":\"VEC3\"",
     "5126,\"count\":4000000000,\"type\":\"VEC3\"",
     0,
     0,
     {0}},
    {"bad-index", "an index past the vertices", INTACT, NULL, NULL, INDICES_AT + 4, 1, {7}},
    {"bad-joint", "a joint past the skin", INTACT, NULL, NULL, JOINTS_AT + 5, 1, {9}},
    {"bad-cycle",
     "nodes that are each other's children",
     INTACT,
     "{\"name\":\"Joint B\"}",
     "{\"name\":\"Joint B\",\"children\":[1]}",
     0,
     0,
     {0}},
    {"bad-parents",
     "a node with two parents",
     INTACT,
     "\"mesh\":0,\"skin\":0}",
     "\"mesh\":0,\"skin\":0,\"children\":[2]}",
     0,
     0,
     {0}},
    {"bad-nan-position",
     "a position that is not a number",
     INTACT,
     NULL,
     NULL,
     POSITIONS_AT + 12,
     4,
     {0, 0, 0xC0, 0x7F}},
    {"bad-infinite-position", "a position at infinity", INTACT, NULL, NULL, POSITIONS_AT + 12, 4, {0, 0, 0x80, 0x7F}},
    {"bad-nan-key", "a key time that is not a number", INTACT, NULL, NULL, TIMES_AT + 4, 4, {0, 0, 0xC0, 0x7F}},
    {"bad-infinite-key", "a key time at infinity", INTACT, NULL, NULL, TIMES_AT + 4, 4, {0, 0, 0x80, 0x7F}},
    {"bad-uri",
     "a buffer outside the file's folder",
     AS_GLTF,
     "{\"byteLength\":136}",
     "{\"byteLength\":136,\"uri\":\"../outside.bin\"}",
     0,
     0,
     {0}},
    {"bad-missing-buffer",
     "a buffer file that is not there",
     AS_GLTF,
     "{\"byteLength\":136}",
     "{\"byteLength\":136,\"uri\":\"absent.bin\"}",
     0,
     0,
     {0}},
    {"bad-required",
     "a required extension nobody knows",
     INTACT,
     "{\"asset\"",
     "{\"extensionsUsed\":[\"EXT_nobody_knows\"],\"extensionsRequired\":[\"EXT_nobody_knows\"],\"asset\"",
     0,
     0,
     {0}},
    {"bad-draco",
     "a mesh that needs Draco",
     INTACT,
     "{\"asset\"",
     "{\"extensionsUsed\":[\"KHR_draco_mesh_compression\"],\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],"
     "\"asset\"",
     0,
     0,
     {0}},
    {"bad-no-mesh", "nodes without a mesh", INTACT, "\"mesh\":0,\"skin\":0", "\"extras\":{}", 0, 0, {0}},
};

const char *bad_name(unsigned k, const char **about) {
    if (k >= sizeof defects / sizeof *defects)
        return NULL;
    *about = defects[k].about;
    return defects[k].name;
}

static blob defective_json(const struct defect *defect) {
    blob json = {0};
    const char *found = defect->find ? strstr(base_json, defect->find) : base_json;
    if (!found) {
        fprintf(stderr, "make_assets: %s: its text is not in the base\n", defect->name);
        exit(8);
    }
    blob_add(&json, base_json, (size_t)(found - base_json));
    if (defect->find) {
        blob_print(&json, "%s", defect->replace);
        found += strlen(defect->find);
    }
    blob_print(&json, "%s", found);
    return json;
}

void make_bad(const char *folder, const char *name, const double *parameters) {
    (void)parameters;
    const struct defect *defect = defects;
    while (strcmp(defect->name, name) != 0)
        defect++;
    unsigned char bytes[BIN_SIZE];
    fill_bin(bytes);
    memcpy(bytes + defect->at, defect->patch, (size_t)defect->patch_size);
    blob json = defective_json(defect), bin = {0}, file_name = {0};
    blob_add(&bin, bytes, BIN_SIZE);
    blob file = glb_pack(&json, &bin);
    blob_print(&file_name, "%s.%s", name, defect->damage == AS_GLTF ? "gltf" : "glb");
    const char *out = (const char *)file_name.data;
    static const char words[] = "These are words, not a model.\n";
    switch (defect->damage) {
    case EMPTY:
        write_file(folder, out, words, 0);
        break;
    case TEXT:
        write_file(folder, out, words, sizeof words - 1);
        break;
    case AS_GLTF:
        write_file(folder, out, json.data, json.size);
        break;
    case TRUNCATED:
        write_file(folder, out, file.data, file.size / 2);
        break;
    case MAGIC:
        memcpy(file.data, "glTX", 4);
        write_file(folder, out, file.data, file.size);
        break;
    case INTACT:
        write_file(folder, out, file.data, file.size);
        break;
    }
    blob_free(&json);
    blob_free(&bin);
    blob_free(&file);
    blob_free(&file_name);
}
