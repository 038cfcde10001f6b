/* SPDX-License-Identifier: MIT
 * Numbers from text. */
#ifndef BWI_BASE_NUMBER_H
#define BWI_BASE_NUMBER_H

/* Reads the decimal number that text begins with: sign, digits with a point, exponent; no hexadecimal, infinity or NaN; the point is '.' in
 * every locale.  Returns where it ends, or NULL (*value unchanged) if there is none or it is over 120 characters long. */
const char *bwi_parse_decimal(double *value, const char *text);

#endif
