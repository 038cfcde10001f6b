#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The documents keep their word: every command in them runs as typed, the C sample compiles and works, links lead somewhere, every option is
spoken of, the README's table is what a bake prints, and the picture's script makes a picture."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import coarsen
import split_clips

ROOT, BUILD, TMP, ASSETS = (Path(os.environ[name]) for name in ("BW_ROOT", "BW_BUILD", "TMPDIR", "ASSETS"))
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
CACHE = (BUILD / "CMakeCache.txt").read_text()
COMPILER = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", CACHE, re.M)[1]
FLAGS = re.search(r"^CMAKE_C_FLAGS:\w+=(.*)$", CACHE, re.M)[1]


def blocks(document, language):
    return re.findall(rf"^```{language}\n(.*?)^```", document.read_text(encoding="utf-8"), re.S | re.M)


def report(name, why):
    print(f"not ok {name}: {why.strip()[-600:]}".replace("\n", " | ") if why else f"ok {name}")


def run(command, folder, env):
    if "--watch" in command:
        command = f"timeout --preserve-status -s INT 2 {command}"  # what a person does to end it
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return f"status {done.returncode}: {done.stdout}" if done.returncode else ""


def install():
    """An environment as a user has it: the program and the compiler on the path, the library installed."""
    prefix, tools = TMP / "prefix", TMP / "bin"
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    tools.mkdir()
    (tools / "bakewell").symlink_to(os.environ["BAKEWELL"])
    compiler = tools / "cc"
    compiler.write_text(f'#!/bin/sh\nexec {COMPILER} {FLAGS} -std=c11 -Wall -Wextra -Wpedantic -Werror "$@"\n')
    compiler.chmod(0o755)
    package = next(prefix.rglob("bakewell.pc"))
    package.write_text(re.sub(r"^prefix=.*$", f"prefix={prefix}", package.read_text(), flags=re.M))
    return dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", PKG_CONFIG_PATH=str(package.parent),
                LD_LIBRARY_PATH=str(next(prefix.rglob("libbakewell.*")).parent))


def make_models(folder):
    """hero.glb; crates.glb; block.glb, which bursts; the hero with levels of detail, and taken apart; a clip of it as another exporter would name
    its joints; a folder of characters; a cloth and moving hair as Alembic archives, the head it grows on; a tree of nodes and one of loose parts."""
    shutil.copy(ASSETS / "scout.glb", folder / "hero.glb")
    shutil.copy(ASSETS / "crates.glb", folder)
    subprocess.run([BUILD / "make_assets", folder, "fracture_baked", "wind_hair", "head", "tree", "bush"], check=True)
    (folder / "fracture_baked.glb").rename(folder / "block.glb")
    shutil.copy(folder / "wind_hair.abc", folder / "hair.abc")
    subprocess.run([BUILD / "tests/tools/archive_tool", folder / "cloth.abc"], check=True)
    for name, model in (("knights/a", "scout"), ("knights/b", "flag"), ("trolls/cave", "crates")):
        (folder / "chars" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ASSETS / f"{model}.glb", folder / f"chars/{name}.glb")
    split_clips.split(ASSETS / "scout.glb", folder)
    shutil.copy(ASSETS / "scout.glb", folder / "hero_LOD0.glb")
    for level, cell in ((1, 0.03), (2, 0.08)):
        coarsen.coarsen(ASSETS / "scout.glb", folder / f"hero_LOD{level}.glb", cell)
    walk, chunk = split_clips.read(folder / "anims/Walk.glb")
    walk["nodes"] = [dict(node, name="mixamorig:" + node["name"]) for node in walk["nodes"]]
    split_clips.write(folder / "mixamo/walk.glb", walk, chunk)


