# SPDX-License-Identifier: MIT
"""OpenVAT's layout: what Bakewell writes, decoded by the formulas of OpenVAT's players; what OpenVAT wrote, decoded and verified; and reports
of its users, whose addresses stand in the names."""
import json
import os
import shutil
from pathlib import Path

import numpy as np
from bake import TMP, Bake, bake, make_assets, run, tap
from gltf import Gltf
from openvat_player import OpenVat

LAYOUT = "--layout=openvat"
# Of the range of offsets: half a code of 16 bits; half a step of 11-bit halves below 1, and the float sum.
STEP = {"png16": 0.5 / 65535, "exr16": 0.5 / 2048, "exr32": 1e-7, "png8": 0.5 / 255}


def baked(scene, name, *options):
    """Bakes, has it verified against its source by the manifest and as a bake of OpenVAT's, and decodes it."""
    document = bake(scene, TMP / name, LAYOUT, *options)
    assert document["status"] == 0, document
    verified = run("verify", document["manifest"], "--against", scene)
    assert verified.returncode == 0, verified.stderr
    remap_info = next(o["path"] for o in document["outputs"] if o["role"] == "remap_info")
    foreign = run("verify", remap_info)
    assert foreign.returncode == 0, foreign.stderr
    files = OpenVat(remap_info)
    files.document, files.manifest = document, json.loads(Path(document["manifest"]).read_text())
    assert files.off_centre < 1 / 256, files.off_centre
    return files


def compare(files, truth, precision, what=""):
    """truth: [F][V][3].  Returns the largest distance, metres."""
    tolerance = STEP[precision] * (files.max - files.min).max() * 1.001 + 2e-6
    worst = 0.0
    assert files.frames == len(truth), f"{what}: {files.frames} frames, expected {len(truth)}"
    for frame, expected in enumerate(truth):
        off = np.abs(files.positions(frame) - expected)
        assert off.max() <= tolerance, f"{what}: frame {frame}: off by {off.max()}, allowed {tolerance}"
        worst = max(worst, np.linalg.norm(off, axis=1).max())
    return worst


# ---- what Bakewell writes ----------------------------------------------------------------------------------------------------------------

def strip(count):
    """Points that move each its own way, so that a texel of a neighbour is told from one's own."""
    k = np.arange(count)
    rest = np.stack([k * 0.01, k % 7 * 0.1, k % 3 * 0.2], axis=-1)
    moved = np.stack([np.sin(k) * 0.5, k / count - 0.25, np.cos(3 * k) * 0.7], axis=-1)
    g = Gltf()
    node = g.node(mesh=g.mesh(rest, targets=[{"POSITION": moved}], weights=[0]))
    return g, node, np.float32(rest).astype(float), np.float32(moved).astype(float)


def sides(count, max_size, frames, mode, width, height):
    g, node, rest, moved = strip(count)
    g.animation("Go", (node, "weights", [0, frames - 1], [[0], [1]]))
    files = baked(g.write(TMP / "strip.gltf"), f"strip-{count}-{mode}", "--fps=1", f"--max-size={max_size}", f"--normals={mode}", "--format=exr32")
    assert files.offsets.shape[:2] == (height, width), files.offsets.shape
    assert (files.separate is not None) == (mode == "separate")
    compare(files, [rest + moved * f / (frames - 1) for f in range(frames)], "exr32")
    if mode != "off":
        for frame in range(frames):  # points without normals have (0, 1, 0)
            assert np.abs(files.normals(frame) - [0, 1, 0]).max() < 1e-6, files.normals(frame)[0]
    pairs = {(x, y) for x, y in zip(np.round(files.column), np.round(files.row))}
    assert len(pairs) == count, "two vertices share a texel"


def turned(v):
    return np.stack([v[..., 0], -v[..., 2], v[..., 1]], axis=-1)


