#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Takes a GLB apart as teams keep characters: `split_clips.py FILE DIR` writes DIR/body.glb without clips and DIR/anims/NAME.glb with one clip
each.  The binary chunk stays whole, so every accessor reads the very bytes it did."""
import json
import struct
import sys
from pathlib import Path


def read(path):
    data = Path(path).read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + size]), data[20 + size:]


def write(path, document, chunk):
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(struct.pack("<IIIII", 0x46546C67, 2, 20 + len(text) + len(chunk), len(text), 0x4E4F534A) + text + chunk)


def split(source, folder):
    document, chunk = read(source)
    clips = document.pop("animations")
    write(Path(folder) / "body.glb", document, chunk)
    for clip in clips:
        write(Path(folder) / "anims" / f"{clip['name']}.glb", dict(document, animations=[clip]), chunk)
    return [clip["name"] for clip in clips]


if __name__ == "__main__":
    split(*sys.argv[1:])
