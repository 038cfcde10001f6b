#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Khronos' validator finds no error in a written GLB that its source does not have; and read as a scene, the GLB holds the same mesh.

Every scene below the third-party data and every generated one is baked at one frame a second: the mesh does not depend on the frames.
Skinned ones are baked with joints and weights in the mesh too; that there is no skin for them is meant, and the one thing warned of."""
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT, TMP = Path(os.environ["BW_ROOT"]), Path(os.environ["TMPDIR"])
MODULES = Path(os.environ["BW_NODE_MODULES"])
NO_SKIN = "NODE_SKINNED_MESH_WITHOUT_SKIN"


def scenes():
    """Yields (name of the test, path)."""
    data = Path(os.environ["DATA"]) if os.environ["DATA"] else None
    for folder, prefix in ((data and data / "models/gltf", "data:"), (data and data / "alembic/mesh", "data:"), (Path(os.environ["ASSETS"]), "")):
        if folder is None:
            print("skip data: no third-party data")
            continue
        for path in sorted(path for kind in ("glb", "gltf", "abc") for path in folder.rglob("*." + kind)):
            yield prefix + str(path.relative_to(folder)), path


def validate(paths):
    done = subprocess.run(["node", ROOT / "tests/diff/validate_glb.mjs", MODULES], input="\n".join(map(str, paths)), text=True,
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def bake(scene, out, *options, mode="vertex"):
    """Status, what was said, and the manifest or None."""
    done = subprocess.run([os.environ["BAKEWELL"], "vat", scene, "-o", out, "--fps=1", "--static", f"--mode={mode}", "--quiet", *options],
                          capture_output=True, text=True)
    written = list(out.glob("*.json")) if out.is_dir() else []
    return done.returncode, done.stderr.strip(), json.loads(written[0].read_text()) if len(written) == 1 else None


def glb_json(path):
    data = path.read_bytes()
    return json.loads(data[20:20 + int.from_bytes(data[12:16], "little")])


def check_again(name, mesh, manifest, out):
    """The written mesh as a source: same vertices in the same order, and the materials that were carried through once are again."""
    status, said, again = bake(mesh, out)
    if status or not again:
        print(f"not ok {name} read again: status {status}: {said}")
        return
    first, second = glb_json(mesh), glb_json(out / again["mesh"]["file"])
    same = {"elements": again["elements"] == manifest["elements"], "images": True}
    for key in ("materials", "textures", "samplers", "extensionsUsed"):
        same[key] = first.get(key) == second.get(key)
    for key in ("name", "mimeType"):
        same["images"] &= [image.get(key) for image in first.get("images", [])] == [image.get(key) for image in second.get("images", [])]
    wrong = [key for key, good in same.items() if not good]
    print(f"not ok {name} read again: other {', '.join(wrong)}" if wrong else f"ok {name} read again")


def check_skins(baked):
    """Joints and weights in the mesh: no error, and one more warning than without them."""
    meshes = []
    for number, (name, path, plain) in enumerate(baked):
        out = TMP / f"{number}-skin"
        status, said, manifest = bake(path, out, "--skin-in=mesh", "--influences=8", mode="bone")
        if status == 5:
            continue  # no skin
        if status or not manifest:
            print(f"not ok {name} skin: status {status}: {said}")
        else:
            meshes.append((name, plain, out / manifest["mesh"]["file"]))
    found = validate([path for _, plain, mesh in meshes for path in (plain, mesh)])
    for name, plain, mesh in meshes:
        without, having = found[str(plain)], found[str(mesh)]
        expected = {**without["warnings"], NO_SKIN: 1}
        good = having["errors"] == without["errors"] and having["warnings"] == expected
        print(f"ok {name} skin" if good else f"not ok {name} skin: {having}, without it {without}")
    print("ok there are skins" if len(meshes) >= 1 else "not ok no scene has a skin")


def main():
    baked = []
    for number, (name, path) in enumerate(scenes()):
        out = TMP / str(number)
        status, said, manifest = bake(path, out)
        if status in (4, 5):
            print(f"skip {name}: refused: {said.splitlines()[-1]}")
        elif status or not manifest:
            print(f"not ok {name}: status {status}: {said}")
        else:
            mesh = out / manifest["mesh"]["file"]
            baked.append((name, path, mesh))
            check_again(name, mesh, manifest, TMP / f"{number}-again")
    check_skins(baked)
    found = validate([path for _, source, mesh in baked for path in (source, mesh) if path.suffix != ".abc"])
    for name, source, mesh in baked:
        own = found[str(source)]["errors"] if str(source) in found else {}
        new = {code: count for code, count in found[str(mesh)]["errors"].items() if code not in own}
        print(f"not ok {name}: {new}" if new else f"ok {name}")

    # The check can fail: a NaN in the first position is found.
    broken = bytearray(baked[0][2].read_bytes())
    first = 20 + int.from_bytes(broken[12:16], "little") + 8
    broken[first:first + 4] = b"\0\0\xc0\x7f"
    path = TMP / "broken.glb"
    path.write_bytes(broken)
    print("ok a planted NaN is found" if "ACCESSOR_INVALID_FLOAT" in validate([path])[str(path)]["errors"] else "not ok a planted NaN is found")


if __name__ == "__main__":
    sys.exit(main())
