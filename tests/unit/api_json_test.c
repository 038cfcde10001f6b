/* SPDX-License-Identifier: MIT
 * The documents of --json, where the program's own tests do not reach: awkward text, nothing measured, many results. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "bakewell/info.h"
#include "base/json.h"

static json_t *parse(char *document) {
    assert_non_null(document);
    assert_int_equal(document[strlen(document) - 1], '\n');
    assert_ptr_equal(strchr(document, '\n'), document + strlen(document) - 1); /* one line */
    json_t *root = json_loads(document, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    bw_free_text(document);
    return root;
}

static void failure_is_exact(void **state) {
    (void)state;
    const bw_error error = {BW_ERR_TRUNCATED, 12, "a.glb", "a.glb: ends"};
    char *text = bw_failure_json("vat", &error);
    assert_string_equal(text,
                        "{\"schema\":\"bakewell/result/1\",\"command\":\"vat\",\"status\":4,\"failure\":{\"code\":"
                        "\"BW_ERR_TRUNCATED\",\"message\":\"a.glb: ends\",\"path\":\"a.glb\",\"offset\":12}}\n");
    bw_free_text(text);
}

static void awkward_text_stays_json(void **state) {
    (void)state;
    const bw_error error = {BW_ERR_FILE_MISSING, -1, "a\xFF\"\\\n.glb", "line\nbreak"};
    json_t *root = parse(bw_failure_json(NULL, &error));
    json_t *failure = json_object_get(root, "failure");
    assert_true(json_is_null(json_object_get(root, "command")));
    assert_string_equal(json_string_value(json_object_get(failure, "path")), "a\xEF\xBF\xBD\"\\\n.glb");
    assert_string_equal(json_string_value(json_object_get(failure, "message")), "line\nbreak");
    assert_true(json_is_null(json_object_get(failure, "offset")));
    json_decref(root);
}

static void nothing_measured_is_null(void **state) {
    (void)state;
    bw_vat_report report = {.manifest = "m.json", .format = "png16"};
    report.error.stored = (bw_error_stats){.count = 1, .max = NAN};
    json_t *root = parse(bw_vat_report_json(&report, NULL, 0.5));
    json_t *error = json_object_get(root, "error");
    assert_true(json_is_null(json_object_get(error, "between")));
    assert_true(json_is_null(json_object_get(json_object_get(error, "stored"), "max"))); /* JSON has no NaN */
    assert_null(json_object_get(root, "failure"));
    assert_int_equal(json_integer_value(json_object_get(root, "status")), 0);
    json_decref(root);
}

static void a_missed_bound_has_report_and_failure(void **state) {
    (void)state;
    const bw_vat_report report = {.manifest = "m.json", .format = "png16"};
    const bw_error missed = {BW_ERR_BOUND_MISSED, -1, "", "above"};
    json_t *root = parse(bw_vat_report_json(&report, &missed, 0.5));
    assert_int_equal(json_integer_value(json_object_get(root, "status")), 1);
    assert_string_equal(json_string_value(json_object_get(root, "manifest")), "m.json");
    assert_true(json_is_null(json_object_get(json_object_get(root, "failure"), "path")));
    json_decref(root);
}

static void many_results_hold_each_document(void **state) {
    (void)state;
    const bw_error error = {BW_ERR_JSON, 3, "b.glb", "b.glb: bad"};
    char *one = bw_failure_json("vat", &error);
    const char *const documents[] = {one, one};
    json_t *root = parse(bw_results_json("vat", 1, documents, 2));
    json_t *results = json_object_get(root, "results");
    assert_int_equal(json_array_size(results), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(results, 1), "status")), 4);
    json_decref(root);
    root = parse(bw_results_json("vat", 0, NULL, 0));
    assert_int_equal(json_array_size(json_object_get(root, "results")), 0);
    json_decref(root);
    bw_free_text(one);
    bw_free_text(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failure_is_exact),
        cmocka_unit_test(awkward_text_stays_json),
        cmocka_unit_test(nothing_measured_is_null),
        cmocka_unit_test(a_missed_bound_has_report_and_failure),
        cmocka_unit_test(many_results_hold_each_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
