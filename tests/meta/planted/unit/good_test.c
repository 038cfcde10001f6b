/* SPDX-License-Identifier: MIT
 * Passes: shows that the planted tree fails for what is planted and for nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_truth(void **state) {
    (void)state;
    assert_int_equal(1, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_truth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