def the_first_column_is_the_last_vertex():
    g, node, rest, moved = strip(5)
    g.animation("Go", (node, "weights", [0, 1], [[0], [1]]))
    files = baked(g.write(TMP / "order.gltf"), "order", "--fps=1", "--format=exr32")
    assert np.round(files.column).tolist() == [4, 3, 2, 1, 0] and (np.round(files.row) == 0).all()
    offsets = turned(moved)
    low, high = np.floor(offsets.min(axis=0).clip(max=0) * 10) / 10, np.ceil(offsets.max(axis=0).clip(min=0) * 10) / 10
    assert np.allclose(files.min, low) and np.allclose(files.max, high), (files.min, files.max, low, high)
    assert np.abs(files.offsets[1][::-1] - (offsets - low) / (high - low)).max() < 1e-6


def zero_range():
    """An axis that nothing moves along stores 0, as OpenVAT's sphere does."""
    g = Gltf()
    node = g.node(mesh=g.mesh([[0, 0, 0], [1, 0, 0]], targets=[{"POSITION": [[0, 0.75, 0], [0, 0.25, 0]]}], weights=[0]))
    g.animation("Up", (node, "weights", [0, 1], [[0], [1]]))
    files = baked(g.write(TMP / "flat.gltf"), "flat", "--fps=1", "--normals=off")
    assert files.min.tolist() == [0, 0, 0] and files.max.tolist() == [0, 0, 0.8], (files.min, files.max)
    assert (files.offsets[..., :2] == 0).all()


HERO_CLIPS = {"Idle": True, "Run": True, "Wave": False, "Walk": False, "Jump": True}


def hero_truth():
    """Frames of native floats, decoded by the other decoder; OpenVAT's loops lack the last one."""
    document = bake(HERO, TMP / "native", "--format=exr32")
    assert document["status"] == 0, document
    files = Bake(document["manifest"])
    frames = {c["name"]: range(c["first_frame"], c["first_frame"] + c["frame_count"] - c["loop"]) for c in files.manifest["clips"]}
    assert {c["name"]: c["loop"] for c in files.manifest["clips"]} == HERO_CLIPS
    return frames, [files.positions(f) for name in frames for f in frames[name]], [files.normals(f) for name in frames for f in frames[name]]


def hero(precision, mode, *options):
    files = baked(HERO, f"hero-{precision}-{mode}-{len(options)}", f"--format={precision}", f"--normals={mode}", *options)
    frames, positions, normals = TRUTH
    worst = compare(files, positions, precision)
    size = files.offsets.shape[:2]
    vertices = len(files.vertices)
    expected = (len(positions) * (2 if mode == "packed" else 1), vertices) if not options else (2048, 1024)
    assert size == expected, f"{size}, expected {expected}"
    first = 1
    for name, loops in HERO_CLIPS.items():
        clip = files.animations[name]
        expected = {"startFrame": first, "endFrame": first + len(frames[name]) - 1, "framerate": 24 if name in ("Run", "Walk") else 30, "looping": loops}
        assert clip == expected, f"{name}: {clip}, expected {expected}"
        first += len(frames[name])
    assert list(files.animations) == list(HERO_CLIPS) and first - 1 == files.frames
    least = 1.0
    if mode != "off":
        least = min((files.normals(f) * normals[f]).sum(axis=1).min() for f in range(files.frames))
        assert least > (0.9999 if precision != "png8" else 0.99), least
    print(f"# hero {precision} {mode}: {worst * 1000:.3g} mm, least dot of normals {least:.7f}", flush=True)
    stored = files.document["error"]["stored"]["max"]
    assert abs(worst - stored) <= 0.02 * stored + 2e-6, f"the program says {stored}, found {worst}"


def loop_yes():
    """A clip that is told to loop keeps its frames: players go from its last to its first."""
    files = baked(HERO, "loop-yes", "--clip=Wave", "--loop=yes")
    assert files.frames == 49 and files.animations["Wave"]["looping"] and files.animations["Wave"]["endFrame"] == 49
    clip = files.manifest["clips"][0]
    assert abs(clip["duration_s"] - 49 / 30) < 1e-6 and not clip["source"]["closed"], clip


