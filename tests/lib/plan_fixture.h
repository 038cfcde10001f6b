/* SPDX-License-Identifier: MIT
 * A bake planned over a scene made by hand, for tests. */
#ifndef TESTS_PLAN_FIXTURE_H
#define TESTS_PLAN_FIXTURE_H

#include "list_fixture.h"
#include "vat/vat.h"

typedef struct plan_fixture {
    list_fixture list;
    bwi_vat_plan plan;
    uint32_t page;
    void *carried;
    bwi_texels positions, normals; /* of the page encoded last; positions: or bones */
} plan_fixture;

/* Everything that a bake does before it encodes; the result of the first step that fails, its sentence in list.error. */
bw_result plan_open(plan_fixture *f, const bw_scene *scene, const bw_vat_opts *opts);
/* Encodes a page into texels filled with 0xA5 before; pages of bones in their order. */
bw_result plan_encode(plan_fixture *f, uint32_t page);
void plan_close(plan_fixture *f);

#endif
