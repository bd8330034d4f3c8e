# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""The rules of the source tree that a reader relies on: a C function stands in the file of its
object, a layer includes only what is to its left, programs use public headers only, and every
source says its licence."""

import argparse
import re
import sys
from pathlib import Path

import tables

# What the sources of a folder may include of ours, itself aside. First match wins.
LAYERS = {
    "src/base": ["include/doca_error.h"],
    "src/fabric": ["src/base", "include/doca_error.h", "include/doca_types.h"],
    "src/common": ["src/base", "src/fabric", "include:common", "include/softdoca"],
    "src/dma": ["src/base", "src/fabric", "src/common", "include:common", "include:dma"],
    "src/comch": ["src/base", "src/fabric", "src/common", "include:common", "include:comch"],
    "src/model": ["src/base", "src/fabric", "src/common", "include:common", "include/softdoca"],
    "src/argp": ["src/base", "src/common", "include:common", "include:argp"],
    "src": [],
    "tools": ["src/base", "src/fabric", "include"],
    "samples": ["include"],
    "applications": ["samples", "include"],
    "tests/fuzz": ["src/base", "src/fabric", "tests", "include"],
    "tests/unit/fabric": ["src/base", "src/fabric", "tests", "include"],
    "tests": ["src/base", "bench", "include"],
    "bench": ["src/base", "include"],
    "include": [],
}
SOURCES = {".c", ".cpp", ".h", ".hpp"}
LICENSED = SOURCES | {".py", ".sh", ".build", ".ini", ".map", ".in"}
FOLDERS = ("include", "src", "tools", "samples", "applications", "tests", "bench",
           "packaging", ".ci")

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
NOT_CODE = re.compile(r'R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                      r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'"
                      r"|//[^\n]*|/\*.*?\*/|^\s*#(?:[^\n\\]|\\.|\\\n)*",
                      re.DOTALL | re.MULTILINE)
DEFINITION = re.compile(r"(?<![\w:])(doca_\w+)\s*\([^{}]*\)\s*(?:noexcept\s*)?$")
TRANSPARENT = re.compile(r"(?:\bnamespace(?:\s+[\w:]+)?|\bextern)\s*$")


def sources(root, folder, suffixes):
    return sorted(path for path in (root / folder).rglob("*")
                  if path.suffix in suffixes and path.is_file())


def definitions(text):
    """The names of the C functions that a file defines at file or namespace level."""
    code = NOT_CODE.sub(" ", text)
    statement, depth, opened = 0, 0, []
    for match in re.finditer(r"[{};]", code):
        if match.group() == "{":
            before = code[statement:match.start()]
            is_transparent = depth == 0 and TRANSPARENT.search(before) is not None
            if depth == 0 and not is_transparent:
                name = DEFINITION.search(before.rstrip())
                if name:
                    yield name.group(1)
            opened.append(is_transparent)
            depth += 0 if is_transparent else 1
        elif match.group() == "}" and opened:
            depth -= 0 if opened.pop() else 1
        if depth == 0:
            statement = match.end()


def right_files(row, stems, objects):
    """The files where a function may stand: that of the longest name that has one, or parts of it
    (mmap.cpp, mmap_export.cpp; but not buf_pool.cpp for buf: a pool is an object of its own)."""
    name = row["function"].removeprefix("doca_")
    name = re.sub("^devinfo_", "dev_", name)  # a devinfo lives with its device
    names = {name, name.removeprefix(row["library"] + "_")}
    fitting = [stem for stem in stems if any(f"{n}_".startswith(f"{stem}_") for n in names)]
    if not fitting:
        return set()
    longest = max(fitting, key=len)
    return {longest} | {stem for stem in stems if stem.startswith(f"{longest}_")
                        and f"doca_{stem}" not in objects}


def check_places(root):
    """Each function is defined once, in the file that its name leads to."""
    objects = {row["name"] for row in tables.types() if row["kind"].startswith("struct")}
    defined = {path: set(definitions(path.read_text(encoding="utf-8")))
               for path in sources(root, "src", {".cpp"})}
    for row in tables.functions():
        folder = root / "src" / row["library"]
        if row["stability"] == "inline" or not folder.is_dir():
            continue
        name = row["function"]
        stems = {path.stem for path in defined if path.parent == folder}
        right = [str((folder / f"{stem}.cpp").relative_to(root))
                 for stem in sorted(right_files(row, stems, objects))]
        there = [str(path.relative_to(root)) for path in defined if name in defined[path]]
        if len(there) != 1:
            yield f"{name} is defined in {' and '.join(there) or 'no file'}"
        elif there[0] not in right:
            yield f"{name} is in {there[0]}; its name leads to {' or '.join(right) or 'no file'}"


def area_of(path):
    """The entry of LAYERS that a file belongs to."""
    return next(area for area in LAYERS if path.startswith(area + "/"))


def is_allowed(user, used, library_of):
    """May a file of one area include this header?"""
    area = area_of(user)
    if area_of(used) == area:
        return True
    for entry in LAYERS[area]:
        if used == entry or used.startswith(entry + "/"):
            return True
        if entry.startswith("include:") and library_of.get(used) == entry.split(":")[1]:
            return True
    return False


def check_includes(root):
    """No include points to the right, into another program's folder or into tests/ and tools/."""
    own = [path for folder in FOLDERS for path in sources(root, folder, SOURCES)]
    headers = {str(path.relative_to(root)) for path in own if path.suffix in (".h", ".hpp")}
    library_of = {f"include/{header}": "common" for header in tables.headers()}
    library_of |= {f"include/{row['header']}": row["library"] for row in tables.functions()}
    for path in own:
        user = str(path.relative_to(root))
        for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
            nearest = (path.parent / included).resolve()
            if nearest.is_file() and nearest.is_relative_to(root):
                found = {str(nearest.relative_to(root))}
            else:
                found = {name for name in headers if name.endswith(f"/{included}")}
            if found and not any(is_allowed(user, name, library_of) for name in found):
                yield f"{user} includes {' or '.join(sorted(found))}, which it may not use"


def check_licences(root):
    """Each source begins with the SPDX line; C, C++ and Python have the copyright line too."""
    files = [path for folder in FOLDERS for path in sources(root, folder, LICENSED)]
    files += [path for path in (root / "dev", *root.glob("*.build"), *(root / ".ci").glob("*"))
              if path.is_file()]
    for path in sorted(set(files)):
        head = path.read_text(encoding="utf-8").splitlines()[:4]
        name = path.relative_to(root)
        if not any("SPDX-License-Identifier: BSD-3-Clause" in line for line in head):
            yield f"{name}: the first lines lack SPDX-License-Identifier: BSD-3-Clause"
        if path.suffix in SOURCES | {".py"} and not any("Copyright (c)" in line for line in head):
            yield f"{name}: the first lines lack the copyright line"


CHECKS = {"places": check_places, "includes": check_includes, "licences": check_licences}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="top of the source tree")
    parser.add_argument("check", choices=CHECKS)
    arguments = parser.parse_args()
    failures = list(CHECKS[arguments.check](arguments.root.resolve()))
    if not failures:
        print(f"{arguments.check}: nothing to complain of")
    return "\n".join(failures) or 0


if __name__ == "__main__":
    sys.exit(main())
