# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""The API tables of api/: what the public headers declare and the libraries export, row by row."""

import csv
import re
from pathlib import Path

API = Path(__file__).resolve().parent / "api"
PARTS = ("core", "dma", "comch")

# What stands twice in a table: the later row holds. These, and no others, come twice.
TWICE = {
    ("doca_argp.h", "enum doca_argp_type"): "3.3 took JSON_OBJ out and added the devices",
    ("doca_argp.h", "includes"): "3.3 added doca_dev.h",
}


def rows(*path):
    """The rows of one table as dictionaries."""
    with open(API.joinpath(*path), encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


def functions():
    """All functions: rows with one more column, the library that has them."""
    found = []
    for part in PARTS:
        for row in rows(part, "functions.tsv"):
            library = "common" if part == "core" else part
            row["library"] = "argp" if row["header"] == "doca_argp.h" else library
            found.append(row)
    return found


def types():
    """All types and macros."""
    return [row for part in PARTS for row in rows(part, "types.tsv")]


def exports(library):
    """The names that a library exports: its functions but those that are inline in the header."""
    return {row["function"] for row in functions()
            if row["library"] == library and row["stability"] != "inline"}


def headers():
    """The names of the public headers."""
    names = {row["header"] for row in functions() + types()}
    return sorted(name for name in names if name.endswith(".h"))


def own_headers(include):
    """The headers of what only this project offers, in C."""
    return sorted(str(path.relative_to(include)) for path in include.glob("softdoca/*.h"))


# The library that has what a header of ours declares; those that are not named: common.
OWN_LIBRARIES = {"softdoca/model.h": "model"}


def own_functions(include, library):
    """The functions that those declare, of one library."""
    text = "".join((include / name).read_text(encoding="utf-8") for name in own_headers(include)
                   if OWN_LIBRARIES.get(name, "common") == library)
    return set(re.findall(r"^\w[\w ]*[ *](softdoca_\w+)\(", text, re.MULTILINE))
