/* SPDX-License-Identifier: MIT
 * Engines and options: what each engine holds, which defaults follow, which choices contradict. */
#include "format.h"
#include "vat/vat_priv.h"

#define HELD(name) BW_VAT_FORMAT_##name
static const bwi_engine_info engines[] = {
    {BW_ENGINE_GENERIC,
     BW_VAT_FORMAT_PNG16,
     {HELD(PNG16), HELD(KTX2_U10), HELD(PNG8), HELD(EXR16), HELD(EXR32)},
     BW_VAT_SKIN_IN_TEXTURE},
    {BW_ENGINE_UNITY, BW_VAT_FORMAT_PNG16, {HELD(PNG16), HELD(PNG8), HELD(EXR16), HELD(EXR32)}, BW_VAT_SKIN_IN_TEXTURE},
    {BW_ENGINE_UNREAL, BW_VAT_FORMAT_EXR32, {HELD(EXR32), HELD(EXR16)}, BW_VAT_SKIN_IN_TEXTURE},
    {BW_ENGINE_GODOT, BW_VAT_FORMAT_EXR32, {HELD(EXR32), HELD(EXR16), HELD(PNG8)}, BW_VAT_SKIN_IN_TEXTURE},
    {BW_ENGINE_THREE,
     BW_VAT_FORMAT_RAW,
     {HELD(RAW), HELD(KTX2_U10), HELD(PNG8), HELD(KTX2_F16), HELD(KTX2_F32)},
     BW_VAT_SKIN_IN_MESH},
    {BW_ENGINE_BABYLON,
     BW_VAT_FORMAT_RAW,
     {HELD(RAW), HELD(KTX2_U10), HELD(PNG8), HELD(KTX2_F16), HELD(KTX2_F32)},
     BW_VAT_SKIN_IN_MESH},
    {BW_ENGINE_PLAYCANVAS,
     BW_VAT_FORMAT_RAW,
     {HELD(RAW), HELD(KTX2_U10), HELD(PNG8), HELD(KTX2_F16), HELD(KTX2_F32)},
     BW_VAT_SKIN_IN_MESH},
};
#undef HELD

const bwi_engine_info *bwi_engine_info_of(bw_engine engine) {
    if (engine == BW_ENGINE_DEFAULT)
        engine = BW_ENGINE_GENERIC;
    for (size_t k = 0; k < sizeof engines / sizeof engines[0]; ++k)
        if (engines[k].engine == engine)
            return &engines[k];
    return NULL;
}

/* A normal texture needs two channels of a normal and two of a tangent at one precision: RGB10A2 has no room for the tangent, but it
 * carries a normal well. */
static bw_result resolve_native(bwi_vat_settings *s, const bw_vat_opts *opts, bool has_normals, bool has_tangents,
                                bw_error *error) {
    const bool can_pack = s->format->type == BWI_TEXEL_U16;
    const bool can_hold_tangents = s->format->type != BWI_TEXEL_U10;
    bw_vat_normals normals = opts->normals;
    if (normals == BW_VAT_NORMALS_DEFAULT)
        normals = !has_normals                                       ? BW_VAT_NORMALS_OFF
                  : can_pack && opts->tangents != BW_VAT_TANGENTS_ON ? BW_VAT_NORMALS_PACKED
                                                                     : BW_VAT_NORMALS_SEPARATE;
    if (normals == BW_VAT_NORMALS_PACKED && !can_pack)
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "--normals=packed needs 16-bit integer alpha, which --format=%s does not have; use "
                        "--normals=separate, or a "
                        "format such as png16",
                        s->format->name);
    if (opts->tangents == BW_VAT_TANGENTS_ON) {
        if (normals != BW_VAT_NORMALS_SEPARATE)
            return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                            "--tangents=on needs --normals=separate: tangents share the normal texture");
        if (!can_hold_tangents)
            return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                            "--tangents=on does not fit --format=%s, whose alpha has 2 bits; use ktx2-u16 or png16",
                            s->format->name);
        if (!has_tangents)
            return bwi_fail(
                error, BW_ERR_USAGE, NULL, -1,
                "--tangents=on, but not every mesh has tangents and normals; export them, or leave the option out");
    }
    if (normals == BW_VAT_NORMALS_SEPARATE) {
        s->normal_format = s->format;
        s->tangents = has_tangents && can_hold_tangents && opts->tangents != BW_VAT_TANGENTS_OFF;
    }
    s->normal_decode = s->tangents ? BWI_DECODE_OCT_OCT : BWI_DECODE_OCT;
    s->position_decode = bwi_texel_is_float(s->format->type) ? BWI_DECODE_ABSOLUTE
                         : normals == BW_VAT_NORMALS_PACKED  ? BWI_DECODE_BOUNDS_OCT8
                                                             : BWI_DECODE_BOUNDS;
    return BW_OK;
}

