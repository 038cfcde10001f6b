#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A mesh in one file and its clips in others: the same texels as from one file, and everything that does not fit is said."""
import json
import os
import shutil
from pathlib import Path

import split_clips
from bake import TMP, bake, make_assets, run, tap

DATA = Path(os.environ["DATA"]) / "models/gltf" if os.environ.get("DATA") else None


def codes(result):
    return {warning["code"]: warning for warning in result["warnings"]}


def manifest(result):
    return json.loads(Path(result["manifest"]).read_text())


def texels(result):
    return [Path(output["path"]).read_bytes() for output in result["outputs"] if output["role"] in ("position", "normal", "bones", "weights", "mesh")]


def same_bytes(work, mode):
    hero, = make_assets(work, "hero")
    names = split_clips.split(hero, work)
    whole = bake(hero, work / "whole", f"--mode={mode}")
    # Files between commas keep their order, so all clips lie where they do in the whole file.
    parts = bake(work / "body.glb", work / "parts", "--name=hero", f"--mode={mode}",
                 "--anim=" + ",".join(f"{work}/anims/{name}.glb" for name in names))
    assert parts["warnings"] == whole["warnings"] and texels(whole) == texels(parts)
    assert manifest(parts)["mode"] == mode and len(texels(parts)) == (2 if mode == "vertex" else 3), parts["outputs"]
    assert manifest(whole)["clips"] == manifest(parts)["clips"]
    assert manifest(parts)["options"]["anim"] == [f"anims/{name}.glb" for name in names]
    assert [file["file"] for file in manifest(parts)["source"]["files"]] == [f"anims/{name}.glb" for name in names]
    # Those of a pattern are sorted.
    sorted_files = bake(work / "body.glb", work / "sorted", f"--mode={mode}", f"--anim={work}/anims/*.glb")
    assert [clip["name"] for clip in manifest(sorted_files)["clips"]] == sorted(names) != names


def verified(work):
    """Files of clips are found again below the scene, wherever both have gone."""
    hero, = make_assets(work, "hero")
    split_clips.split(hero, work / "before")
    out = bake(work / "before/body.glb", work / "out", f"--anim={work}/before/anims/W*.glb")["manifest"]
    (work / "before").rename(work / "after")
    for words in ([], [f"--anim={work}/after/anims/W*.glb"]):
        done = run("verify", out, "--against", work / "after/body.glb", "--json", *words)
        document = json.loads(done.stdout)
        assert document["status"] == 0 and document["error"]["stored"]["max"] > 0, document
        assert document["warnings"] == [], document
    split_clips.write(work / "after/anims/Walk.glb", *split_clips.read(work / "after/anims/Run.glb"))
    done = run("verify", out, "--against", work / "after/body.glb")
    assert done.returncode == 1 and "no clip 'Walk'" in done.stderr, done.stderr
    (work / "after/anims").rename(work / "anims")
    done = run("verify", out, "--against", work / "after/body.glb")
    assert done.returncode == 3 and "Walk.glb" in done.stderr, done.stderr
    outside = bake(work / "after/body.glb", work / "outside", f"--anim={work}/anims/Run.glb")["manifest"]
    assert json.loads(Path(outside).read_text())["options"]["anim"] == ["../anims/Run.glb"]
    done = run("verify", outside, "--against", work / "after/body.glb")
    assert done.returncode == 2 and "../anims/Run.glb" in done.stderr and "--anim" in done.stderr, done.stderr
    done = run("verify", outside, "--against", work / "after/body.glb", f"--anim={work}/anims/Run.glb")
    assert done.returncode == 0, done.stderr


