/* SPDX-License-Identifier: MIT
 * Axes and units of a file of hair: what is asked for, else what the program that made it uses, else what Unreal takes it for. */
#define _POSIX_C_SOURCE 200809L /* strncasecmp */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "groom/groom_fix_priv.h"

/* Axes a preset stands for. */
typedef struct frame {
    const char *name;
    bw_up up;
    bw_groom_hand hand;
    bw_unit unit;
} frame;

static const frame PRESETS[] = {
    [BW_GROOM_FROM_DEFAULT] = {"unknown", BW_UP_Z, BW_GROOM_HAND_LEFT, BW_UNIT_CM},
    [BW_GROOM_FROM_MAYA] = {"maya", BW_UP_Y, BW_GROOM_HAND_RIGHT, BW_UNIT_CM},
    [BW_GROOM_FROM_BLENDER] = {"blender", BW_UP_Y, BW_GROOM_HAND_RIGHT, BW_UNIT_M},
    [BW_GROOM_FROM_HOUDINI] = {"houdini", BW_UP_Y, BW_GROOM_HAND_RIGHT, BW_UNIT_M},
    [BW_GROOM_FROM_MAX] = {"max", BW_UP_Z, BW_GROOM_HAND_RIGHT, BW_UNIT_CM},
    [BW_GROOM_FROM_UNREAL] = {"unreal", BW_UP_Z, BW_GROOM_HAND_LEFT, BW_UNIT_CM},
};

static const struct {
    const char *name;
    double cm;
} UNITS[] = {
    [BW_UNIT_DEFAULT] = {"", 0}, [BW_UNIT_M] = {"m", 100},    [BW_UNIT_CM] = {"cm", 1},
    [BW_UNIT_MM] = {"mm", 0.1},  [BW_UNIT_IN] = {"in", 2.54}, [BW_UNIT_FT] = {"ft", 30.48},
};

/* Words by which programs name themselves; Bakewell writes Unreal's axes. */
static const struct {
    const char *word;
    bw_groom_from from;
} MAKERS[] = {
    {"bakewell", BW_GROOM_FROM_UNREAL}, {"unreal", BW_GROOM_FROM_UNREAL},  {"blender", BW_GROOM_FROM_BLENDER},
    {"houdini", BW_GROOM_FROM_HOUDINI}, {"sidefx", BW_GROOM_FROM_HOUDINI}, {"3dsmax", BW_GROOM_FROM_MAX},
    {"max", BW_GROOM_FROM_MAX},         {"maya", BW_GROOM_FROM_MAYA},      {"xgen", BW_GROOM_FROM_MAYA},
    {"yeti", BW_GROOM_FROM_MAYA},
};

/* Whether a word stands in the text with no letter around it. */
static bool has_word(const char *text, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = text; *at; at++) {
        if (strncasecmp(at, word, length) == 0 && (at == text || !isalpha((unsigned char)at[-1])) &&
            !isalpha((unsigned char)at[length]))
            return true;
    }
    return false;
}

/* cyHair is no format of the engine, and programs that write and show it are right-handed. */
static const frame CYHAIR = {"cyhair", BW_UP_Z, BW_GROOM_HAND_RIGHT, BW_UNIT_CM};

static bw_groom_from guess_maker(const char *made_by) {
    for (size_t i = 0; i < sizeof MAKERS / sizeof *MAKERS; i++) {
        if (has_word(made_by, MAKERS[i].word))
            return MAKERS[i].from;
    }
    return BW_GROOM_FROM_DEFAULT;
}

/* Unreal: X forward, Y right, Z up, left-handed.  Turned so that glTF's (x, y, z) is (x, z, y), as everywhere in Bakewell. */
static bwi_mat4 axes_to_unreal(bw_up up, bw_groom_hand hand, double scale) {
    static const signed char ROWS[2][2][3][3] = {
        {{{1, 0, 0}, {0, 0, 1}, {0, 1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, 1, 0}}}, /* y up: right-handed, left-handed */
        {{{1, 0, 0}, {0, -1, 0}, {0, 0, 1}}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, /* z up */
    };
    bwi_mat4 m = bwi_mat4_identity();
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            m.m[4 * c + r] = ROWS[up == BW_UP_Z][hand == BW_GROOM_HAND_LEFT][r][c] * scale;
    }
    return m;
}

/* What the transforms above all curves make of a file's axes. */
typedef struct turn {
    bool mirrors;      /* every chain has an odd number of mirrored axes, and the file's up ends as z */
    bool mirrors_some; /* some chain has an odd number */
    double scale;      /* the smallest and the largest are the same: of all chains; else 0 */
} turn;

static turn look_at_chains(const bwi_hair *hair, bw_up up) {
    turn t = {.mirrors = true, .mirrors_some = false, .scale = 0};
    bool any = false;
    for (size_t i = 0; i < hair->curves.count; i++) {
        const uint32_t object = hair->curves.data[i].object;
        if (hair->objects.data[object].hidden)
            continue;
        const bwi_mat4 world = bwi_hair_world(hair, object);
        const bwi_vec3 turned = bwi_mat4_direction(&world, up == BW_UP_Z ? (bwi_vec3){0, 0, 1} : (bwi_vec3){0, 1, 0});
        const double length = bwi_vec3_length(turned);
        const bool mirrored = bwi_mat4_det3(&world) < 0;
        t.mirrors_some |= mirrored;
        t.mirrors &= mirrored && turned.z > 0.999 * length;
        if (!any)
            t.scale = length;
        else if (!(length > 0.999 * t.scale && length < 1.001 * t.scale))
            t.scale = 0;
        any = true;
    }
    t.mirrors &= any;
    return t;
}

