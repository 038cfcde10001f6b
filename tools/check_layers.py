#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks every #include against src/LAYERS: rooms of src/ see what their line names; programs see public headers only.

usage: check_layers.py [ROOT]      Prints `ok all` or `not ok FILE:LINE: why`, one line each; status 1 if any is not ok.
"""
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
PROGRAMS = ("cli", "bench", "samples", "preview")


def read_law(path):
    """Returns {room: set of rooms it may include} and {public header: room}."""
    rooms, public = {}, {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = re.fullmatch(r"(public )?([\w/.]+):((?: [a-z]+)*)", line)
        if not match:
            raise SystemExit(f"not ok {path}:{number}: a line is 'room: rooms' or 'public bakewell/x.h: room'")
        names = match[3].split()
        if match[1]:
            public[match[2]] = names[0]
        else:
            rooms[match[2]] = set(names)
    return rooms, public


def find_cycle(rooms):
    """Returns the rooms of one cycle, or None."""
    done, trail = set(), []

    def visit(room):
        if room in trail:
            return trail[trail.index(room):] + [room]
        if room in done:
            return None
        trail.append(room)
        for seen in sorted(rooms.get(room, ())):
            cycle = visit(seen)
            if cycle:
                return cycle
        trail.pop()
        done.add(room)
        return None

    return next((cycle for cycle in map(visit, sorted(rooms)) if cycle), None)


def includes(path):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] == "<", match[2]


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".c", ".h", ".def")) if folder.is_dir() else []


class Check:
    def __init__(self, root):
        self.root = root
        self.rooms, self.public = read_law(root / "src/LAYERS")
        # A table belongs to the header that spells it out.
        for header in list(self.public):
            for _, _, name in includes(root / "include" / header):
                if name.endswith(".def"):
                    self.public[name] = self.public[header]
        self.findings = []
        self.include_count = 0

    def find(self, place, why):
        self.findings.append(f"{place}: {why}")

    def room_of(self, path):
        parts = path.relative_to(self.root / "src").parts
        return parts[0] if len(parts) > 1 else path.stem

    def target_room(self, name):
        """The room that an include names; None if it is no file of ours."""
        if name.startswith("bakewell/"):
            return self.public.get(name, "?")
        first = name.split("/")[0]
        return first if "/" in name and first in self.rooms else Path(name).stem if (self.root / "src" / name).is_file() else None

    def may_meet(self, path, name):
        """Within `read`: a format's folder sees itself and what stands beside it; what stands beside the folders sees all."""
        format_folder = path.parent.relative_to(self.root / "src")
        return len(format_folder.parts) == 1 or Path(name).parent in (format_folder, Path("read"))

    def check_room_file(self, path):
        room = self.room_of(path)
        for number, system, name in includes(path):
            self.include_count += 1
            place = f"{path.relative_to(self.root)}:{number}"
            target = self.target_room(name)
            if target is None:
                if not system:
                    self.find(place, f'"{name}" is no header below src/ or include/; includes are written from there')
            elif target == "?":
                self.find(place, f"{name} has no 'public' line in src/LAYERS")
            elif target != room and target not in self.rooms[room]:
                self.find(place, f"room '{room}' may not include '{name}' of room '{target}' (src/LAYERS)")
            elif name.endswith("_priv.h") and Path(name).parent != path.parent.relative_to(self.root / "src"):
                self.find(place, f"{name} is private to its folder")
            elif room == target == "read" and not self.may_meet(path, name):
                self.find(place, f"formats never meet: {name} belongs to another one")

    def check_program_file(self, path):
        for number, system, name in includes(path):
            self.include_count += 1
            own = not system and (path.parent / name).is_file() and "/" not in name
            if not own and not (name.startswith("bakewell/") and (self.root / "include" / name).is_file()) and (
                    not system or (self.root / "src" / name).exists()):
                self.find(f"{path.relative_to(self.root)}:{number}", f"a program may include public headers only, not '{name}'")

    def check_public_file(self, path):
        for number, system, name in includes(path):
            self.include_count += 1
            if not system and not name.startswith("bakewell/"):
                self.find(f"{path.relative_to(self.root)}:{number}", f"a public header may not include '{name}'")

    def run(self):
        src = self.root / "src"
        cycle = find_cycle(self.rooms)
        if cycle:
            self.find("src/LAYERS", "rooms include each other in a circle: " + " > ".join(cycle))
        for room, seen in self.rooms.items():
            for other in sorted(seen - set(self.rooms)):
                self.find("src/LAYERS", f"room '{room}' names '{other}', which has no line of its own")
        for folder in sorted(p.name for p in src.iterdir() if p.is_dir()):
            if folder not in self.rooms:
                self.find(f"src/{folder}", "the folder has no line in src/LAYERS")
        files = [p for p in sources(src) if self.room_of(p) in self.rooms]
        for path in files:
            self.check_room_file(path)
        programs = [p for name in PROGRAMS for p in sources(self.root / name)]
        for path in programs:
            self.check_program_file(path)
        headers = sources(self.root / "include")
        for path in headers:
            self.check_public_file(path)
        return len(files) + len(programs) + len(headers)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent).resolve()
    check = Check(root)
    file_count = check.run()
    for finding in check.findings:
        print(f"not ok {finding}")
    if not check.findings and check.include_count:
        print(f"ok all ({file_count} files, {check.include_count} includes)")
    elif not check.findings:
        print("not ok all: no include was found to check")
    return 1 if check.findings or not check.include_count else 0


if __name__ == "__main__":
    sys.exit(main())
