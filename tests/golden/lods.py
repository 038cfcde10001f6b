#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Levels of detail share the base's texels: their meshes are decoded by the format's text, and every figure that is printed is measured again."""
import json
import os
import shutil
import struct
from pathlib import Path

import coarsen
import numpy as np
import split_clips
from bake import TMP, Bake, bake, make_assets, read_glb, run, tap

DATA = Path(os.environ["DATA"]) / "models/gltf" if os.environ.get("DATA") else None


def make_levels(work):
    """hero_LOD0 … 2: the second keeps places of the first, the third has none of them."""
    hero, = make_assets(work, "hero")
    base = hero.rename(work / "hero_LOD0.glb")
    coarsen.coarsen(base, work / "hero_LOD1.glb", 0.03)
    coarsen.coarsen(base, work / "hero_LOD2.glb", 0.08, anew=True)
    return base


def vertices(path, attribute):
    document, accessor = read_glb(path)
    return np.vstack([accessor(p["attributes"][attribute]) for p in document["meshes"][0]["primitives"]])


def elements(decoded, path):
    """The base's vertex behind each of a level's UVs."""
    uv_set = decoded.manifest["uv_set"]
    uv, texels = vertices(path, f"TEXCOORD_{uv_set}"), {tuple(uv): k for k, uv in reversed(list(enumerate(decoded.uv.astype(np.float32))))}
    return np.array([texels[tuple(one)] for one in uv])


def measured(work):
    """Each level's distances, from its file, the textures and a bake of the level on its own."""
    base = make_levels(work)
    whole = bake(base, work / "out", "--clip=Jump", "--clip=Run")
    decoded = Bake(whole["manifest"])
    rows = decoded.manifest["lods"]
    assert [row["file"] for row in rows] == ["hero_LOD0_vat.lod1.glb", "hero_LOD0_vat.lod2.glb"]
    assert [(row["file"], row["vertices"]) for row in whole["lods"]] == [(row["file"], row["vertex_count"]) for row in rows]
    for number, row in enumerate(rows, 1):
        mesh = work / "out" / row["file"]
        map_ = elements(decoded, mesh)
        rest = vertices(mesh, "POSITION")
        assert len(rest) == row["vertex_count"] < len(decoded.rest)
        off = np.linalg.norm(decoded.rest[map_].astype(float) - rest, axis=1)
        assert abs(off.max() - row["error"]["rest"]["max"]) < 1e-9 and abs(np.sqrt(np.mean(off ** 2)) - row["error"]["rest"]["rms"]) < 1e-9
        # The level with the base's clips, as floats: where its own vertices are in each frame.
        alone = Bake(bake(work / f"hero_LOD{number}.glb", work / f"alone{number}", f"--anim={base}", "--clip=Jump", "--clip=Run", "--format=exr32", "--lod=none")["manifest"])
        assert alone.manifest["frames"]["count"] == decoded.manifest["frames"]["count"]
        worst = max((np.linalg.norm(decoded.positions(frame)[map_] - alone.positions(frame), axis=1).max())
                    for frame in range(decoded.manifest["frames"]["count"]))
        # Single precision in the program, double here: 1e-6 m at 3 m.
        assert abs(worst - row["error"]["frames"]["max"]) < 1e-6, (worst, row["error"]["frames"]["max"])
    assert rows[0]["error"]["rest"]["max"] == 0 and rows[0]["error"]["frames"]["max"] <= decoded.manifest["error"]["stored"]["max"]
    assert 0.01 < rows[1]["error"]["rest"]["max"] < 0.08 * 3 ** 0.5, "no vertex lies farther off than its cell is wide"


def other_engines(work):
    base = make_levels(work)
    plain = bake(base, work / "plain", "--clip=Run")
    for words in (["--engine=unreal"], ["--engine=unity"], ["--layout=seed"], ["--max-size=512"], ["--pow2"], ["--threads=1"]):
        other = bake(base, work / words[0], "--clip=Run", *words)
        decoded = [Bake(result["manifest"]) for result in (plain, other)]
        for name in ("hero_LOD0_vat.lod1.glb", "hero_LOD0_vat.lod2.glb"):
            maps = [elements(one, one.folder / name) for one in decoded]
            assert (maps[0] == maps[1]).all(), (words, name)
            assert run("verify", other["manifest"], "--against", base).returncode == 0, words


