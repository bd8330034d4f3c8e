# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""The C++ layer (softdoca/doca.hpp) stands on the public C API alone, so that it serves with every
implementation of that: each of its headers compiles by itself in a folder that has nothing but the
public C headers, with both compilers, in both flavours, and without a call that is marked
experimental; and programs that use it ask for no symbol outside the API tables."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tables

COMPILERS = ("g++", "clang++")
OPTIONS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-pedantic", "-Wconversion",
           "-Wshadow", "-Werror"]
SYSTEM = {"sys/epoll.h", "unistd.h"}  # what the standard library does not have
EXPERIMENTAL = {"objects.hpp"}  # says so


def layer(include):
    """The headers of the layer."""
    return [include / "softdoca/doca.hpp", *sorted((include / "softdoca/doca").glob("*.hpp"))]


def check_includes(include):
    """Standard headers, public C headers and itself."""
    faults = []
    public = set(tables.headers())
    for header in layer(include):
        for form, name in re.findall(r'^#include ([<"])([^>"]+)[>"]', header.read_text("utf-8"),
                                     re.MULTILINE):
            is_own = form == '"' and (header.parent / name) in layer(include)
            is_standard = form == "<" and re.fullmatch(r"[a-z_]+", name)
            if not (is_own or is_standard or name in public or name in SYSTEM):
                faults.append(f"{header.name} includes {name}")
    return faults


def bare_copy(include, folder):
    """A folder of public C headers and the layer."""
    for name in tables.headers():
        if (include / name).exists():
            shutil.copy(include / name, folder)
    for name in ("doca_build_config.h", "dpu/doca_build_config.h"):
        target = folder / name
        target.parent.mkdir(exist_ok=True)
        shutil.copy(include / name, target)
    for header in layer(include):
        target = folder / header.relative_to(include)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(header, target)


def compile_alone(compiler, folder, flavour, header):
    """Empty if it compiles by itself, else what the compiler says."""
    defines = ["-DDOCA_ALLOW_EXPERIMENTAL_API"] if header.name in EXPERIMENTAL else []
    done = subprocess.run(
        [compiler, *OPTIONS, *defines, *flavour, "-I", str(folder), "-x", "c++",
         "-include", str(header), "/dev/null"], capture_output=True, text=True, check=False)
    return f"{compiler}: {header.name}\n{done.stderr}" if done.returncode != 0 else ""


def check_alone(include):
    """Each header by itself as the host; all of them as the DPU."""
    with tempfile.TemporaryDirectory() as text, ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = Path(text)
        bare_copy(include, folder)
        runs = []
        for compiler in COMPILERS:
            if shutil.which(compiler) is None:
                print(f"# {compiler} is not here: not tried")
                continue
            runs += [pool.submit(compile_alone, compiler, folder, [], header)
                     for header in layer(folder)]
            runs.append(pool.submit(compile_alone, compiler, folder, ["-I", str(folder / "dpu")],
                                    folder / "softdoca/doca.hpp"))
        return [run.result() for run in runs if run.result()]


def undefined(path):
    """The symbols that a program asks its libraries for."""
    done = subprocess.run(["nm", "-D", "-u", str(path)], capture_output=True, text=True, check=True)
    return {line.split()[-1].split("@")[0] for line in done.stdout.splitlines() if line.strip()}


def check_symbols(programs):
    """None of ours beside the tables, and a good part of the tables indeed."""
    public = set().union(*(tables.exports(library) for library in ("common", "dma", "comch")))
    faults, used = [], set()
    for path in programs:
        for symbol in undefined(path):
            if symbol in public:
                used.add(symbol)
            elif "doca" in symbol:
                faults.append(f"{path} uses {symbol}, which is in no table")
    if len(used) < 100:
        faults.append(f"only {len(used)} calls are used: these are not the right programs")
    return faults


def main():
    """Prints what is wrong; the status says whether anything is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=Path, required=True)
    parser.add_argument("programs", type=Path, nargs="+")
    args = parser.parse_args()
    faults = check_includes(args.include) + check_alone(args.include)
    faults += check_symbols(args.programs)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
