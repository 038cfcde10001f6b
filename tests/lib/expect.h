/* SPDX-License-Identifier: MIT
 * Comparisons of numbers and short vectors, for cmocka tests. */
#ifndef TESTS_EXPECT_H
#define TESTS_EXPECT_H

#include <math.h>

/* Not cmocka's assert_float_equal: that one takes NaN for equal to everything. */
#define EXPECT1(value, wanted, tolerance)                                                                       \
    do {                                                                                                        \
        double expect_found = (double)(value), expect_wanted = (double)(wanted);                                \
        if (!(fabs(expect_found - expect_wanted) <= (double)(tolerance))) {                                     \
            fail_msg(#value ": found %.9g, wanted %.9g", expect_found, expect_wanted);                          \
        }                                                                                                       \
    } while (0)

#define EXPECT3(v, x, y, z, tolerance)       \
    do {                                     \
        EXPECT1((v)[0], x, tolerance);       \
        EXPECT1((v)[1], y, tolerance);       \
        EXPECT1((v)[2], z, tolerance);       \
    } while (0)

#define EXPECT4(v, x, y, z, w, tolerance)    \
    do {                                     \
        EXPECT3(v, x, y, z, tolerance);      \
        EXPECT1((v)[3], w, tolerance);       \
    } while (0)

#endif
