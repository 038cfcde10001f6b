/* SPDX-License-Identifier: MIT
 * Where frames and elements go: sides, rows, pages.  Source: docs/FORMATS.md. */
#include "vat/vat_priv.h"

uint32_t bwi_pow2_up(uint32_t x) {
    uint32_t p = 1;
    while (p < x)
        p <<= 1;
    return p;
}

bw_result bwi_fail_side(const bwi_vat_plan *plan, const char *what, uint64_t side, const char *help, bw_error *error) {
    return bwi_fail(error, BW_ERR_TOO_LARGE, plan->list->scene->path, -1,
                    "%s needs a texture side of %llu, the limit is %u texels; %s", what, (unsigned long long)side,
                    plan->settings.max_size, help);
}

static bw_result lay_out_native(bwi_vat_plan *plan, bwi_arena *arena, bw_error *error) {
    const bwi_vat_settings *s = &plan->settings;
    const uint32_t v = plan->list->vertex_count, n = plan->frame_count;
    uint32_t max = s->max_size;
    if (s->pow2)
        while (max & (max - 1)) /* sides are powers of two, so the largest is one too */
            max &= max - 1;
    uint32_t r = v / max + (v % max != 0);
    uint32_t w = v / r + (v % r != 0);
    if (s->pow2) {
        w = bwi_pow2_up(w);
        r = v / w + (v % w != 0);
    }
    const uint32_t k = max / r;
    if (k < (n < 2 ? 1U : 2U))
        return bwi_fail_side(plan, n < 2 ? "one frame of this mesh" : "a pair of frames of this mesh",
                             (uint64_t)r * (n < 2 ? 1 : 2),
                             "raise --max-size if the engine allows, or leave nodes out with --exclude", error);
    const uint32_t page_count = n <= k ? 1 : 1 + (n - 2) / (k - 1);
    const uint32_t rows = (n <= k ? n : k) * r;
    const uint32_t h = s->pow2 ? bwi_pow2_up(rows) : rows;
    bwi_vat_page *pages = bwi_arena_alloc(arena, page_count, sizeof *pages);
    if (!pages)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), page_count * sizeof *pages);
    for (uint32_t p = 0; p < page_count; ++p) {
        const uint32_t first = n <= k ? 0 : p * (k - 1);
        pages[p] = (bwi_vat_page){first, n - first < k ? n - first : k, w, h};
    }
    plan->pages = pages;
    plan->page_count = page_count;
    plan->width = w;
    plan->height = h;
    plan->rows_per_frame = r;
    plan->frames_per_page = k < n ? k : n;
    return BW_OK;
}

/* One image a clip, one row a frame. */
static bw_result lay_out_seed(bwi_vat_plan *plan, bwi_arena *arena, bw_error *error) {
    const uint32_t v = plan->list->vertex_count, max = plan->settings.max_size;
    const uint32_t w = bwi_pow2_up(v);
    if (w > max)
        return bwi_fail_side(plan, "--layout=seed with a column for each vertex", w,
                             "use --layout=native, which wraps rows, or raise --max-size", error);
    bwi_vat_page *pages = bwi_arena_alloc(arena, plan->clip_count, sizeof *pages);
    if (!pages)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), plan->clip_count * sizeof *pages);
    plan->height = 0;
    for (uint32_t c = 0; c < plan->clip_count; ++c) {
        const bwi_manifest_clip *clip = &plan->clips[c].out;
        if (clip->frame_count > max)
            return bwi_fail_side(plan, "--layout=seed with a row for each 1/60 s", clip->frame_count,
                                 "use --layout=native, which goes on to further pages, or shorten clips with --end",
                                 error);
        pages[c] = (bwi_vat_page){clip->first_frame, clip->frame_count, w, clip->frame_count};
        plan->height = clip->frame_count > plan->height ? clip->frame_count : plan->height;
    }
    plan->pages = pages;
    plan->page_count = plan->clip_count;
    plan->width = w;
    plan->rows_per_frame = 1;
    plan->frames_per_page = 0;
    return BW_OK;
}

static bw_result fail_bytes(const bwi_vat_plan *plan, double bytes, bw_error *error) {
    const bool seed = plan->settings.layout == BW_VAT_LAYOUT_SEED;
    return bwi_fail(error, BW_ERR_TOO_LARGE, plan->list->scene->path, -1,
                    "%u vertices × %u frames need at least %.1f MiB of textures, the limit is %.1f MiB; %s, choose "
                    "clips with --clip, leave nodes out with --exclude, or raise --max-bytes",
                    plan->list->vertex_count, plan->frame_count, bytes / 1048576.0,
                    (double)plan->settings.max_bytes / 1048576.0, seed ? "shorten clips with --end" : "lower --fps");
}

bw_result bwi_vat_layout(bwi_vat_plan *plan, bwi_arena *arena, bw_error *error) {
    const bwi_vat_settings *s = &plan->settings;
    uint64_t frames = 0;
    for (uint32_t c = 0; c < plan->clip_count; ++c) {
        plan->clips[c].out.first_frame = (uint32_t)frames;
        frames += plan->clips[c].out.frame_count;
        if (frames > UINT32_MAX / 2)
            return bwi_fail(error, BW_ERR_TOO_LARGE, plan->list->scene->path, -1,
                            "the clips have more than %u frames together; choose some with --clip, or lower --fps",
                            UINT32_MAX / 2);
    }
    plan->frame_count = (uint32_t)frames;
    const size_t texel =
        bwi_texel_size(s->format->type) + (s->normal_format ? bwi_texel_size(s->normal_format->type) : 0);
    /* Before pages are listed: their number follows from a length that a file claims. */
    if (frames * texel > s->max_bytes / plan->list->vertex_count)
        return fail_bytes(plan, (double)frames * (double)texel * plan->list->vertex_count, error);
    bw_result result = s->layout == BW_VAT_LAYOUT_SEED      ? lay_out_seed(plan, arena, error)
                       : s->layout == BW_VAT_LAYOUT_OPENVAT ? bwi_openvat_layout(plan, arena, error)
                                                            : lay_out_native(plan, arena, error);
    if (result != BW_OK)
        return result;
    plan->texture_bytes = 0;
    for (uint32_t p = 0; p < plan->page_count; ++p)
        plan->texture_bytes += (uint64_t)plan->pages[p].width * plan->pages[p].height * texel;
    return plan->texture_bytes > s->max_bytes ? fail_bytes(plan, (double)plan->texture_bytes, error) : BW_OK;
}

const bwi_vat_clip *bwi_vat_clip_of_frame(const bwi_vat_plan *plan, uint32_t frame, uint32_t *local) {
    uint32_t low = 0, high = plan->clip_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (plan->clips[middle].out.first_frame <= frame)
            low = middle;
        else
            high = middle;
    }
    *local = frame - plan->clips[low].out.first_frame;
    return &plan->clips[low];
}