def check_commands(document, env):
    """Each line of each sh block, in one folder that holds the models the documents speak of and the document's C sample as bake.c, further
    ones as sample2.c …, its job as bake.json."""
    folder = TMP / document.stem
    folder.mkdir()
    make_models(folder)
    samples = blocks(document, "c")
    for number, sample in enumerate(samples, 1):
        (folder / ("bake.c" if number == 1 else f"sample{number}.c")).write_text(sample)
    jobs = [text for text in blocks(document, "json") if "bakewell/job/1" in text]
    if jobs:
        (folder / "bake.json").write_text(jobs[0])
    known = subprocess.run([ROOT / "dev", "help"], capture_output=True, text=True, check=True).stdout
    for line in "".join(blocks(document, "sh")).splitlines():
        if match := re.fullmatch(r"\./dev (\w+)", line):
            # These run the tests themselves; that the command is there is all that can be asked from inside.
            report(f"{document.name} {line}", "" if re.search(rf"^\./dev {match[1]}\b", known, re.M) else "./dev help does not know it")
        else:
            report(f"{document.name} {line}", run(line, folder, env))
    return len(samples)


def check_inline_commands(document, env):
    """Whole commands in running text, those that name what they work on."""
    for command in sorted(set(re.findall(r"`(bakewell \w+ [^`]*)`", document.read_text(encoding="utf-8")))):
        report(f"{document.name} {command}", run(command, TMP, env))


def check_links(document):
    for link in sorted(set(re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")))):
        report(f"{document.name} link {link}", "" if "://" in link or (document.parent / link).exists() else "leads nowhere")


def check_options():
    """Options of more than how the program talks."""
    text = "".join(document.read_text(encoding="utf-8") for document in DOCUMENTS if document.name != "CHANGELOG.md")
    for command in ("info", "vat", "pivot", "verify", "groom"):
        printed = subprocess.run([os.environ["BAKEWELL"], "help", command], capture_output=True, text=True, check=True).stdout
        options = set(re.findall(r"^  (--[a-z0-9-]+)", printed, re.M)) - {"--help", "--quiet", "--progress", "--out"}
        missing = sorted(option for option in options if not re.search(rf"{option}(?![\w-])", text))
        report(f"options of {command}", "no document says what these are for: " + ", ".join(missing) if missing else "" if options else "none is printed")


def check_figures():
    """Rows of the README's table that name a model which is made here: size, stored error and error between frames, of vertices and of what is chosen."""
    rows = re.findall(r"^\| `(\w+)\.glb`[^|]*\| ([^|]*) \| (?:bones|pieces): ([^|]*) \|$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)
    for name, *cells in rows:
        command = [os.environ["BAKEWELL"], "vat", ASSETS / f"{name}.glb", "--dry-run"]
        printed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=TMP).stdout
        for label, cell in zip((r" +vertex +png16", r"chosen +\w+ +\S+"), cells):
            found = re.search(rf"^{label} +1 +(\S+ \S+) +(\S+ \S+), \S+ % +(\S+ \S+),", printed, re.M)
            printed_cell = ", ".join(found.groups()) if found else f"no such row: {printed}"
            report(f"README.md {name}: {cell}", "" if printed_cell == cell else f"the bake prints {printed_cell}")
    report("README.md has a table of sizes", "" if len(rows) >= 2 else "it was not found")


def check_picture():
    picture = TMP / "texture.png"
    why = run(f"{sys.executable} {ROOT}/docs/picture.py {ASSETS}/hero.glb Walk {picture}", TMP, dict(os.environ))
    heads = [path.read_bytes()[:24] if path.exists() else b"" for path in (picture, ROOT / "docs/texture.png")]
    report("picture", why or ("" if heads[0] == heads[1] and heads[0][:4] == b"\x89PNG" else "its size is not that of docs/texture.png"))


def main():
    env = install()
    samples = 0
    for document in DOCUMENTS:
        samples += check_commands(document, env)
        check_inline_commands(document, env)
        check_links(document)
    report("there is a C sample", "" if samples else "none was found")
    check_options()
    check_figures()
    check_picture()


if __name__ == "__main__":
    sys.exit(main())
