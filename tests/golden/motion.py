# SPDX-License-Identifier: MIT
"""Root motion and attachments: taken out by the program, put back by the formulas of docs/FORMATS.md, compared with poses worked out here and
with bakes that kept the motion."""
import json
import math
import os
import shutil
from pathlib import Path

import numpy as np
from bake import TMP, Bake, bake, make_assets, run, tap
from moving import POINTS, TRIANGLES, axis_angle, multiply, rotation, write

ENGINES = ("generic", "unity", "unreal")
EXTRACT = "--root-motion=extract"
# Floats of positions some metres from the origin, rotated a few times: 1e-6 m, ten times over.
FLOAT_NOISE = 1e-5
CORNERS = np.array([POINTS[k] for t in TRIANGLES for k in t])


def opened(document):
    assert document["status"] == 0, document
    return Bake(document["manifest"])


def quietly(scene, name, *options):
    return opened(bake(scene, TMP / name, *options))


# ---- a node that travels and turns at once ----

RATE, SECONDS = 30, 2.0


def pose(time_s):
    """Translation and rotation of the made figure: it starts away from the origin and turned, walks a bend, turns two and a half times, nods."""
    u = time_s / SECONDS
    turn = multiply(axis_angle((0, 1, 0), 0.5 + 5 * math.pi * u), axis_angle((1, 0, 0), 0.6 * math.sin(2 * math.pi * u)))
    return [3 + 5 * u, 0.25 * math.sin(4 * math.pi * u), -2 + 4 * u * u], turn


def write_turner(name, nodes=None):
    times = [k / RATE for k in range(int(SECONDS * RATE) + 1)]
    poses = [pose(t) for t in times]
    nodes = nodes or [{"name": "Figure", "mesh": 0}]
    return write(TMP / f"{name}.gltf", nodes, [(0, "translation", times, [p for p, _ in poses]), (0, "rotation", times, [q for _, q in poses])])


def world(frame, points):
    translation, q = pose(frame / RATE)
    return np.asarray(points) @ rotation(q).T + translation


def check_turner(engine, container):
    b = quietly(write_turner("turner"), f"turner-{engine}-{container}", EXTRACT, f"--engine={engine}", f"--format={container}")
    [clip] = b.manifest["clips"]
    assert clip["root"]["node"] == "Figure"
    span = np.linalg.norm(np.subtract(clip["bounds"]["max"], clip["bounds"]["min"])) * (0.01 if engine == "unreal" else 1)
    # The figure is 1.6 m high and nods: in place it needs little more, with its way it would need 8 m.
    assert span < 4, f"the bounds still hold the way: {span} m"
    off = max(np.abs(b.to_gltf(b.restored(f)) - world(f, CORNERS)).max() for f in range(clip["frame_count"]))
    assert off <= 1e-5 * span, f"{off} m off, {off / span} of the diagonal"
    yaw = np.array(clip["root"]["yaw_rad"])
    hand = 1 if engine == "generic" else -1
    assert np.abs(np.diff(yaw)).max() < 1, "a jump"
    assert abs(yaw[-1] - hand * 5 * math.pi) < 1e-5, f"ends at {yaw[-1]}"
    up = 2 if engine == "unreal" else 1
    assert not np.array(clip["root"]["translation"])[:, up].any() and clip["root"]["pivot"][up] == 0
    # Normals: the triangles' own, turned with the node; 16-bit octahedral codes of separate textures are within 1e-4, packed ones within 2e-2.
    normal = lambda f: np.repeat([np.cross(p[1] - p[0], p[2] - p[0]) for p in world(f, CORNERS).reshape(-1, 3, 3)], 3, axis=0)
    for f in (0, 17, 60):
        expected = normal(f) / np.linalg.norm(normal(f), axis=1, keepdims=True)
        worst = np.abs(b.to_gltf(b.restored_normals(f), False) - expected).max()
        assert worst < (2e-2 if container == "png16" else 1e-4), f"normals {worst} off in frame {f}"
    wide = span * (100 if engine == "unreal" else 1)
    for probe in b.manifest["probes"]:
        assert np.allclose(b.positions(probe["frame"])[probe["element"]], probe["position"], rtol=0, atol=1e-5 * wide), probe


