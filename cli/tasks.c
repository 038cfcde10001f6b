/* SPDX-License-Identifier: MIT
 * From a job to single bakes: folders are walked, and what would overwrite something else is refused before any work. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "tasks.h"

static bw_result fail_memory(bw_error *error) {
    return cli_fail(error, BW_ERR_MEMORY, "the system refused memory for a list of files");
}

/* Appends a copy of an element; false if memory fails. */
static bool append(void **list, size_t *count, const void *element, size_t size) {
    if ((*count & (*count + 1)) == 0) { /* full at 0, 1, 3, 7 … */
        void *grown = realloc(*list, (2 * *count + 1) * size);
        if (!grown) {
            return false;
        }
        *list = grown;
    }
    memcpy((char *)*list + *count * size, element, size);
    *count += 1;
    return true;
}

static char *join(const char *folder, const char *name) {
    size_t size = strlen(folder);
    while (size > 1 && folder[size - 1] == '/') {
        size--;
    }
    size_t name_size = strlen(name);
    char *path = malloc(size + name_size + 2);
    if (path) {
        memcpy(path, folder, size);
        path[size] = '/';
        memcpy(path + size + (folder[size - 1] != '/'), name, name_size + 1);
    }
    return path;
}

/* ---- the walk ---- */

typedef struct visited {
    dev_t device;
    ino_t node;
} visited;

typedef struct walk {
    cli_tasks *tasks;
    const bw_job_bake *bake;
    visited *seen; /* folders; each once, so that links back end the walk */
    size_t seen_count;
    bw_error *error;
} walk;

static bw_result add_task(walk *w, char *scene, const char *out, const bw_error *failure) {
    cli_task task = {.scene = scene, .out = strdup(out), .opts = w->bake->opts};
    if (failure) {
        task.error = *failure;
        task.done = true;
    }
    if (!task.scene || !task.out || !append((void **)&w->tasks->data, &w->tasks->count, &task, sizeof(task))) {
        free(task.scene);
        free(task.out);
        return fail_memory(w->error);
    }
    return BW_OK;
}

static bool ends_with(const char *name, const char *ending) {
    size_t size = strlen(name);
    size_t ending_size = strlen(ending);
    return size > ending_size && strcasecmp(name + size - ending_size, ending) == 0;
}

/* Where the digits before the name's ending begin; the ending itself if there are none. */
static size_t digits_at(const char *name) {
    const char *dot = strrchr(name, '.');
    size_t at = dot ? (size_t)(dot - name) : strlen(name);
    while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') {
        at--;
    }
    return at;
}

/* What earlier bakes wrote is no input: NAME_vat.glb, NAME_vat.lod1.glb. */
static bool is_output(const char *name) {
    static const char level[] = "_vat.lod";
    const size_t at = digits_at(name), size = sizeof(level) - 1;
    return ends_with(name, "_vat.glb") || (at > size && strncasecmp(name + at - size, level, size) == 0);
}

static bool is_scene(const char *name) {
    return (ends_with(name, ".glb") || ends_with(name, ".gltf") || ends_with(name, ".abc")) && !is_output(name);
}

static bool has_level(struct dirent *const *names, int count, const char *beginning, size_t size, unsigned long level) {
    for (int i = 0; i < count; i++) {
        const char *name = names[i]->d_name;
        if (strncmp(name, beginning, size) == 0 && digits_at(name) == size && strtoul(name + size, NULL, 10) == level &&
            is_scene(name)) {
            return true;
        }
    }
    return false;
}

/* NAME_LOD2 is baked with NAME_LOD0, where NAME_LOD1 is there too, unless the options say otherwise. */
static bool goes_with_another(const walk *w, struct dirent *const *names, int count, const char *name) {
    const bw_vat_opts *opts = &w->bake->opts;
    const size_t at = digits_at(name);
    const unsigned long number = strtoul(name + at, NULL, 10);
    const unsigned long most = 16; /* as many as a bake looks for */
    if (opts->lod.count || opts->layout == BW_VAT_LAYOUT_OPENVAT || number < 1 || number > most || at < 5 ||
        strncasecmp(name + at - 4, "_lod", 4) != 0 || !is_scene(name)) {
        return false;
    }
    for (unsigned long k = 0; k < number; k++) {
        if (!has_level(names, count, name, at, k)) {
            return false;
        }
    }
    return true;
}

