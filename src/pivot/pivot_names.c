/* SPDX-License-Identifier: MIT
 * Names of elements: each once, found by hash. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "pivot/pivot_priv.h"

enum { LISTED = 5 };

static uint32_t hash_of(const char *name) {
    const bwi_hash128 hash = bwi_hash(name, strlen(name));
    uint32_t bits;
    memcpy(&bits, hash.bytes, sizeof bits);
    return bits;
}

/* The slot that holds the name, or the empty one where it would go. */
static uint32_t slot_of(const bwi_pivot_names *names, const bwi_pivot_work *work, const char *name) {
    uint32_t at = hash_of(name) & names->mask;
    while (names->slots[at] && strcmp(work->elements[names->slots[at] - 1].name, name) != 0)
        at = (at + 1) & names->mask;
    return at;
}

static bw_result make_table(bwi_pivot_names *names, const bwi_pivot_work *work) {
    size_t size = 16;
    while (size < 2 * (size_t)work->element_count)
        size *= 2;
    names->mask = (uint32_t)(size - 1);
    names->slots = bwi_pivot_alloc(work, size, sizeof *names->slots);
    return names->slots ? BW_OK : BW_ERR_MEMORY;
}

bw_result bwi_pivot_names_build(bwi_pivot_names *names, const bwi_pivot_work *work) {
    bw_result result = make_table(names, work);
    for (uint32_t i = 0; result == BW_OK && i < work->element_count; i++)
        names->slots[slot_of(names, work, work->elements[i].name)] = i + 1;
    return result;
}

uint32_t bwi_pivot_names_find(const bwi_pivot_names *names, const bwi_pivot_work *work, const char *name) {
    return names->slots[slot_of(names, work, name)] - 1; /* 0 − 1 is BW_NO_INDEX */
}

/* The first of a name keeps it, so that a name that only one element has in the file is that element's here. */
bw_result bwi_pivot_name(bwi_pivot_work *work) {
    bwi_pivot_names names;
    const uint32_t count = work->element_count;
    uint32_t *firsts = bwi_pivot_alloc(work, count, sizeof *firsts); /* element + 1 that has the name, 0: it keeps it */
    uint32_t *next = firsts ? bwi_pivot_alloc(work, count, sizeof *next) : NULL;
    if (!next || make_table(&names, work) != BW_OK)
        return BW_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *slot = &names.slots[slot_of(&names, work, work->elements[i].name)];
        firsts[i] = *slot;
        *slot = *slot ? *slot : i + 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *name = work->elements[i].name;
        uint32_t *slot = NULL;
        while (firsts[i] && (!slot || *slot)) {
            name = bwi_arena_printf(work->scratch, "%s.%u", work->elements[i].name, ++next[firsts[i] - 1]);
            if (!name)
                return bwi_fail_memory(work->error, work->scene->path, work->env->mem, 0);
            slot = &names.slots[slot_of(&names, work, name)];
        }
        work->elements[i].name = name;
        if (slot)
            *slot = i + 1;
    }
    return BW_OK;
}

static size_t common_length(const char *a, const char *b) {
    size_t n = 0;
    while (a[n] && b[n] && (a[n] | 32) == (b[n] | 32)) /* a blank is the end of the other with that bit */
        n++;
    return n;
}

void bwi_pivot_list_names(char *text, size_t size, const bwi_pivot_work *work, const char *name) {
    uint32_t best[LISTED], count = 0;
    size_t lengths[LISTED], used = 0;
    for (uint32_t i = 0; i < work->element_count; i++) {
        const size_t length = common_length(name, work->elements[i].name);
        if (count == LISTED && length <= lengths[LISTED - 1])
            continue;
        uint32_t at = count < LISTED ? count++ : LISTED - 1;
        for (; at > 0 && length > lengths[at - 1]; at--) {
            lengths[at] = lengths[at - 1];
            best[at] = best[at - 1];
        }
        lengths[at] = length;
        best[at] = i;
    }
    text[0] = '\0';
    for (uint32_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s\"%.60s\"", i ? ", " : "", work->elements[best[i]].name);
    if (work->element_count > count && used < size)
        snprintf(text + used, size - used, " and %u more", work->element_count - count);
}