/* The seed layout is one thing only: options that would make it another are refused. */
static bw_result resolve_seed(bwi_vat_settings *s, const bw_vat_opts *opts, bw_error *error) {
    const char *why = NULL;
    if (!bwi_texel_is_float(s->format->type))
        why = "stores absolute positions as floats: use --format=exr16, exr32, ktx2-f16 or ktx2-f32";
    else if (opts->fps > 0.0 && opts->fps != (double)BW_SEED_FPS)
        why = "is always 60 frames a second: leave --fps out";
    else if (opts->normals == BW_VAT_NORMALS_PACKED || opts->normals == BW_VAT_NORMALS_SEPARATE ||
             opts->tangents == BW_VAT_TANGENTS_ON)
        why = "holds positions only: leave --normals and --tangents out";
    else if (opts->loop == BW_VAT_LOOP_YES)
        why = "has no closing frame: leave --loop=yes out";
    else if (opts->pow2)
        why = "has its own rule for sides: leave --pow2 out";
    if (why)
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "--layout=seed %s, or use --layout=native", why);
    s->position_decode = BWI_DECODE_ABSOLUTE;
    return BW_OK;
}

static bool is_explicit(bw_vat_mode mode) {
    return mode != BW_VAT_MODE_DEFAULT && mode != BW_VAT_MODE_AUTO;
}

/* Weights are whole numbers of 16 bits, in the container of the bones. */
static const bwi_format_info *weight_format(bwi_container container) {
    static const bw_vat_format formats[] = {[BWI_CONTAINER_PNG] = BW_VAT_FORMAT_PNG16,
                                            [BWI_CONTAINER_EXR] = BW_VAT_FORMAT_EXR32,
                                            [BWI_CONTAINER_KTX2] = BW_VAT_FORMAT_KTX2_U16,
                                            [BWI_CONTAINER_RAW] = BW_VAT_FORMAT_RAW};
    return bwi_format_info_of(formats[container]);
}

/* Half of what the whole error may be; what the texels' codes take of it is far less than the other half. */
static void resolve_bone_bound(bwi_vat_settings *s, const bw_vat_opts *opts) {
    s->bone_bound = is_explicit(opts->mode) ? 2.5e-5 : 2.5e-4;
    if (opts->max_error.unit == BW_LENGTH_RELATIVE)
        s->bone_bound = 0.5 * opts->max_error.value;
    if (opts->max_error.unit == BW_LENGTH_METRE)
        s->bone_bound_m = 0.5 * opts->max_error.value;
}

