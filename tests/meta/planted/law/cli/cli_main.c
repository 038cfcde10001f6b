/* SPDX-License-Identifier: MIT
 * A program. */
#include <stdio.h>

#include "bakewell/open.h"
