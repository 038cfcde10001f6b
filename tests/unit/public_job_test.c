/* SPDX-License-Identifier: MIT
 * Job files: what they say, what is refused with its place, what is written back. */
#define _POSIX_C_SOURCE 200809L

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bakewell/bakewell.h"

static char folder[64], path[80];

static int make_folder(void **state) {
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/bakewell-job-XXXXXX");
    int made = mkdtemp(folder) ? 0 : -1;
    (void)snprintf(path, sizeof(path), "%s/job.json", folder);
    return made;
}

static int remove_folder(void **state) {
    (void)state;
    (void)unlink(path);
    return rmdir(folder);
}

static bw_result load(bw_job **job, const char *text, bw_error *error) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    return bw_job_load(job, path, NULL, error);
}

static const char FULL[] = "{\"$schema\":\"x\",\"schema\":\"bakewell/job/"
                           "1\",\"defaults\":{\"fps\":30,\"engine\":\"unity\",\"pow2\":true,\"clip\":[\"A\",\"B\"],"
                           "\"max_bytes\":\"2MiB\",\"before_write\":\"p4 edit \\\"$1\\\"\"},"
                           "\"bakes\":[{\"in\":\"a.glb\",\"out\":\"o\"},"
                           "{\"in\":[\"/abs/b.glb\",\"c\"],\"out\":\"/"
                           "o\",\"fps\":null,\"pow2\":false,\"clip\":[],\"engine\":\"godot\",\"max_bytes\":4096,"
                           "\"max_error\":\"0.5mm\",\"force\":true,\"anim\":[\"x.glb,sub/*.glb\",\"/y.glb\"],"
                           "\"events\":[{\"clip\":\"Walk\",\"name\":\"step\",\"time_s\":0.25}]}]}";

static void defaults_and_bakes(void **state) {
    (void)state;
    bw_job *job = NULL;
    bw_error error = {0};
    assert_int_equal(load(&job, FULL, &error), BW_OK);
    assert_int_equal(job->bakes.count, 2);
    const bw_job_bake *first = &job->bakes.data[0];
    const bw_job_bake *second = &job->bakes.data[1];
    char wanted[256];
    (void)snprintf(wanted, sizeof(wanted), "%s/a.glb", folder);
    assert_int_equal(first->in.count, 1);
    assert_string_equal(first->in.data[0], wanted);
    (void)snprintf(wanted, sizeof(wanted), "%s/o", folder);
    assert_string_equal(first->out, wanted);
    assert_true(first->opts.fps == 30.0 && first->opts.engine == BW_ENGINE_UNITY && first->opts.pow2);
    assert_int_equal(first->opts.clip.count, 2);
    assert_string_equal(first->opts.clip.data[1], "B");
    assert_int_equal(first->opts.max_bytes, 2 << 20);
    assert_string_equal(first->opts.write.before_write, "p4 edit \"$1\"");
    assert_false(first->opts.write.force);
    assert_int_equal(first->opts.events.count, 0);

    assert_int_equal(second->in.count, 2);
    assert_string_equal(second->in.data[0], "/abs/b.glb");
    (void)snprintf(wanted, sizeof(wanted), "%s/c", folder);
    assert_string_equal(second->in.data[1], wanted);
    assert_string_equal(second->out, "/o");
    assert_true(second->opts.fps == 0.0 && second->opts.engine == BW_ENGINE_GODOT && !second->opts.pow2);
    assert_int_equal(second->opts.clip.count, 0);
    assert_int_equal(second->opts.max_bytes, 4096);
    assert_true(second->opts.max_error.unit == BW_LENGTH_METRE && second->opts.max_error.value == 0.0005);
    assert_true(second->opts.write.force);
    (void)snprintf(wanted, sizeof(wanted), "%s/x.glb,%s/sub/*.glb", folder, folder);
    assert_string_equal(second->opts.anim.data[0], wanted);
    assert_string_equal(second->opts.anim.data[1], "/y.glb");
    assert_int_equal(second->opts.events.count, 1);
    assert_string_equal(second->opts.events.data[0].clip, "Walk");
    assert_string_equal(second->opts.events.data[0].name, "step");
    assert_true(second->opts.events.data[0].time_s == 0.25);
    bw_free_job(job);
    bw_free_job(NULL);
}

/* What is written says the same, and is written the same again. */
static void written_jobs_read_back(void **state) {
    (void)state;
    bw_job *job = NULL;
    bw_job *back = NULL;
    bw_error error = {0};
    assert_int_equal(load(&job, FULL, &error), BW_OK);
    char *text = bw_job_json(job);
    assert_non_null(text);
    bw_result result = load(&back, text, &error);
    if (result != BW_OK) {
        fail_msg("%s", error.message);
    }
    char *again = bw_job_json(back);
    assert_string_equal(text, again);
    assert_true(back->bakes.data[1].opts.max_error.value == 0.0005 && back->bakes.data[0].opts.fps == 30.0);
    assert_int_equal(back->bakes.data[0].opts.max_size, 4096); /* a default, spelled out */
    assert_int_equal(back->bakes.data[1].opts.events.count, 1);
    bw_free_text(text);
    bw_free_text(again);
    bw_free_job(job);
    bw_free_job(back);
}

#define BAKE(more) \
    "{\"schema\":\"bakewell/job/1\",\"bakes\":[{\"in\":\"a\",\"out\":\"b\"},{\"in\":\"a\",\"out\":\"b\"," more "}]}"
#define JOB(more) "{\"schema\":\"bakewell/job/1\"," more "}"

