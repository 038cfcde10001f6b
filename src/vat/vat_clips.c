/* SPDX-License-Identifier: MIT
 * Which clips are baked, from when to when, in how many frames. */
#include <string.h>

#include "format.h"
#include "vat/vat.h"

/* More frames than any texture set could hold; keeps every later product inside 64 bits. */
#define MAX_FRAMES (UINT32_C(1) << 30)

static const char *list_clips(bwi_arena *arena, const bw_scene *scene) {
    const char *text = "";
    for (size_t k = 0; k < scene->clips.count && text; ++k) {
        if (k == 12)
            return bwi_arena_printf(arena, "%s and %zu more", text, scene->clips.count - k);
        text = bwi_arena_printf(arena, "%s%s%s", text, k ? ", " : "", scene->clips.data[k].name);
    }
    return text ? text : "";
}

static const bw_clip *find_clip(const bw_scene *scene, const char *name, size_t length) {
    for (size_t k = 0; k < scene->clips.count; ++k) {
        const char *candidate = scene->clips.data[k].name;
        if (strlen(candidate) == length && memcmp(candidate, name, length) == 0)
            return &scene->clips.data[k];
    }
    return NULL;
}

static bw_result fail_unknown_clip(bwi_arena *arena, const bw_scene *scene, const char *name, size_t length,
                                   bw_error *error) {
    if (scene->clips.count == 0)
        return bwi_fail(error, BW_ERR_UNKNOWN_CLIP, scene->path, -1, "no clip is named '%.*s': the file holds no clips",
                        (int)length, name);
    return bwi_fail(error, BW_ERR_UNKNOWN_CLIP, scene->path, -1, "no clip is named '%.*s'; there are: %s", (int)length,
                    name, list_clips(arena, scene));
}

/* The wanted clips of one bake, before they become frames. */
typedef struct clip_choice {
    bwi_clip_mix mix;
    const char *name;
} clip_choice;

static bool wanted(const bw_vat_opts *opts, const char *name) {
    if (opts->clip.count == 0)
        return true;
    for (size_t k = 0; k < opts->clip.count; ++k)
        if (strcmp(opts->clip.data[k], name) == 0)
            return true;
    return false;
}

/* "A+B" names two clips, unless a clip has that very name: then '+' is part of it. */
static bw_result parse_merge(const bw_clip **clips, size_t *count, const char *text, bwi_arena *arena,
                             const bw_scene *scene, bw_error *error) {
    *count = 0;
    if (strcmp(text, "all") == 0 && !find_clip(scene, "all", 3)) {
        for (size_t k = 0; k < scene->clips.count; ++k)
            clips[(*count)++] = &scene->clips.data[k];
        return BW_OK;
    }
    for (const char *at = text;;) {
        const char *end = at + strlen(at);
        const bw_clip *clip = NULL;
        while (!(clip = find_clip(scene, at, (size_t)(end - at)))) {
            const char *shorter = NULL;
            for (const char *p = at; p < end; ++p)
                if (*p == '+')
                    shorter = p;
            if (!shorter)
                return fail_unknown_clip(arena, scene, at, (size_t)(end - at), error);
            end = shorter;
        }
        for (size_t k = 0; k < *count; ++k)
            if (clips[k] == clip)
                return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                                "--merge-clips=%s names the clip '%s' twice; name each once", text, clip->name);
        clips[(*count)++] = clip;
        if (!*end)
            return BW_OK;
        at = end + 1;
    }
}

static bool is_merged(const clip_choice *choices, size_t count, const bw_clip *clip) {
    for (size_t k = 0; k < count; ++k)
        for (size_t i = 0; i < choices[k].mix.count; ++i)
            if (choices[k].mix.clips[i] == clip)
                return true;
    return false;
}

