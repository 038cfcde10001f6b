# SPDX-License-Identifier: MIT
"""Bone and rigid bakes against poses and files that the program has no part in: small rigs posed by tests/lib/poser.py, everything decoded by
tests/lib/bone_decoder.py; and other people's characters against bakes of their vertices as floats."""
import itertools
import json
import math
import os
from pathlib import Path

import numpy as np
import rigs
from bake import TMP, Bake, bake, read_mesh, run, tap
from bone_decoder import Skin
from poser import Poser

# Two 16-bit codes of rotations and pivots lie between source and texel: 6e-6 rad over an arm of at most a diagonal, half a code of 7.6e-6.
STORED = 5e-5
# The program decodes in single precision, here it is double: some roundings of 6e-8 of the largest coordinate.
FLOAT = 2e-6


def baked(rig, name, *options):
    """Writes a rig and bakes it; the poser of its file, the files decoded, and the document."""
    scene = rig.write(TMP / f"{name}.gltf")
    document = bake(scene, TMP / name, *options)
    assert document["status"] == 0, document.get("failure", document)
    files = Bake(document["manifest"])
    files.bones.check()
    return Poser(scene), files, document


def times_of(clip):
    """Times in the source of a clip's frames, and of ways from each to the next."""
    source = clip["source"]
    at = lambda k: source["start_s"] + (source["end_s"] - source["start_s"]) * k / (clip["frame_count"] - 1)
    return [at(k) for k in range(clip["frame_count"])], [(k, way, at(k + way)) for k in range(clip["frame_count"] - 1) for way in (0.5, 0.2)]


def errors(poser, files):
    """Largest distance from the posed source at frames, half-way and a fifth of the way between them, the clip's diagonal, and the largest coordinate."""
    [clip] = files.manifest["clips"]
    at, ways = times_of(clip)
    truth = [poser.positions("Move", t) for t in at]
    distance = lambda found, expected: np.linalg.norm(files.to_gltf(found) - expected, axis=1).max()
    stored = max(distance(files.positions(k), p) for k, p in enumerate(truth))
    between = max(distance(files.between(k, way), poser.positions("Move", t)) for k, way, t in ways)
    everything = np.vstack(truth)
    return stored, between, np.linalg.norm(np.ptp(everything, axis=0)), np.abs(everything).max()


def agrees(document, stored, between, size):
    """The program's own report says what is found here."""
    report = document["error"]
    told = report["stored"]["max"], max(report[kind]["max"] for kind in ("between", "between_step") if report[kind])
    for name, a, b in zip(("stored", "between"), told, (stored, between)):
        assert abs(a - b) <= FLOAT * size, f"{name}: the program says {a:.4g}, decoded here it is {b:.4g}"


# ---- quaternions or matrices ----

def choice(rig, name, mode, texels, bound=STORED):
    poser, files, document = baked(rig, name, f"--mode={mode}", "--fps=30")
    assert files.manifest["mode"] == mode, files.manifest["mode"]
    found = files.manifest["bones"]["texels"], files.manifest["format"]
    assert found == ((2, "png16") if texels == 2 else (3, "exr32")), f"{found}"
    assert (texels == 3) == any(w["code"] == "bones-sheared" for w in document["warnings"]), document["warnings"]
    stored, between, diagonal, size = errors(poser, files)
    assert stored <= bound * diagonal + FLOAT * size, f"stored {stored / diagonal:.3g} of the diagonal"
    agrees(document, stored, between, size)
    return poser, files, document


# Rotations are off by 3e-5 rad at most (docs/FORMATS.md §11), and so is what they turn.
TURNED = 3e-5


def directions(rig):
    """Normals and tangents of the bake's mesh, turned by its bones, are those of the source's, sheared and mirrored ones too."""
    poser, files, document = baked(getattr(rigs, rig)(), f"directions_{rig}", "--mode=bone", "--fps=30")
    [clip] = files.manifest["clips"]
    worst = 0
    for frame, t in enumerate(times_of(clip)[0]):
        pose = files.bones.pose(frame)
        for found, expected in zip((files.bones.normals(pose), files.bones.tangents(pose)), poser.directions("Move", t)):
            worst = max(worst, np.abs(files.to_gltf(found, scale=False) - expected).max())
    assert worst <= TURNED, f"{worst:.3g} off"
    told = document["error"]["stored"]["normal_deg"]
    assert told <= np.degrees(TURNED), f"normals are off by {told} degrees, the program says"


