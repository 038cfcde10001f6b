# SPDX-License-Identifier: MIT
"""What went wrong for users of other tools, each as a small file that this program must bake right.  The name of a test ends with the public
address of the report; expectations are worked out here, by hand or from the glTF specification, and the files decoded without the program."""
import json

import numpy as np
from bake import TMP, Bake, bake, run, tap
from gltf import Gltf

FLOATS = ("--format=exr32", "--normals=off")


def baked(gltf, *options):
    """Bakes, has it verified against its source, and returns its files."""
    scene = gltf.write(TMP / "lesson.gltf")
    document = bake(scene, TMP / "lesson", *options)
    assert document["status"] == 0, document
    verified = run("verify", document["manifest"], "--against", scene)
    assert verified.returncode == 0, verified.stderr
    files = Bake(document["manifest"])
    files.document = document
    return files


def close(found, expected, tolerance=1e-6, what="positions"):
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape, f"{what}: shape {found.shape}, expected {expected.shape}"
    off = np.abs(found - expected).max()
    assert off <= tolerance, f"{what}: off by {off}: {found.tolist()}, expected {expected.tolist()}"


def cube(sides=(1, 1, 1)):
    """Twenty-four corners of six faces: positions, normals, UVs with a seam at every edge, indices."""
    positions, normals, uvs, indices = [], [], [], []
    for axis in range(3):
        for sign in (1, -1):
            first = len(positions)
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                p, n = [0, 0, 0], [0, 0, 0]
                p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3] = sign, a * sign, b
                n[axis] = sign
                positions.append([x * s / 2 for x, s in zip(p, sides)])
                normals.append(n)
                uvs.append([(a + 1) / 2, (b + 1) / 2])
            indices += [first, first + 1, first + 2, first, first + 2, first + 3]
    return np.array(positions), np.array(normals), np.array(uvs), indices


def moving_cube(sides=(1, 1, 1), **attributes):
    g = Gltf()
    positions, normals, uvs, indices = cube(sides)
    node = g.node(mesh=g.mesh(positions, 4, indices, NORMAL=normals, TEXCOORD_0=uvs, **attributes))
    g.animation("Rise", (node, "translation", [0, 1], [[0, 0, 0], [0, 2, 0]]))
    return g


def points(count):
    return [[i, i * i % 5, 0] for i in range(count)]


# ---- the layout --------------------------------------------------------------------------------------------------------------------------

def flat_shading():
    files = baked(moving_cube(), "--fps=1")
    [texture] = files.manifest["textures"]
    assert (texture["width"], texture["height"]) == (24, 2), texture
    assert (files.images["position", 0][1][..., 3] != 0).all(), "a column was not written"
    for frame in (0, 1):
        found = {tuple(np.round(n).astype(int)) for n in files.normals(frame)}
        assert found == {tuple(s if k == a else 0 for k in range(3)) for a in range(3) for s in (1, -1)}, found
        close(files.normals(frame), cube()[1], 0.02, "normals")  # 8 bits: 1 degree


def flat_without_normals():
    """A cube of 8 points without normals is as hard-edged: corners are split, and normals follow the faces of each frame."""
    g = Gltf()
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    node = g.node(mesh=g.mesh(corners, 4, [k for a, b, c, d in faces for k in (a, b, c, a, c, d)]))
    g.animation("Turn", (node, "rotation", [0, 1], [[0, 0, 0, 1], [0, 0, np.sqrt(0.5), np.sqrt(0.5)]]))
    files = baked(g, "--fps=1", "--normals=separate")
    assert files.manifest["elements"]["count"] == 36, files.manifest["elements"]
    for frame, turn in ((0, np.eye(3)), (1, np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]))):
        outward = files.positions(frame).reshape(12, 3, 3).mean(axis=1) - turn @ [0.5, 0.5, 0.5]
        normals = files.normals(frame).reshape(12, 3, 3)
        assert np.abs(normals - normals[:, :1]).max() < 1e-3 and (np.einsum("ij,ij->i", outward, normals[:, 0]) > 0.3).all()


def second_uv_set():
    uvs = cube()[2]
    for extra, expected in ((0, 1), (1, 2), (2, 3)):
        g = moving_cube(**{f"TEXCOORD_{n + 1}": uvs * 0.5 for n in range(extra)})
        files = baked(g)
        assert files.manifest["uv_set"] == expected, (extra, files.manifest["uv_set"])
        told = [w["first"] for w in files.document["warnings"] if w["code"] == "uv-set-taken"]
        assert told == ([f"TEXCOORD_{expected}"] if extra else []), files.document["warnings"]


def first_frame(start):
    """The first row shows the pose at the first key, whenever that is."""
    g = Gltf()
    node = g.node(mesh=g.mesh(points(5)))
    g.animation("Go", (node, "translation", [start, start + 0.5, start + 1], [[7, 0, 0], [8, 0, 0], [9, 3, 0]]))
    files = baked(g, "--fps=2", *FLOATS)
    assert files.manifest["clips"][0]["frame_count"] == 3
    for frame, place in enumerate(([7, 0, 0], [8, 0, 0], [9, 3, 0])):
        close(files.positions(frame), np.array(points(5)) + place)