def named_after_files(work):
    hero, = make_assets(work, "hero")
    split_clips.split(hero, work)
    document, chunk = split_clips.read(hero)
    walk, run_clip = (next(clip for clip in document["animations"] if clip["name"] == name) for name in ("Walk", "Run"))
    for folder, name, clips in (("a", "stroll", [dict(walk, name="mixamo.com")]), ("a", "dash", [dict(run_clip, name="mixamo.com")]),
                                ("a", "both", [dict(walk, name="Walk"), dict(run_clip, name="Fast")]), ("b", "dash", [dict(walk, name="mixamo.com")])):
        split_clips.write(work / folder / f"{name}.glb", dict(document, animations=clips), chunk)
    result = bake(hero, work / "out", f"--anim={work}/a/*.glb", f"--anim={work}/b/dash.glb")
    names = [clip["name"] for clip in manifest(result)["clips"]]
    own = [clip["name"] for clip in document["animations"]]
    assert names == own + ["both.Walk", "Fast", "dash", "stroll", "dash.1"], names


def prefixes(work):
    hero, = make_assets(work, "hero")
    split_clips.split(hero, work)
    document, chunk = split_clips.read(work / "anims/Walk.glb")
    for node in document["nodes"]:
        node["name"] = "mixamorig:" + node["name"]
    split_clips.write(work / "walk.glb", document, chunk)
    done = run("vat", work / "body.glb", "-o", work / "out", f"--anim={work}/walk.glb")
    assert done.returncode == 4 and "--anim-prefix=mixamorig:" in done.stderr and "mixamorig:root" in done.stderr, done.stderr
    assert not (work / "out").exists()
    plain = bake(work / "body.glb", work / "plain", f"--anim={work}/anims/Walk.glb", "--name=hero")
    dropped = bake(work / "body.glb", work / "dropped", f"--anim={work}/walk.glb", "--anim-prefix=mixamorig:", "--name=hero")
    assert texels(plain) == texels(dropped)
    verified = run("verify", dropped["manifest"], "--against", work / "body.glb")
    assert verified.returncode == 0, verified.stderr


def differences(work):
    hero, = make_assets(work, "hero")
    split_clips.split(hero, work)
    document, chunk = split_clips.read(work / "anims/Walk.glb")
    nodes = {node["name"]: node for node in document["nodes"]}
    nodes["toe.L"]["name"], nodes["toe.R"]["name"] = "paw.L", "paw.R"
    hips = nodes["hips"]["translation"]
    nodes["hips"]["translation"] = [hips[0], hips[1] + 0.25, hips[2]]
    split_clips.write(work / "walk.glb", document, chunk)
    result = bake(work / "body.glb", work / "out", f"--anim={work}/walk.glb")
    found = codes(result)
    assert set(found) == {"clip-node-unknown", "rest-pose-differs"}, found
    assert "paw.L" in found["clip-node-unknown"]["first"] and "paw.R" in found["clip-node-unknown"]["first"], found
    assert found["clip-node-unknown"]["count"] == sum(document["nodes"][channel["target"]["node"]]["name"].startswith("paw")
                                                      for channel in document["animations"][0]["channels"])
    assert found["rest-pose-differs"]["count"] == 1 and "hips by 250.00 mm" in found["rest-pose-differs"]["first"], found


def neighbours(work):
    hero, = make_assets(work, "hero")
    split_clips.split(hero, work)
    hero.unlink()
    done = run("vat", work / "body.glb", "-o", work / "out")
    assert done.returncode == 4 and "beside" not in done.stderr, done.stderr
    for name in ("Walk", "Run"):
        shutil.copy(work / f"anims/{name}.glb", work)
    make_assets(work, "crates")
    (work / "broken.glb").write_bytes(b"glTF")
    done = run("vat", work / "body.glb", "-o", work / "out")
    assert done.returncode == 4 and "beside it Run.glb, Walk.glb hold clips that fit" in done.stderr and "--anim" in done.stderr, done.stderr
    # A pattern takes the scene's own file and files without clips in its stride, and names what fits nothing.
    (work / "broken.glb").unlink()
    shutil.copy(work / "body.glb", work / "again.glb")
    done = run("vat", work / "body.glb", "-o", work / "out", f"--anim={work}/*.glb")
    assert done.returncode == 4 and "crates.glb: its clips drive no node" in done.stderr and "chest" in done.stderr, done.stderr
    (work / "crates.glb").unlink()
    result = bake(work / "body.glb", work / "out", f"--anim={work}/*.glb")
    assert set(codes(result)) == {"clip-file-empty"} and len(manifest(result)["clips"]) == 2, result["warnings"]
    done = run("vat", work / "body.glb", "-o", work / "out", f"--anim={work}/again.glb")
    assert done.returncode == 4 and "holds no animation clip" in done.stderr, done.stderr


