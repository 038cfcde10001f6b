/* SPDX-License-Identifier: MIT
 * What does not fit when clips come from another scene, in words: names that are missing on one side, rest poses that differ. */
#include <stdio.h>
#include <string.h>

#include "base/math.h"
#include "scene/scene_priv.h"

enum { SHOWN_NAMES = 4, NAMES_SIZE = 320 };

/* "hips, spine, chest and 19 more": names are cut rather than the end of the sentence. */
typedef struct name_list {
    char text[NAMES_SIZE];
    size_t length;
    uint32_t count;
} name_list;

static void list_name(name_list *list, const char *name) {
    if (list->count++ < SHOWN_NAMES) {
        const int added = snprintf(list->text + list->length, sizeof(list->text) - list->length, "%s%.60s",
                                   list->count > 1 ? ", " : "", name);
        list->length += (size_t)added;
    }
}

static const char *end_list(name_list *list) {
    if (list->count > SHOWN_NAMES) {
        (void)snprintf(list->text + list->length, sizeof(list->text) - list->length, " and %u more",
                       list->count - SHOWN_NAMES);
    }
    return list->count ? list->text : "none";
}

/* What a name begins with, up to its last colon, as exporters mark rigs; 0: nothing. */
static size_t rig_prefix(const char *name) {
    const char *colon = strrchr(name, ':');
    return colon ? (size_t)(colon - name) + 1 : 0;
}

/* Whether a node would be found if names began after their colons. */
static const char *prefix_that_helps(const bwi_clip_adopter *a, const bw_scene *from, const bwi_adopter_node *nodes,
                                     size_t *length) {
    for (size_t n = 0; n < from->nodes.count; n++) {
        const char *name = from->nodes.data[n].name;
        for (size_t k = 0; nodes[n].driven && k < a->scene->nodes.count; k++) {
            const char *target = a->scene->nodes.data[k].name;
            const size_t from_prefix = rig_prefix(name), target_prefix = rig_prefix(target);
            if ((from_prefix || target_prefix) && strcmp(name + from_prefix, target + target_prefix) == 0) {
                *length = from_prefix ? from_prefix : target_prefix;
                return from_prefix ? name : target;
            }
        }
    }
    return NULL;
}

bw_result bwi_adopter_fail_unfit(const bwi_clip_adopter *a, const bw_scene *from, const bwi_adopter_node *nodes,
                                 bw_error *error) {
    name_list found = {0}, expected = {0};
    bool joints = false;
    for (size_t n = 0; n < from->nodes.count; n++) {
        if (nodes[n].driven) {
            list_name(&found, from->nodes.data[n].name);
        }
    }
    for (size_t k = 0; k < a->scene->nodes.count; k++) {
        joints = joints || a->targets[k].joint;
    }
    for (size_t k = 0; k < a->scene->nodes.count; k++) {
        if (a->targets[k].joint == joints) {
            list_name(&expected, a->scene->nodes.data[a->targets[k].node].name);
        }
    }
    size_t length = 0;
    const char *prefix = prefix_that_helps(a, from, nodes, &length);
    if (prefix && length < 64) {
        return bwi_fail(error, BW_ERR_NO_CLIP, from->path, -1,
                        "its clips drive no node of %s: they drive %s, expected names such as %s; drop what they begin "
                        "with by --anim-prefix=%.*s",
                        a->scene->path, end_list(&found), end_list(&expected), (int)length, prefix);
    }
    return bwi_fail(
        error, BW_ERR_NO_CLIP, from->path, -1,
        "its clips drive no node of %s: they drive %s, expected names such as %s; give clips of the same rig",
        a->scene->path, end_list(&found), end_list(&expected));
}

void bwi_adopter_tell_unknown(const bw_scene *from, const bwi_adopter_node *nodes, const char *file,
                              bwi_warnings *warnings) {
    name_list names = {0};
    uint64_t channels = 0;
    for (size_t n = 0; n < from->nodes.count; n++) {
        if (nodes[n].driven && !nodes[n].target) {
            list_name(&names, from->nodes.data[n].name);
            channels += nodes[n].driven;
        }
    }
    if (channels) {
        bwi_warn(warnings, "clip-node-unknown", channels,
                 "channels of clip files drive nodes that the scene does not have; they were left out", "%s: %s", file,
                 end_list(&names));
    }
}

/* How far two rest poses of one joint are apart. */
typedef struct rest_difference {
    double distance_m, angle_deg, scale;
} rest_difference;

static double angle_between(const float a[4], const float b[4]) {
    double dot = 0.0, difference = 0.0, sum = 0.0;
    for (int k = 0; k < 4; k++) {
        dot += (double)a[k] * (double)b[k];
    }
    for (int k = 0; k < 4; k++) {
        const double other = dot < 0.0 ? -(double)b[k] : (double)b[k];
        difference += ((double)a[k] - other) * ((double)a[k] - other);
        sum += ((double)a[k] + other) * ((double)a[k] + other);
    }
    return 4.0 * bwi_atan2(bwi_sqrt(difference), bwi_sqrt(sum)) * 180.0 / BWI_PI;
}

static bool differ(rest_difference *out, const bw_node *a, const bw_node *b) {
    /* What exporters' rounding cannot cause and an eye may see. */
    const double least_m = 1e-4, least_relative = 1e-3, least_deg = 0.5;
    double distance = 0.0, length = 0.0, scale = 0.0;
    for (int k = 0; k < 3; k++) {
        const double d = (double)a->translation[k] - (double)b->translation[k];
        const double s = (double)a->scale[k] - (double)b->scale[k];
        distance += d * d;
        length += (double)b->translation[k] * (double)b->translation[k];
        scale = s > scale ? s : -s > scale ? -s : scale;
    }
    *out = (rest_difference){bwi_sqrt(distance), angle_between(a->rotation, b->rotation), scale};
    return out->distance_m > least_m + least_relative * bwi_sqrt(length) || out->angle_deg > least_deg ||
           out->scale > least_relative;
}

void bwi_adopter_compare_rest(const bwi_clip_adopter *a, const bw_scene *from, const bwi_adopter_node *nodes,
                              const char *file, bwi_warnings *warnings) {
    rest_difference first = {0}, most = {0};
    const char *first_name = NULL;
    uint64_t count = 0;
    for (size_t n = 0; n < from->nodes.count; n++) {
        const bw_node *node = &from->nodes.data[n];
        const bw_node *target = nodes[n].target ? &a->scene->nodes.data[nodes[n].target->node] : NULL;
        rest_difference difference;
        if (!target || !(nodes[n].driven || nodes[n].target->joint) || node->has_matrix || target->has_matrix ||
            !differ(&difference, node, target)) {
            continue;
        }
        if (count++ == 0) {
            first = difference;
            first_name = target->name;
        }
        most.distance_m = difference.distance_m > most.distance_m ? difference.distance_m : most.distance_m;
        most.angle_deg = difference.angle_deg > most.angle_deg ? difference.angle_deg : most.angle_deg;
        most.scale = difference.scale > most.scale ? difference.scale : most.scale;
    }
    if (count) {
        bwi_warn(
            warnings, "rest-pose-differs", count,
            "joints rest otherwise in a clip file than in the scene; where a clip has keys they win, elsewhere the "
            "scene's pose stays",
            "%s: %s by %.2f mm, %.1f degrees, %.1f %% of scale; at most %.2f mm, %.1f degrees, %.1f %%", file,
            first_name, first.distance_m * 1000.0, first.angle_deg, first.scale * 100.0, most.distance_m * 1000.0,
            most.angle_deg, most.scale * 100.0);
    }
}