def rows_that_wrap():
    for count, rows, width in ((255, 1, 255), (256, 1, 256), (257, 2, 129)):
        g = Gltf()
        node = g.node(mesh=g.mesh(points(count)))
        g.animation("Go", (node, "translation", [0, 2], [[0, 0, 0], [0, 4, 0]]))
        files = baked(g, "--fps=1", "--max-size=256", *FLOATS)
        [texture] = files.manifest["textures"]
        assert (texture["width"], texture["height"]) == (width, 3 * rows), texture
        for frame in range(3):
            close(files.positions(frame), np.array(points(count)) + [0, 2 * frame, 0], 1e-4)


def sides(count, frames, *options, textures=1):
    g = Gltf()
    node = g.node(mesh=g.mesh(points(count)))
    g.animation("Go", (node, "translation", [0, frames - 1], [[0, 0, 0], [0, 4, 0]]))
    files = baked(g, "--fps=1", *options)
    assert [(t["width"], t["height"]) for t in files.manifest["textures"]] == [(count, frames)] * textures, files.manifest["textures"]
    assert files.manifest["frames"] == {"count": frames, "rows_per_frame": 1, "per_page": frames}, files.manifest["frames"]


def axes_of_engines():
    """A box of 1 × 2 × 3 that rises along glTF's up, and where each engine finds it."""
    half = np.array([0.5, 1, 1.5])
    for engine, low, high, up in (("generic", -half, half + [0, 2, 0], 1), ("godot", -half, half + [0, 2, 0], 1),
                                  ("unity", -half, half + [0, 2, 0], 1),
                                  ("unreal", np.array([-50, -150, -100]), np.array([50, 150, 300]), 2)):
        files = baked(moving_cube((1, 2, 3)), "--fps=1", f"--engine={engine}")
        [clip] = files.manifest["clips"]
        close(clip["bounds"]["min"], low, 1e-4, engine)
        close(clip["bounds"]["max"], high, 1e-4, engine)
        motion = files.positions(1) - files.positions(0)
        close(motion, np.tile(np.eye(3)[up] * (200 if engine == "unreal" else 2), (24, 1)), 1e-2, engine)
        close(files.rest, cube((1, 2, 3))[0], 1e-6, "mesh")  # importers turn the mesh themselves
        first = files.positions(0)
        turned = cube((1, 2, 3))[0]
        turned = turned * [-1, 1, 1] if engine == "unity" else turned[:, [0, 2, 1]] * 100 if engine == "unreal" else turned
        close(first, turned, 1e-2, engine)


def corners_of_a_turning_box():
    g = moving_cube((1, 2, 3))
    g.json["animations"] = []
    g.animation("Turn", (0, "rotation", [0, 1], [[0, 0, 0, 1], [0, 0, np.sqrt(0.5), np.sqrt(0.5)]]))
    files = baked(g, "--fps=4")
    rest = cube((1, 2, 3))[0]
    for frame in range(5):
        angle = np.pi / 2 * frame / 4
        turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        close(files.positions(frame), rest @ turn.T, 3 / 65535)
    texture, image = files.images["position", 0]
    for row, column in ((0, 0), (0, -1), (-1, 0), (-1, -1)):
        assert image[row, column].any(), "a corner texel is empty"


def zero_thickness():
    """A sheet without thickness that goes to 5000 m: exact bounds, no clamp, no division by 0."""
    g = Gltf()
    node = g.node(mesh=g.mesh([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]]))
    g.animation("Far", (node, "translation", [0, 1], [[0, 0, 0], [5000, 0, 0]]))
    files = baked(g, "--fps=1")
    assert files.manifest["clips"][0]["bounds"] == {"min": [0, 0, 0], "max": [5001, 0, 1]}, files.manifest["clips"][0]["bounds"]
    close(files.positions(1), [[5000, 0, 0], [5001, 0, 0], [5001, 0, 1], [5000, 0, 1]], 5001 / 65535)


def half_floats_far_out():
    """The same clip at the origin and 2000 m away: half floats keep 1 m steps of 2^-10, then of 1 m, and the tool says how far off that is."""
    errors = []
    for away in (0, 2000):
        g = Gltf()
        root = g.node(translation=[away, 0, 0])
        node = g.node(root, mesh=g.mesh([[0.3, 0, 0], [0.7, 0.1, 0], [0.9, 0.2, 0.3]]))
        g.animation("Breathe", (node, "translation", [0, 1], [[0, 0, 0], [0, 0.05, 0]]))
        files = baked(g, "--fps=4", "--format=exr16")
        errors.append(files.document["error"]["stored"]["max"])
    assert errors[0] <= 2**-12 and 0.1 < errors[1] <= 0.5, errors
    refused = run("vat", TMP / "lesson.gltf", "-o", TMP / "lesson", "--format=exr16", "--max-error=1mm")
    assert refused.returncode == 1 and "exr32" in refused.stderr, refused.stderr
    assert run("vat", TMP / "lesson.gltf", "-o", TMP / "lesson", "--format=exr32", "--max-error=1mm").returncode == 0


def bounds_of_a_walk():
    g = Gltf()
    node = g.node(mesh=g.mesh(points(3)))
    g.animation("Walk", (node, "translation", [0, 1, 2], [[0, 0, 0], [0, 0, 10], [0, 0, -4]]))
    files = baked(g)
    assert files.manifest["bounds"]["max"][2] == 10 and files.manifest["bounds"]["min"][2] == -4
    assert files.manifest["clips"][0]["bounds"] == files.manifest["bounds"]