def same_pose_after_a_loop():
    """One period after each frame of a loop comes the same pose: the frame that was left out would have been the first."""
    frames, positions, _ = TRUTH
    files = baked(HERO, "run", "--clip=Run", "--format=exr32")
    start = sum(len(frames[name]) for name in frames if name == "Idle")
    compare(files, positions[start:start + len(frames["Run"])], "exr32")
    assert files.manifest["clips"][0]["frame_count"] == 18 and files.manifest["clips"][0]["duration_s"] == 0.75


# ---- reports ---------------------------------------------------------------------------------------------------------------------------------

def cube(**attributes):
    positions, normals, uvs, indices = [], [], [], []
    for axis in range(3):
        for sign in (1, -1):
            first = len(positions)
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                p = [0, 0, 0]
                p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3] = sign, a * sign, b
                positions.append(p)
                normals.append([sign if k == axis else 0 for k in range(3)])
                uvs.append([(a + 1) / 2, (b + 1) / 2])
            indices += [first, first + 1, first + 2, first, first + 2, first + 3]
    g = Gltf()
    sets = {f"TEXCOORD_{n}": uvs for n in range(attributes.pop("uv_sets", 1))}
    node = g.node(mesh=g.mesh(np.array(positions) * attributes.pop("half", np.ones(3)), 4, indices, NORMAL=normals, **sets))
    return g, node, np.array(normals, dtype=float)


def hard_edges():
    g, node, normals = cube()
    g.animation("Rise", (node, "translation", [0, 1], [[0, 0, 0], [0, 2, 0]]))
    files = baked(g.write(TMP / "cube.gltf"), "cube", "--fps=1")
    assert files.offsets.shape[:2] == (4, 24), files.offsets.shape
    assert len({tuple(np.round(n, 3)) for n in files.normals(1)}) == 6
    assert np.abs(files.normals(0) - normals).max() < 1e-3 and np.abs(files.normals_of_mesh - normals).max() < 1e-6


def further_uv_sets():
    for sets, expected in ((0, 1), (1, 1), (2, 2), (3, 3)):
        g, node, _ = cube(uv_sets=sets)
        g.animation("Rise", (node, "translation", [0, 1], [[0, 0, 0], [0, 2, 0]]))
        files = baked(g.write(TMP / "sets.gltf"), f"sets-{sets}")
        assert files.uv_set == files.manifest["uv_set"] == expected, (sets, files.uv_set)
        told = [w["first"] for w in files.document["warnings"] if w["code"] == "uv-set-taken"]
        assert told == ([f"TEXCOORD_{expected}"] if expected > 1 else []), told
        said = run("verify", TMP / f"sets-{sets}/sets-remap_info.json").stderr
        assert ("second UV set" in said) == (expected > 1), said


def first_row(start):
    g, node, rest, _ = strip(5)
    g.animation("Go", (node, "translation", [start, start + 0.5, start + 1], [[7, 0, 0], [8, 0, 0], [9, 3, 0]]))
    files = baked(g.write(TMP / "first.gltf"), f"first-{start > 0}", "--fps=2", "--format=exr32")
    compare(files, [rest + [7, 0, 0], rest + [8, 0, 0], rest + [9, 3, 0]], "exr32")


def smallest(vertices, frames):
    g, node, rest, moved = strip(vertices)
    g.animation("Go", (node, "weights", [0, frames - 1], [[0], [1]]))
    scene = g.write(TMP / "small.gltf")
    for mode, height in (("packed", 2 * frames), ("separate", frames), ("off", frames)):
        files = baked(scene, f"small-{vertices}-{mode}", "--fps=1", f"--normals={mode}")
        assert files.offsets.shape[:2] == (height, vertices), (mode, files.offsets.shape)