def off_by_turning(degrees, diagonal):
    """What mixed quaternions lose of an even turn (docs/FORMATS.md §11) on an arm of half the diagonal."""
    return 2 * STORED * diagonal + 0.5 * diagonal * math.radians(degrees) ** 3 / 245


def spins():
    """Three turns in a second: every frame and every pose between is on the circle, over the seam of the loop as well."""
    poser, files, _ = choice(rigs.spin(), "spin", "bone", 2)
    [clip] = files.manifest["clips"]
    assert clip["loop"], "the end is the start"
    assert np.abs(files.positions(clip["frame_count"] - 1) - files.positions(0)).max() < 1e-4
    stored, between, diagonal, _ = errors(poser, files)
    # Mixed positions would cut the circle by 1 - cos 18 degrees, a hundred times as much.
    assert between < off_by_turning(36, diagonal), f"between {between / diagonal:.3g}"


def armature():
    """Below a scale of 0.01 rotations keep the scale 1, and the mesh is in metres."""
    _, files, _ = choice(rigs.small_armature(), "armature", "bone", 2)
    [clip] = files.manifest["clips"]
    assert abs(clip["pivots"]["max_scale"] - 1) < 1e-5, clip["pivots"]
    height = np.ptp(files.rest[:, 1])
    assert abs(height - 2) < 1e-5, f"{height} m high in the pose x"


def shared():
    _, files, _ = choice(rigs.shared_joints(), "shared", "bone", 2)
    assert files.manifest["bones"]["count"] == 2, files.manifest["bones"]["names"]


def props():
    _, files, _ = choice(rigs.prop(), "prop", "bone", 2)
    assert {"hip", "knee"} <= set(files.manifest["bones"]["names"]), files.manifest["bones"]["names"]


def influences():
    """Four of six are kept, the error of which is what the program says; eight keep all."""
    poser, files, document = baked(rigs.six_influences(), "four", "--mode=bone")
    stored, between, diagonal, size = errors(poser, files)
    assert stored > 100 * STORED * diagonal, "two influences of six are gone, and nothing is off"
    agrees(document, stored, between, size)
    assert any(w["code"] == "influences-dropped" for w in document["warnings"]), document["warnings"]
    for place in ("texture", "mesh"):
        poser, files, document = baked(rigs.six_influences(), "eight", "--mode=bone", "--influences=8", f"--skin-in={place}")
        assert files.manifest["skin"] == {"in": place, "influences": 8}, files.manifest["skin"]
        stored, between, diagonal, size = errors(poser, files)
        assert stored <= STORED * diagonal, f"stored {stored / diagonal:.3g} of the diagonal"
        agrees(document, stored, between, size)


def frozen(size, mode):
    """A small morph may be left out, a large one may not; bone mode says what it cost either way."""
    rig = rigs.morphed(size)
    poser, files, document = baked(rig, "morphed", "--mode=bone")
    stored, between, diagonal, extent = errors(poser, files)
    agrees(document, stored, between, extent)
    assert any(w["code"] == "morphs-frozen" for w in document["warnings"]), document["warnings"]
    assert 0.5 * size < stored < 1.1 * size, f"{stored} m off for a morph of {size} m"
    chosen = json.loads(Path(bake(TMP / "morphed.gltf", TMP / "chosen", "--mode=auto")["manifest"]).read_text())["mode"]
    assert chosen == mode, f"auto took {chosen}"


def vanishes_joint():
    _, files, _ = choice(rigs.vanishing_joint(), "vanishing", "bone", 2)
    knee = files.manifest["bones"]["names"].index("knee")
    scales = [files.bones.pose(k).scales[knee] for k in range(files.manifest["clips"][0]["frame_count"])]
    assert [k for k, s in enumerate(scales) if s == 0] == list(range(10, 21)), scales


def vanishes_piece():
    """Gone means gone: all of it stands in one place, from the frame on."""
    _, files, _ = choice(rigs.vanishing_crate(), "gone", "rigid", 2)
    goer = files.bones.skin.indices[:, 0] == files.manifest["bones"]["names"].index("Goer")
    assert goer.sum() == 12 // 2 + 2, goer.sum()
    for frame in range(31):
        reach = np.ptp(files.positions(frame)[goer], axis=0).max()
        assert (reach == 0) == (frame >= 15), f"frame {frame}: {reach} m across"