def check_half_way():
    """A turn mixed as an angle follows the circle that mixed positions cut: what the program prints falls, and is what the formulas give."""
    scene = write_turner("turner")
    kept, taken = (bake(scene, TMP / name, *options) for name, options in (("half-keep", ["--format=exr32"]), ("half", ["--format=exr32", EXTRACT])))
    b = opened(taken)
    assert taken["error"]["between"]["max"] < 0.3 * kept["error"]["between"]["max"], (taken["error"], kept["error"])
    # Keys are on the frames: half-way between them the source mixes translations linearly and rotations by slerp.
    worst = 0
    for f in range(60):
        (t0, q0), (t1, q1) = pose(f / RATE), pose((f + 1) / RATE)
        q = np.add(q0, np.array(q1) * (1 if np.dot(q0, q1) > 0 else -1))
        middle = CORNERS @ rotation(q).T + (np.array(t0) + t1) / 2
        worst = max(worst, np.linalg.norm(b.to_gltf(b.restored(f, 0.5)) - middle, axis=1).max())
    assert abs(worst - taken["error"]["between"]["max"]) < FLOAT_NOISE, f"{worst} here, {taken['error']['between']['max']} printed"


def check_tumble():
    """A roll over the shoulder has a swing of half a turn in it, and no turn about up."""
    times = [k / RATE for k in range(61)]
    values = [axis_angle((1, 0, 0), 2 * math.pi * t / 2) for t in times]
    b = quietly(write(TMP / "tumble.gltf", [{"name": "Figure", "mesh": 0}], [(0, "rotation", times, values)]), "tumble", EXTRACT)
    yaw = np.array(b.manifest["clips"][0]["root"]["yaw_rad"])
    assert np.abs(yaw).max() < 1e-5, f"turned by {np.abs(yaw).max()}"
    assert b.manifest["clips"][0]["loop"], "a whole roll ends where it began"


# ---- loops ----

def check_walker():
    walker, standing = make_assets(TMP, "walker-1000-100-20", "walker-1000-0.000001-20")
    kept, taken, still = (bake(scene, TMP / name, *options)
                          for scene, name, options in ((walker, "far", []), (walker, "taken", [EXTRACT]), (standing, "still", [])))
    errors = [document["error"]["stored"]["max"] for document in (kept, taken, still)]
    assert errors[0] > 7e-4, errors
    # 100 m from the origin a float steps by 7.6e-6 m, and both bakes round to that.
    assert errors[1] < errors[2] + 1e-5 and errors[2] < 3e-5, errors
    assert [document["clips"][0]["loop"] for document in (kept, taken, still)] == [False, True, True]
    assert taken["root"] == "Sheet" and kept["root"] is None
    a, b = opened(kept), opened(taken)
    worst = max(np.abs(b.restored(f) - a.positions(f)).max() for f in range(0, 481, 7))
    assert worst < 8e-4, f"{worst} m from the bake that kept the way"


