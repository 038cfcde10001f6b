/* SPDX-License-Identifier: MIT
 * A public header. */
#ifndef BAKEWELL_OPEN_H
#define BAKEWELL_OPEN_H
#endif
