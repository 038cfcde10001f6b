#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What completes a groom, recomputed with numpy from the text of docs/FORMATS.md: root UVs of all triangles' closest points, guides and weights of
all pairs, strands that follow their guides bit for bit, what that loses over an animation."""
import os
import subprocess
from pathlib import Path

import numpy as np
from alembic3d import Abc, AbcGeom
from bake import read_glb, run, tap

BUILD, TMP = (Path(os.environ[name]) for name in ("BW_BUILD", "TMPDIR"))
FRAMES, SAMPLE = 33, 12


def arrays(hair, scalp):
    """{name: values} of tests/tools/groom_arrays."""
    done = subprocess.run([BUILD / "tests/tools/groom_arrays", hair, scalp, str(SAMPLE)], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    out, at = {}, 0
    while at < len(done.stdout):
        end = done.stdout.index(b"\n", at)
        name, kind, count = done.stdout[at:end].decode().split()
        out[name] = np.frombuffer(done.stdout, "<" + kind, int(count), end + 1)
        at = end + 1 + out[name].nbytes
    for name, width in (("positions", 3), ("own", 3), ("followed", 3), ("root_uvs", 2), ("closest_guides", 3), ("guide_weights", 3)):
        if name in out:
            out[name] = out[name].reshape(-1, width)
    return out


def source(path, frame):
    """Points of the file by the reference library, in Unreal's axes."""
    archive = Abc.IArchive(str(path))
    xform = AbcGeom.IXform(archive.getTop(), archive.getTop().getChild(0).getName())
    curves = AbcGeom.ICurves(xform, xform.getChild(0).getName()).getSchema()
    points = np.array([[p.x, p.y, p.z] for p in curves.getValue(Abc.ISampleSelector(frame / 24)).getPositions()])
    return (points + [0, 160, 0])[:, [0, 2, 1]]


def roots(g):
    return g["positions"][g["first_points"][:-1]].astype(np.float64)


def closest_on_segment(p, a, b):
    t = np.clip(((p - a) * (b - a)).sum(-1) / np.maximum(((b - a) ** 2).sum(-1), 1e-300), 0, 1)
    return t, ((a + t[..., None] * (b - a) - p) ** 2).sum(-1)