def sparks():
    _, files, _ = choice(rigs.one_vertex_pieces(), "sparks", "rigid", 2)
    assert files.manifest["bones"]["count"] == 3, files.manifest["bones"]


def flat_bind():
    """Joints whose binding cannot be undone are no rotations; they are told of, and stand where they should."""
    for rig, name in ((rigs.flat_bind(), "flat"), (rigs.all_flat_binds(), "all_flat")):
        _, _, document = choice(rig, name, "bone", 3)
        assert any(w["code"] == "bind-not-invertible" for w in document["warnings"]), document["warnings"]


def wheels():
    """Five turns a second are 60 degrees a frame; twelve are 144, so the rate is doubled and that is said."""
    for turns, rate in ((5, 30), (12, 60)):
        poser, files, document = baked(rigs.wheel(turns), "wheel", "--mode=rigid", "--fps=30")
        [clip] = files.manifest["clips"]
        assert abs(clip["rate"] - rate) < 1e-3, f"{turns} turns a second: {clip['rate']} frames a second"
        assert (rate == 60) == any(w["code"] == "rate-raised" for w in document["warnings"]), document["warnings"]
        stored, between, diagonal, size = errors(poser, files)
        agrees(document, stored, between, size)
        turn = 360 * turns / rate
        assert stored <= STORED * diagonal and between <= off_by_turning(turn, diagonal), f"{stored / diagonal:.3g}, {between / diagonal:.3g}"


def on_the_way():
    """Normalised mixes of two rotations are exact half-way; docs/FORMATS.md §11 says how far they are off elsewhere, and the printed error between frames
    shows it.  Here at every twentieth, of pieces and of a spinning skin."""
    for rig, name, mode, turn in ((rigs.wheel(5), "wheel_5", "rigid", 60), (rigs.wheel(9), "wheel_9", "rigid", 108), (rigs.spin(), "spin_on", "bone", 36)):
        poser, files, document = baked(rig, name, f"--mode={mode}", "--fps=30")
        [clip] = files.manifest["clips"]
        source, steps = clip["source"], clip["frame_count"] - 1
        worst = 0
        for frame, way in itertools.product(range(steps), np.arange(1, 20) / 20):
            truth = poser.positions("Move", source["start_s"] + (source["end_s"] - source["start_s"]) * (frame + way) / steps)
            worst = max(worst, np.linalg.norm(files.to_gltf(files.between(frame, way)) - truth, axis=1).max())
        # How far the vertex farthest from the axis is from it.
        reach = 1.0 if mode == "rigid" else max(np.linalg.norm(np.cross(p - [0, 1, 0], (0.36, 0.48, 0.8))) for p in rigs.tube() if p[1] > 1.15)
        angle = math.radians(turn)
        assert 0.95 < worst / (reach * angle**3 / 245) < 1.05, f"{name}: {worst / reach:.3g} rad off, docs/FORMATS.md says {angle**3 / 245:.3g}"
        told = document["error"]["between"]["max"]
        assert 0.98 * worst < told < 1.001 * worst, f"{name}: the program says {told:.4g}, a twentieth at a time it is {worst:.4g}"


# ---- the same bake in many forms ----

FORMS = [("--engine=generic",), ("--engine=unity",), ("--engine=unreal",), ("--engine=godot",), ("--engine=three",), ("--engine=babylon",),
         ("--format=ktx2-u16",), ("--format=ktx2-f32",), ("--format=exr32",), ("--pow2",), ("--max-size=16",), ("--max-size=16", "--pow2")]


def forms(rig, mode, options):
    poser, files, document = baked(rig, "form", f"--mode={mode}", "--fps=30", *options)
    stored, between, diagonal, size = errors(poser, files)
    assert stored <= STORED * diagonal + FLOAT * size, f"stored {stored / diagonal:.3g} of the diagonal"
    agrees(document, stored, between, size)
    if "--max-size=16" in options:
        assert files.bones.pages > 1, "one page"
    wide = 100 if files.manifest["space"]["unit"] == "cm" else 1
    for probe in files.manifest["probes"]:
        off = np.abs(files.positions(probe["frame"])[probe["element"]] - probe["position"]).max()  # of the only clip
        assert off <= (STORED * diagonal + FLOAT * size) * wide, f"{probe}: {off}"
    assert run("verify", document["manifest"], "--against", TMP / "form.gltf").returncode == 0