static void refusals_name_their_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *said;
        bw_result result;
    } CASES[] = {
        {BAKE("\"foo\":1"), "bakes[1].foo is no key of a job;", BW_ERR_USAGE},
        {BAKE("\"fsp\":1"), "bakes[1].fsp is no key of a job; did you mean \"fps\"?", BW_ERR_USAGE},
        {BAKE("\"max-size\":8"), "bakes[1].max-size is no key of a job; did you mean \"max_size\"?", BW_ERR_USAGE},
        {BAKE("\"threads\":1"), "bakes[1].threads is no key", BW_ERR_USAGE},
        {BAKE("\"fps\":\"30\""), "bakes[1].fps is not a number", BW_ERR_USAGE},
        {BAKE("\"fps\":0"), "bakes[1].fps: --fps=0 is below 0.01", BW_ERR_USAGE},
        {BAKE("\"fps\":1e9"), "bakes[1].fps", BW_ERR_USAGE},
        {BAKE("\"pow2\":1"), "bakes[1].pow2 is not true or false", BW_ERR_USAGE},
        {BAKE("\"max_size\":8.5"), "bakes[1].max_size is not a whole number", BW_ERR_USAGE},
        {BAKE("\"max_bytes\":\"8 apples\""), "bakes[1].max_bytes", BW_ERR_USAGE},
        {BAKE("\"max_error\":5"), "bakes[1].max_error is not a string", BW_ERR_USAGE},
        {BAKE("\"max_error\":\"5\""), "bakes[1].max_error: --max-error=5 has no unit", BW_ERR_USAGE},
        {BAKE("\"engine\":\"unty\""), "bakes[1].engine: --engine=unty is no choice", BW_ERR_USAGE},
        {BAKE("\"clip\":\"Run\""), "bakes[1].clip is not an array of strings", BW_ERR_USAGE},
        {BAKE("\"clip\":[1]"), "bakes[1].clip is not an array of strings", BW_ERR_USAGE},
        {BAKE("\"events\":{}"), "bakes[1].events is missing or not an array of objects", BW_ERR_USAGE},
        {BAKE("\"events\":[3]"), "bakes[1].events[0] is missing or not an object", BW_ERR_USAGE},
        {BAKE("\"events\":[{\"clip\":\"a\",\"name\":\"b\"}]"), "bakes[1].events[0].time_s is missing", BW_ERR_USAGE},
        {BAKE("\"events\":[{\"clip\":\"a\",\"nme\":\"b\"}]"),
         "events[0].nme is no key of a job; did you mean \"name\"?", BW_ERR_USAGE},
        {JOB("\"bakes\":[{\"out\":\"b\"}]"), "bakes[0].in is missing", BW_ERR_USAGE},
        {JOB("\"bakes\":[{\"in\":[],\"out\":\"b\"}]"), "bakes[0].in is missing or not a path, or", BW_ERR_USAGE},
        {JOB("\"bakes\":[{\"in\":[\"a\",2],\"out\":\"b\"}]"), "bakes[0].in", BW_ERR_USAGE},
        {JOB("\"bakes\":[{\"in\":\"a\"}]"), "bakes[0].out is missing", BW_ERR_USAGE},
        {JOB("\"bakes\":[{\"in\":\"a\",\"out\":\"\"}]"), "bakes[0].out", BW_ERR_USAGE},
        {JOB("\"bakes\":[7]"), "bakes[0] is missing or not an object", BW_ERR_USAGE},
        {JOB("\"bakes\":[]"), "bakes is missing or not an array", BW_ERR_USAGE},
        {JOB("\"bake\":[]"), "bake is no key of a job; did you mean \"bakes\"?", BW_ERR_USAGE},
        {JOB("\"defaults\":[]"), "defaults is missing or not an object", BW_ERR_USAGE},
        {JOB("\"defaults\":{\"in\":\"a\"}"), "defaults.in is no key", BW_ERR_USAGE},
        {JOB("\"defaults\":{\"loop\":3}"), "defaults.loop is not a string", BW_ERR_USAGE},
        {"{\"bakes\":[]}", "schema is missing", BW_ERR_USAGE},
        {"{\"schema\":\"bakewell/job/2\"}", "schema is \"bakewell/job/2\"", BW_ERR_UNSUPPORTED},
        {"[]", "holds no JSON object", BW_ERR_USAGE},
        {"{", "line 1", BW_ERR_JSON},
        {"{\"schema\":\"a\",\"schema\":\"b\"}", "duplicate", BW_ERR_JSON},
    };
    for (size_t k = 0; k < sizeof(CASES) / sizeof(CASES[0]); k++) {
        bw_job *job = NULL;
        bw_error error = {0};
        bw_result result = load(&job, CASES[k].text, &error);
        if (result != CASES[k].result || !strstr(error.message, CASES[k].said) || job) {
            fail_msg("%s: %s: %s", CASES[k].text, bw_result_name(result), error.message);
        }
        assert_string_equal(error.path, path);
    }
    bw_job *job = NULL;
    assert_int_equal(load(&job, "", NULL), BW_ERR_EMPTY);
    assert_int_equal(bw_job_load(&job, "/nowhere/job.json", NULL, NULL), BW_ERR_FILE_MISSING);
    const bw_run_opts run = {.memory_limit = 1 << 20};
    char *large = malloc(1 << 17);
    assert_non_null(large);
    memset(large, ' ', (1 << 17) - 1);
    large[(1 << 17) - 1] = 0;
    assert_int_equal(load(&job, large, NULL), BW_ERR_JSON);
    assert_int_equal(bw_job_load(&job, path, &run, NULL), BW_ERR_MEMORY);
    free(large);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(defaults_and_bakes, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(written_jobs_read_back, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(refusals_name_their_place, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
