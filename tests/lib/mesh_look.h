/* SPDX-License-Identifier: MIT
 * Looks at a mesh of polygons or a cage of an archive, for fuzz harnesses; passes over other objects. */
#ifndef TESTS_MESH_LOOK_H
#define TESTS_MESH_LOOK_H

#include "alembic/schema.h"

void mesh_look(bw_alembic *archive, const bw_alembic_object *object);

#endif