def places():
    """A skin in a texture and one in the mesh are the same skin."""
    kept = [baked(rigs.prop(), f"in_{place}", "--mode=bone", f"--skin-in={place}")[1] for place in ("texture", "mesh")]
    a, b = (files.bones.skin for files in kept)
    assert np.array_equal(a.indices, b.indices) and np.array_equal(a.weights, b.weights), "other joints or weights"
    for frame in range(31):
        assert np.array_equal(kept[0].positions(frame), kept[1].positions(frame)), f"frame {frame}"


def tracks(files):
    """Every attachment track, clip by clip."""
    return [[(a["node"], [np.array(a[key], float) for key in ("translation", "rotation", "scale")]) for a in clip["attachments"]]
            for clip in files.manifest["clips"]]


def attachments(engine):
    """Tracks are of the source's nodes, so the same ones as in a bake of vertices, and the bone of a node's name takes the node's origin along them."""
    options = ("--attach=hip", "--attach=knee", "--fps=30", f"--engine={engine}")
    _, files, document = baked(rigs.bend(), f"attached_{engine}", "--mode=bone", *options)
    vertices = Bake(bake(TMP / f"attached_{engine}.gltf", TMP / f"attached_{engine}_vertices", "--mode=vertex", *options)["manifest"])
    for clip, other in zip(tracks(files), tracks(vertices)):
        assert [node for node, _ in clip] == [node for node, _ in other] == ["hip", "knee"], (clip, other)
        for (node, values), (_, expected) in zip(clip, other):
            assert all(np.array_equal(a, b) for a, b in zip(values, expected)), f"{node}: other values than beside vertices"
    [clip] = files.manifest["clips"]
    unit = 100 if files.manifest["space"]["unit"] == "cm" else 1
    for node, at_rest in (("hip", (0, 0, 0)), ("knee", (0, 1, 0))):  # in the pose x
        bone = files.manifest["bones"]["names"].index(node)
        origin = Skin(files.from_gltf([at_rest]), None, None, np.array([[bone]]), np.ones((1, 1)))
        went = []
        for frame in range(clip["frame_count"]):
            went.append(files.attached(clip, node, frame, [[0, 0, 0]])[0])
            off = np.abs(files.bones.positions(frame, skin=origin)[0] - went[-1]).max()
            assert off <= 2 * STORED * unit, f"{node}, frame {frame}: {off} from its bone"  # it goes half a metre of a figure of 2 m
        assert np.ptp(went, axis=0).max() > 0.4 * unit, f"{node} stands still"


def root_motion(engine):
    """What was taken out and put back is the source."""
    poser, files, _ = baked(rigs.bend(), f"rooted_{engine}", "--mode=bone", "--root-motion=extract", "--attach=knee", f"--engine={engine}")
    [clip] = files.manifest["clips"]
    at, _ = times_of(clip)
    for frame, t in enumerate(at):
        off = np.abs(files.to_gltf(files.restored(frame)) - poser.positions("Move", t)).max()
        assert off <= 3 * STORED, f"frame {frame}: {off} m"  # the leg is 2 m high and goes half a metre
        knee = files.to_gltf(files.attached(clip, "knee", frame, [[0, 0, 0]]))[0]
        off = np.abs(knee - poser.origin("knee", "Move", t)).max()
        assert off <= 3 * STORED, f"frame {frame}: the knee's track is {off} m off"


def levels():
    """A coarser mesh reads the same bones: its vertices stand on those of the base that they read."""
    fine = rigs.bend()
    fine.write(TMP / "leg_LOD0.gltf")
    coarse, hip, knee = rigs.leg()
    points = rigs.tube(rings=5)
    joints, weights = rigs.bend_weights(points)
    rigs.add_skinned(coarse, points, joints, weights, coarse.skin([hip, knee], [np.eye(4), rigs.moved(0, -1)]), name="Leg")
    coarse.write(TMP / "leg_LOD1.gltf")
    poser = Poser(TMP / "leg_LOD0.gltf")
    for place in ("texture", "mesh"):
        document = bake(TMP / "leg_LOD0.gltf", TMP / "levels", "--mode=bone", f"--skin-in={place}")
        assert document["status"] == 0, document
        files = Bake(document["manifest"])
        [row] = files.manifest["lods"]
        skin = files.bones.skin_of(read_mesh(files.folder / row["file"]))
        same = [int(np.argmin(np.linalg.norm(rigs.tube() - p, axis=1))) for p in points]
        for frame, t in enumerate(times_of(files.manifest["clips"][0])[0]):
            off = np.abs(files.bones.positions(frame, skin=skin) - poser.positions("Move", t)[same]).max()
            assert off <= 2 * STORED, f"{place}, frame {frame}: {off} m"


