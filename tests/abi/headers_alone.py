# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""Each public header compiles alone, warning-free, in C and C++, with both compilers and in both
flavours; each flavour says which it is, once, and leaves its note in the object file."""

import argparse
import itertools
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tables

COMPILERS = {"gcc": {"c11": "gcc", "c++20": "g++"}, "clang": {"c11": "clang", "c++20": "clang++"}}
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror"]

# name of the flavour: folders in front of include/, defines, the macro that must be there
FLAVOURS = {
    "host": ([], [], "HOST"),
    "dpu": (["dpu"], [], "DPU"),
    "host headers with -DDOCA_ARCH_DPU": ([], ["-DDOCA_ARCH_DPU"], "DPU"),
    "dpu headers with -DDOCA_ARCH_DPU": (["dpu"], ["-DDOCA_ARCH_DPU"], "DPU"),
}

MAIN = "int main(void) { return 0; }\n"

FLAVOUR_CHECK = """
#include <doca_config.h>
#if defined(DOCA_ARCH_DPU) + defined(DOCA_ARCH_HOST) != 1
#error exactly one of DOCA_ARCH_DPU and DOCA_ARCH_HOST must be defined
#endif
#ifndef DOCA_ARCH_{expected}
#error DOCA_ARCH_{expected} must be defined
#endif
#if (defined(__x86_64__) || defined(__aarch64__)) && \\
    defined(DOCA_ARCH_X86) + defined(DOCA_ARCH_ARM) != 1
#error exactly one of DOCA_ARCH_X86 and DOCA_ARCH_ARM must be defined
#endif
#if defined(__x86_64__) && !defined(DOCA_ARCH_X86)
#error DOCA_ARCH_X86 must be defined
#endif
"""

EXPERIMENTAL_CHECK = """
#include <doca_version.h>
const char *use_it(void);
const char *use_it(void) { return doca_version_runtime(); }
"""


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def compile_files(command, files):
    """Empty when the files compile, else what the compiler says."""
    done = subprocess.run([*command, *map(str, files)], capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"}, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def role_note(object_file):
    """The role in the first note "SoftDOCA" of an object file: 1 host, 2 DPU, 0 without a note."""
    image = object_file.read_bytes()
    order = "<" if image[5] == 1 else ">"
    note = struct.pack(order + "III12s", 9, 4, 1, b"SoftDOCA")
    at = image.find(note)
    return struct.unpack_from(order + "I", image, at + len(note))[0] if at >= 0 else 0


def check_flavour(command, suffix, flavour, folder):
    """The macros of a flavour and the note in the object file."""
    _, defines, expected = FLAVOURS[flavour]
    source = write(folder / f"flavour{suffix}", FLAVOUR_CHECK.format(expected=expected) + MAIN)
    failures = []
    wanted = {"DPU": 2, "HOST": 1}[expected]
    for note_define, wanted_role in ([], wanted), (["-DSOFTDOCA_NO_ROLE_NOTE"], 0):
        target = folder / "flavour.o"
        said = compile_files([*command, *note_define, *defines, "-c", "-o", str(target)], [source])
        if said:
            failures.append(said)
        elif role_note(target) != wanted_role:
            failures.append(f"role note is {role_note(target)}, expected {wanted_role}")
    return failures


def check_experimental(command, suffix, folder):
    """An experimental function warns unless DOCA_ALLOW_EXPERIMENTAL_API is defined."""
    source = write(folder / f"experimental{suffix}", EXPERIMENTAL_CHECK)
    failures = []
    said = compile_files([*command, "-fsyntax-only"], [source])
    if "experimental" not in said or "doca_version_runtime" not in said:
        failures.append("doca_version_runtime() does not warn without DOCA_ALLOW_EXPERIMENTAL_API")
    said = compile_files([*command, "-fsyntax-only", "-DDOCA_ALLOW_EXPERIMENTAL_API"], [source])
    if said:
        failures.append(f"with DOCA_ALLOW_EXPERIMENTAL_API: {said}")
    return failures


def check(compiler, standard, flavour, include):
    """All headers and the flavour with one compiler, language and flavour: a list of failures."""
    folders, defines, _ = FLAVOURS[flavour]
    command = [COMPILERS[compiler][standard], f"-std={standard}", *WARNINGS]
    for folder in [*folders, "."]:
        command += ["-I", str(include / folder)]
    suffix = ".c" if standard == "c11" else ".cpp"
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Each header first and alone, and twice; then all together with the markers silenced, and
        # compiled to the end: what is static and unused is only found there.
        headers = tables.headers() + tables.own_headers(include)
        includes = {header: f"#include <{header}>\n" * 2 for header in headers}
        sources = [write(folder / f"{header.replace('/', '_')}{suffix}", text + MAIN)
                   for header, text in includes.items()]
        together = write(folder / f"together{suffix}", "".join(includes.values()) + MAIN)
        alone = ["-fsyntax-only"]
        silenced = ["-DDOCA_ALLOW_EXPERIMENTAL_API", "-DDOCA_ALLOW_DEPRECATED_API", "-c", "-o",
                    str(folder / "together.o")]
        for options, files in (alone, sources), (silenced, [together]):
            said = compile_files([*command, *defines, *options], files)
            if said:
                failures.append(said)
        failures += check_flavour(command, suffix, flavour, folder)
        failures += check_experimental(command, suffix, folder)
    return [f"{compiler} {standard}, {flavour}: {failure}" for failure in failures]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=Path, required=True, help="folder of the headers")
    include = parser.parse_args().include.resolve()

    present = []
    for compiler, names in COMPILERS.items():
        if all(shutil.which(name) for name in names.values()):
            present.append(compiler)
        else:
            print(f"SKIPPED {compiler}: not installed")
    if not present:
        return "no compiler found"

    combinations = list(itertools.product(present, ("c11", "c++20"), FLAVOURS))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda combination: check(*combination, include), combinations)
        failures = [failure for result in results for failure in result]
    if failures:
        return "\n".join(failures)
    print(f"{len(tables.headers() + tables.own_headers(include))} headers, {len(combinations)} combinations of "
          f"{', '.join(present)}, language and flavour: all compile alone")
    return 0


if __name__ == "__main__":
    sys.exit(main())
