# SPDX-License-Identifier: MIT
"""Every container and engine: foreign readers read each texture, and what docs/FORMATS.md says of its texels gives the probes' positions, the
printed error's size, the rest normals' neighbourhood, and the same poses whatever the container."""
import numpy as np
from bake import TMP, Bake, bake, make_assets, tap

# Largest distance over the clip's diagonal that a container may add: half a code (or half a float's step) on each axis, and float rounding.
BOUNDS = {"png8": 2.0e-3, "png16": 1e-5, "raw": 1e-5, "ktx2-u16": 1e-5, "ktx2-u10": 5e-4, "exr16": 5e-4, "ktx2-f16": 5e-4, "exr32": 1e-6, "ktx2-f32": 1e-6,
          "raw-f32": 1e-6}
# Octahedral normals, degrees.  An error e of both coordinates moves a point of the octahedron by sqrt(6) e, and its nearest point is 0.577 from the
# centre: the angle is 4.24 e.  e is half a code (1/255, 1/1023, 1/65535), or 2^-11 for half floats near 1: 0.954, 0.238, 0.004 and 0.119.
NORMALS = {"packed": 1.0, "png8": 1.0, "png16": 0.01, "raw": 0.01, "ktx2-u16": 0.01, "ktx2-u10": 0.25, "exr16": 0.12, "ktx2-f16": 0.12, "exr32": 0.01,
           "ktx2-f32": 0.01, "raw-f32": 0.01}
ENGINES = {"generic": ("png16", "y", "right", "m"), "unity": ("png16", "y", "left", "m"), "unreal": ("exr32", "z", "left", "cm"),
           "godot": ("exr32", "y", "right", "m"), "three": ("raw", "y", "right", "m"), "babylon": ("raw", "y", "right", "m"),
           "playcanvas": ("raw", "y", "right", "m")}


def degrees(a, b):
    return np.degrees(2 * np.arcsin(np.clip(np.linalg.norm(a - b, axis=1) / 2, 0, 1))).max()


def check_probes(decoded, bound):
    clips = {c["name"]: c for c in decoded.manifest["clips"]}
    assert len(decoded.manifest["probes"]) == 32
    for probe in decoded.manifest["probes"]:
        clip = clips[probe["clip"]]
        low, high = np.array(clip["bounds"]["min"]), np.array(clip["bounds"]["max"])
        found = decoded.positions(clip["first_frame"] + probe["frame"])[probe["element"]]
        distance = np.linalg.norm(found - probe["position"])
        assert distance <= bound * np.linalg.norm(high - low), f"probe {probe}: {found}"


def container(scene, reference, name, normals):
    options = [f"--format={name}"] + ([f"--normals={normals}"] if normals else [])
    document = bake(scene, TMP / f"{name}-{normals}", *options)
    assert document["status"] == 0, document
    decoded = Bake(document["manifest"])
    stored = document["error"]["stored"]
    assert stored["max_relative"] <= BOUNDS[name], stored
    if name not in ("exr32", "ktx2-f32", "raw-f32"):
        assert stored["max_relative"] >= BOUNDS[name] / 200, f"too exact to be true: {stored}"
    check_probes(decoded, BOUNDS[name])
    for clip in decoded.manifest["clips"]:
        for frame in {0, clip["frame_count"] // 2, clip["frame_count"] - 1}:
            g = clip["first_frame"] + frame
            truth = reference.positions(g)
            diagonal = np.linalg.norm(np.subtract(clip["bounds"]["max"], clip["bounds"]["min"]))
            distance = np.linalg.norm(decoded.positions(g) - truth, axis=1).max()
            assert distance <= BOUNDS[name] * diagonal, f"{clip['name']} {frame}: {distance}"
            if normals != "off":
                limit = NORMALS["packed" if decoded.manifest["textures"][0]["decode"] == "bounds+oct8" else name]
                angle = degrees(decoded.normals(g), reference.normals(g))
                assert angle <= limit + NORMALS["exr32"], f"normals of {clip['name']} {frame}: {angle} degrees"
    if normals != "off":
        assert stored["normal_deg"] <= NORMALS["packed" if decoded.manifest["textures"][0]["decode"] == "bounds+oct8" else name], stored


def engine(scene, reference, name):
    fmt, up, handedness, unit = ENGINES[name]
    document = bake(scene, TMP / name, f"--engine={name}")
    decoded = Bake(document["manifest"])
    assert decoded.manifest["format"] == fmt and decoded.manifest["engine"] == name, decoded.manifest["format"]
    assert decoded.manifest["space"] == {"up": up, "handedness": handedness, "unit": unit}, decoded.manifest["space"]
    check_probes(decoded, BOUNDS[fmt])
    for clip in decoded.manifest["clips"]:
        g = clip["first_frame"] + clip["frame_count"] // 3
        truth = reference.positions(g)
        diagonal = np.linalg.norm(truth.max(axis=0) - truth.min(axis=0))
        distance = np.linalg.norm(decoded.to_gltf(decoded.positions(g)) - truth, axis=1).max()
        assert distance <= 3 * BOUNDS[fmt] * max(diagonal, np.linalg.norm(np.subtract(clip["bounds"]["max"], clip["bounds"]["min"]))), distance
        angle = degrees(decoded.to_gltf(decoded.normals(g), scale=False), reference.normals(g))
        assert angle <= 1.05, angle
    # The mesh stays in glTF's own axes and metres, whatever the texture's space.
    assert np.array_equal(decoded.rest, reference.rest)


def seed_is_bottom_up(scene, reference):
    document = bake(scene, TMP / "seed", "--layout=seed", "--clip=Run")
    decoded = Bake(document["manifest"])
    [texture] = decoded.manifest["textures"]
    run = next(c for c in reference.manifest["clips"] if c["name"] == "Run")
    image = decoded.images["position", 0][1]
    first = reference.positions(run["first_frame"])
    distance = np.linalg.norm(image[-1, :len(first), :3].astype(float) - first, axis=1).max()
    assert distance < 2e-3, f"the last scanline is not the first frame: {distance}"
    assert texture["height"] == int(np.float32(60) * np.float32(run["duration_s"])), texture


def main():
    [scene] = make_assets(TMP, "hero")
    reference = Bake(bake(scene, TMP / "reference", "--format=exr32")["manifest"])
    for name in BOUNDS:
        tap(f"container {name}", container, scene, reference, name, None)
    for name in ("png16", "raw", "ktx2-u16"):
        tap(f"container {name}, separate normals", container, scene, reference, name, "separate")
    tap("container png8, no normals", container, scene, reference, "png8", "off")
    for name in ENGINES:
        tap(f"engine {name}", engine, scene, reference, name)
    tap("seed rows run upwards", seed_is_bottom_up, scene, reference)


main()
