/* SPDX-License-Identifier: MIT
 * Planted: all tests pass, then the program ends with status 1, as one with a leak does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_truth(void **state) {
    (void)state;
    assert_int_equal(1, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_truth)};
    cmocka_run_group_tests(tests, NULL, NULL);
    return 1;
}