def check_hero(engine):
    [hero] = make_assets(TMP, "hero")
    options = [f"--engine={engine}", "--format=exr32", "--clip=Walk", "--clip=Run", "--clip=Jump"]
    a, b = quietly(hero, f"hero-{engine}-kept", *options), quietly(hero, f"hero-{engine}", EXTRACT, *options)
    kept, taken = ({c["name"]: c for c in x.manifest["clips"]} for x in (a, b))
    assert taken["Walk"]["root"]["node"] == "root"
    assert taken["Walk"]["loop"], "the walk loops once its way is out"
    reach = lambda clip: np.linalg.norm(np.subtract(clip["bounds"]["max"], clip["bounds"]["min"]))
    travel = np.linalg.norm(taken["Walk"]["root"]["translation"][-1])
    assert travel == 0 or reach(taken["Walk"]) < reach(kept["Walk"]), "the bounds still hold the way"
    frames = [f for c in a.manifest["clips"] for f in range(c["first_frame"], c["first_frame"] + c["frame_count"] - c["source"]["closed"], 5)]
    for f in frames:
        off = np.abs(b.to_gltf(b.restored(f)) - a.to_gltf(a.positions(f))).max()
        assert off < FLOAT_NOISE, f"frame {f}: {off} m off"
    off = max(np.abs(b.restored_normals(f) - a.normals(f)).max() for f in frames)
    assert off < FLOAT_NOISE, f"normals {off} off"


def check_closed():
    """--loop=yes: the appended frame shows the first pose and goes one more step on, turned with the one before."""
    times, angle = [0, 0.1, 0.2], 0.4
    centre = lambda k: [2 * math.cos(angle * k), 0, -2 * math.sin(angle * k)]
    spin = [axis_angle((0, 1, 0), angle * k) for k in range(3)]
    nodes = [{"name": "Figure", "children": [1]}, {"name": "Arm", "mesh": 0}]
    arm = [axis_angle((1, 0, 0), 0.3 * k) for k in range(3)]
    scene = write(TMP / "bend.gltf", nodes, [(0, "translation", times, [centre(k) for k in range(3)]), (0, "rotation", times, spin),
                                             (1, "rotation", times, arm)])
    b = quietly(scene, "closed", EXTRACT, "--loop=yes", "--fps=10", "--attach=Arm")
    [clip] = b.manifest["clips"]
    assert clip["source"]["closed"] and clip["frame_count"] == 4
    assert np.allclose(b.positions(3), b.positions(0))
    expected = [np.subtract(centre(k), centre(0)) for k in range(4)]
    assert np.allclose(clip["root"]["translation"], expected, atol=1e-6), clip["root"]
    assert np.allclose(clip["root"]["yaw_rad"], [0, 0.4, 0.8, 1.2], atol=1e-6), clip["root"]
    [arm_track] = clip["attachments"]
    assert arm_track["rotation"][3] == arm_track["rotation"][0]
    assert clip["root"]["cycle"] == {"translation": clip["root"]["translation"][3], "yaw_rad": clip["root"]["yaw_rad"][3]}, clip["root"]["cycle"]
    # The rule of the cycle: the last frame's move once more is where the next cycle begins.
    c, t, turn = b.move_at(clip, 3)
    at_seam = c + t + b.turn(turn, b.positions(0) - c)
    assert np.allclose(b.to_gltf(at_seam), b.to_gltf(b.positions(0)) @ rotation(axis_angle((0, 1, 0), 1.2)).T, atol=FLOAT_NOISE), "not on the circle"


def check_seed():
    """In any layout: the seed's rows hold the clip in place, too."""
    b = quietly(write_turner("turner"), "seed", EXTRACT, "--layout=seed", "--format=exr32")
    [clip] = b.manifest["clips"]
    assert clip["frame_count"] == 120 and len(clip["root"]["yaw_rad"]) == 120
    # The end pose has no row: one cycle leads to it all the same.
    translation, _ = pose(SECONDS)
    assert np.allclose(clip["root"]["cycle"]["translation"], np.subtract(translation, pose(0)[0]) * [1, 0, 1], atol=1e-6), clip["root"]["cycle"]
    assert abs(clip["root"]["cycle"]["yaw_rad"] - 5 * math.pi) < 1e-5, clip["root"]["cycle"]
    off = max(np.abs(b.to_gltf(b.restored(2 * k)) - world(k, CORNERS)).max() for k in range(60))
    assert off < FLOAT_NOISE, f"{off} m off"