def outputs_spare_clips(work):
    """A file of clips is an input like any other: no output may take its place."""
    hero, = make_assets(work, "hero")
    split_clips.split(hero, work)
    clip = work / "body_vat.glb"
    shutil.copy(work / "anims/Walk.glb", clip)
    before = clip.read_bytes()
    done = run("vat", work / "body.glb", "-o", work, f"--anim={clip}")
    assert done.returncode == 3 and clip.read_bytes() == before, done.stderr


def up_to_date(work):
    """Files of clips count when a bake is looked at again: unchanged, changed, one more; outputs that the pattern finds do not."""
    hero, = make_assets(work, "hero")
    split_clips.split(hero, work / "clips")
    split_clips.split(hero, work / "here")
    shutil.copy(work / "clips/anims/Walk.glb", work / "here/walk.glb")
    words = (work / "here/body.glb", work / "here", f"--anim={work}/here/*.glb")
    states = [bake(*words)["up_to_date"], bake(*words)["up_to_date"]]
    shutil.copy(work / "clips/anims/Run.glb", work / "here/walk.glb")
    states += [bake(*words)["up_to_date"], bake(*words)["up_to_date"]]
    shutil.copy(work / "clips/anims/Idle.glb", work / "here/idle.glb")
    states += [bake(*words)["up_to_date"], bake(*words)["up_to_date"]]
    assert states == [False, True] * 3, states
    outside = (work / "here/body.glb", work / "outside", f"--anim={work}/clips/anims/*.glb", "--clip=Walk")
    states = [bake(*outside)["up_to_date"], bake(*outside)["up_to_date"]]
    assert states == [False, True], states


def characters(work):
    """Two characters of one rig: a clip from the other's file moves this one as its own does."""
    knight, barbarian = (DATA / name / f"{name}.glb" for name in ("Knight", "Barbarian"))
    document, chunk = split_clips.read(knight)
    other, _ = split_clips.read(barbarian)
    clips = document.pop("animations")
    assert len(clips) > 60 and {clip["name"] for clip in clips} == {clip["name"] for clip in other["animations"]}
    split_clips.write(work / "knight.glb", document, chunk)
    words = ["--name=knight", "--clip=Walking_A", "--clip=Cheer", "--clip=Idle", "--exclude=*Sword*", "--exclude=*Shield*"]
    own = bake(knight, work / "own", *words)
    borrowed = bake(work / "knight.glb", work / "borrowed", f"--anim={barbarian}", *words)
    assert borrowed["warnings"] == own["warnings"], borrowed["warnings"]
    assert texels(own) == texels(borrowed)
    armed = bake(knight, work / "armed", *[word for word in words if "exclude" not in word])
    assert manifest(armed)["elements"]["count"] > manifest(own)["elements"]["count"]
    both = bake(knight, work / "both", f"--anim={barbarian}", "--clip=Idle", "--clip=Barbarian.Idle")
    assert [clip["name"] for clip in manifest(both)["clips"]] == ["Idle", "Barbarian.Idle"]


def main():
    for mode in ("vertex", "bone"):
        work = TMP / f"same_bytes_{mode}"
        work.mkdir()
        tap(f"same bytes: {mode}", same_bytes, work, mode)
    for test in (verified, named_after_files, prefixes, differences, neighbours, outputs_spare_clips, up_to_date):
        work = TMP / test.__name__
        work.mkdir()
        tap(test.__name__, test, work)
    if DATA:
        (TMP / "characters").mkdir()
        tap("data:characters", characters, TMP / "characters")
    else:
        print("skip data:characters: no third-party data")


main()