/* A mesh of OpenVAT's layout has a plain name, and its JSON beside it. */
static bool is_openvat_mesh(const char *path) {
    static const char ending[] = "-remap_info.json";
    size_t size = (size_t)(strrchr(path, '.') - path);
    char *remap_info = malloc(size + sizeof(ending));
    if (!remap_info) {
        return false; /* then its bake says so */
    }
    memcpy(remap_info, path, size);
    memcpy(remap_info + size, ending, sizeof(ending));
    struct stat status;
    bool there = stat(remap_info, &status) == 0;
    free(remap_info);
    return there;
}

static int is_shown(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* By bytes: alphasort depends on the locale. */
static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bw_result walk_folder(walk *w, const char *folder, const char *out);

static bw_result walk_entry(walk *w, const char *folder, const char *out, const char *name) {
    char *path = join(folder, name);
    if (!path) {
        return fail_memory(w->error);
    }
    struct stat status;
    bool there = stat(path, &status) == 0;
    if (there && S_ISDIR(status.st_mode)) {
        char *below = join(out, name);
        bw_result result = below ? walk_folder(w, path, below) : fail_memory(w->error);
        free(below);
        free(path);
        return result;
    }
    /* A link that leads nowhere is said by its bake; a pipe would never end. */
    if (is_scene(name) && !is_openvat_mesh(path) && (!there || S_ISREG(status.st_mode))) {
        return add_task(w, path, out, NULL);
    }
    free(path);
    return BW_OK;
}

static bw_result walk_folder(walk *w, const char *folder, const char *out) {
    struct stat status;
    bool there = stat(folder, &status) == 0;
    for (size_t i = 0; there && i < w->seen_count; i++) {
        if (w->seen[i].device == status.st_dev && w->seen[i].node == status.st_ino) {
            return BW_OK;
        }
    }
    const visited here = {there ? status.st_dev : 0, there ? status.st_ino : 0};
    char *copy = strdup(folder);
    if (!copy || !append((void **)&w->tasks->folders, &w->tasks->folder_count, &copy, sizeof(copy))) {
        free(copy);
        return fail_memory(w->error);
    }
    if (there && !append((void **)&w->seen, &w->seen_count, &here, sizeof(here))) {
        return fail_memory(w->error);
    }
    struct dirent **names = NULL;
    int count = scandir(folder, &names, is_shown, by_name);
    if (count < 0) {
        bw_error failure;
        (void)cli_fail(&failure, BW_ERR_FILE_READ, "%s: the folder cannot be read: %s", folder, strerror(errno));
        return add_task(w, strdup(folder), out, &failure);
    }
    bw_result result = BW_OK;
    for (int i = 0; i < count; i++) {
        if (result == BW_OK && !goes_with_another(w, names, count, names[i]->d_name)) {
            result = walk_entry(w, folder, out, names[i]->d_name);
        }
    }
    for (int i = 0; i < count; i++) {
        free(names[i]);
    }
    free(names);
    return result;
}

static bw_result expand(walk *w, const char *input) {
    struct stat status;
    if (stat(input, &status) != 0 || !S_ISDIR(status.st_mode)) {
        return add_task(w, strdup(input), w->bake->out, NULL);
    }
    size_t before = w->tasks->count;
    w->seen_count = 0;
    bw_result result = walk_folder(w, input, w->bake->out);
    if (result == BW_OK && w->tasks->count == before) {
        return cli_fail(w->error, BW_ERR_FILE_MISSING,
                        "%s: the folder holds no scene; expected .glb, .gltf or .abc files in it or below", input);
    }
    return result;
}

/* ---- what would overwrite ---- */

/* The part of a path that outputs are named after: "a/hero.glb" gives "hero", 4 long. */
static const char *stem(const char *path, size_t *size) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    *size = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    return name;
}

/* The path without links, as far as it exists, in small letters: some file systems hold names that differ by case only for the same. */
static char *settled_path(const char *path) {
    char *head = strdup(path);
    char *real = head ? realpath(head, NULL) : NULL;
    while (head && !real) {
        char *slash = strrchr(head, '/');
        if (slash && slash > head) {
            *slash = 0;
            real = realpath(head, NULL);
        } else {
            real = realpath(slash ? "/" : ".", NULL);
            head[0] = 0;
            break;
        }
    }
    const char *rest = head ? path + strlen(head) : "";
    rest += strspn(rest, "/");
    char *whole = !real ? NULL : rest[0] ? join(real, rest) : strdup(real);
    for (char *c = whole; c && *c; c++) {
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + ('a' - 'A') : *c);
    }
    free(head);
    free(real);
    return whole;
}

typedef struct place {
    char *path;
    size_t task;
    bool is_input;
} place;

static int by_place(const void *a, const void *b) {
    const place *first = a;
    const place *second = b;
    int order = strcmp(first->path, second->path);
    if (order == 0 && first->is_input != second->is_input) {
        return first->is_input ? 1 : -1;
    }
    return order ? order : (first->task > second->task) - (first->task < second->task);
}

