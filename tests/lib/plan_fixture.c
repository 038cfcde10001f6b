/* SPDX-License-Identifier: MIT
 * A bake planned over a scene made by hand, for tests. */
#include "plan_fixture.h"

#include <string.h>

bw_result plan_open(plan_fixture *f, const bw_scene *scene, const bw_vat_opts *opts) {
    memset(f, 0, sizeof *f);
    bw_error *error = &f->list.error;
    bwi_vat_plan *plan = &f->plan;
    bw_result result = fixture_open(&f->list, scene, NULL);
    plan->list = f->list.list;
    if (result == BW_OK)
        result = bwi_vat_resolve(&plan->settings, opts, NULL, plan->list->has_normals, plan->list->has_tangents, error);
    if (result == BW_OK)
        result = bwi_vat_choose_clips(&plan->clips, &plan->clip_count, f->list.arena, scene, &plan->settings, opts,
                                      &f->list.warnings, error);
    if (result == BW_OK)
        result = bwi_vat_choose_tracks(plan, f->list.arena, opts, error);
    if (result == BW_OK && plan->settings.mode == BW_VAT_MODE_BONE)
        result = bwi_vat_palette_of_skins(plan, f->list.arena, &f->list.env, &f->list.warnings, error);
    if (result == BW_OK)
        result = bwi_vat_layout(plan, f->list.arena, error);
    if (result == BW_OK)
        result = bwi_vat_track_root(plan, f->list.arena, &f->list.env, error);
    if (result == BW_OK)
        result = bwi_vat_measure(plan, &f->list.env, error);
    if (result == BW_OK && plan->palette)
        result = bwi_vat_measure_bones(plan, f->list.arena, &f->list.env, &f->list.warnings, error);
    return result == BW_OK ? bwi_vat_layout(plan, f->list.arena, error) : result;
}

static void make_texels(plan_fixture *f, bwi_texels *texels, const bwi_vat_page *page, const bwi_format_info *format) {
    const size_t count = (size_t)page->width * page->height;
    *texels = (bwi_texels){page->width, page->height, format->type,
                           bwi_arena_alloc(f->list.arena, count, bwi_texel_size(format->type))};
    memset(texels->data, 0xA5, count * bwi_texel_size(format->type));
}

bw_result plan_encode(plan_fixture *f, uint32_t page) {
    const bwi_vat_settings *s = &f->plan.settings;
    f->page = page;
    make_texels(f, &f->positions, &f->plan.pages[page], s->format);
    if (s->normal_format)
        make_texels(f, &f->normals, &f->plan.pages[page], s->normal_format);
    if (!f->carried)
        f->carried = bwi_arena_alloc(f->list.arena, bwi_carried_size(&f->plan), 1);
    return bwi_vat_encode_page(&f->plan, page, &f->positions, s->normal_format ? &f->normals : NULL, f->carried,
                               &f->list.env, &f->list.error);
}

void plan_close(plan_fixture *f) {
    fixture_close(&f->list);
}