def barycentric_of_closest(p, triangles):
    """Squared distance and the parts of the corners for a point and every triangle: the foot on the plane if it is inside, else the best edge."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    n = np.cross(b - a, c - a)
    area = (n * n).sum(-1)
    foot = p - (((p - a) * n).sum(-1) / area)[:, None] * n
    parts = np.stack([(np.cross(c - b, foot - b) * n).sum(-1), (np.cross(a - c, foot - c) * n).sum(-1), (np.cross(b - a, foot - a) * n).sum(-1)], -1) / area[:, None]
    squared = np.where((parts >= 0).all(-1), ((foot - p) ** 2).sum(-1), np.inf)
    for k, (start, end) in enumerate(((a, b), (b, c), (c, a))):
        t, off = closest_on_segment(p, start, end)
        edge = np.zeros((len(t), 3))
        edge[np.arange(len(t)), k] = 1 - t
        edge[np.arange(len(t)), (k + 1) % 3] = t
        nearer = off < squared
        parts[nearer], squared[nearer] = edge[nearer], off[nearer]
    return squared, parts


def test_scalp(hair, scalp):
    g = arrays(hair, scalp)
    document, accessor = read_glb(scalp)
    primitive = document["meshes"][0]["primitives"][0]
    lift = document["nodes"][0]["translation"]
    corners = (accessor(primitive["attributes"]["POSITION"]).astype(np.float64) + lift)[accessor(primitive["indices"]).ravel()].reshape(-1, 3, 3)
    uvs = accessor(primitive["attributes"]["TEXCOORD_0"])[accessor(primitive["indices"]).ravel()].reshape(-1, 3, 2)
    places = roots(g)[:, [0, 2, 1]] / 100
    worst, compared = 0.0, 0
    for k in range(0, len(places), 5):
        squared, parts = barycentric_of_closest(places[k], corners)
        near = squared <= (np.sqrt(squared.min()) + 1e-8) ** 2  # several at an edge they share, on two sides of a seam even
        wanted = (parts[near][:, :, None] * uvs[near]).sum(1)
        worst = max(worst, np.abs(wanted - g["root_uvs"][k]).max(-1).min())
        compared += 1
    assert compared > 300, f"only {compared} roots were compared"
    # A float position of 1.6 m is rounded to 1e-7 m, of 0.48 m round the head; near the pole u runs round within centimetres.
    assert worst < 2e-5, f"a root UV is {worst:.3g} off"
    assert g["root_uvs"].min() > 0 and g["root_uvs"][:, 1].max() < 0.75, "hair grows on the chin"


def test_sphere(hair):
    g = arrays(hair, "-")
    d = roots(g) - (roots(g).min(0) + roots(g).max(0)) / 2
    x, y, z = d[:, 0], -d[:, 2], d[:, 1]
    size = np.abs(d).sum(1)
    x, y = x / size, y / size
    sign = lambda v: np.where(v >= 0, 1, -1)
    u, v = np.where(z > 0, x, (1 - np.abs(y)) * sign(x)) / 2 + 0.5, np.where(z > 0, y, (1 - np.abs(x)) * sign(y)) / 2 + 0.5
    wanted = np.stack([(u - u.min()) / np.ptp(u), (v - v.min()) / np.ptp(v)], -1)
    worst = np.abs(wanted - g["root_uvs"]).max()
    assert worst < 1e-6, f"a root UV is {worst:.3g} off"


def test_closest(g):
    points = g["positions"].astype(np.float64).reshape(-1, 8, 3)
    guides = np.flatnonzero(g["guides"])
    assert len(guides) == round(0.1 * (g["group_of"][g["guides"] == 0] == 0).sum()) + round(0.1 * (g["group_of"][g["guides"] == 0] == 1).sum()), f"{len(guides)} guides"
    for i in np.flatnonzero(g["guides"] == 0):
        own = guides[g["group_of"][guides] == g["group_of"][i]]
        root = np.linalg.norm(points[own, 0] - points[i, 0], axis=1)
        near = np.argsort(root, kind="stable")[:8]
        shape = (points[own[near]] - points[own[near], :1]) - (points[i] - points[i, :1])
        apart = root[near] + np.sqrt((shape[:, 1:] ** 2).sum(2).mean(1))
        best = np.argsort(apart, kind="stable")[:3]
        ids = g["ids"][own[near[best]]]
        assert (g["closest_guides"][i] == ids).all(), f"strand {i} follows {g['closest_guides'][i]}, {ids} are nearest and most like it"
        weights = 1 / np.maximum(apart[best], 1e-4)
        weights = np.array([1, 0, 0]) if apart[best[0]] <= 1e-4 else weights / weights.sum()
        assert np.abs(weights - g["guide_weights"][i]).max() < 2e-6, f"strand {i}: weights {g['guide_weights'][i]}, wanted {weights}"  # 2^-20
    assert (g["guide_weights"].sum(1, dtype=np.float32) == 1).all()


def follow(g, now):
    """docs/FORMATS.md, in float32 throughout."""
    rest, strand_of = g["positions"], {g["ids"][s]: s for s in np.flatnonzero(g["guides"])}
    out, one = now.copy(), np.float32(1)
    for s in np.flatnonzero(g["guides"] == 0):
        first, n = g["first_points"][s], int(g["first_points"][s + 1] - g["first_points"][s])
        for k in range(n):
            position = rest[first + k].copy()
            for name, weight in zip(g["closest_guides"][s], g["guide_weights"][s]):
                start, end = g["first_points"][strand_of[name]:strand_of[name] + 2]
                i, r = divmod(k * (int(end - start) - 1), n - 1)
                move = now[start + i] - rest[start + i]
                if r:
                    f = np.float32(r) / np.float32(n - 1)
                    move = move * (one - f) + (now[start + i + 1] - rest[start + i + 1]) * f
                position = position + weight * move
            out[first + k] = position
    return out


def test_follow(g):
    wanted = follow(g, g["own"])
    differ = int((wanted != g["followed"]).any(1).sum())
    assert differ == 0, f"{differ} of {len(wanted)} points differ from the formula in float32"
    assert (g["followed"] != g["own"]).any(), "nothing follows"


def test_loss(hair, g):
    """Over all frames as the reference library reads them, in double."""
    hairs = int((g["guides"] == 0).sum()) * 8
    move_of = {}
    for s in np.flatnonzero(g["guides"]):
        same = np.flatnonzero((g["positions"].reshape(-1, 8, 3)[: hairs // 8] == g["positions"].reshape(-1, 8, 3)[s]).all((1, 2)))
        assert len(same) == 1, f"guide {s} is a copy of {len(same)} strands"
        move_of[g["ids"][s]] = same[0]
    leader = np.array([[move_of[name] for name in names] for names in g["closest_guides"][: hairs // 8]])
    rest, most, total = source(hair, 0), 0.0, 0.0
    assert np.abs(rest - g["positions"][:hairs]).max() < 2e-5, "the rest pose is not the file's first frame"  # floats of 170 cm
    for frame in range(FRAMES):
        now = source(hair, frame)
        if frame == SAMPLE:
            assert np.abs(now - g["own"][:hairs]).max() < 2e-5, "the animation is not the file's"
        moves = (now - rest).reshape(-1, 8, 3)
        followed = rest.reshape(-1, 8, 3) + (g["guide_weights"][: hairs // 8, :, None, None] * moves[leader]).sum(1)
        squared = ((followed - now.reshape(-1, 8, 3)) ** 2).sum(2)
        most, total = max(most, squared.max()), total + squared.sum()
    wanted = np.sqrt([most, total / (FRAMES * hairs)])
    assert np.abs(g["errors"] - wanted).max() < 1e-4, f"said {g['errors']}, found {wanted}"


def written(path):
    """{attribute: values} of a groom that the program wrote, by the reference library; "P" of all samples."""
    archive = Abc.IArchive(str(path))
    top = archive.getTop().getChild(0)
    schema = AbcGeom.ICurves(AbcGeom.IXform(archive.getTop(), top.getName()), top.getChild(0).getName()).getSchema()
    arbitrary = schema.getArbGeomParams()
    out = {name: np.array([list(v) if hasattr(v, "__len__") else v for v in arbitrary.getProperty(name).getValue(0)])
           for name in ("groom_root_uv", "groom_guide", "groom_id", "groom_closest_guides", "groom_guide_weights", "groom_width", "groom_group_id")}
    out["P"] = np.array([[[p.x, p.y, p.z] for p in schema.getValue(Abc.ISampleSelector(k / 24)).getPositions()] for k in range(schema.getNumSamples())])
    return out


def test_file(hair, scalp):
    """What stands in the file is what was made."""
    out = TMP / "fixed.abc"
    done = run("groom", hair, f"--scalp={scalp}", "-o", out)
    assert done.returncode == 0, done.stderr
    g, w = arrays(hair, scalp), written(out)
    for ours, theirs in (("root_uvs", "groom_root_uv"), ("guides", "groom_guide"), ("ids", "groom_id"), ("closest_guides", "groom_closest_guides"),
                         ("guide_weights", "groom_guide_weights"), ("widths", "groom_width")):
        assert (g[ours].ravel() == w[theirs].ravel()).all(), f"{theirs} differs"
    assert (g["positions"] == w["P"][0]).all(), "P differs"


def test_parts(hair):
    """Split and decimated: as many strands of each group as a quarter, as wide together, and closest guides that are in the file."""
    folder = TMP / "parts"
    done = run("groom", hair, "--split-by=group", "--decimate=0.25", "-o", folder)
    assert done.returncode == 0, done.stderr
    whole, files = arrays(hair, "-"), sorted(folder.glob("*.abc"))
    assert len(files) == 2, f"{len(files)} files"
    for group, path in enumerate(files):
        w = written(path)
        guide, of_group = w["groom_guide"] == 1, whole["group_of"] == group
        strands, before = int((~guide).sum()), int((of_group & (whole["guides"] == 0)).sum())
        assert strands == int(0.25 * before + 0.5), f"{strands} of {before} strands"
        widths = w["groom_width"].reshape(-1, 8)[~guide]
        assert np.abs(widths - 0.01 * before / strands).max() < 1e-8, f"widths {widths.min()} to {widths.max()}"
        assert np.isin(w["groom_closest_guides"], w["groom_id"][guide]).all(), "a closest guide is in no file"
        places = {p.tobytes() for p in whole["positions"].reshape(-1, 24)[of_group]}
        assert all(p.astype("<f4").tobytes() in places for p in w["P"][0].reshape(-1, 24)), "a strand has moved"
        assert len(w["P"]) == FRAMES, f"{len(w['P'])} frames"


def test_file_follows(hair, g):
    """Guides alone: each frame in the file is the formula's, bit for bit."""
    out = TMP / "following.abc"
    done = run("groom", hair, "--guides-only", "-o", out)
    assert done.returncode == 0, done.stderr
    assert f"at most {g['errors'][0]:.2g} cm" in done.stdout, done.stdout.splitlines()[-2:]
    assert (written(out)["P"][SAMPLE] == follow(g, g["own"])).all(), "the file's frame is not the formula's"


subprocess.run([BUILD / "make_assets", TMP, "head", "hair", "wind_hair"], check=True, stdout=subprocess.DEVNULL)
groom = arrays(TMP / "wind_hair.abc", "-")
tap("scalp", test_scalp, TMP / "hair.abc", TMP / "head.glb")
tap("sphere", test_sphere, TMP / "hair.abc")
tap("closest guides", test_closest, groom)
tap("follow", test_follow, groom)
tap("loss of guides alone", test_loss, TMP / "wind_hair.abc", groom)
tap("a written file", test_file, TMP / "hair.abc", TMP / "head.glb")
tap("groups apart and fewer strands", test_parts, TMP / "wind_hair.abc")
tap("a file of guides alone", test_file_follows, TMP / "wind_hair.abc", groom)
