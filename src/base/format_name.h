/* SPDX-License-Identifier: MIT
 * Names of file formats by their first bytes, for sentences about files that are something else than expected. */
#ifndef BWI_BASE_FORMAT_NAME_H
#define BWI_BASE_FORMAT_NAME_H

#include <stddef.h>
#include <stdint.h>

/* "an FBX file", with its article; NULL if the beginning is of no format in the table. */
const char *bwi_format_name(const uint8_t *data, size_t size);

#endif
