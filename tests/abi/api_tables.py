# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""The public headers declare what the API tables say: nothing missing, different or extra."""

import argparse
import re
import subprocess
import sys
from pathlib import Path

import tables
from c_header import Header, UnknownDeclaration, spell, tokens

# Where the headers may differ from the rows, and why. A value replaces that of the table.
LEVEL = "the API level is 3.3"
NEEDED = "without it its own declarations do not compile in C"
NOTE = "gives an unchanged program the role that it was compiled for"
REPLACED = {
    ("doca_version.h", "DOCA_VERSION_MINOR"): ("3", LEVEL),
    ("doca_version.h", "DOCA_VERSION_PATCH"): ("0", LEVEL),
    ("doca_version.h", "DOCA_VERSION_STRING"): ('"3.3.0000"', LEVEL),
    ("doca_pe.h", "DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_REQUESTED"):
        ("4", "the table knows the name only; the next free bit"),
}
ADDED = {
    ("doca_clock.h", "opaque struct doca_dev"): NEEDED,
    ("doca_clock.h", "opaque struct doca_devinfo"): NEEDED,
    ("doca_build_config.h", "variable softdoca_role_note"): NOTE,
}
# The flavour macros: which of them a file defines is its flavour, see headers_alone.py.
FLAVOUR = ("DOCA_ARCH_DPU", "DOCA_ARCH_HOST", "DOCA_ARCH_X86", "DOCA_ARCH_ARM")

# What the function-like macros with a constant result do, as the tables describe it.
CONSTANTS = [
    ("doca_version.h", "DOCA_VERSION_CALC_EXACT(3, 2, 58) == (3u << 24 | 2u << 16 | 58u)"),
    ("doca_version.h", "DOCA_VERSION_CALC(3, 2, 1) == (3u << 24 | 2u << 16 | 1000u)"),
    ("doca_version.h", "DOCA_VERSION_EXACT == DOCA_VERSION_CALC_EXACT(3, 3, 0)"),
    ("doca_version.h", "DOCA_VERSION_OFFICIAL == DOCA_VERSION_CALC(3, 3, 0)"),
    ("doca_version.h", "DOCA_VERSION_EQ_CURRENT(3, 3, 0) && !DOCA_VERSION_EQ_CURRENT(3, 2, 0)"),
    ("doca_version.h", "DOCA_VERSION_LTE_CURRENT(3, 2, 9) && DOCA_VERSION_LTE_CURRENT(3, 3, 0)"),
    ("doca_version.h", "!DOCA_VERSION_LTE_CURRENT(3, 4, 0)"),
    ("doca_version.h", "sizeof(DOCA_VERSION_EXACT) == sizeof(size_t)"),
    ("doca_error.h", "DOCA_IS_ERROR(DOCA_ERROR_UNKNOWN) && !DOCA_IS_ERROR(DOCA_SUCCESS)"),
    ("doca_bitfield.h", "DOCA_U8_GENMASK(5, 2) == 0x3c && DOCA_U8_GENMASK(7, 0) == 0xff"),
]


class Expected:
    """What the tables want of one header."""

    def __init__(self):
        self.declarations = {}
        self.stability = {}
        self.enums = {}   # enum -> {name: value}
        self.macros = {}  # name -> name with parameters
        self.values = {}  # object-like macro -> what it stands for
        self.includes = None


def with_name(pointer_type, name):
    """A callback type of the tables, with the name in its place."""
    if "function type, not pointer" in pointer_type:
        return pointer_type.split("  [")[0].replace("(", f"{name}(", 1)
    return pointer_type.replace("(*)", f"(*{name})", 1)


def add_function(want, row):
    name = row["function"]
    parameters = row["params"].replace(";", ",")
    want.declarations[f"function {name}"] = spell(
        tokens(f"{row['return_type']} {name}({parameters})"))
    want.stability[name] = row["stability"].split()[0]


def add_macro(want, header, name, value):
    plain = name.split("(")[0]
    want.macros[plain] = name.replace(" ", "")
    value = REPLACED.get((header, plain), (value,))[0]
    constant = re.match(r'(-?\d+|0x[0-9a-fA-F]+|"[^"]*"|false|true)( \(.*)?$', value)
    if constant:
        want.values[plain] = spell(tokens(constant.group(1)))
    elif value.startswith("defined empty"):
        want.values[plain] = ""


def add_type(want, row):
    kind, name, value = row["kind"], row["name"], row["members_or_value"]
    if kind.startswith("struct (opaque"):
        want.declarations[f"opaque struct {name}"] = ""
    elif kind in ("struct", "union"):
        want.declarations[f"{kind} {name}"] = spell(tokens(value + ";"))
    elif kind == "enum":
        want.declarations[f"enum {name}"] = ""
        want.enums[name] = dict(member.strip().split("=") for member in value.split(";"))
    elif kind == "enum constant":
        owner = re.match(r"enum (\w+):", value).group(1)
        constant = re.search(rf"{name}=(\d+)$", value)
        replaced = REPLACED.get((row["header"], name))
        want.enums[owner][name] = replaced[0] if replaced else constant.group(1)
    elif kind == "typedef":
        want.declarations[f"typedef {name}"] = spell(tokens(f"typedef {value} {name}"))
    elif kind == "callback typedef":
        want.declarations[f"typedef {name}"] = spell(tokens("typedef " + with_name(value, name)))
    elif kind == "macro":
        add_macro(want, row["header"], name, value)
    else:
        raise ValueError(f"kind {kind} of {name}")


