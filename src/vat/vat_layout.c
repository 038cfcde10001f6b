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

/* Texels an element: of bones a pivot and a quaternion, or the rows of a matrix. */
static uint32_t texel_count(const bwi_vat_settings *s) {
    return s->position_decode == BWI_DECODE_BONE_MATRIX ? 3 : s->position_decode == BWI_DECODE_BONE_QUATERNION ? 2 : 1;
}

/* Elements of some texels each in blocks of rows. */
typedef struct block_shape {
    uint32_t per_row, width, rows;
} block_shape;

static block_shape shape_block(uint32_t element_count, uint32_t texel_count, uint32_t max, bool pow2) {
    const uint32_t most = max / texel_count;
    block_shape b = {.rows = element_count / most + (element_count % most != 0)};
    b.per_row = element_count / b.rows + (element_count % b.rows != 0);
    b.width = texel_count * b.per_row;
    if (pow2) {
        b.width = bwi_pow2_up(b.width);
        b.per_row = b.width / texel_count;
        b.rows = element_count / b.per_row + (element_count % b.per_row != 0);
    }
    return b;
}

/* Sides are powers of two, so the largest is one too. */
static uint32_t largest_side(const bwi_vat_settings *s) {
    uint32_t max = s->max_size;
    while (s->pow2 && (max & (max - 1)))
        max &= max - 1;
    return max;
}

/* Bones have a block before their frames, of the pivots at rest. */
static bw_result lay_out_native(bwi_vat_plan *plan, bwi_arena *arena, bw_error *error) {
    const bwi_vat_settings *s = &plan->settings;
    const bool bones = plan->palette != NULL;
    const uint32_t n = plan->frame_count, max = largest_side(s), before = bones ? 1 : 0;
    const block_shape b =
        shape_block(bones ? plan->palette->bone_count : plan->list->vertex_count, texel_count(s), max, s->pow2);
    const uint32_t blocks = max / b.rows, k = blocks > before ? blocks - before : 0, least = n < 2 ? 1 : 2;
    if (k < least)
        return bwi_fail_side(plan,
                             bones   ? n < 2 ? "one frame of these bones" : "a pair of frames of these bones"
                             : n < 2 ? "one frame of this mesh"
                                     : "a pair of frames of this mesh",
                             (uint64_t)b.rows * (least + before),
                             "raise --max-size if the engine allows, or leave nodes out with --exclude", error);
    const uint32_t page_count = n <= k ? 1 : 1 + (n - 2) / (k - 1);
    const uint32_t rows = ((n <= k ? n : k) + before) * b.rows;
    const uint32_t h = s->pow2 ? bwi_pow2_up(rows) : rows;
    bwi_vat_page *pages = bwi_arena_alloc(arena, page_count, sizeof *pages);
    if (!pages)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), page_count * sizeof *pages);
    for (uint32_t p = 0; p < page_count; ++p) {
        const uint32_t first = n <= k ? 0 : p * (k - 1);
        pages[p] = (bwi_vat_page){first, n - first < k ? n - first : k, b.width, h};
    }
    plan->pages = pages;
    plan->page_count = page_count;
    plan->width = b.width;
    plan->height = h;
    plan->rows_per_frame = b.rows;
    plan->frames_per_page = k < n ? k : n;
    plan->bones.per_row = bones ? b.per_row : 0;
    plan->bones.texel_count = bones ? texel_count(s) : 0;
    return BW_OK;
}

/* One block of bones and one of weights for each four influences. */
static bw_result lay_out_weights(bwi_vat_plan *plan, bw_error *error) {
    const bwi_vat_settings *s = &plan->settings;
    const uint32_t max = largest_side(s);
    const block_shape b = shape_block(plan->list->vertex_count, 1, max, s->pow2);
    const uint32_t block = s->pow2 ? bwi_pow2_up(b.rows) : b.rows; /* then the height is a power of two as well */
    const uint64_t rows = (uint64_t)block * (s->influence_count / 2);
    if (rows > max)
        return bwi_fail_side(plan, "a texture of this mesh's weights", rows,
                             "raise --max-size, use --skin-in=mesh, or leave nodes out with --exclude", error);
    plan->weight_width = b.width;
    plan->weight_height = (uint32_t)rows;
    plan->weight_rows = block;
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
    const bwi_palette *bones = plan->palette;
    return bwi_fail(error, BW_ERR_TOO_LARGE, plan->list->scene->path, -1,
                    "%u %s × %u frames need at least %.1f MiB of textures, the limit is %.1f MiB; %s, choose "
                    "clips with --clip, leave nodes out with --exclude, or raise --max-bytes",
                    bones ? bones->bone_count : plan->list->vertex_count, bones ? "bones" : "vertices",
                    plan->frame_count, bytes / 1048576.0, (double)plan->settings.max_bytes / 1048576.0,
                    seed ? "shorten clips with --end" : "lower --fps");
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
    const uint64_t element = (uint64_t)texel * texel_count(s);
    const uint64_t element_count = plan->palette ? plan->palette->bone_count : plan->list->vertex_count;
    /* Before pages are listed: their number follows from a length that a file claims. */
    if (frames * element > s->max_bytes / element_count)
        return fail_bytes(plan, (double)frames * (double)element * (double)element_count, error);
    bw_result result = s->layout == BW_VAT_LAYOUT_SEED      ? lay_out_seed(plan, arena, error)
                       : s->layout == BW_VAT_LAYOUT_OPENVAT ? bwi_openvat_layout(plan, arena, error)
                                                            : lay_out_native(plan, arena, error);
    if (result == BW_OK && s->weight_format)
        result = lay_out_weights(plan, error);
    if (result != BW_OK)
        return result;
    plan->texture_bytes = 0;
    for (uint32_t p = 0; p < plan->page_count; ++p)
        plan->texture_bytes += (uint64_t)plan->pages[p].width * plan->pages[p].height * texel;
    if (s->weight_format)
        plan->texture_bytes +=
            (uint64_t)plan->weight_width * plan->weight_height * bwi_texel_size(s->weight_format->type);
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
