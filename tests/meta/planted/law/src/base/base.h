/* SPDX-License-Identifier: MIT
 * A room's header. */
#ifndef BWI_BASE_H
#define BWI_BASE_H
#include "bakewell/open.h"
#endif
