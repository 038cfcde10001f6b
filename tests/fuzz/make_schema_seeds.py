#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the seeds of the alembic_SCHEMA_fuzz harnesses into seeds/ beside it: bytes that these make archives of, from nothing at all (a sound
archive) to many departures from what exporters write, and a few such archives.  Usage: make_schema_seeds.py BUILD"""
import random
import subprocess
import sys
from pathlib import Path

SCHEMAS = ("xform", "polymesh", "points", "curves", "params")
STREAMS, ARCHIVES = 24, 3


def stream(source, number):
    """Bytes of which the more depart the higher the number is."""
    share = number / STREAMS
    return bytes(source.randrange(256) if source.random() < share else 0 for _ in range(number * 12))


def main():
    tool = Path(sys.argv[1]) / "tests/tools/schema_seed"
    for schema in SCHEMAS:
        folder = Path(__file__).parent / "seeds" / f"alembic_{schema}"
        folder.mkdir(exist_ok=True)
        source = random.Random(schema)
        for number in range(STREAMS):
            path = folder / f"{number:02}"
            path.write_bytes(stream(source, number))
            if number < ARCHIVES:
                subprocess.run([tool, schema, path, f"{path}.abc"], check=True)


if __name__ == "__main__":
    main()
