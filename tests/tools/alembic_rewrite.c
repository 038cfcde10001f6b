/* SPDX-License-Identifier: MIT
 * Reads archives and writes what they hold again: alembic_rewrite IN OUT [IN OUT]...  Ends with the status of the first that failed.
 *
 * Samples are put breadth first: sample 0 of every property of an object, then sample 1, as exporters that write a frame at a time do. */
#include <stdio.h>
#include <stdlib.h>

#include "bakewell/alembic_write.h"

typedef struct job {
    bw_alembic *in;
    bw_alembic_writer *out;
    uint32_t *samplings; /* [of the input] index in the output */
    bw_error error;
} job;

/* A property of the object at hand that has samples. */
typedef struct open_property {
    const bw_alembic_property *from;
    bw_alembic_id to;
} open_property;

typedef struct open_list {
    open_property *data;
    size_t count;
} open_list;

#define TRY(call)                 \
    do {                          \
        bw_result tried = (call); \
        if (tried != BW_OK)       \
            return tried;         \
    } while (0)

static bw_result add_properties(job *j, open_list *open, const bw_alembic_property_list *list, bw_alembic_id parent) {
    for (size_t i = 0; i < list->count; i++) {
        const bw_alembic_property *p = &list->data[i];
        const bw_alembic_property_opts opts = {.kind = p->kind,
                                               .pod = p->pod,
                                               .extent = p->extent,
                                               .time_sampling =
                                                   p->kind == BW_ALEMBIC_COMPOUND ? 0 : j->samplings[p->time_sampling],
                                               .metadata = p->metadata};
        bw_alembic_id id;
        TRY(bw_alembic_add_property(&id, j->out, parent, p->name, &opts, &j->error));
        if (p->kind == BW_ALEMBIC_COMPOUND) {
            bw_alembic_property_list members;
            TRY(bw_alembic_members(&members, j->in, p, &j->error));
            TRY(add_properties(j, open, &members, id));
        } else {
            open_property *grown = realloc(open->data, (open->count + 1) * sizeof *grown);
            if (!grown)
                abort();
            open->data = grown;
            open->data[open->count++] = (open_property){p, id};
        }
    }
    return BW_OK;
}

static bw_result put_samples(job *j, const open_list *open) {
    bool more = true;
    for (uint32_t index = 0; more; index++) {
        more = false;
        for (size_t i = 0; i < open->count; i++) {
            const bw_alembic_property *p = open->data[i].from;
            if (index >= p->sample_count)
                continue;
            more = true;
            /* Where the archive says that nothing changes every other sample is passed again, so that both ways are gone. */
            if (index > 0 && index % 2 == 0 && (index < p->first_changed || index > p->last_changed)) {
                TRY(bw_alembic_repeat(j->out, open->data[i].to, &j->error));
                continue;
            }
            bw_alembic_sample sample;
            TRY(bw_alembic_view(&sample, j->in, p, index, &j->error));
            TRY(bw_alembic_put_sample(j->out, open->data[i].to, &sample, &j->error));
        }
    }
    return BW_OK;
}

static bw_result copy_object(job *j, const bw_alembic_object *from, bw_alembic_id to) {
    bw_alembic_property_list properties;
    bw_alembic_object_list children;
    open_list open = {0};
    TRY(bw_alembic_properties(&properties, j->in, from, &j->error));
    bw_result result = add_properties(j, &open, &properties, to);
    if (result == BW_OK)
        result = put_samples(j, &open);
    free(open.data);
    if (result != BW_OK)
        return result;
    TRY(bw_alembic_children(&children, j->in, from, &j->error));
    for (size_t i = 0; i < children.count; i++) {
        bw_alembic_id child;
        TRY(bw_alembic_add_object(&child, j->out, to, children.data[i].name, children.data[i].metadata, &j->error));
        TRY(copy_object(j, &children.data[i], child));
        /* Every third is left open for its parent to end. */
        if (i % 3 != 2)
            TRY(bw_alembic_end(j->out, child, &j->error));
    }
    return BW_OK;
}

static bw_result copy(job *j) {
    j->samplings = calloc(j->in->time_samplings.count, sizeof *j->samplings);
    for (size_t i = 0; i < j->in->time_samplings.count; i++)
        TRY(bw_alembic_add_time_sampling(&j->samplings[i], j->out, &j->in->time_samplings.data[i], &j->error));
    TRY(copy_object(j, j->in->top, BW_ALEMBIC_TOP));
    return bw_alembic_finish(j->out, &j->error);
}

static bw_result rewrite(const char *in, const char *out) {
    job j = {0};
    bw_result result = bw_alembic_open(&j.in, in, NULL, &j.error);
    if (result == BW_OK) {
        const bw_alembic_write_opts opts = {.metadata = j.in->metadata};
        result = bw_alembic_create(&j.out, out, &opts, &j.error);
    }
    if (result == BW_OK)
        result = copy(&j);
    if (result != BW_OK)
        fprintf(stderr, "%s\n", j.error.message);
    free(j.samplings);
    bw_free_alembic_writer(j.out);
    bw_free_alembic(j.in);
    return result;
}

int main(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        bw_result result = rewrite(argv[i], argv[i + 1]);
        if (result != BW_OK)
            return bw_result_exit_status(result);
    }
    return 0;
}
