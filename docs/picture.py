#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the README's picture: the position texture of one clip of the sample character, in 8 bits, the columns thinned out.

usage: BAKEWELL=build/bakewell docs/picture.py SCENE CLIP PICTURE"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import png
from PIL import Image

WIDTH, HEIGHT = 720, 180


def main(scene, clip, picture):
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([os.environ["BAKEWELL"], "vat", scene, "-o", out, "--mode=vertex", f"--clip={clip}", "--quiet"], check=True)
        width, height, rows, _ = png.Reader(str(next(Path(out).glob("*_pos.png")))).read()
        texels = numpy.array([list(row) for row in rows], dtype=numpy.uint32).reshape(height, width, 4)
    columns = numpy.arange(WIDTH) * width // WIDTH
    lines = numpy.arange(HEIGHT) * height // HEIGHT
    colours = (texels[lines][:, columns, :3] >> 8).astype(numpy.uint8)
    Image.fromarray(colours).save(picture, optimize=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