def found_and_left(work):
    base = make_levels(work)
    warning = next(w for w in bake(base, work / "out", "--clip=Run")["warnings"] if w["code"] == "levels-found")
    assert warning["count"] == 2 and warning["first"] == "hero_LOD1.glb", warning
    named = bake(base, work / "named", "--clip=Run", f"--lod={work}/hero_LOD2.glb")
    assert named["warnings"] == [] and [row["file"] for row in named["lods"]] == ["hero_LOD0_vat.lod1.glb"]
    none = bake(base, work / "none", "--clip=Run", "--lod=none")
    assert none["warnings"] == [] and "lods" not in none and "lods" not in json.loads(Path(none["manifest"]).read_text())
    assert not list((work / "none").glob("*lod*"))
    lonely = bake(work / "hero_LOD1.glb", work / "lonely", "--static")
    assert "lods" not in lonely
    states = [bake(base, work / "out", "--clip=Run")["up_to_date"]]
    coarsen.coarsen(base, work / "hero_LOD2.glb", 0.1)
    states += [bake(base, work / "out", "--clip=Run")["up_to_date"], bake(base, work / "out", "--clip=Run")["up_to_date"]]
    (work / "out/hero_LOD0_vat.lod1.glb").unlink()
    states += [bake(base, work / "out", "--clip=Run")["up_to_date"]]
    assert states == [True, False, True, False], states


