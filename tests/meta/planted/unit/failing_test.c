/* SPDX-License-Identifier: MIT
 * Planted: an assertion that does not hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_truth(void **state) {
    (void)state;
    assert_int_equal(1, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_truth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