static bw_result collect(clip_choice **out, size_t *out_count, bwi_arena *arena, const bw_scene *scene,
                         const bw_vat_opts *opts, bw_error *error) {
    const size_t capacity = opts->merge_clips.count + scene->clips.count;
    clip_choice *choices = bwi_arena_alloc(arena, capacity, sizeof *choices);
    if (!choices)
        return bwi_fail_memory(error, scene->path, bwi_arena_mem(arena), capacity * sizeof *choices);
    size_t count = 0;
    for (size_t k = 0; k < opts->merge_clips.count; ++k) {
        const bw_clip **clips = bwi_arena_alloc(arena, scene->clips.count + 1, sizeof *clips);
        if (!clips)
            return bwi_fail_memory(error, scene->path, bwi_arena_mem(arena), (scene->clips.count + 1) * sizeof *clips);
        size_t mixed = 0;
        bw_result result = parse_merge(clips, &mixed, opts->merge_clips.data[k], arena, scene, error);
        if (result != BW_OK)
            return result;
        if (mixed == 0) /* 'all' of a file without clips */
            continue;
        choices[count].mix = (bwi_clip_mix){clips, mixed};
        choices[count++].name = strcmp(opts->merge_clips.data[k], "all") == 0 && mixed == scene->clips.count
                                    ? "all"
                                    : opts->merge_clips.data[k];
    }
    for (size_t k = 0; k < opts->clip.count; ++k)
        if (!find_clip(scene, opts->clip.data[k], strlen(opts->clip.data[k])))
            return fail_unknown_clip(arena, scene, opts->clip.data[k], strlen(opts->clip.data[k]), error);
    const size_t merged = count;
    for (size_t k = 0; k < scene->clips.count; ++k) {
        const bw_clip *clip = &scene->clips.data[k];
        /* Without --clip a merged clip is not baked a second time on its own; with --clip and no name of it, only the merged ones are. */
        if (is_merged(choices, merged, clip) ? opts->clip.count == 0 || !wanted(opts, clip->name)
                                             : !wanted(opts, clip->name))
            continue;
        const bw_clip **single = bwi_arena_alloc(arena, 1, sizeof *single);
        if (!single)
            return bwi_fail_memory(error, scene->path, bwi_arena_mem(arena), sizeof *single);
        single[0] = clip;
        choices[count].mix = (bwi_clip_mix){single, 1};
        choices[count++].name = clip->name;
    }
    for (size_t k = 1; k < count; ++k)
        for (size_t i = 0; i < k; ++i)
            if (strcmp(choices[i].name, choices[k].name) == 0)
                return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                                "two clips of the bake would be named '%s'; name it once in --merge-clips and --clip",
                                choices[k].name);
    *out = choices;
    *out_count = count;
    return BW_OK;
}

static bool drives_same(const bw_clip *a, const bw_clip *b) {
    for (size_t i = 0; i < a->channels.count; ++i)
        for (size_t k = 0; k < b->channels.count; ++k)
            if (a->channels.data[i].node == b->channels.data[k].node &&
                a->channels.data[i].path == b->channels.data[k].path)
                return true;
    return false;
}

