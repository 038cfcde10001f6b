/* SPDX-License-Identifier: MIT
 * Triangles: the point that is closest to another. */
#include "base/nearest.h"

/* Source: Ericson, "Real-Time Collision Detection", 2005, 5.1.5. */
void bwi_closest_on_triangle(double part[3], const double p[3], double t[3][3]) {
    double d1 = 0, d2 = 0, d3 = 0, d4 = 0, d5 = 0, d6 = 0;
    for (uint32_t c = 0; c < 3; c++) {
        const double ab = t[1][c] - t[0][c], ac = t[2][c] - t[0][c];
        d1 += ab * (p[c] - t[0][c]);
        d2 += ac * (p[c] - t[0][c]);
        d3 += ab * (p[c] - t[1][c]);
        d4 += ac * (p[c] - t[1][c]);
        d5 += ab * (p[c] - t[2][c]);
        d6 += ac * (p[c] - t[2][c]);
    }
    double v = 0, w = 0;
    const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0 && d2 <= 0) { /* the first corner */
    } else if (d3 >= 0 && d4 <= d3) {
        v = 1;
    } else if (d6 >= 0 && d5 <= d6) {
        w = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        v = d1 > d3 ? d1 / (d1 - d3) : 0;
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        w = d2 > d6 ? d2 / (d2 - d6) : 0;
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        const double length = (d4 - d3) + (d5 - d6);
        w = length > 0 ? (d4 - d3) / length : 0;
        v = 1 - w;
    } else {
        const double sum = va + vb + vc;
        const bool inside =
            va >= 0 && vb >= 0 && vc >= 0 && sum > 0; /* not so on triangles without area: the first corner */
        v = inside ? vb / sum : 0;
        w = inside ? vc / sum : 0;
    }
    part[0] = 1 - v - w;
    part[1] = v;
    part[2] = w;
}