def corners_of_a_turning_box():
    half = np.array([0.5, 1, 1.5])
    g, node, _ = cube(half=half)
    g.animation("Turn", (node, "rotation", [0, 1], [[0, 0, 0, 1], [0, np.sqrt(0.5), 0, np.sqrt(0.5)]]), (node, "translation", [0, 1], [[0, 0, 0], [0, 3, 0]]))
    files = baked(g.write(TMP / "box.gltf"), "box", "--fps=1", "--format=exr32")
    rest = files.vertices
    end = np.stack([rest[:, 2], rest[:, 1] + 3, -rest[:, 0]], axis=-1)  # a quarter turn about y takes z to x
    compare(files, [rest, end], "exr32")
    ends = [np.argmin(files.column), np.argmax(files.column)]  # the first and the last column, and the last row
    assert np.abs(files.positions(1)[ends] - end[ends]).max() < 1e-6


# ---- verifying -------------------------------------------------------------------------------------------------------------------------------

def of_another_bake():
    """Findings: JSON and texture, mesh and texture, animations that do not belong together."""
    g, node, rest, moved = strip(30)
    g.animation("Go", (node, "weights", [0, 3], [[0], [1]]))
    scene = g.write(TMP / "odd.gltf")
    for name, options in (("odd", ("--fps=1",)), ("other", ("--fps=2",)), ("more", ("--fps=1", "--name=odd"))):
        assert bake(scene, TMP / name, LAYOUT, *options)["status"] == 0
    g2, node2, _, _ = strip(31)
    g2.animation("Go", (node2, "weights", [0, 3], [[0], [1]]))
    assert bake(g2.write(TMP / "odd31.gltf"), TMP / "more", LAYOUT, "--fps=1", "--name=odd")["status"] == 0

    def refused(edit, said, status=1):
        folder = TMP / "edited"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(TMP / "odd", folder)
        edit(folder)
        done = run("verify", folder / "odd-remap_info.json")
        assert done.returncode == status and said in done.stdout + done.stderr, f"{done.returncode}: {done.stdout} {done.stderr}"

    def rewrite(folder, change):
        path = folder / "odd-remap_info.json"
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))

    refused(lambda f: rewrite(f, lambda d: d["os-remap"].update(Max=[9, 9, 9])), "do not reach to within 0.1")
    refused(lambda f: rewrite(f, lambda d: d["os-remap"].update(Frames=3)), "sides are not those of OpenVAT's rules")
    refused(lambda f: rewrite(f, lambda d: d["os-remap"].update(Frames=900)), "")
    refused(lambda f: rewrite(f, lambda d: d["animations"]["Go"].update(endFrame=5)), "animation's frames are not among")
    refused(lambda f: rewrite(f, lambda d: d["animations"]["Go"].update(startFrame=0)), "animation's frames are not among")
    refused(lambda f: shutil.copy(TMP / "more/odd.glb", f), "no UV set of the mesh points at the texels' centres")
    refused(lambda f: (f / "odd.glb").unlink(), "neither odd.glb nor odd.gltf", 3)
    refused(lambda f: (f / "odd_vat.exr").write_bytes((f / "odd_vat.exr").read_bytes()[:400]), "", 4)
    refused(lambda f: rewrite(f, lambda d: d["os-remap"].pop("Min")), "os-remap.Min", 4)
    refused(lambda f: shutil.copy(TMP / "other/odd_vat.exr", f / "odd_vnrm.exr"), "normal texture has other sides")
    refused(lambda f: shutil.copy(TMP / "other/odd_vat.exr", f), "")


def left_behind():
    """A bake in another format leaves the older one's textures in the folder; OpenVAT's JSON does not say which are meant, the manifest does."""
    g, node, _, _ = strip(9)
    g.animation("Go", (node, "weights", [0, 1], [[0], [1]]))
    scene = g.write(TMP / "again.gltf")
    baked(scene, "again", "--fps=1")
    document = bake(scene, TMP / "again", LAYOUT, "--fps=1", "--format=png16", "--normals=separate")
    assert document["status"] == 0, document
    done = run("verify", TMP / "again/again-remap_info.json")
    assert done.returncode == 1 and "textures of two formats" in done.stdout, (done.stdout, done.stderr)
    assert run("verify", document["manifest"]).returncode == 0
    (TMP / "again/again_vat.exr").unlink()
    done = run("verify", TMP / "again/again-remap_info.json")
    assert done.returncode == 0, (done.stdout, done.stderr)