static bw_result describe(bwi_groom_space *space, bwi_arena *arena, const frame *f, const char *reason,
                          bw_error *error) {
    space->text = bwi_arena_printf(arena, "%s: %s up, %s-handed, %s", f->name, f->up == BW_UP_Z ? "z" : "y",
                                   f->hand == BW_GROOM_HAND_LEFT ? "left" : "right", UNITS[f->unit].name);
    space->reason = reason;
    if (!space->text || !space->reason)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), 256);
    return BW_OK;
}

static bw_result fixed_space(bwi_groom_space *space, bwi_arena *arena, const bwi_hair *hair, const bw_groom_opts *opts,
                             bw_error *error) {
    if (opts->from || opts->up || opts->units || opts->hand)
        return bwi_fail(error, BW_ERR_USAGE, hair->path, -1,
                        "a %s file has axes and units by its format; leave out --from, --up, --units and --hand",
                        hair->format);
    bwi_mat4 own;
    memcpy(own.m, hair->transform, sizeof own.m);
    const bwi_mat4 gltf = axes_to_unreal(BW_UP_Y, BW_GROOM_HAND_RIGHT, 100);
    const bwi_mat4 all = bwi_mat4_mul(&gltf, &own);
    bwi_groom_space found = {.unit_cm = bwi_vec3_length(bwi_mat4_direction(&all, (bwi_vec3){1, 0, 0}))};
    memcpy(found.to_unreal, all.m, sizeof all.m);
    found.text = bwi_arena_printf(arena, "%s: y up, right-handed, m", hair->format);
    found.reason = "fixed by the format";
    if (!found.text)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), 256);
    *space = found;
    return BW_OK;
}

bw_result bwi_groom_space_find(bwi_groom_space *space, bwi_arena *arena, const bwi_hair *hair,
                               const bw_groom_opts *opts, bw_error *error) {
    static const bw_groom_opts DEFAULTS = {0};
    if (!opts)
        opts = &DEFAULTS;
    if (hair->has_transform)
        return fixed_space(space, arena, hair, opts, error);
    const bw_groom_from from = opts->from ? opts->from : guess_maker(hair->made_by);
    frame f = PRESETS[from];
    const char *reason;
    const bool is_own = from == BW_GROOM_FROM_UNREAL && has_word(hair->made_by, "bakewell");
    const bool of_cyhair = !opts->from && strcmp(hair->format, "cyhair") == 0 && (!from || is_own);
    if (of_cyhair) {
        f = CYHAIR;
        f.name = is_own ? f.name : PRESETS[BW_GROOM_FROM_DEFAULT].name;
    }
    if (opts->from || (opts->up && opts->hand && opts->units))
        reason = "given";
    else if (from)
        reason = bwi_arena_printf(arena, "named by the file's exporter, %s", hair->made_by);
    else if (of_cyhair)
        reason = "nothing is known: right-handed, as hair of this format is as a rule";
    else
        reason = "nothing is known: taken as Unreal would";
    const bool asked = opts->up || opts->units || opts->hand;
    if (asked && !opts->from) {
        /* Half of an answer names right-handed axes: no program but Unreal has left-handed ones with z up. */
        if (!from)
            f.name = "as given";
        if (!from && opts->up)
            f.hand = BW_GROOM_HAND_RIGHT;
        reason = from ? bwi_arena_printf(arena, "given, the rest by the file's exporter, %s", hair->made_by) : "given";
    }
    if (opts->up)
        f.up = opts->up;
    if (opts->hand)
        f.hand = opts->hand;
    if (opts->units)
        f.unit = opts->units;
    /* Exporters for Unreal turn and mirror by a transform at the top: what stands below it is then in Unreal's axes already. */
    if (f.hand == BW_GROOM_HAND_RIGHT && !opts->up && !opts->hand) {
        const turn t = look_at_chains(hair, f.up);
        if (t.mirrors) {
            f.up = BW_UP_Z;
            f.hand = BW_GROOM_HAND_LEFT;
            if (!opts->units && f.unit == BW_UNIT_M && t.scale > 99 && t.scale < 101)
                f.unit = BW_UNIT_CM;
            reason = bwi_arena_printf(
                arena, "%s; its transforms turn and mirror it into Unreal's axes already, so it is not mirrored again",
                reason ? reason : "");
        } else if (t.mirrors_some) {
            reason = bwi_arena_printf(
                arena, "%s; what its transforms mirror is taken for the hair's own, not for a change of axes",
                reason ? reason : "");
        }
    }
    bwi_groom_space found = {.unit_cm = UNITS[f.unit].cm};
    const bwi_mat4 m = axes_to_unreal(f.up, f.hand, found.unit_cm);
    memcpy(found.to_unreal, m.m, sizeof m.m);
    const bw_result result = describe(&found, arena, &f, reason, error);
    if (result == BW_OK)
        *space = found;
    return result;
}