static bw_result resolve_bones(bwi_vat_settings *s, const bw_vat_opts *opts, bw_error *error) {
    const char *mode = bwi_mode_name(s->mode), *why = NULL;
    if (s->layout != BW_VAT_LAYOUT_NATIVE)
        why = "is of --layout=native: leave --layout out";
    else if (opts->normals == BW_VAT_NORMALS_PACKED || opts->normals == BW_VAT_NORMALS_SEPARATE)
        why = "stores no normals, since the mesh's own turn with the bones: leave --normals out";
    else if (opts->tangents == BW_VAT_TANGENTS_ON)
        why = "stores no tangents, since the mesh's own turn with the bones: leave --tangents out";
    else if (s->format->type == BWI_TEXEL_U8 || s->format->type == BWI_TEXEL_U10)
        why = "turns everything by what a texel holds, which 8 or 10 bits are too coarse for: use --format=png16, "
              "ktx2-u16, raw or one of floats";
    if (why)
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "--mode=%s %s, or use --mode=vertex", mode, why);
    s->position_decode = BWI_DECODE_BONE_QUATERNION;
    s->influence_limit = s->influence_count = 1;
    resolve_bone_bound(s, opts);
    if (s->mode == BW_VAT_MODE_RIGID)
        return BW_OK;
    s->influence_limit = opts->influences ? opts->influences : 4;
    s->influence_count = s->influence_limit > 4 ? 8 : 4;
    s->skin_in = opts->skin_in ? opts->skin_in : s->engine->skin_in;
    if (s->skin_in == BW_VAT_SKIN_IN_TEXTURE)
        s->weight_format = weight_format(s->format->container);
    return BW_OK;
}

bw_result bwi_vat_resolve(bwi_vat_settings *settings, const bw_vat_opts *opts, const bwi_vat_candidate *candidate,
                          bool has_normals, bool has_tangents, bw_error *error) {
    bwi_vat_settings s = {0};
    s.mode = candidate ? candidate->mode : is_explicit(opts->mode) ? opts->mode : BW_VAT_MODE_VERTEX;
    s.rate_divisor = candidate ? candidate->rate_divisor : 1;
    s.layout = opts->layout == BW_VAT_LAYOUT_DEFAULT ? BW_VAT_LAYOUT_NATIVE : opts->layout;
    s.engine = bwi_engine_info_of(opts->engine);
    if (!s.engine)
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "engine %d is unknown", (int)opts->engine);
    bw_vat_format format = candidate ? candidate->format : opts->format;
    if (format == BW_VAT_FORMAT_DEFAULT)
        format = s.layout == BW_VAT_LAYOUT_NATIVE ? s.engine->format : BW_VAT_FORMAT_EXR16;
    s.format = bwi_format_info_of(format);
    if (!s.format)
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "format %d is unknown", (int)format);
    s.loop = opts->loop == BW_VAT_LOOP_DEFAULT ? BW_VAT_LOOP_AUTO : opts->loop;
    s.max_size = opts->max_size ? opts->max_size : 4096;
    s.pow2 = opts->pow2;
    s.fps = opts->fps;
    s.start_s = opts->start;
    s.end_s = opts->end;
    s.max_bytes = opts->max_bytes ? opts->max_bytes : UINT64_C(512) << 20;
    const bool asks_influences = opts->influences && opts->influences != 4; /* a job file may hold the default */
    if (is_explicit(opts->mode) && opts->mode != BW_VAT_MODE_BONE && (opts->skin_in || asks_influences))
        return bwi_fail(
            error, BW_ERR_USAGE, NULL, -1,
            "--%s is of bones with weights, which --mode=%s does not have; leave it out, or use --mode=bone",
            opts->skin_in ? "skin-in" : "influences", bwi_mode_name(opts->mode));
    if (s.mode == BW_VAT_MODE_SOUP && s.layout != BW_VAT_LAYOUT_NATIVE)
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "--mode=soup is of --layout=native: leave --layout out");
    const bool vertices = s.mode == BW_VAT_MODE_VERTEX || s.mode == BW_VAT_MODE_SOUP;
    bw_result result = !vertices                           ? resolve_bones(&s, opts, error)
                       : s.layout == BW_VAT_LAYOUT_SEED    ? resolve_seed(&s, opts, error)
                       : s.layout == BW_VAT_LAYOUT_OPENVAT ? bwi_openvat_resolve(&s, opts, error)
                                                           : resolve_native(&s, opts, has_normals, has_tangents, error);
    if (result == BW_OK)
        *settings = s;
    return result;
}
