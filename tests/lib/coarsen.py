#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a coarser level of detail of a GLB: `coarsen.py FILE OUT CELL [--anew]` merges the vertices of each primitive that share a cell of CELL
metres: each goes to the first of its cell, and triangles that fold up are dropped.  Vertices that no triangle has left are the reader's to drop.
--anew moves every vertex that is left to its cell's middle, so that none lies where the finer level has one."""
import struct
import sys

import split_clips


def coarsen(source, out, cell, anew=False, clips=False):
    document, chunk = split_clips.read(source)
    size = struct.unpack_from("<I", chunk)[0]
    data = bytearray(chunk[8:8 + size])

    def view(index):
        accessor = document["accessors"][index]
        start = document["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + accessor.get("byteOffset", 0)
        return accessor, start

    for mesh in document["meshes"]:
        for primitive in mesh["primitives"]:
            accessor, start = view(primitive["attributes"]["POSITION"])
            positions = [struct.unpack_from("<3f", data, start + 12 * k) for k in range(accessor["count"])]
            cells, first = {}, []
            for k, position in enumerate(positions):
                first.append(cells.setdefault(tuple(int(x // cell) for x in position), k))
            indices, start_indices = view(primitive["indices"])
            width, code = {5121: (1, "B"), 5123: (2, "H"), 5125: (4, "I")}[indices["componentType"]]
            old = struct.unpack_from(f"<{indices['count']}{code}", data, start_indices)
            triangles = [tuple(first[i] for i in old[k:k + 3]) for k in range(0, len(old), 3)]
            new = [i for triangle in triangles if len(set(triangle)) == 3 for i in triangle]
            struct.pack_into(f"<{len(new)}{code}", data, start_indices, *new)
            indices["count"] = len(new)
            for place, k in cells.items() if anew else ():
                struct.pack_into("<3f", data, start + 12 * k, *((x + 0.5) * cell for x in place))
            if anew:
                accessor.pop("min", None), accessor.pop("max", None)
    if not clips:
        document.pop("animations", None)
    split_clips.write(out, document, chunk[:8] + bytes(data))


if __name__ == "__main__":
    coarsen(sys.argv[1], sys.argv[2], float(sys.argv[3]), "--anew" in sys.argv)