def verified(work):
    base = make_levels(work)
    manifest = bake(base, work / "out", "--clip=Run")["manifest"]
    done = run("verify", manifest, "--against", base, "--json")
    document = json.loads(done.stdout)
    assert document["status"] == 0
    for row, again in zip(json.loads(Path(manifest).read_text())["lods"], document["lods"]):
        assert row["error"] == again["error"], "another figure than the bake's"
    assert all(row["error"] is None for row in json.loads(run("verify", manifest, "--json").stdout)["lods"])
    level = work / "out/hero_LOD0_vat.lod1.glb"
    kept = level.read_bytes()
    glb, chunk = split_clips.read(level)
    place = glb["accessors"][glb["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_1"]]
    start = glb["bufferViews"][place["bufferView"]].get("byteOffset", 0) + place.get("byteOffset", 0)
    moved = bytearray(chunk)
    u = struct.unpack_from("<f", moved, 8 + start)[0]
    struct.pack_into("<f", moved, 8 + start, u + 0.3 / 4096)
    order = bytearray(chunk)
    first = glb["accessors"][glb["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]
    start = glb["bufferViews"][first["bufferView"]].get("byteOffset", 0) + first.get("byteOffset", 0)
    order[8 + start:8 + start + 24] = order[8 + start + 12:8 + start + 24] + order[8 + start:8 + start + 12]
    for what, codes in ((bytes(moved), {"file-hash", "uv-centre"}), (bytes(order), {"file-hash", "order-hash"})):
        split_clips.write(level, glb, what)
        document = json.loads(run("verify", manifest, "--json").stdout)
        found = {finding["code"] for finding in document["findings"]}
        # The JSON chunk is written anew, so the size may differ instead of the hash.
        assert document["status"] == 1 and {code.replace("file-size", "file-hash") for code in found} == codes, (found, codes)
    level.write_bytes(kept)
    assert run("verify", manifest).returncode == 0
    level.unlink()
    done = run("verify", manifest)
    assert done.returncode == 3 and level.name in done.stderr, done.stderr
    level.write_bytes(kept)
    shutil.move(work / "hero_LOD1.glb", work / "out/coarse.glb")
    done = run("verify", manifest, "--against", base)
    assert done.returncode == 3 and "hero_LOD1.glb" in done.stderr, done.stderr
    done = run("verify", manifest, "--against", base, f"--lod={work}/out/coarse.glb,{work}/hero_LOD2.glb")
    assert done.returncode == 0, done.stderr
    done = run("verify", manifest, "--against", base, f"--lod={work}/out/coarse.glb")
    assert done.returncode == 2 and "2 levels" in done.stderr, done.stderr


def folders(work):
    """A folder's levels are baked with their finest, and are no scenes of their own; nor are an earlier bake's."""
    (work / "in/deep").mkdir(parents=True)
    make_levels(work / "in")
    shutil.copy(work / "in/hero_LOD1.glb", work / "in/deep/lonely_LOD1.glb")
    shutil.copy(work / "in/hero_LOD0.glb", work / "in/deep/gap_LOD0.glb")
    shutil.copy(work / "in/hero_LOD0.glb", work / "in/deep/gap_LOD2.glb")
    for _ in range(2):
        document = json.loads(run("vat", work / "in", "-o", work / "in", "--static", "--json").stdout)
        names = sorted(Path(result["manifest"]).name for result in document["results"] if "manifest" in result)
        assert names == ["gap_LOD0_vat.json", "gap_LOD2_vat.json", "hero_LOD0_vat.json", "lonely_LOD1_vat.json"], (names, document)
        hero = next(result for result in document["results"] if Path(result["manifest"]).name == "hero_LOD0_vat.json")
        assert [row["file"] for row in hero["lods"]] == ["hero_LOD0_vat.lod1.glb", "hero_LOD0_vat.lod2.glb"]
    document = json.loads(run("vat", work / "in", "-o", work / "each", "--lod=none", "--static", "--json").stdout)
    assert len(document["results"]) == 6, document


def characters(work):
    """A character of a real rig: clips in another file, weapons left out, three levels."""
    knight, barbarian = (DATA / name / f"{name}.glb" for name in ("Knight", "Barbarian"))
    base = work / "knight_LOD0.glb"
    shutil.copy(knight, base)
    coarsen.coarsen(knight, work / "knight_LOD1.glb", 0.05)
    coarsen.coarsen(knight, work / "knight_LOD2.glb", 0.15)
    document, chunk = split_clips.read(base)
    document.pop("animations")
    split_clips.write(base, document, chunk)
    result = bake(base, work / "out", f"--anim={barbarian}", "--clip=Walking_A", "--clip=Cheer", "--exclude=*Sword*")
    assert [w["code"] for w in result["warnings"]].count("levels-found") == 1
    counts = [row["vertices"] for row in result["lods"]]
    assert result["vertices"] > counts[0] > counts[1], counts
    for row in result["lods"]:  # these levels keep vertices of the base, so all that is lost is what the texels round
        assert row["error"]["rest"]["max"] == 0 and row["error"]["frames"]["max"] <= result["error"]["stored"]["max"], row
    assert run("verify", result["manifest"], "--against", base, f"--anim={barbarian}").returncode == 0
    for skin_in in ("texture", "mesh"):  # bones carry levels as they carry the base
        skinned = bake(base, work / skin_in, f"--anim={barbarian}", "--clip=Walking_A", "--clip=Cheer", "--exclude=*Sword*", "--mode=bone", f"--skin-in={skin_in}")
        assert [row["vertices"] for row in skinned["lods"]] == counts
        for row in skinned["lods"]:
            # Its places come by way of the rest pose, whose floats round by 1e-7 of 3 m.
            assert row["error"]["rest"]["max"] == 0 and 0 < row["error"]["frames"]["max"] <= skinned["error"]["stored"]["max"] + 1e-6, row
        for against in ([], ["--against", base, f"--anim={barbarian}"]):
            assert run("verify", skinned["manifest"], *against).returncode == 0


for test in (measured, other_engines, found_and_left, verified, folders):
    (TMP / test.__name__).mkdir()
    tap(test.__name__, test, TMP / test.__name__)
if DATA:
    (TMP / "characters").mkdir()
    tap("data:characters", characters, TMP / "characters")
else:
    print("skip data:characters: no third-party data")