def reordered_vertices():
    """An importer that reorders vertices keeps UVs with them, so decoding by UV still holds; the order hash tells."""
    files = baked(moving_cube(), "--fps=1")
    path = files.folder / files.manifest["mesh"]["file"]
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[12:16], "little")
    document = json.loads(data[20:20 + size])
    attributes = document["meshes"][0]["primitives"][0]["attributes"]
    for name in attributes:
        accessor = document["accessors"][attributes[name]]
        view = document["bufferViews"][accessor["bufferView"]]
        width = 4 * {"VEC2": 2, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        start = 28 + size + view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        rows = [data[start + width * i:start + width * (i + 1)] for i in range(24)]
        data[start:start + 24 * width] = b"".join(reversed(rows))
    path.write_bytes(data)
    verified = run("verify", files.folder / "lesson_vat.json", "--json")
    codes = [finding["code"] for finding in json.loads(verified.stdout)["findings"]]
    assert verified.returncode == 1 and "order-hash" in codes, codes
    close(Bake(files.folder / "lesson_vat.json").positions(1)[::-1], files.positions(1), 0)


def half_uvs():
    """UVs that an importer stores as half floats miss their texels: told before anything plays."""
    g = Gltf()
    node = g.node(mesh=g.mesh(points(3000)))
    g.animation("Go", (node, "translation", [0, 1], [[0, 0, 0], [0, 1, 0]]))
    files = baked(g, "--fps=1", *FLOATS)
    path = files.folder / files.manifest["mesh"]["file"]
    data = path.read_bytes()
    exact = files.uv.astype("<f4").tobytes()
    assert data.count(exact) == 1
    path.write_bytes(data.replace(exact, files.uv.astype("<f2").astype("<f4").tobytes()))
    verified = run("verify", files.folder / "lesson_vat.json", "--json")
    codes = [finding["code"] for finding in json.loads(verified.stdout)["findings"]]
    assert verified.returncode == 1 and "uv-centre" in codes, codes


def loops_and_one_shots():
    """Two frames that loop, two that don't: frame count, loop flag and the pose at the seam."""
    g = Gltf()
    node = g.node(mesh=g.mesh(points(3)))
    g.animation("Loop", (node, "translation", [0, 0.5, 1], [[0, 0, 0], [0, 1, 0], [0, 0, 0]]))
    g.animation("Once", (node, "translation", [0, 1], [[0, 0, 0], [0, 1, 0]]))
    files = baked(g, "--fps=2", *FLOATS)
    loop, once = files.manifest["clips"]
    assert (loop["loop"], loop["frame_count"], once["loop"], once["frame_count"]) == (True, 3, False, 3), files.manifest["clips"]
    close(files.positions(2), files.positions(0), 0)  # s mod (frame_count - 1) meets the same pose from both sides
    close(files.positions(once["first_frame"] + 2), np.array(points(3)) + [0, 1, 0])


def shipped_from_end_to_end():
    """Default cube, default options, every engine and layout: the shipped program from end to end."""
    g = moving_cube()
    for engine in ("generic", "unity", "unreal", "godot", "three", "babylon", "playcanvas"):
        for layout in ("native", "seed"):
            files = baked(g, f"--engine={engine}", f"--layout={layout}")
            assert files.document["error"]["stored"]["max_relative"] < 1e-3


# ---- skins -------------------------------------------------------------------------------------------------------------------------------

def moved(x, y=0, z=0):
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def skinned(g, positions, joints, weights, skin, kind="u1", **extra):
    """A mesh of points with sets of four influences; kind: of the joints' numbers."""
    attributes = {}
    for n in range(0, len(joints[0]), 4):
        attributes[f"JOINTS_{n // 4}"] = g.accessor([row[n:n + 4] for row in joints], kind)
        attributes[f"WEIGHTS_{n // 4}"] = g.accessor([row[n:n + 4] for row in weights])
    return g.node(mesh=g.mesh(positions, **attributes), skin=skin, **extra)


def bind_pose_is_not_rest_pose(mode="vertex"):
    """skin = global(joint) × inverse bind matrix, whatever the nodes' rest pose is."""
    g = Gltf()
    joint = g.node(translation=[0, 5, 0])
    skin = g.skin([joint], [moved(-1, -2, -3)])
    skinned(g, [[1, 2, 3], [2, 2, 3]], [[0, 0, 0, 0]] * 2, [[1, 0, 0, 0]] * 2, skin, translation=[100, 0, 0])  # the node's own is ignored
    g.animation("Move", (joint, "translation", [0, 1], [[0, 5, 0], [0, 6, 0]]))
    files = baked(g, "--fps=1", f"--mode={mode}", *FLOATS)
    close(files.positions(0), [[0, 5, 0], [1, 5, 0]])
    close(files.positions(1), [[0, 6, 0], [1, 6, 0]])
    close(files.rest, [[0, 5, 0], [1, 5, 0]])


def six_unsorted_weights(kind, *options):
    """All influences count, in any order; joints by the skin's list."""
    g = Gltf()
    joints = [g.node() for _ in range(6)]
    skin = g.skin(joints, [np.eye(4)] * 6)
    weights = [0.05, 0.1, 0.05, 0.2, 0.25, 0.35, 0, 0]
    skinned(g, [[0, 0, 0], [0, 0, 1]], [[5, 4, 3, 2, 1, 0, 0, 0]] * 2, [weights, [0, 0, 0, 0, 0, 1, 0, 0]], skin, kind)
    g.animation("Spread", *[(joint, "translation", [0, 1], [[0, 0, 0], [10.0**k / 1000, 0, 0]]) for k, joint in enumerate(joints)])
    files = baked(g, "--fps=1", *FLOATS, *options)
    x = sum(w * 10.0**(5 - k) / 1000 for k, w in enumerate(weights[:6]))
    close(files.positions(1), [[x, 0, 0], [10.0**0 / 1000, 0, 1]], 100 / 65535 if options else 1e-5)  # 16-bit weights of 100 m


def four_of_six_weights():
    """Where four may stay, they are the largest, wherever they stand in the file, and make up the whole."""
    g = Gltf()
    joints = [g.node() for _ in range(6)]
    weights = [0.05, 0.1, 0.05, 0.2, 0.25, 0.35, 0, 0]
    skinned(g, [[0, 0, 0]], [[0, 1, 2, 3, 4, 5, 0, 0]], [weights], g.skin(joints, [np.eye(4)] * 6))
    g.animation("Spread", *[(joint, "translation", [0, 1], [[0, 0, 0], [k + 1, 0, 0]]) for k, joint in enumerate(joints)])
    scene = g.write(TMP / "lesson.gltf")
    document = bake(scene, TMP / "lesson", "--mode=bone", "--fps=1", *FLOATS)
    assert any(w["code"] == "influences-dropped" for w in document["warnings"]), document["warnings"]
    files = Bake(document["manifest"])
    x = (0.1 * 2 + 0.2 * 4 + 0.25 * 5 + 0.35 * 6) / 0.9
    close(files.positions(1), [[x, 0, 0]], 6 / 65535)  # codes of weights
    lost = abs(x - sum(w * (k + 1) for k, w in enumerate(weights)))
    assert abs(document["error"]["stored"]["max"] - lost) < 1e-3, document["error"]


def joints_in_reverse(mode="vertex"):
    g = Gltf()
    first = g.node()
    second = g.node(first, translation=[0, 1, 0])
    skin = g.skin([second, first], [moved(0, -1, 0), np.eye(4)])
    skinned(g, [[0, 1, 0], [0, 0, 0]], [[0, 0, 0, 0], [1, 0, 0, 0]], [[1, 0, 0, 0]] * 2, skin)
    g.animation("Bend", (second, "translation", [0, 1], [[0, 1, 0], [3, 1, 0]]))
    files = baked(g, "--fps=1", f"--mode={mode}", *FLOATS)
    close(files.positions(1), [[3, 1, 0], [0, 0, 0]])


def small_armature(mode="vertex"):
    """An armature of scale 0.01 with bind matrices in centimetres: the character stays 2 m tall."""
    g = Gltf()
    armature = g.node(scale=[0.01] * 3)
    joint = g.node(armature, translation=[0, 100, 0])
    inverse = np.diag([100.0, 100, 100, 1]) @ moved(0, -1, 0)
    skinned(g, [[0, 0, 0], [0, 2, 0]], [[0, 0, 0, 0]] * 2, [[1, 0, 0, 0]] * 2, g.skin([joint], [inverse]))
    g.animation("Step", (joint, "translation", [0, 1], [[0, 100, 0], [50, 100, 0]]))
    files = baked(g, "--fps=1", f"--mode={mode}", *FLOATS)
    close(files.positions(0), [[0, 0, 0], [0, 2, 0]])
    close(files.positions(1), [[0.5, 0, 0], [0.5, 2, 0]])


def sword_in_hand(mode="vertex"):
    g = Gltf()
    hand = g.node(translation=[1, 1, 0])
    g.node(hand, mesh=g.mesh([[0, 0, 0], [0, 1, 0]]), translation=[0, 0.5, 0])
    skinned(g, [[1, 1, 0]], [[0, 0, 0, 0]], [[1, 0, 0, 0]], g.skin([hand], [moved(-1, -1, 0)]))
    half = np.sqrt(0.5)
    g.animation("Strike", (hand, "rotation", [0, 1], [[0, 0, 0, 1], [0, 0, half, half]]))
    files = baked(g, "--fps=1", f"--mode={mode}", *FLOATS)
    close(files.positions(0), [[1, 1.5, 0], [1, 2.5, 0], [1, 1, 0]])
    close(files.positions(1), [[0.5, 1, 0], [-0.5, 1, 0], [1, 1, 0]])


def shear(rigid, mode="vertex"):
    """A child that turns under an unevenly scaled parent is sheared: 4 × 4 to the end, and normals by the inverse transpose."""
    g = Gltf()
    parent = g.node(scale=[2, 1, 1])
    positions, normals, _, indices = cube()
    child = g.node(parent) if not rigid else None
    angle = np.pi / 4
    turn = [0, 0, np.sin(angle / 2), np.cos(angle / 2)]
    if rigid:
        child = g.node(parent, mesh=g.mesh(positions, 4, indices, NORMAL=normals))
    else:
        skin = g.skin([child])
        attributes = {"JOINTS_0": g.accessor([[0, 0, 0, 0]] * 24, "u1"), "WEIGHTS_0": g.accessor([[1, 0, 0, 0]] * 24)}
        g.node(mesh=g.mesh(positions, 4, indices, NORMAL=normals, **attributes), skin=skin)
    g.animation("Turn", (child, "rotation", [0, 1], [[0, 0, 0, 1], turn]))
    files = baked(g, "--fps=1", f"--mode={mode}", "--format=exr32")
    assert not files.bones or files.bones.texels == 3, "a quaternion cannot shear"
    rotation = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    matrix = np.diag([2.0, 1, 1]) @ rotation
    close(files.positions(1), positions @ matrix.T)
    expected = normals @ np.linalg.inv(matrix)
    close(files.normals(1), expected / np.linalg.norm(expected, axis=1, keepdims=True), 1e-5, "normals")


# ---- morphs ------------------------------------------------------------------------------------------------------------------------------

ONE = [[0, 0, 0], [1, 0, 0]]
LIFT, PUSH, PULL = [[0, 1, 0], [0, 0, 0]], [[0, 0, 1], [0, 0, 2]], [[5, 0, 0], [0, 0, 0]]


def targets(*displacements):
    return [{"POSITION": rows} for rows in displacements]


def cubic_weights():
    """Per key: all in-tangents, all values, all out-tangents; the overshoot between keys is the file's and stays."""
    g = Gltf()
    node = g.node(mesh=g.mesh(ONE, targets=targets(LIFT, PUSH)))
    keys = [[[0, 0], [0, 1], [4, 0]], [[4, 0], [0, 0.5], [0, -2]], [[0, 0], [1, 0], [0, 0]]]  # [in, value, out] of both targets
    g.animation("Both", (node, "weights", [0, 1, 2], np.ravel(keys).reshape(-1, 1), "CUBICSPLINE"))
    files = baked(g, "--fps=4", *FLOATS)

    def weight(time, target):
        k = min(int(time), 1)
        t = time - k
        v0, b0, a1, v1 = keys[k][1][target], keys[k][2][target], keys[k + 1][0][target], keys[k + 1][1][target]
        return (2 * t**3 - 3 * t**2 + 1) * v0 + (t**3 - 2 * t**2 + t) * b0 + (-2 * t**3 + 3 * t**2) * v1 + (t**3 - t**2) * a1

    assert max(weight(k / 4, 0) for k in range(9)) == 1 and min(weight(k / 4, 0) for k in range(9)) < -0.3
    for frame in range(9):
        expected = np.array(ONE) + weight(frame / 4, 0) * np.array(LIFT) + weight(frame / 4, 1) * np.array(PUSH)
        close(files.positions(frame), expected)


def three_targets():
    g = Gltf()
    node = g.node(mesh=g.mesh(ONE, targets=targets(LIFT, PUSH, PULL)))
    weights = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    g.animation("Each", (node, "weights", [0, 1, 2], np.ravel(weights).reshape(-1, 1)))
    files = baked(g, "--fps=1", *FLOATS)
    for frame, rows in enumerate((LIFT, PUSH, PULL)):
        close(files.positions(frame), np.array(ONE) + rows)


def morph_normals():
    """N + w · dN, normalised: displacements are no absolutes."""
    g = Gltf()
    node = g.node(mesh=g.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], 4, [0, 1, 2], NORMAL=[[0, 0, 1]] * 3,
                              targets=[{"POSITION": [[0, 0, 0.5]] * 3, "NORMAL": [[1, 0, 0]] * 3}]))
    g.animation("Tilt", (node, "weights", [0, 1], [0, 1]))
    files = baked(g, "--fps=2", "--format=exr32")
    for frame, expected in enumerate(([0, 0, 1], [1 / np.sqrt(5), 0, 2 / np.sqrt(5)], [np.sqrt(0.5), 0, np.sqrt(0.5)])):
        close(files.normals(frame), [expected] * 3, 1e-5, "normals")


