# SPDX-License-Identifier: MIT
"""What is up to date is left alone, and each thing that must end that does; read-only outputs are changed only by a command that allows it."""
import base64
import json
import os
import shutil
import time

from bake import TMP, make_assets, run, tap


def state(folder):
    return {p.name: (p.stat().st_mtime_ns, p.stat().st_ino, p.read_bytes()) for p in folder.iterdir()}


def vat(scene, out, *options):
    """Returns the program's status, and whether it said that all is up to date."""
    done = run("vat", scene, "-o", out, "--json", *options)
    document = json.loads(done.stdout)
    assert document["status"] == done.returncode
    return done.returncode, document.get("up_to_date")


def scene_in_parts(folder):
    """A .gltf that names a buffer, an image, and an image that is missing."""
    [glb] = make_assets(folder, "grid-50-10-30")
    data = glb.read_bytes()
    size = int.from_bytes(data[12:16], "little")
    gltf = json.loads(data[20:20 + size])
    (folder / "part.bin").write_bytes(data[28 + size:])
    gltf["buffers"][0]["uri"] = "part.bin"
    pixel = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
    (folder / "there.png").write_bytes(pixel)
    gltf["images"] = [{"uri": "there.png"}, {"uri": "absent.png"}]
    gltf["textures"] = [{"source": 0}, {"source": 1}]
    gltf["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}, "emissiveTexture": {"index": 1}}]
    for mesh in gltf["meshes"]:
        for primitive in mesh["primitives"]:
            primitive["material"] = 0
    scene = folder / "parts.gltf"
    scene.write_text(json.dumps(gltf))
    return scene, pixel


def fresh(name):
    folder = TMP / name
    folder.mkdir()
    return folder


def unchanged():
    work = fresh("unchanged")
    scene, _ = scene_in_parts(work)
    out = work / "out"
    assert vat(scene, out, "--fps=20") == (0, False)
    before = state(out)
    time.sleep(0.01)
    assert vat(scene, out, "--fps=20") == (0, True)
    assert state(out) == before
    # Time stamps say nothing: the bytes do.
    for name in ("parts.gltf", "part.bin"):
        os.utime(work / name)
    assert vat(scene, out, "--fps=20") == (0, True)
    assert vat(scene, out, "--fps=20", "--threads=1", "--before-write=false", "--memory-limit=1GiB") == (0, True)
    assert vat(scene, out, "--fps=20", "--force") == (0, False)
    assert state(out) == before, "--force left equal bytes no rest"


def ends():
    work = fresh("ends")
    scene, pixel = scene_in_parts(work)
    out = work / "out"
    manifest = out / "parts_vat.json"

    def edit(path, old, new):
        text = path.read_bytes()
        assert old in text
        path.write_bytes(text.replace(old, new, 1))

    buffer = (work / "part.bin").read_bytes()
    other = bytearray(buffer)
    other[0] ^= 1
    causes = {
        "an option": (["--fps=25"], lambda: None),
        "an option given no longer": ([], lambda: None),
        "a byte of the scene": ([], lambda: scene.write_text(scene.read_text() + " ")),
        "a byte of a buffer": ([], lambda: (work / "part.bin").write_bytes(bytes(other))),
        "the buffer as it was": ([], lambda: (work / "part.bin").write_bytes(buffer)),
        "an image": ([], lambda: (work / "there.png").write_bytes(pixel + b"\n")),
        "an image that was missing": ([], lambda: (work / "absent.png").write_bytes(pixel)),
        "an image that is missing now": ([], lambda: (work / "absent.png").unlink()),
        "an edited texture": ([], lambda: edit(out / "parts_vat_pos.png", b"IDAT", b"IDaT")),
        "a longer mesh": ([], lambda: (out / "parts_vat.glb").write_bytes((out / "parts_vat.glb").read_bytes() + b"\0")),
        "a deleted texture": ([], lambda: (out / "parts_vat_pos.png").unlink()),
        "a deleted mesh": ([], lambda: (out / "parts_vat.glb").unlink()),
        "a deleted manifest": ([], lambda: manifest.unlink()),
        "a damaged manifest": ([], lambda: manifest.write_bytes(manifest.read_bytes()[:-20])),
        "a manifest of another version": ([], lambda: edit(manifest, b'"generator": "Bakewell ', b'"generator": "Bakewell 9')),
        "a manifest of another schema": ([], lambda: edit(manifest, b"bakewell/bake/1", b"bakewell/bake/9")),
        "a manifest of another source": ([], lambda: edit(manifest, b'"file": "parts.gltf"', b'"file": "other.gltf"')),
        "a manifest without errors": ([], lambda: manifest.write_text(json.dumps(dict(json.loads(manifest.read_text()), error=None)))),
    }
    assert vat(scene, out) == (0, False)
    for name, (options, cause) in causes.items():
        cause()
        assert vat(scene, out, *options) == (0, False), f"{name} changed, and the bake was taken for up to date"
        assert vat(scene, out, *options) == (0, True), f"after {name} a second bake was not up to date"
        assert run("verify", manifest, "--against", scene).returncode == 0, name
    # A file that is gone is an error, though every output still stands.
    (work / "part.bin").unlink()
    assert run("vat", scene, "-o", out).returncode == 3
    scene.unlink()
    assert run("vat", scene, "-o", out).returncode == 3


def bounds():
    work = fresh("bounds")
    [scene] = make_assets(work, "grid-50-10-30")
    out = work / "out"
    assert vat(scene, out, "--max-error=0.0001mm") == (1, False)
    assert vat(scene, out, "--max-error=0.0001mm") == (1, True), "a missed bound is missed again"
    first = json.loads(run("vat", scene, "-o", out, "--json", "--force", "--max-between=1m").stdout)
    again = json.loads(run("vat", scene, "-o", out, "--json", "--max-between=1m").stdout)
    assert again["up_to_date"] and not first["up_to_date"]
    assert again["warnings"] == []  # they come of reading the scene, which was not read
    for key in set(first) - {"seconds", "up_to_date", "outputs", "warnings", "why", "candidates"}:
        assert first[key] == again[key], f"{key}: {first[key]} then {again[key]}"
    assert [dict(o, changed=False) for o in first["outputs"]] == again["outputs"]


def read_only():
    work = fresh("read-only")
    [scene] = make_assets(work, "grid-50-10-30")
    out = work / "out"
    assert vat(scene, out)[0] == 0

    def lock():
        for path in out.iterdir():
            path.chmod(0o444)

    lock()
    before = state(out)
    assert vat(scene, out) == (0, True) and vat(scene, out, "--force") == (0, False), "equal bytes need no leave"
    done = run("vat", scene, "-o", out, "--fps=12")
    assert done.returncode == 3 and "--before-write" in done.stderr and "read-only" in done.stderr, done.stderr
    for command, said in (("exit 5", "status 5"), ("true", "still read-only"), ("kill -9 $$", "signal 9")):
        done = run("vat", scene, "-o", out, "--fps=12", f"--before-write={command}")
        assert done.returncode == 3 and said in done.stderr, done.stderr
    # The manifest comes last: that it fails must keep what comes first from being renamed.
    done = run("vat", scene, "-o", out, "--fps=12", '--before-write=case "$1" in *.json) exit 1;; esac; chmod u+w "$1"')
    assert done.returncode == 3, done.stderr
    lock()
    assert state(out) == before, "a refused bake changed something"
    log = work / "log"
    done = run("vat", scene, "-o", out, "--fps=12", "--json", f'--before-write=chmod u+w "$1" && echo "$1" | tee -a {log}')
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout)  # what the command prints goes elsewhere
    changed = [o["path"] for o in json.loads(done.stdout)["outputs"] if o["changed"]]
    assert log.read_text().splitlines() == changed and len(changed) >= 2, "run for each file that changes, and for no other"
    shutil.rmtree(out)
    assert vat(scene, out, "--before-write=false")[0] == 0, "no file is there to ask for"


tap("unchanged input is left alone", unchanged)
tap("what ends being up to date", ends)
tap("bounds and figures are those of the manifest", bounds)
tap("read-only files", read_only)