# ---- other people's characters ----

# Which clips of the largest run here: one that runs, one that falls.
SOME = {"Barbarian": ("Running_A", "Death_A"), "Knight": ("Running_A", "Death_A")}
CHARACTERS = ("Barbarian", "CesiumMan", "Fox", "Knight", "enemy", "greenman", "RiggedFigure")


def skinned_models(models):
    for path in sorted(p for kind in ("glb", "gltf") for p in models.rglob("*." + kind)):
        data = path.read_bytes()
        text = data[20:20 + int.from_bytes(data[12:16], "little")] if data[:4] == b"glTF" else data
        document = json.loads(text)
        if document.get("skins") and document.get("meshes") and any("skin" in node for node in document.get("nodes", ())):
            yield path


def translations_mixed(files, frame):
    """Half-way positions if origins of matrices were mixed in place of pivots."""
    bones = files.bones
    a, b = bones.pose(frame), bones.pose(frame + 1)
    pivots = bones.references[0]
    origin = lambda pose: pose.pivots - np.einsum("bij,bj->bi", pose.linear(), pivots)
    middle = a.mixed(b, 0.5)
    middle.pivots = 0.5 * (origin(a) + origin(b)) + np.einsum("bij,bj->bi", middle.linear(), pivots)
    return bones.placed(middle)


def half_way(path, files, clips):
    """Distances half-way between frames, over the diagonal, of decoded vertices and of those that mixed origins of matrices give.  The truth is the
    odd frames of a bake of vertices at twice the rate."""
    own, mixed = [], []
    for row in files.manifest["clips"]:
        intervals, first = row["frame_count"] - 1, row["first_frame"]
        fine = Bake(bake(path, TMP / "fine", "--mode=vertex", "--format=exr32", "--normals=off", "--loop=no", "--name=model",
                         f"--fps={2 * intervals / row['duration_s']!r}", *([f"--clip={row['name']}"] if len(files.manifest["clips"]) > 1 else clips))
                    ["manifest"])
        assert fine.manifest["clips"][0]["frame_count"] == 2 * intervals + 1, fine.manifest["clips"]
        diagonal = np.linalg.norm(np.subtract(row["bounds"]["max"], row["bounds"]["min"]))
        for k in range(intervals):
            truth = fine.positions(2 * k + 1)
            own.append(np.linalg.norm(files.between(first + k) - truth, axis=1) / diagonal)
            mixed.append(np.linalg.norm(translations_mixed(files, first + k) - truth, axis=1) / diagonal)
    return np.concatenate(own), np.concatenate(mixed)


def texture_bytes(document):
    manifest = json.loads(Path(document["manifest"]).read_text())
    sizes = {"png8": 4, "png16": 8, "exr16": 8, "exr32": 16, "ktx2-u16": 8, "raw": 8, "raw-f32": 16}
    return sum(t["width"] * t["height"] * sizes[t["format"]] for t in manifest["textures"])


