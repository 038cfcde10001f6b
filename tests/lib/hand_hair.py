# SPDX-License-Identifier: MIT
"""Writes a cyHair file by hand: two strands of two points and one of three, colours a point, everything else by the header.

usage: hand_hair.py FILE"""
import struct
import sys
from pathlib import Path

SEGMENTS, POINTS, COLOURS = 1, 2, 16


def main(path):
    points = [(0, 0, 1), (0, 0, 2), (1, 0, 1), (1, -4, 2.5), (2, 0, 1), (2, 0, 2), (2, 0, 3)]
    head = b"HAIR" + struct.pack("<4I5f", 3, len(points), SEGMENTS | POINTS | COLOURS, 9, 0.25, 0.5, 0.1, 0.2, 0.3) + b"by hand".ljust(88, b"\0")
    arrays = struct.pack("<3H", 1, 1, 2) + b"".join(struct.pack("<3f", *p) for p in points)
    Path(path).write_bytes(head + arrays + b"".join(struct.pack("<3f", k / 8, 1, 0) for k in range(len(points))))


main(sys.argv[1])