/* Where a mesh of the task will lie. */
static char *mesh_path(const cli_task *task, const char *ending) {
    size_t size;
    const char *name = stem(task->scene, &size);
    if (task->opts.name) {
        name = task->opts.name;
        size = strlen(name);
    }
    char *file = malloc(size + strlen(ending) + 1);
    if (file) {
        memcpy(file, name, size);
        memcpy(file + size, ending, strlen(ending) + 1);
    }
    char *mesh = file ? join(task->out, file) : NULL;
    char *settled = mesh ? settled_path(mesh) : NULL;
    free(mesh);
    free(file);
    return settled;
}

/* Where the task's scene lies, and where its meshes will. */
static bool add_places(place **places, size_t *count, const cli_tasks *tasks, size_t index) {
    const cli_task *task = &tasks->data[index];
    bool second = task->opts.layout == BW_VAT_LAYOUT_OPENVAT; /* its mesh has the scene's name */
    const place all[3] = {{settled_path(task->scene), index, true},
                          {mesh_path(task, "_vat.glb"), index, false},
                          {second ? mesh_path(task, ".glb") : NULL, index, false}};
    bool fits = true;
    for (size_t i = 0; i < 2 + (size_t)second; i++) {
        fits = fits && all[i].path && append((void **)places, count, &all[i], sizeof(all[i]));
        if (!fits) {
            free(all[i].path);
        }
    }
    return fits;
}

static bw_result compare_places(const place *places, size_t count, const cli_tasks *tasks, bw_error *error) {
    for (size_t i = 0; i + 1 < count; i++) {
        const place *a = &places[i];
        const place *b = &places[i + 1];
        if (a->is_input || a->task == b->task ||
            strcmp(a->path, b->path) != 0) { /* its own input is the bake's to say */
            continue;
        }
        const char *scene_a = tasks->data[a->task].scene;
        const char *scene_b = tasks->data[b->task].scene;
        const char *name = strrchr(a->path, '/') + 1;
        int size = (int)(strlen(name) - strlen(".glb"));
        if (!b->is_input) {
            return cli_fail(error, BW_ERR_USAGE,
                            "%s and %s would write the same files, %.*s.*; bake them into different folders", scene_a,
                            scene_b, size, name);
        }
        return cli_fail(error, BW_ERR_OVERWRITES_INPUT,
                        "the bake of %s would overwrite %s, which is an input; give another folder or --name", scene_a,
                        scene_b);
    }
    return BW_OK;
}

static bw_result check_places(const cli_tasks *tasks, bw_error *error) {
    place *places = NULL;
    size_t count = 0;
    bool fits = true;
    for (size_t i = 0; fits && i < tasks->count; i++) {
        fits = tasks->data[i].done || tasks->data[i].opts.write.dry_run || add_places(&places, &count, tasks, i);
    }
    bw_result result = fits ? BW_OK : fail_memory(error);
    if (fits && count) {
        qsort(places, count, sizeof(*places), by_place);
        result = compare_places(places, count, tasks, error);
    }
    for (size_t i = 0; i < count; i++) {
        free(places[i].path);
    }
    free(places);
    return result;
}

bw_result cli_tasks_make(cli_tasks *tasks, const bw_job *job, bw_error *error) {
    bw_result result = BW_OK;
    *tasks = (cli_tasks){0};
    for (size_t b = 0; result == BW_OK && b < job->bakes.count; b++) {
        const bw_job_bake *bake = &job->bakes.data[b];
        walk w = {.tasks = tasks, .bake = bake, .error = error};
        size_t before = tasks->count;
        for (size_t k = 0; result == BW_OK && k < bake->in.count; k++) {
            result = expand(&w, bake->in.data[k]);
        }
        free(w.seen);
        if (result == BW_OK && bake->opts.name && tasks->count - before > 1) {
            result = cli_fail(error, BW_ERR_USAGE,
                              "--name=%s names one bake, found %zu scenes; leave it out or bake them one by one",
                              bake->opts.name, tasks->count - before);
        }
    }
    return result == BW_OK ? check_places(tasks, error) : result;
}

void cli_tasks_free(cli_tasks *tasks) {
    for (size_t i = 0; i < tasks->count; i++) {
        free(tasks->data[i].scene);
        free(tasks->data[i].out);
        bw_free_vat_report(tasks->data[i].report);
    }
    for (size_t i = 0; i < tasks->folder_count; i++) {
        free(tasks->folders[i]);
    }
    free(tasks->data);
    free(tasks->folders);
    *tasks = (cli_tasks){0};
}