def character(path):
    name = path.parent.name
    clips = [f"--clip={clip}" for clip in SOME.get(name, ())]
    common = ["--name=model", "--static", "--influences=8", *clips]
    document = bake(path, TMP / "bone", "--mode=bone", *common)
    if document["status"]:
        return f"skip data:{name}: refused: {document['failure']['code']}"
    vertex = bake(path, TMP / "vertex", "--mode=vertex", *common[:2], *clips)
    files = Bake(document["manifest"])
    files.bones.check()
    exact = Bake(bake(path, TMP / "exact", "--mode=vertex", "--format=exr32", "--normals=off", *common[:2], *clips)["manifest"])
    assert len(files.manifest["clips"]) == len(exact.manifest["clips"])
    stored = 0.0
    for row, other in zip(files.manifest["clips"], exact.manifest["clips"]):
        diagonal = np.linalg.norm(np.subtract(row["bounds"]["max"], row["bounds"]["min"])) or 1.0
        count, first = row["frame_count"], row["first_frame"]
        assert (count, first) == (other["frame_count"], other["first_frame"]), (row, other)
        for k in range(count):
            stored = max(stored, np.linalg.norm(files.positions(first + k) - exact.positions(first + k), axis=1).max() / diagonal)
    told, vertex_told = document["error"], vertex["error"]
    relative = lambda section: section["max_relative"] if section else 0.0
    between, lost = relative(told["between"]), relative(vertex_told["between"])
    if name in ("Fox", "CesiumMan"):
        own, mixed = half_way(path, files, clips)
        assert abs(own.max() - between) <= 2e-5, f"between {between:.3g} by the program, {own.max():.3g} here"
        rms = lambda distances: np.sqrt(np.mean(distances**2))
        # Where keys bend the motion, both ways to mix lose the same; the rest is what pivots are for.
        assert rms(mixed) > 1.2 * rms(own), f"mixing origins of matrices costs {rms(mixed):.3g} RMS, pivots {rms(own):.3g}"
        print(f"# {name}: half-way {rms(own):.2e} RMS, {own.max():.2e} at most; with origins of matrices {rms(mixed):.2e}, {mixed.max():.2e}")
    print(f"# {name}: {files.manifest['bones']['count']} bones of {files.manifest['bones']['texels']} texels, {texture_bytes(document)} bytes "
          f"({texture_bytes(vertex)} as vertices), stored {stored:.2e} ({vertex_told['stored']['max_relative']:.2e}), between {between:.2e} ({lost:.2e})",
          flush=True)
    frozen = any(w["code"] == "morphs-frozen" for w in document["warnings"])
    assert abs(stored - told["stored"]["max_relative"]) <= 1e-5, f"stored {told['stored']['max_relative']:.3g} by the program, {stored:.3g} here"
    if files.manifest["bones"]["texels"] == 2 and not frozen:
        assert stored <= STORED, f"stored {stored:.3g} of the diagonal"
    if name.split("_")[0] in CHARACTERS:
        assert between <= lost + STORED, f"between {between:.3g}, vertex mode {lost:.3g}"
    return f"ok data:{name}"


def main():
    for rig, texels in (("bend", 2), ("even", 2), ("mirrored", 2), ("rest_is_not_bind", 2), ("reverse_joints", 2), ("sheared", 3), ("uneven", 3),
                        ("flips", 3)):
        tap(f"{rig}: {texels} texels a joint", choice, getattr(rigs, rig)(), rig, "bone", texels)
    for rig, texels in (("crates", 2), ("stretched_crate", 2), ("sheared_crate", 3)):
        tap(f"{rig}: {texels} texels a piece", choice, getattr(rigs, rig)(), rig, "rigid", texels)
    for rig in ("bend", "even", "sheared", "uneven", "rest_is_not_bind"):
        tap(f"{rig}: normals and tangents", directions, rig)
    # At 2 km a float steps by 1.2e-4 m.
    tap("far_away", choice, rigs.far_away(), "far", "bone", 2)
    tap("far_crate", choice, rigs.far_crate(), "far_crate", "rigid", 2)
    for test in (spins, armature, shared, props, influences, vanishes_joint, vanishes_piece, sparks, flat_bind, wheels, on_the_way, places, levels):
        tap(test.__name__, test)
    tap("a small morph is left out", frozen, 0.0005, "bone")
    tap("a large morph keeps vertices", frozen, 0.1, "vertex")
    for options in FORMS:
        tap(f"bones {' '.join(options)}", forms, rigs.prop(), "bone", options)
        tap(f"pieces {' '.join(options)}", forms, rigs.crates(), "rigid", options)
    for engine in ("generic", "unity", "unreal"):
        tap(f"root motion: {engine}", root_motion, engine)
        tap(f"attachments: {engine}", attachments, engine)
    data = os.environ.get("DATA")
    if not data:
        print("skip data:skinned models: no third-party data")
        return
    for path in skinned_models(Path(data) / "models/gltf"):
        try:
            print(character(path), flush=True)
        except AssertionError as error:
            print(f"not ok data:{path.parent.name}: {error}".replace("\n", " | "), flush=True)


main()
