/* SPDX-License-Identifier: MIT
 * Bakewell: animated geometry into data that a GPU plays back by itself.  Includes every public header. */
#ifndef BAKEWELL_BAKEWELL_H
#define BAKEWELL_BAKEWELL_H

#include "bakewell/alembic.h"
#include "bakewell/alembic_write.h"
#include "bakewell/common.h"
#include "bakewell/groom.h"
#include "bakewell/info.h"
#include "bakewell/job.h"
#include "bakewell/options.h"
#include "bakewell/pivot.h"
#include "bakewell/result.h"
#include "bakewell/scene.h"
#include "bakewell/vat.h"
#include "bakewell/verify.h"
#include "bakewell/wind.h"

#endif
