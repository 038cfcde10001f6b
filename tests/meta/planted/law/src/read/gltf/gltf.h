/* SPDX-License-Identifier: MIT
 * A format's header. */
#include "base/base.h"
