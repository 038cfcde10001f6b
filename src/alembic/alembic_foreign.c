/* SPDX-License-Identifier: MIT
 * What a file is that does not begin like an Ogawa archive, and what to do with it. */
#include <stdio.h>
#include <string.h>

#include "alembic/alembic_priv.h"
#include "base/format_name.h"

/* HDF5 may stand behind a block of the user's own: 512 bytes, or any doubling of it. */
static bool is_hdf5(const uint8_t *data, size_t size) {
    static const uint8_t MAGIC[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    for (size_t at = 0; at < size && size - at >= sizeof(MAGIC); at = at == 0 ? 512 : 2 * at) {
        if (memcmp(data + at, MAGIC, sizeof(MAGIC)) == 0)
            return true;
        if (at > SIZE_MAX / 2)
            break;
    }
    return false;
}

/* git-lfs pointers say how large the real file is; worth showing, since it tells the user what is missing. */
static bool is_lfs_pointer(const uint8_t *data, size_t size) {
    static const char MAGIC[] = "version https://git-lfs";
    return size >= sizeof(MAGIC) - 1 && memcmp(data, MAGIC, sizeof(MAGIC) - 1) == 0;
}

bw_result bwi_alembic_fail_foreign(const bwi_alembic *a, bw_error *error) {
    const char *path = a->archive.path;
    if (is_hdf5(a->data, a->size))
        return bwi_fail(error, BW_ERR_UNRECOGNISED, path, 0,
                        "is an HDF5-based Alembic file, expected an Ogawa one; convert it with \"abcconvert -toOgawa "
                        "IN OUT\" or export it again as Ogawa");
    if (is_lfs_pointer(a->data, a->size))
        return bwi_fail(
            error, BW_ERR_UNRECOGNISED, path, 0,
            "is a Git LFS pointer, expected the Alembic file it stands for; fetch that with \"git lfs pull\"");
    if (a->size < BWI_ALEMBIC_HEAD && memcmp(a->data, "Ogawa", a->size < 5 ? a->size : 5) == 0)
        return bwi_fail(error, BW_ERR_TRUNCATED, path, 0,
                        "ends after %zu bytes, expected the %d of an archive's head at least; copy or export it again",
                        a->size, BWI_ALEMBIC_HEAD);
    const char *name = bwi_format_name(a->data, a->size);
    if (name)
        return bwi_fail(error, BW_ERR_UNRECOGNISED, path, 0,
                        "is %s, expected an Alembic file (Ogawa); export it as one", name);
    char bytes[3 * 5 + 1] = "";
    for (size_t i = 0; i < 5 && i < a->size; i++)
        (void)snprintf(bytes + 3 * i, sizeof(bytes) - 3 * i, " %02x", (unsigned)a->data[i]);
    return bwi_fail(error, BW_ERR_UNRECOGNISED, path, 0,
                    "starts with the bytes%s, expected \"Ogawa\"; export it as an Alembic file", bytes);
}