def morphs_without_normals():
    """Targets that move positions alone, or with displacements of normals that are all zero: normals follow the surface, and that is said."""
    for zero in (False, True):
        g = Gltf()
        rise = {"POSITION": [[0, 0, 0], [0, 0, 1], [0, 0, 0]]}
        if zero:
            rise["NORMAL"] = [[0, 0, 0]] * 3
        node = g.node(mesh=g.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], 4, [0, 1, 2], NORMAL=[[0, 0, 1]] * 3, targets=[rise]))
        g.animation("Tilt", (node, "weights", [0, 1], [0, 1]))
        files = baked(g, "--fps=1", "--format=exr32")
        close(files.normals(1), [[-np.sqrt(0.5), 0, np.sqrt(0.5)]] * 3, 1e-5, f"normals, zero {zero}")
        assert any("morph" in w["code"] for w in files.document["warnings"]), files.document["warnings"]


def sparse_morphs():
    """Each attribute of a target, dense and sparse, is its own: positions never land in normals.  Indices of every width."""
    rest, normals = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 1]] * 3
    for kind in ("u1", "u2", "u4"):
        for sparse_positions in (False, True):
            for sparse_normals in (False, True):
                g = Gltf()
                up = g.sparse(3, 3, [1], [[0, 0, 2]], kind) if sparse_positions else g.accessor([[0, 0, 0], [0, 0, 2], [0, 0, 0]])
                tilt = g.sparse(3, 3, [2], [[0, 1, 0]], kind) if sparse_normals else g.accessor([[0, 0, 0], [0, 0, 0], [0, 1, 0]])
                node = g.node(mesh=g.mesh(rest, 4, [0, 1, 2], NORMAL=normals, targets=[{"POSITION": up, "NORMAL": tilt}]))
                g.animation("Go", (node, "weights", [0, 1], [0, 1]))
                files = baked(g, "--fps=1", "--format=exr32")
                close(files.positions(1), [[0, 0, 0], [1, 0, 2], [0, 1, 0]])
                close(files.normals(1), [[0, 0, 1], [0, 0, 1], [0, np.sqrt(0.5), np.sqrt(0.5)]], 1e-5, "normals")