def check_openvat():
    """A loop's last frame is left out there; what is stored is in place, and the cycle is whole.  Its axes are (x, −z, y)."""
    [walker] = make_assets(TMP, "walker-1000-100-20")
    document = bake(walker, TMP / "openvat", EXTRACT, "--layout=openvat", "--format=exr32")
    assert document["status"] == 0 and document["error"]["stored"]["max"] < FLOAT_NOISE, document
    [clip] = json.loads((TMP / "openvat" / "walker-1000-100-20_vat.json").read_text())["clips"]
    assert clip["frame_count"] == 480 == len(clip["root"]["translation"]) and clip["loop"], clip["frame_count"]
    assert clip["root"]["cycle"] == {"translation": [0, -100, 0], "yaw_rad": 0}, clip["root"]["cycle"]
    assert abs(clip["root"]["translation"][-1][1] + 100 * 479 / 480) < FLOAT_NOISE


# ---- attachments ----

HAND = {"name": "hand_r", "translation": [0.5, 1, 0.25], "rotation": axis_angle((0.6, 0, 0.8), 1.1), "scale": [1, 2, 0.5]}


def check_attached(engine):
    nodes = [{"name": "Figure", "mesh": 0, "children": [1]}, dict(HAND, children=[2]), {"name": "weapon", "scale": [-1, 1, 1]}]
    b = quietly(write_turner("hand", nodes), f"hand-{engine}", EXTRACT, f"--engine={engine}", "--attach=hand_r,weapon")
    [clip] = b.manifest["clips"]
    assert [a["node"] for a in clip["attachments"]] == ["hand_r", "weapon"]
    assert len(clip["attachments"][0]["scale"]) in (1, clip["frame_count"])
    tips = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.3, -0.2, 0.7]])
    local = tips * HAND["scale"] @ rotation(HAND["rotation"]).T + HAND["translation"]
    mirrored = tips * [-1, 1, 1] * HAND["scale"] @ rotation(HAND["rotation"]).T + HAND["translation"]
    for node, points in (("hand_r", local), ("weapon", mirrored)):
        for f in range(0, 61, 4):
            at = b.to_gltf(b.attached(clip, node, f, b.from_gltf(tips)))
            assert np.abs(at - world(f, points)).max() < FLOAT_NOISE, f"{node}, frame {f}: {at} against {world(f, points)}"
    for track in clip["attachments"]:
        q = np.array(track["rotation"])
        assert len(q) == 1 or (np.sum(q[1:] * q[:-1], axis=1) > 0).all(), "neighbours on opposite sides"


def check_still_attachment():
    """What does not move in place takes one entry; everything is moved by the root alone here."""
    nodes = [{"name": "Figure", "mesh": 0, "children": [1]}, {"name": "seat", "translation": [0, 1, 0]}]
    times = [0, 1]
    scene = write(TMP / "cart.gltf", nodes, [(0, "translation", times, [[0, 0, 0], [4, 0, 0]])])
    [track] = quietly(scene, "cart", EXTRACT, "--attach=seat").manifest["clips"][0]["attachments"]
    assert track == {"node": "seat", "translation": [[0, 1, 0]], "rotation": [[0, 0, 0, 1]], "scale": [[1, 1, 1]]}, track


def check_shear():
    nodes = [{"name": "Figure", "mesh": 0, "scale": [1, 3, 1], "children": [1]}, {"name": "hand", "rotation": axis_angle((0, 0, 1), 0.7)}]
    document = bake(write_turner("sheared", nodes), TMP / "sheared", EXTRACT, "--attach=hand")
    assert document["status"] == 0 and [w["first"] for w in document["warnings"] if w["code"] == "attachment-sheared"] == ["node 'hand'"], document


# ---- verify ----

