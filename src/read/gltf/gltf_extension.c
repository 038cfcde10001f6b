/* SPDX-License-Identifier: MIT
 * The file's version and its extensions: what each known one means for a bake, and what to do about those that stop it. */
#include <stdio.h>
#include <string.h>

#include "read/gltf/gltf_priv.h"

typedef enum extension_fate {
    FATE_UNKNOWN = 0,
    FATE_READ,    /* understood */
    FATE_CARRIED, /* lies in materials and textures, which pass through */
    FATE_IGNORED, /* does not touch geometry or motion */
    FATE_REFUSED  /* a file that requires it cannot be read */
} extension_fate;

/* A name that ends in '*' stands for all that begin so. */
static const struct {
    const char *name;
    extension_fate fate;
    const char *advice;
} extensions[] = {
    {"KHR_mesh_quantization", FATE_READ, NULL},
    {"EXT_meshopt_compression", FATE_READ, NULL},
    {"KHR_meshopt_compression", FATE_READ, NULL},
    {"EXT_mesh_gpu_instancing", FATE_READ, NULL},
    {"KHR_animation_pointer", FATE_READ, NULL},  /* each channel that needs it is named */
    {"KHR_materials_variants", FATE_READ, NULL}, /* likewise */
    {"KHR_materials_*", FATE_CARRIED, NULL},
    {"EXT_materials_*", FATE_CARRIED, NULL},
    {"KHR_texture_*", FATE_CARRIED, NULL},
    {"EXT_texture_*", FATE_CARRIED, NULL},
    {"MSFT_texture_dds", FATE_CARRIED, NULL},
    {"MSFT_packing_*", FATE_CARRIED, NULL},
    {"KHR_lights_*", FATE_IGNORED, NULL},
    {"EXT_lights_*", FATE_IGNORED, NULL},
    {"KHR_xmp*", FATE_IGNORED, NULL},
    {"KHR_audio*", FATE_IGNORED, NULL},
    {"KHR_physics_*", FATE_IGNORED, NULL},
    {"KHR_node_*", FATE_IGNORED, NULL},
    {"FB_ngon_encoding", FATE_IGNORED, NULL},
    {"VRM*", FATE_IGNORED, NULL},
    {"KHR_draco_mesh_compression", FATE_REFUSED, "decompress it with \"npx @gltf-transform/cli copy in.glb out.glb\""},
    {"KHR_gaussian_splatting*", FATE_REFUSED, "export a mesh"},
    {"KHR_techniques_webgl", FATE_REFUSED, "export PBR materials"},
};

static extension_fate fate_of(const char *name, const char **advice) {
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
        size_t length = strlen(extensions[i].name);
        bool prefix = extensions[i].name[length - 1] == '*';
        if (prefix ? strncmp(name, extensions[i].name, length - 1) == 0 : strcmp(name, extensions[i].name) == 0) {
            *advice = extensions[i].advice;
            return extensions[i].fate;
        }
    }
    *advice = "export it without that extension, or ask for it to be supported";
    return FATE_UNKNOWN;
}

bw_result bwi_gltf_check_version(bwi_gltf *g) {
    json_t *asset;
    BWI_GLTF_TRY(bwi_gltf_get_object(g, &asset, NULL, g->root, "asset"));
    if (!asset) {
        return bwi_gltf_fail(g, BW_ERR_UNRECOGNISED, NULL,
                             "is JSON without \"asset\", expected glTF 2.0; export the model as .glb or .gltf");
    }
    const bwi_gltf_place place = {NULL, "asset", BW_NO_INDEX, NULL};
    const char *version, *least, *generator;
    BWI_GLTF_TRY(bwi_gltf_get_string(g, &version, &place, asset, "version"));
    BWI_GLTF_TRY(bwi_gltf_get_string(g, &least, &place, asset, "minVersion"));
    BWI_GLTF_TRY(bwi_gltf_get_string(g, &generator, &place, asset, "generator"));
    if (!version) {
        return bwi_gltf_malformed(g, &place, "\"version\" is missing, expected \"2.0\"");
    }
    if (strncmp(version, "2.", 2) != 0) {
        return bwi_gltf_fail(g, BW_ERR_UNSUPPORTED, &place,
                             "\"version\" is \"%s\", expected \"2.0\"; export the model as glTF 2.0", version);
    }
    if (least && strcmp(least, "2.0") != 0) {
        return bwi_gltf_fail(g, BW_ERR_UNSUPPORTED, &place,
                             "\"minVersion\" is \"%s\", expected \"2.0\"; export the model as glTF 2.0", least);
    }
    g->scene->generator = bwi_arena_string(g->arena, generator ? generator : "", SIZE_MAX);
    return g->scene->generator ? BW_OK
                               : bwi_fail_memory(g->error, g->path, g->mem, generator ? strlen(generator) + 1 : 1);
}

static bw_result check_required(bwi_gltf *g, const json_t *required) {
    size_t i;
    const json_t *value;
    json_array_foreach(required, i, value) {
        const char *name = json_string_value(value);
        if (!name) {
            return bwi_gltf_malformed(g, NULL, "\"extensionsRequired\" holds something that is no text");
        }
        const char *advice;
        extension_fate fate = fate_of(name, &advice);
        if (fate == FATE_UNKNOWN || fate == FATE_REFUSED) {
            return bwi_gltf_fail(g, BW_ERR_UNSUPPORTED, NULL, "requires the extension %s, which is not supported; %s",
                                 name, advice);
        }
    }
    return BW_OK;
}

/* One warning for all of a fate, naming every extension: entries are merged by code, so that the second would lose its name. */
static bw_result warn_names(bwi_gltf *g, const json_t *used, extension_fate wanted, const char *code,
                            const char *sentence) {
    char names[512] = "";
    size_t length = 0, i;
    uint64_t count = 0;
    const json_t *value;
    json_array_foreach(used, i, value) {
        const char *name = json_string_value(value);
        const char *advice;
        if (!name || fate_of(name, &advice) != wanted) {
            continue;
        }
        count++;
        int written = length < sizeof(names)
                          ? snprintf(names + length, sizeof(names) - length, "%s%s", length ? ", " : "", name)
                          : 0;
        length += written > 0 ? (size_t)written : 0;
    }
    if (count) {
        const char *message =
            bwi_arena_printf(g->arena, "%s: %s%s", sentence, names, length < sizeof(names) ? "" : "...");
        if (!message) {
            return bwi_fail_memory(g->error, g->path, g->mem, sizeof(names));
        }
        const bwi_gltf_place place = {NULL, "extensionsUsed", BW_NO_INDEX, NULL};
        bwi_gltf_warn(g, code, count, &place, message);
    }
    return BW_OK;
}

bw_result bwi_gltf_check_extensions(bwi_gltf *g) {
    json_t *used, *required;
    BWI_GLTF_TRY(bwi_gltf_get_array(g, &used, NULL, g->root, "extensionsUsed"));
    BWI_GLTF_TRY(bwi_gltf_get_array(g, &required, NULL, g->root, "extensionsRequired"));
    BWI_GLTF_TRY(check_required(g, required));
    BWI_GLTF_TRY(warn_names(g, used, FATE_UNKNOWN, "extension-unknown", "extensions that are not known were ignored"));
    return warn_names(g, used, FATE_IGNORED, "extension-ignored",
                      "extensions that do not touch geometry were left out");
}