def default_weights():
    """node.weights before mesh.weights, animation before both — a constant track too; a first key at 0.5 s holds from there on."""
    g = Gltf()
    still = g.mesh(ONE, targets=targets(LIFT), weights=[0.25])
    g.node(mesh=still)
    g.node(mesh=still, weights=[1])
    zero = g.node(mesh=still, weights=[1])
    late = g.node(mesh=still)
    g.animation("Zero", (zero, "weights", [0, 2], [0, 0]), (late, "weights", [1, 2], [0.5, 1]))
    files = baked(g, "--fps=1", *FLOATS)
    for frame, last in ((0, 0.5), (1, 0.5), (2, 1)):
        found = files.positions(frame).reshape(4, 2, 3)[:, 0, 1]
        close(found, [0.25, 1, 0, last], what=f"weights at {frame} s")


def shared_accessors():
    """Two primitives over the same vertices and targets, each with its own triangles."""
    g = Gltf()
    positions = g.accessor([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    normals = g.accessor([[0, 0, 1]] * 4)
    target = g.accessor([[0, 0, 0], [0, 0, 1], [0, 0, 2], [0, 0, 3]])
    dent = g.accessor([[0, 0, 0]] * 4)
    g.json["materials"] = [{"name": "a"}, {"name": "b"}]
    mesh = g.mesh(positions, 4, [0, 1, 2], NORMAL=normals, targets=[{"POSITION": target, "NORMAL": dent}])
    first = g.json["meshes"][mesh]["primitives"][0]
    first["material"] = 0
    g.json["meshes"][mesh]["primitives"].append(dict(first, indices=g.accessor([0, 2, 3], "u2"), material=1))
    node = g.node(mesh=mesh)
    g.animation("Go", (node, "weights", [0, 1], [0, 1]))
    files = baked(g, "--fps=1", *FLOATS)
    assert files.manifest["elements"]["count"] == 6  # vertices that a primitive does not use are not its
    close(files.positions(1), [[0, 0, 0], [1, 0, 1], [1, 1, 2], [0, 0, 0], [1, 1, 2], [0, 1, 3]])


# ---- animation ---------------------------------------------------------------------------------------------------------------------------

def uneven_scale_without_shear(mode):
    """A part that is always stretched by (2, 1, 1) and turns as a whole needs no matrix: nothing is decomposed by force."""
    g = Gltf()
    turner = g.node()
    g.node(turner, mesh=g.mesh(points(3)), scale=[2, 1, 1])
    half = np.sqrt(0.5)
    g.animation("Turn", (turner, "rotation", [0, 1], [[0, 0, 0, 1], [0, 0, half, half]]))
    files = baked(g, "--fps=1", f"--mode={mode}", *FLOATS)
    assert not files.bones or files.bones.texels == 2, "matrices, though nothing shears"
    long = np.array(points(3)) * [2, 1, 1]
    close(files.positions(0), long)
    close(files.positions(1), np.stack([-long[:, 1], long[:, 0], long[:, 2]], axis=1), 1e-5)  # of 4 m


def leg_past_half_a_turn(mode):
    """Quaternions of neighbouring frames lie on one side, so a leg that turns past 180 degrees snaps nowhere, half-way included."""
    g = Gltf()
    leg = g.node()
    at = [k / 8 for k in range(9)]
    turn = [[0, 0, np.sin(a), np.cos(a)] for a in np.radians(300) / 2 * np.array(at)]
    turn = [[-x for x in q] if k % 2 else q for k, q in enumerate(turn)]  # and the file's own keys change sides
    if mode == "bone":
        skinned(g, [[0, 0, 0], [1, 0, 0]], [[0, 0, 0, 0]] * 2, [[1, 0, 0, 0]] * 2, g.skin([leg], [np.eye(4)]))
    else:
        g.json["nodes"][leg]["mesh"] = g.mesh([[0, 0, 0], [1, 0, 0]])
    g.animation("Kick", (leg, "rotation", at, turn))
    files = baked(g, "--fps=8", f"--mode={mode}", *FLOATS)
    for frame in range(8):
        for weight in (0, 0.5):
            a = np.radians(300) * (frame + weight) / 8
            close(files.between(frame, weight), [[0, 0, 0], [np.cos(a), np.sin(a), 0]], 1e-5)


def morph_below_skin_and_scale(mode):
    """Morph in mesh space, then skin, then the node's scale; displacements get the linear part alone."""
    g = Gltf()
    armature = g.node(scale=[100] * 3, rotation=[-np.sqrt(0.5), 0, 0, np.sqrt(0.5)])  # Z up
    joint = g.node(armature, translation=[0, 0, 0.5])
    attributes = {"JOINTS_0": g.accessor([[0, 0, 0, 0]] * 2, "u1"), "WEIGHTS_0": g.accessor([[1, 0, 0, 0]] * 2)}
    mesh = g.mesh(ONE, targets=targets(LIFT), weights=[1], **attributes)
    g.node(mesh=mesh, skin=g.skin([joint], [moved(0, 0, -0.5)]))
    g.animation("Rise", (joint, "translation", [0, 1], [[0, 0, 0.5], [0, 0, 1.5]]))
    files = baked(g, "--fps=1", f"--mode={mode}", *FLOATS)
    for frame in (0, 1):
        close(files.positions(frame), [[0, 100 * frame, -100], [100, 100 * frame, 0]], 1e-4)


def the_short_way(mode="vertex"):
    """q and -q' turn the short way round."""
    g = Gltf()
    node = g.node(mesh=g.mesh([[1, 0, 0], [0, 1, 0]]))
    angle = np.radians(20)
    g.animation("Turn", (node, "rotation", [0, 1], [[0, 0, 0, 1], [0, 0, -np.sin(angle / 2), -np.cos(angle / 2)]]))
    files = baked(g, "--fps=2", f"--mode={mode}", *FLOATS)
    for frame in range(3):
        a = angle * frame / 2
        close(files.positions(frame), [[np.cos(a), np.sin(a), 0], [-np.sin(a), np.cos(a), 0]])


def quantised_bounds():
    """Normalised 16-bit positions under a node that scales them back: bounds are of the real size."""
    g = Gltf()
    g.json["extensionsUsed"] = g.json["extensionsRequired"] = ["KHR_mesh_quantization"]
    mesh = g.mesh(g.accessor([[0, 0, 0, 0], [65535, 32768, 0, 0], [0, 65535, 65535, 0]], "u2"))
    accessor = g.json["accessors"][0]
    accessor.update({"type": "VEC3", "normalized": True, "min": [0, 0, 0], "max": [65535, 65535, 65535]})
    g.json["bufferViews"][0]["byteStride"] = 8
    node = g.node(mesh=mesh, scale=[10, 10, 10], translation=[-5, 0, 0])
    g.animation("Go", (node, "translation", [0, 1], [[-5, 0, 0], [-5, 1, 0]]))
    files = baked(g, "--fps=1", *FLOATS)
    close(files.manifest["bounds"]["min"] + files.manifest["bounds"]["max"], [-5, 0, 0, 5, 11, 10], 1e-5, "bounds")
    close(files.positions(1)[1], [5, 1 + 10 * 32768 / 65535, 0], 1e-5)


def small_motion_under_a_large_scale(mode="vertex"):
    g = Gltf()
    root = g.node(scale=[200] * 3)
    node = g.node(root, mesh=g.mesh([[0, 0, 0], [0.01, 0, 0]]))
    g.animation("Tremble", (node, "translation", [0, 1], [[0, 0, 0], [0, 0.001, 0]]))
    files = baked(g, "--fps=1", f"--mode={mode}", *FLOATS)
    close(files.positions(1), [[0, 0.2, 0], [2, 0.2, 0]])


def the_last_frame():
    g = Gltf()
    node = g.node(mesh=g.mesh(points(3)))
    g.animation("Short", (node, "translation", [0, 0.1], [[0, 0, 0], [0, 1, 0]]))
    files = baked(g, "--fps=15", *FLOATS)
    assert files.manifest["clips"][0]["frame_count"] == 3
    close(files.positions(2), np.array(points(3)) + [0, 1, 0])


def sparse_keys():
    g = Gltf()
    node = g.node(mesh=g.mesh(points(2)))
    keys = g.sparse(4, 3, [1, 3], [[0, 2, 0], [0, 0, 3]], "u1", base=[[1, 0, 0]] * 4)
    g.animation("Go", (node, "translation", [0, 1, 2, 3], keys))
    files = baked(g, "--fps=1", *FLOATS)
    for frame, place in enumerate(([1, 0, 0], [0, 2, 0], [1, 0, 0], [0, 0, 3])):
        close(files.positions(frame), np.array(points(2)) + place)


def every_instance(mode="vertex"):
    """A mesh used by two nodes is baked twice, each where its node goes."""
    g = Gltf()
    mesh = g.mesh(points(2))
    left, right = g.node(mesh=mesh, translation=[-1, 0, 0]), g.node(mesh=mesh, translation=[1, 0, 0])
    g.animation("Part", (left, "translation", [0, 1], [[-1, 0, 0], [-3, 0, 0]]), (right, "translation", [0, 1], [[1, 0, 0], [3, 0, 0]]))
    files = baked(g, "--fps=1", f"--mode={mode}", *FLOATS)
    close(files.positions(1), np.vstack([np.array(points(2)) + [-3, 0, 0], np.array(points(2)) + [3, 0, 0]]))


GITHUB = "https://github.com/"
LESSONS = [
    (flat_shading, (), "sharpen3d/openvat/issues/60", "sharpen3d/openvat/issues/12"),
    (flat_without_normals, (), "antzGames/Godot_Vertex_Animation_Textures_Plugin/issues/6"),
    (second_uv_set, (), "sharpen3d/openvat/issues/40"),
    (first_frame, (0,), "sharpen3d/openvat/issues/6"),
    (first_frame, (1 / 24,), "sharpen3d/openvat/issues/9"),
    (rows_that_wrap, (), "sharpen3d/openvat/issues/4"),
    (sides, (100, 10), "sharpen3d/openvat/issues/25"),
    (sides, (200, 50), "sharpen3d/openvat/issues/2"),
    (axes_of_engines, (), "sharpen3d/openvat/issues/52"),
    (corners_of_a_turning_box, (), "sharpen3d/openvat/issues/16"),
    (shipped_from_end_to_end, (), "sharpen3d/openvat/issues/61"),
    (zero_thickness, (), "sideeffects/GameDevelopmentToolset/issues/130"),
    (reordered_vertices, (), "sugi-cho/Animation-Texture-Baker/issues/5"),
    (half_floats_far_out, (), "BabylonJS/Babylon.js/pull/16750"),
    (bounds_of_a_walk, (), "fernandotonon/QtMeshEditor/pull/620"),
    (loops_and_one_shots, (), "eira-fransham/seismon/issues/49"),
    (bind_pose_is_not_rest_pose, (), "assimp/assimp/issues/5526"),
    (six_unsorted_weights, ("u1",), "mrdoob/three.js/pull/33085", "atteneder/glTFast/issues/294", "SaschaWillems/Vulkan-glTF-PBR/pull/48"),
    (six_unsorted_weights, ("u2",), "atteneder/glTFast/issues/419"),
    (joints_in_reverse, (), "unavi-xyz/gltf_kun/issues/20"),
    (small_armature, (), "KhronosGroup/glTF-Blender-IO/issues/828", "LukasFratzl/TurboSequence/issues/5"),
    (sword_in_hand, (), "KhronosGroup/glTF-Blender-IO/issues/406"),
    (shear, (True,), "KhronosGroup/glTF-Blender-IO/issues/1083"),
    (shear, (False,), "KhronosGroup/glTF-Blender-IO/issues/2040"),
    (bind_pose_is_not_rest_pose, ("bone",), "assimp/assimp/issues/5526"),
    (six_unsorted_weights, ("u1", "--mode=bone", "--influences=8"), "atteneder/glTFast/issues/294", "SaschaWillems/Vulkan-glTF-PBR/pull/48"),
    (six_unsorted_weights, ("u2", "--mode=bone", "--influences=8"), "atteneder/glTFast/issues/419"),
    (four_of_six_weights, (), "mrdoob/three.js/pull/33085"),
    (joints_in_reverse, ("bone",), "unavi-xyz/gltf_kun/issues/20"),
    (small_armature, ("bone",), "KhronosGroup/glTF-Blender-IO/issues/828"),
    (sword_in_hand, ("bone",), "KhronosGroup/glTF-Blender-IO/issues/406"),
    (shear, (True, "rigid"), "KhronosGroup/glTF-Blender-IO/issues/1083"),
    (shear, (False, "bone"), "KhronosGroup/glTF-Blender-IO/issues/2040"),
    (uneven_scale_without_shear, ("rigid",), "KhronosGroup/glTF-Blender-IO/issues/2040"),
    (leg_past_half_a_turn, ("bone",), "assimp/assimp/issues/4714"),
    (leg_past_half_a_turn, ("rigid",), "assimp/assimp/issues/4714"),
    (morph_below_skin_and_scale, ("vertex",), "vrm-c/UniVRM/issues/2327"),
    (morph_below_skin_and_scale, ("bone",), "vrm-c/UniVRM/issues/2327"),
    (cubic_weights, (), "KhronosGroup/glTF/issues/1344", "KhronosGroup/glTF-Blender-IO/pull/521"),
    (three_targets, (), "donmccurdy/glTF-Transform/issues/290"),
    (morph_normals, (), "google/filament/issues/1609"),
    (morphs_without_normals, (), "KhronosGroup/glTF-Sample-Models/issues/170"),
    (sparse_morphs, (), "KhronosGroup/UnityGLTF/pull/712", "warrenm/GLTFKit2/issues/49"),
    (default_weights, (), "atteneder/glTFast/issues/531", "atteneder/glTFast/issues/277", "zeux/meshoptimizer/pull/69"),
    (shared_accessors, (), "atteneder/glTFast/issues/755"),
    (the_short_way, (), "atteneder/glTFast/issues/250"),
    (quantised_bounds, (), "atteneder/glTFast/issues/323"),
    (small_motion_under_a_large_scale, (), "zeux/meshoptimizer/issues/278"),
    (the_last_frame, (), "zeux/meshoptimizer/pull/37"),
    (sparse_keys, (), "actnwit/RhodoniteTS/issues/832"),
    (every_instance, (), "ufbx/ufbx/issues/49"),
    (the_short_way, ("rigid",), "atteneder/glTFast/issues/250"),
    (small_motion_under_a_large_scale, ("rigid",), "zeux/meshoptimizer/issues/278"),
    (every_instance, ("rigid",), "ufbx/ufbx/issues/49"),
]

for test, arguments, *addresses in LESSONS:
    tap(" ".join([test.__name__, *map(str, arguments), *(GITHUB + address for address in addresses)]), test, *arguments)
tap("half_uvs https://dev.epicgames.com/documentation/unreal-engine/BlueprintAPI/Utilities/Struct/MakeMeshNaniteSettings", half_uvs)