def check_verify():
    nodes = [{"name": "Figure", "mesh": 0, "children": [1]}, HAND]
    scene = write_turner("checked", nodes)
    good = TMP / "checked"
    manifest = good / "checked_vat.json"
    bake(scene, good, EXTRACT, "--attach=hand_r")
    assert run("verify", manifest, "--against", scene, "--max-error=0.1mm").returncode == 0

    def edited(change, status, *words):
        other = TMP / "edited"
        shutil.rmtree(other, ignore_errors=True)
        shutil.copytree(good, other)
        text = json.loads(manifest.read_text())
        change(text["clips"][0])
        (other / "checked_vat.json").write_text(json.dumps(text))
        done = run("verify", other / "checked_vat.json", "--against", scene, "--max-error=0.1mm")
        said = done.stdout + done.stderr
        assert done.returncode == status and all(word in said for word in words), f"status {done.returncode}: {said}"

    def set_entry(key, value, index=7):
        def change(clip):
            clip["root"][key][index] = value
        return change

    def set_track(key, value):
        def change(clip):
            clip["attachments"][0][key][5] = value
        return change

    edited(set_entry("translation", [0.5, 0, 0.25]), 1, "node 'hand_r'")
    edited(lambda clip: (clip.pop("attachments"), set_entry("yaw_rad", 0.25)(clip)), 1, "farther from the source")
    edited(set_track("translation", [0.5, 1, 0.35]), 1, "node 'hand_r'", "frame 5", "m off")
    edited(set_track("rotation", [0, 0, 0, 1]), 1, "node 'hand_r'")
    edited(lambda clip: clip["attachments"][0].update(node="hand_l"), 1, "hand_l")
    edited(lambda clip: clip["root"]["yaw_rad"].pop(), 4, "clips[0].root.yaw_rad")
    edited(lambda clip: clip["root"]["translation"].append([0, 0, 0]), 4, "clips[0].root.translation")
    edited(set_entry("yaw_rad", None), 4, "clips[0].root.yaw_rad")
    edited(set_entry("translation", [0, 0, 1e39]), 4, "clips[0].root.translation")
    edited(lambda clip: clip["attachments"][0]["rotation"].pop(), 4, "clips[0].attachments[0].rotation")
    edited(set_track("rotation", [0, 0, 0, 2]), 4, "unit quaternions")


# ---- other people's characters ----

def check_model(path):
    options = ["--format=exr32", "--normals=off", "--fps=10", "--name=model"]
    a = quietly(path, "model-kept", *options)
    b = quietly(path, "model", EXTRACT, "--attach=*", *options)
    span = np.linalg.norm(np.subtract(b.manifest["bounds"]["max"], b.manifest["bounds"]["min"]))
    for clip in a.manifest["clips"]:
        for f in range(clip["first_frame"], clip["first_frame"] + clip["frame_count"] - clip["source"]["closed"], 4):
            off = np.abs(b.restored(f) - a.positions(f)).max()
            assert off < 1e-6 * span, f"clip {clip['name']}: {off} m off, the bake is {span} m across"
    done = run("verify", TMP / "model/model_vat.json", "--against", path)
    assert done.returncode == 0, done.stdout + done.stderr


def main():
    for engine in ENGINES:
        for container in ("exr32", "png16"):
            tap(f"travels and turns: {engine}, {container}", check_turner, engine, container)
        tap(f"hero's clips: {engine}", check_hero, engine)
        tap(f"attachments: {engine}", check_attached, engine)
    tap("half-way between frames", check_half_way)
    tap("a roll is no turn", check_tumble)
    tap("a walk of 100 m", check_walker)
    tap("a closing frame", check_closed)
    tap("the seed layout", check_seed)
    tap("OpenVAT's layout", check_openvat)
    tap("a still attachment", check_still_attachment)
    tap("shear is told", check_shear)
    tap("verify finds what was changed", check_verify)
    data = os.environ.get("DATA")
    for model in ("Fox/Fox.gltf", "player/player.glb", "CesiumMan/CesiumMan.glb", "Knight/Knight.glb"):
        if data:
            tap(f"data:{model}", check_model, Path(data) / "models/gltf" / model)
        else:
            print(f"skip data:{model}: no third-party data")


main()