def in_a_folder_of_its_own():
    g, node, _, _ = strip(9)
    g.animation("Go", (node, "weights", [0, 1], [[0], [1]]))
    files = baked(g.write(TMP / "apart.gltf"), "apart", "--fps=1")
    folder = TMP / "asset/apart_vat"
    folder.parent.mkdir()
    shutil.move(TMP / "apart", folder)
    shutil.move(folder / "apart-remap_info.json", folder.parent)
    (folder / "apart_vat.json").unlink()
    done = run("verify", folder.parent / "apart-remap_info.json", "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 0 and document["layout"] == "openvat" and document["vertices"] == 9, document
    assert files.frames == 2


# ---- what OpenVAT wrote ------------------------------------------------------------------------------------------------------------------------

DATA = os.environ.get("DATA")
FOLDER = Path(DATA or "") / "models/vat_textures"
# Folder, object, warnings that verify gives; the frame (from 0) whose positions are the mesh's within a step of half floats, and how many steps
# off it is else; the frame whose normals are the mesh's.  CubeFractured's mesh is the state before the first frame, 8.7 mm away.  The glass
# took frame 47 for its rest pose, in which it stands whole, and was exported at the last frame: the mesh's normals are those.  So are jello's.
# OpenVAT has one texel a Blender vertex: where a glTF vertex is one of several of a column, the normal is their average.
REAL = [
    ("openvat_Cloth_vat", "Cloth", [], 0, 1, 0),
    ("openvat_CubeFractured_vat", "CubeFractured", ["first-frame"], 0, 3.2, 0),
    ("openvat_Sphere_vat", "Sphere", ["texture-large"], 0, 1, 0),
    ("openvat_godot_glass", "VAT_Glass_Fall", ["first-frame"], 46, 1, 119),
    ("openvat_godot_jello", "Cylinder", ["normals-differ"], 0, 1, 22),
    ("openvat_godot_shapekey_bone_driver", "Cylinder", [], 0, 1, 0),
]


def real_asset(folder, name, codes, rest_frame, steps, normal_frame):
    path = FOLDER / folder / f"{name}-remap_info.json"
    done = run("verify", path, "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 0 and document["findings"] == [], document
    files = OpenVat(path)
    assert (document["vertices"], document["frames"]) == (len(files.vertices), files.frames), document
    assert [w["code"] for w in document["warnings"]] == codes, document["warnings"]
    assert files.off_centre < 1 / 256 and len(np.unique(np.round(files.column))) == files.offsets.shape[1]
    off = np.abs(files.positions(rest_frame) - files.vertices).max()
    half = (files.max - files.min).max() / 2048
    dots = (files.normals(normal_frame) * files.normals_of_mesh).sum(axis=1)
    column = np.round(files.column).astype(int)
    alone = np.bincount(column)[column] == 1
    single = dots[alone].mean() if alone.any() else dots.mean()
    print(f"# {folder}: frame {rest_frame + 1} is {off * 1000:.4g} mm from the mesh, {off / half:.2g} steps of a half; mean dot of normals in "
          f"frame {normal_frame + 1}: {dots.mean():.5f}, {single:.5f} without averaged ones", flush=True)
    assert off <= steps * half, f"{off} of {half}"
    assert ("first-frame" in codes) == (np.abs(files.positions(0) - files.vertices).max() > half)
    assert single > 0.999, single
    ranges = [files.min + files.texels(files.offsets, f) * (files.max - files.min) for f in range(files.frames)]
    low, high = np.min([r.min(axis=0) for r in ranges], axis=0), np.max([r.max(axis=0) for r in ranges], axis=0)
    assert (low - files.min < 0.1 + half).all() and (files.max - high < 0.1 + half).all(), (low, high)


def golden_texels():
    cloth = OpenVat(FOLDER / "openvat_Cloth_vat/Cloth-remap_info.json")
    assert cloth.offsets.shape == (150, 1089, 3) and cloth.offsets[0, 0].tolist() == [0.5, 0.5, 1.0]
    assert cloth.min.tolist() == [-4.3, -4.3, -8.6] and cloth.max.tolist() == [4.3, 4.3, 0]
    sphere = OpenVat(FOLDER / "openvat_Sphere_vat/Sphere-remap_info.json")
    assert sphere.offsets.shape == (40, 7938, 3) and len(sphere.vertices) == 31744
    assert sphere.max.tolist() == [0, 0, 0.8] and (sphere.offsets[..., :2] == 0).all()
    glass = OpenVat(FOLDER / "openvat_godot_glass/VAT_Glass_Fall-remap_info.json")
    assert glass.offsets.shape == (240, 3894, 3) and glass.animations["Break"] == {"startFrame": 26, "endFrame": 120, "framerate": 24, "looping": True}


HERO, = make_assets(TMP / "assets", "hero")
TRUTH = hero_truth()
for mode in ("packed", "separate", "off"):
    tap(f"hero exr32 {mode}", hero, "exr32", mode)
for precision in ("exr16", "png16", "png8"):
    tap(f"hero {precision} packed", hero, precision, "packed")
tap("hero png16 separate", hero, "png16", "separate")
tap("hero wrapped exr16 packed", hero, "exr16", "packed", "--max-size=2048")
tap("hero wrapped png16 packed", hero, "png16", "packed", "--max-size=2048")
# V at n − 1, n, n + 1 of the largest side and of a wrapped row: H = pow2(P · N · blocks), within a factor of 2 of W.
for case in ((63, 64, 8, "packed", 63, 16), (64, 64, 8, "packed", 64, 16), (65, 64, 8, "packed", 64, 32), (127, 64, 8, "packed", 64, 32),
             (128, 64, 8, "packed", 64, 32), (129, 64, 8, "packed", 64, 64), (65, 64, 16, "separate", 64, 32), (128, 64, 16, "separate", 64, 32),
             (129, 64, 16, "off", 64, 64), (511, 256, 9, "packed", 128, 128), (512, 256, 9, "packed", 128, 128), (513, 256, 9, "packed", 128, 128)):
    tap("sides {} vertices, at most {}, {} frames, {}".format(*case[:4]), sides, *case)
for count, width, height in ((255, 255, 6), (256, 256, 6), (257, 64, 32)):
    tap(f"rows_that_wrap {count} https://github.com/sharpen3d/openvat/issues/4", sides, count, 256, 3, "packed", width, height)
tap("the_first_column_is_the_last_vertex", the_first_column_is_the_last_vertex)
tap("zero_range", zero_range)
tap("loop_yes", loop_yes)
tap("same_pose_after_a_loop", same_pose_after_a_loop)
tap("hard_edges https://github.com/sharpen3d/openvat/issues/60 https://github.com/sharpen3d/openvat/issues/12", hard_edges)
tap("further_uv_sets https://github.com/sharpen3d/openvat/issues/40", further_uv_sets)
tap("first_row https://github.com/sharpen3d/openvat/issues/6", first_row, 0)
tap("first_row https://github.com/sharpen3d/openvat/issues/9", first_row, 1 / 24)
tap("smallest https://github.com/sharpen3d/openvat/issues/25", smallest, 100, 10)
tap("smallest https://github.com/sharpen3d/openvat/issues/2", smallest, 200, 50)
tap("corners_of_a_turning_box https://github.com/sharpen3d/openvat/issues/16 https://github.com/sharpen3d/openvat/issues/52", corners_of_a_turning_box)
tap("of_another_bake", of_another_bake)
tap("left_behind", left_behind)
tap("in_a_folder_of_its_own", in_a_folder_of_its_own)
for row in REAL:
    if DATA:
        tap(f"data:real {row[0]}", real_asset, *row)
    else:
        print(f"skip data:real {row[0]}: the third-party data are not there")
if DATA:
    tap("data:golden texels", golden_texels)
else:
    print("skip data:golden texels: the third-party data are not there")
