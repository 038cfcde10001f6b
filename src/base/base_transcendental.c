/* SPDX-License-Identifier: MIT
 * Sine, cosine and arc functions in double from +, −, ×, ÷ and sqrt alone: libm's differ in the last bits
 * between versions and machines, and with them the bytes of a bake would. */
#include <math.h>

#include "base/math.h"

/* π/2 in three parts (Cody and Waite, "Software Manual for the Elementary Functions", 1980): the first two have 33
 * bits, so that their products with a quadrant number below 2^20 are exact. */
static const double HALF_PI_1 = 0x1.921fb544p+0, HALF_PI_2 = 0x1.0b4611a6p-34, HALF_PI_3 = 0x1.3198a2e037073p-69;
static const double HALF_PI_HI = 0x1.921fb54442d18p+0, HALF_PI_LO = 0x1.1a62633145c07p-54;
static const double TWO_OVER_PI = 0x1.45f306dc9c883p-1;
static const double LARGEST_ANGLE = 1e6;

double bwi_sqrt(double x) {
    return sqrt(x);
}

bool bwi_is_finite(double x) {
    return isfinite(x);
}

/* Taylor series on |x| <= π/4, where the first term left out is below 1e-19; `low` is what x lacks. */
static double sin_kernel(double x, double low) {
    double z = x * x;
    double series = -1.0 / 1307674368000.0 + z * (1.0 / 355687428096000.0);
    series = 1.0 / 6227020800.0 + z * series;
    series = -1.0 / 39916800.0 + z * series;
    series = 1.0 / 362880.0 + z * series;
    series = -1.0 / 5040.0 + z * series;
    series = 1.0 / 120.0 + z * series;
    series = -1.0 / 6.0 + z * series;
    return x + (x * z * series + low * (1.0 - 0.5 * z));
}

static double cos_kernel(double x, double low) {
    double z = x * x;
    double series = -1.0 / 87178291200.0 + z * (1.0 / 20922789888000.0);
    series = 1.0 / 479001600.0 + z * series;
    series = -1.0 / 3628800.0 + z * series;
    series = 1.0 / 40320.0 + z * series;
    series = -1.0 / 720.0 + z * series;
    series = 1.0 / 24.0 + z * series;
    /* 1 − z/2 rounds; what it lost goes into the small terms. */
    double half = 0.5 * z;
    double head = 1.0 - half;
    double lost = (1.0 - head) - half;
    return head + (lost + (z * z * series - x * low));
}

/* x = quadrant · π/2 + *high + *low, *high in [−π/4, π/4]. */
static unsigned reduce(double x, double *high, double *low) {
    double scaled = x * TWO_OVER_PI;
    int32_t quadrant = (int32_t)(scaled + (scaled < 0.0 ? -0.5 : 0.5));
    double n = (double)quadrant;
    double rest = x - n * HALF_PI_1;
    double shift = n * HALF_PI_2;
    double middle = rest - shift;
    double below = middle - rest; /* two-sum: exact whichever of the two is larger */
    double lost = (rest - (middle - below)) - (shift + below);
    double tail = lost - n * HALF_PI_3;
    *high = middle + tail;
    *low = (middle - *high) + tail;
    return (unsigned)quadrant & 3u;
}

static double sin_quadrant(unsigned quadrant, double high, double low) {
    double value = quadrant & 1u ? cos_kernel(high, low) : sin_kernel(high, low);
    return quadrant & 2u ? -value : value;
}

double bwi_sin(double x) {
    if (!(x >= -LARGEST_ANGLE && x <= LARGEST_ANGLE)) {
        return NAN;
    }
    double high;
    double low;
    unsigned quadrant = reduce(x, &high, &low);
    return x == 0.0 ? x : sin_quadrant(quadrant, high, low);
}

double bwi_cos(double x) {
    if (!(x >= -LARGEST_ANGLE && x <= LARGEST_ANGLE)) {
        return NAN;
    }
    double high;
    double low;
    unsigned quadrant = reduce(x, &high, &low);
    return sin_quadrant(quadrant + 1u, high, low);
}

/* atan(k/8): nearest double and what it lacks. */
static const double ATAN_EIGHTHS[9][2] = {
    {0.0, 0.0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* atan(small/large) for 0 <= small <= large, as high + low: atan(k/8) plus the series of the rest, which is at most
 * 1/16. */
static double atan_ratio(double small, double large, double *low) {
    int k = (int)(8.0 * (small / large) + 0.5);
    double c = 0.125 * (double)k;
    double u = (small - c * large) / (large + c * small);
    double z = u * u;
    double series = -1.0 / 11.0 + z * (1.0 / 13.0);
    series = 1.0 / 9.0 + z * series;
    series = -1.0 / 7.0 + z * series;
    series = 1.0 / 5.0 + z * series;
    series = -1.0 / 3.0 + z * series;
    double rest = u * z * series + ATAN_EIGHTHS[k][1];
    double high = ATAN_EIGHTHS[k][0];
    double sum = high + u;
    *low = (u - (sum - high)) + rest; /* k > 0: high >= |u|; k == 0: sum == u */
    return sum;
}

double bwi_atan2(double y, double x) {
    if (isnan(x) || isnan(y)) {
        return NAN;
    }
    double ax = fabs(x);
    double ay = fabs(y);
    if (isinf(ax) || isinf(ay)) {
        /* Only the direction counts. */
        double wide = isinf(ax) ? 1.0 : 0.0;
        ay = isinf(ay) ? 1.0 : 0.0;
        ax = wide;
    }
    double larger = ax > ay ? ax : ay;
    if (larger > 0x1p1000 || larger < 0x1p-900) {
        double scale = larger > 1.0 ? 0x1p-100 : 0x1p100; /* so that neither overflow nor gradual underflow comes in */
        ax *= scale;
        ay *= scale;
    }
    double low = 0.0;
    double angle = 0.0;
    if (larger > 0.0) {
        bool steep = ay > ax;
        angle = steep ? atan_ratio(ax, ay, &low) : atan_ratio(ay, ax, &low);
        if (steep) {
            double head = HALF_PI_HI - angle;
            low = ((HALF_PI_HI - head) - angle) + (HALF_PI_LO - low);
            angle = head;
        }
    }
    if (signbit(x)) {
        double head = 2.0 * HALF_PI_HI - angle;
        low = ((2.0 * HALF_PI_HI - head) - angle) + (2.0 * HALF_PI_LO - low);
        angle = head;
    }
    return copysign(angle + low, y);
}

double bwi_acos(double x) {
    double clamped = x < -1.0 ? -1.0 : x > 1.0 ? 1.0 : x;
    /* The half-angle form: accurate at both ends, where acos is steep. */
    return 2.0 * bwi_atan2(sqrt(1.0 - clamped), sqrt(1.0 + clamped));
}
