/* SPDX-License-Identifier: MIT
 * An archive as one of the files of a set. */
#ifndef BWI_ALEMBIC_WRITE_FILE_H
#define BWI_ALEMBIC_WRITE_FILE_H

#include <stdio.h>

#include "bakewell/alembic_write.h"

/* bw_alembic_create into a file that is the caller's to close and to make appear.  In: file — empty, open for writing; path — where it can be opened
 * for reading.  bw_alembic_finish then leaves all bytes with the system, and the file open. */
bw_result bwi_alembic_create_in(bw_alembic_writer **writer, FILE *file, const char *path, const bw_alembic_write_opts *opts, bw_error *error);

#endif