def read_tables(failures):
    """The expectations for all headers, and the macros that only users define."""
    wanted = {header: Expected() for header in tables.headers()}
    options, seen, twice = set(), set(), set()
    for row in tables.functions():
        add_function(wanted[row["header"]], row)
    for row in tables.types():
        if not row["header"].endswith(".h"):
            options.add(row["name"])
            continue
        if not row["kind"].startswith(("enum constant", "struct (opaque", "macro")):
            what = (row["header"], f"{row['kind']} {row['name']}")
            twice |= {what} & seen
            seen.add(what)
        add_type(wanted[row["header"]], row)
    for row in tables.rows("includes.tsv"):
        if row["header"] in wanted:
            want = wanted[row["header"]]
            if want.includes is not None:
                twice.add((row["header"], "includes"))
            want.includes = set(filter(None, re.split(r",\s*", row["includes"] or "")))
    for what in twice ^ set(tables.TWICE):
        failures.append(f"the tables, {what}: comes twice or is in TWICE, but not both")
    return wanted, options


def compare(failures, header, what, wanted, found):
    """Both are dictionaries."""
    for name in sorted(wanted.keys() - found.keys()):
        failures.append(f"{header}: {what}{name} is missing")
    for name in sorted(found.keys() - wanted.keys()):
        if (header, name) not in ADDED:
            failures.append(f"{header}: {what}{name} is extra, it is in no table")
    for name in sorted(wanted.keys() & found.keys()):
        if wanted[name] != found[name]:
            failures.append(f"{header}: {what}{name} differs\n"
                            f"    table:  {wanted[name]}\n    header: {found[name]}")


def check_macros(failures, want, header, options):
    macros = dict(header.macros)
    wanted = dict(want.macros)
    if header.name == "doca_build_config.h":
        for name in FLAVOUR:
            if name in header.undefined or name == "DOCA_ARCH_DPU":
                macros.setdefault(name, name)
    compare(failures, header.name, "macro ", wanted, macros)
    for name in sorted(options & (header.macros.keys() | header.undefined)):
        failures.append(f"{header.name}: macro {name} is for users to define")
    values = {name: value for name, value in want.values.items()
              if name in header.macros and name not in FLAVOUR}
    compare(failures, header.name, "value of macro ", values, header.expand(list(values)))


def check_header(failures, want, header, options):
    compare(failures, header.name, "", want.declarations, header.declarations)
    for name, marker in want.stability.items():
        found = header.stability.get(name, marker)
        if marker != found and not (marker == "unknown" and found in ("STABLE", "EXPERIMENTAL")):
            failures.append(f"{header.name}: {name} is {found}, the table says {marker}")
    for enum, members in want.enums.items():
        compare(failures, header.name, f"enum {enum}: ", dict.fromkeys(members),
                dict.fromkeys(header.enumerators.get(enum, members)))
    compare(failures, header.name, "#include ", dict.fromkeys(want.includes or ()),
            dict.fromkeys(header.includes))
    check_macros(failures, want, header, options)


def check_constants(failures, compiler, folder, wanted):
    """Values of enumerators and macros, by the compiler itself."""
    claims = list(CONSTANTS)
    for header, want in wanted.items():
        for members in want.enums.values():
            claims += [(header, f"{name} == {value}") for name, value in members.items()]
    text = "".join(f"#include <{header}>\n" for header in wanted)
    for header, claim in claims:
        text += f'_Static_assert({claim}, "@{header}: {claim}@");\n'
    done = subprocess.run([*compiler, "-x", "c", "-fsyntax-only", f"-I{folder}", "-"], input=text,
                          capture_output=True, text=True, check=False)
    untrue = sorted(set(re.findall(r"@(.*?)@", done.stderr)))
    failures += [f"{claim} is not true" for claim in untrue]
    if done.returncode != 0 and not untrue:
        failures.append(done.stderr)
    return len(claims)


def check_files(failures, include, wanted):
    """No header of the tables is missing, no other is in the folder (softdoca/ is ours alone)."""
    there = {str(path.relative_to(include)) for path in include.rglob("*.h")}
    there = {name for name in there if not name.startswith("softdoca/")}
    right = set(wanted) | {"dpu/doca_build_config.h"}
    failures += [f"{name} is missing" for name in sorted(right - there)]
    failures += [f"{name} is extra, it is in no table" for name in sorted(there - right)]
    return right & there


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=Path, required=True, help="folder of the headers")
    parser.add_argument("compiler", nargs="+", help="a C compiler: the words of its command")
    arguments = parser.parse_args()
    include = arguments.include.resolve()

    failures = []
    wanted, options = read_tables(failures)
    files = check_files(failures, include, wanted)
    for name in sorted(files):
        folders = [include / "dpu", include] if name.startswith("dpu/") else [include]
        try:
            header = Header(arguments.compiler, folders, Path(name).name)
            check_header(failures, wanted[header.name], header, options)
        except UnknownDeclaration as unknown:
            failures.append(f"{name}: cannot read: {unknown}")
    num_constants = check_constants(failures, arguments.compiler, include, wanted)
    if failures:
        return "\n".join(failures)
    print(f"{len(files)} headers, {len(tables.functions())} functions, "
          f"{len(tables.types())} rows of types, {num_constants} constants: "
          "0 missing, 0 different, 0 extra")
    return 0


if __name__ == "__main__":
    sys.exit(main())
