# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""Each built library exports what its table says, under the names and with the flags that users
link against, and needs nothing at run time but the C and C++ run time and our own libraries."""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import tables

PUBLIC = "DOCA_2"
# What only this project offers: the node of each library that has such functions.
OWN = {"common": "SOFTDOCA_1", "model": "SOFTDOCA_MODEL_1"}
RUNTIME = re.compile(r"(libc|libm|libgcc_s|libstdc\+\+|ld-linux[-\w]*)\.so\.\d+$")
OURS = re.compile(r"libdoca_\w+\.so\.2$")
SYMBOL = re.compile(r"^\s*\d+:\s+[0-9a-f]+\s+\S+\s+(\w+)\s+(\w+)\s+(\w+)\s+(?:\[.*\]\s+)?(\S+)"
                    r"\s+(\S+)")
DYNAMIC = re.compile(r"^\s*0x[0-9a-f]+\s+\((\w+)\)\s+(.*)$")


def readelf(library, *options):
    done = subprocess.run(["readelf", "-W", *options, library], capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"}, check=False)
    if done.returncode != 0 or "Error" in done.stderr:
        sys.exit(f"readelf {library}: {done.stderr.strip()}")
    return done.stdout.splitlines()


def defined_symbols(library):
    """(name, version, type, binding) of all that the library exports; version "" for none."""
    for line in readelf(library, "--dyn-syms"):
        match = SYMBOL.match(line)
        if not match:
            continue
        kind, binding, _, section, name = match.groups()
        if section != "UND" and binding != "LOCAL":
            name, _, version = name.partition("@")
            yield name, version.lstrip("@"), kind, binding


def check_symbols(library, path, private, own_wanted):
    """The public node holds the table's functions, our own that of include/softdoca/; all else is in
    the private node, or hidden. The model exports nothing but its own, and no doca_ name."""
    public, own = set(), set()
    own_node = OWN.get(library, "none")
    for name, version, kind, binding in defined_symbols(path):
        if name in (PUBLIC, own_node, private):
            continue  # the node itself
        if library == "model" and not name.startswith(("softdoca_model_", "softdoca_error_")):
            yield f"{name} is no name of the model"
        if version in (PUBLIC, own_node):
            (public if version == PUBLIC else own).add(name)
            if kind != "FUNC" or binding != "GLOBAL":
                yield f"{name} is a {binding} {kind}, not a function"
        elif version != private or library != "common":
            yield f"{name} is exported in {version or 'no node'}"
        elif not name.startswith("_Z"):
            yield f"{name} is a C name in the private node {private}"
    wanted = tables.exports(library)
    yield from (f"{name} is missing in {PUBLIC}" for name in sorted(wanted - public))
    yield from (f"{name} is in {PUBLIC} and in no table" for name in sorted(public - wanted))
    yield from (f"{name} is in one of {own_node} and include/softdoca/ only"
                for name in sorted(own ^ own_wanted))


def soname(library, release):
    """That of DOCA's libraries is the vendor's, that of the model follows our version."""
    if library == "model":
        return f"libsoftdoca_model.so.{release.split('.')[0]}"
    return f"libdoca_{library}.so.2"


def check_dynamic(library, path, release, allowed):
    """The name, the flags and the needs."""
    entries = [match.groups() for match in map(DYNAMIC.match, readelf(path, "-d")) if match]
    wanted = soname(library, release)
    sonames = [quoted(value) for tag, value in entries if tag == "SONAME"]
    if sonames != [wanted]:
        yield f"the SONAME is {sonames}, not {wanted}"
    if not any(tag == "FLAGS_1" and "NODELETE" in value for tag, value in entries):
        yield "the flag NODELETE is missing (-z nodelete)"
    for tag, value in entries:
        if tag == "NEEDED" and not is_allowed(quoted(value), allowed):
            yield f"it needs {quoted(value)}"
        if tag == "TEXTREL":
            yield "it has text relocations"


def quoted(value):
    """The name in "Shared library: [libc.so.6]"."""
    return value[value.index("[") + 1:value.rindex("]")]


def is_allowed(needed, allowed):
    return bool(RUNTIME.match(needed) or OURS.match(needed)) or needed.startswith(tuple(allowed))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=Path, required=True, help="folder of the headers")
    parser.add_argument("--release", required=True, help="our version, as in the private node")
    parser.add_argument("--allow-needed", action="append", default=[], metavar="NAME",
                        help="a library of the tool chain (sanitizers) that may be needed")
    parser.add_argument("libraries", nargs="+", metavar="NAME=FILE", help="common=libdoca_com...")
    arguments = parser.parse_args()

    private = f"SOFTDOCA_PRIVATE_{arguments.release}"
    failures = []
    for library, path in (word.split("=", 1) for word in arguments.libraries):
        own = tables.own_functions(arguments.include, library)
        found = [*check_symbols(library, path, private, own),
                 *check_dynamic(library, path, arguments.release, arguments.allow_needed)]
        failures += [f"{Path(path).name}: {failure}" for failure in found]
        print(f"{Path(path).name}: {len(tables.exports(library) | own)} functions expected, "
              f"{len(found)} faults")
    return "\n".join(failures) or 0


if __name__ == "__main__":
    sys.exit(main())