/* Span and frames of one choice: DESIGN §3 "Frames", and the seed's (int)(60.0f × length). */
static bw_result time_clip(bwi_vat_clip *clip, const clip_choice *choice, const char *path, const bwi_vat_settings *s,
                           bwi_warnings *warnings, bw_error *error) {
    double first = choice->mix.clips[0]->start_s, last = choice->mix.clips[0]->end_s,
           rate = choice->mix.clips[0]->key_rate_fps;
    for (size_t k = 1; k < choice->mix.count; ++k) {
        const bw_clip *part = choice->mix.clips[k];
        first = part->start_s < first ? part->start_s : first;
        last = part->end_s > last ? part->end_s : last;
        rate = part->key_rate_fps == rate ? rate : 0.0;
        for (size_t i = 0; i < k; ++i)
            if (drives_same(choice->mix.clips[i], part))
                bwi_warn(warnings, "merged-clips-overlap", 1,
                         "clips played together drive the same property; the later one wins", "clips '%s' and '%s'",
                         choice->mix.clips[i]->name, part->name);
    }
    const double length = last - first;
    if (s->start_s > length)
        return bwi_fail(error, BW_ERR_USAGE, path, -1,
                        "--start=%g lies past the end of clip '%s', which is %g s long; choose clips with --clip",
                        s->start_s, choice->name, length);
    double end = length;
    if (s->end_s > 0.0) {
        if (s->end_s < s->start_s)
            return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "--end=%g lies before --start=%g", s->end_s, s->start_s);
        if (s->end_s > length)
            bwi_warn(warnings, "end-past-clip", 1, "--end lies past the last key; those clips end with it",
                     "clip '%s', %g s long", choice->name, length);
        else
            end = s->end_s;
    }
    /* The untouched ends must stay the keys' own values: first + (last − first) may differ from last. */
    const double start_s = s->start_s > 0.0 ? first + s->start_s : first;
    const double end_s = end < length ? first + end : last;
    const double d = end_s - start_s;
    const double full_fps = s->layout == BW_VAT_LAYOUT_SEED ? BW_SEED_FPS
                            : s->fps > 0.0                  ? s->fps
                            : rate > 0.0                    ? rate
                                                            : 30.0;
    const double wanted_fps = s->rate_divisor > 1 ? full_fps / s->rate_divisor : full_fps;
    if (!(d * wanted_fps < (double)MAX_FRAMES))
        return bwi_fail(error, BW_ERR_TOO_LARGE, path, -1,
                        "clip '%s' is %g s long, too many frames at %g a second; use --end or --fps", choice->name, d,
                        wanted_fps);
    bwi_manifest_clip *out = &clip->out;
    out->source_start_s = start_s;
    out->source_end_s = end_s;
    if (s->layout == BW_VAT_LAYOUT_SEED) {
        out->frame_count = (uint32_t)(60.0f * (float)d);
        if (out->frame_count == 0) {
            bwi_warn(warnings, "seed-clip-too-short", 1,
                     "clips shorter than 1/60 s have no row in the seed layout; one was written",
                     "clip '%s', %g s long", choice->name, d);
            out->frame_count = 1;
        }
        out->rate_fps = BW_SEED_FPS;
        out->duration_s = (double)(out->frame_count - 1) / BW_SEED_FPS;
    } else if (d > 0.0) {
        double n = (double)(uint64_t)(d * wanted_fps + 0.5);
        n = n < 1.0 ? 1.0 : n;
        out->frame_count = (uint32_t)n + 1;
        out->rate_fps = n / d;
        out->duration_s = d;
    } else {
        out->frame_count = 1;
        out->rate_fps = wanted_fps;
    }
    return BW_OK;
}

bw_result bwi_vat_choose_clips(bwi_vat_clip **clips, uint32_t *clip_count, bwi_arena *arena, const bw_scene *scene,
                               const bwi_vat_settings *settings, const bw_vat_opts *opts, bwi_warnings *warnings,
                               bw_error *error) {
    clip_choice *choices = NULL;
    size_t count = 0;
    bw_result result = collect(&choices, &count, arena, scene, opts, error);
    if (result != BW_OK)
        return result;
    if (count == 0 && !opts->static_pose)
        return bwi_fail(error, BW_ERR_NO_CLIP, scene->path, -1,
                        "the file holds no animation clip to bake; export one, name files that hold some with --anim, "
                        "or use --static "
                        "for one frame of the rest pose");
    bwi_vat_clip *list = bwi_arena_alloc(arena, count ? count : 1, sizeof *list);
    if (!list)
        return bwi_fail_memory(error, scene->path, bwi_arena_mem(arena), count * sizeof *list);
    if (count == 0) {
        list[0].out.name = "rest";
        list[0].out.frame_count = 1;
        list[0].out.rate_fps = settings->layout == BW_VAT_LAYOUT_SEED ? BW_SEED_FPS
                               : settings->fps > 0.0                  ? settings->fps
                                                                      : 30.0;
        *clips = list;
        *clip_count = 1;
        return BW_OK;
    }
    for (size_t k = 0; k < count; ++k) {
        result = time_clip(&list[k], &choices[k], scene->path, settings, warnings, error);
        if (result != BW_OK)
            return result;
        list[k].mix = choices[k].mix;
        list[k].out.name = choices[k].name;
        const char **names = bwi_arena_alloc(arena, choices[k].mix.count, sizeof *names);
        if (!names)
            return bwi_fail_memory(error, scene->path, bwi_arena_mem(arena), choices[k].mix.count * sizeof *names);
        for (size_t i = 0; i < choices[k].mix.count; ++i)
            names[i] = choices[k].mix.clips[i]->name;
        list[k].out.source_names = (bw_string_list){names, choices[k].mix.count};
    }
    *clips = list;
    *clip_count = (uint32_t)count;
    return BW_OK;
}
