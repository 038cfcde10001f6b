#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Khronos' validator finds no error in a written GLB that its source does not have.

Every scene below the third-party data and every generated one is baked at one frame a second: the mesh does not depend on the frames."""
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT, TMP = Path(os.environ["BW_ROOT"]), Path(os.environ["TMPDIR"])
MODULES = Path(os.environ["BW_NODE_MODULES"])


def scenes():
    """Yields (name of the test, path)."""
    for folder, prefix in ((Path(os.environ["DATA"]) / "models/gltf" if os.environ["DATA"] else None, "data:"), (Path(os.environ["ASSETS"]), "")):
        if folder is None:
            print("skip data: no third-party data")
            continue
        for path in sorted(path for kind in ("glb", "gltf") for path in folder.rglob("*." + kind)):
            yield prefix + str(path.relative_to(folder)), path


def validate(paths):
    done = subprocess.run(["node", ROOT / "tests/diff/validate_glb.mjs", MODULES], input="\n".join(map(str, paths)), text=True,
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def main():
    baked = []
    for number, (name, path) in enumerate(scenes()):
        out = TMP / str(number)
        done = subprocess.run([os.environ["BAKEWELL"], "vat", path, "-o", out, "--fps=1", "--static", "--quiet"], capture_output=True, text=True)
        written = list(out.glob("*.glb")) if out.is_dir() else []
        if done.returncode in (4, 5):
            print(f"skip {name}: refused: {done.stderr.strip().splitlines()[-1]}")
        elif done.returncode or len(written) != 1:
            print(f"not ok {name}: status {done.returncode}, {len(written)} GLBs: {done.stderr.strip()}")
        else:
            baked.append((name, path, written[0]))
    errors = validate([path for _, source, mesh in baked for path in (source, mesh)])
    for name, source, mesh in baked:
        new = {code: count for code, count in errors[str(mesh)].items() if code not in errors[str(source)]}
        print(f"not ok {name}: {new}" if new else f"ok {name}")

    # The check can fail: a NaN in the first position is found.
    broken = bytearray(baked[0][2].read_bytes())
    first = 20 + int.from_bytes(broken[12:16], "little") + 8
    broken[first:first + 4] = b"\0\0\xc0\x7f"
    path = TMP / "broken.glb"
    path.write_bytes(broken)
    print("ok a planted NaN is found" if "ACCESSOR_INVALID_FLOAT" in validate([path])[str(path)] else "not ok a planted NaN is found")


if __name__ == "__main__":
    sys.exit(main())
