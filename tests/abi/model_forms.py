# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""The two usual forms of a program of the model, and one that tries its names, compile without a
warning and run in both roles: every compiler, C11 to C++20. Speaks TAP."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang", "clang++")}
STANDARDS = {"c11": "c", "gnu11": "c", "c17": "c", "c++11": "c++", "c++17": "c++", "c++20": "c++"}
WARNINGS = ["-pedantic", "-Wall", "-Wextra", "-Werror"]
PROGRAMS = {"form_a": "submitted: Success\n", "form_b": "", "names": ""}
PCAP_LEN = 24 + 16 + 1500  # header of the file, header of the frame, the frame


def environment(libraries, **more):
    """No variable of ours but these; what the library says goes nowhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SOFTDOCA_")}
    return kept | {"LD_LIBRARY_PATH": ":".join(libraries), "LC_ALL": "C", "SOFTDOCA_QUIET": "1",
                   **more}


def compile_program(compiler, standard, source, target, arguments):
    """What the compiler says if it refuses, else nothing."""
    language = STANDARDS[standard]
    command = [COMPILERS[compiler][language == "c++"], f"-std={standard}", *WARNINGS,
               "-I", arguments.include, "-x", language, source, "-x", "none", "-o", target]
    command += [f"-L{folder}" for folder in arguments.library_dir]
    command += [f"-Wl,-rpath-link,{folder}" for folder in arguments.library_dir]
    done = subprocess.run([*command, "-lsoftdoca_model", "-ldoca_common"], capture_output=True,
                          text=True, env=environment([]), check=False)
    return done.stderr if done.returncode else ""


def run_program(name, target, role, folder, arguments):
    """What is wrong with a run."""
    pcap = folder / "frames.pcap"
    pcap.unlink(missing_ok=True)
    done = subprocess.run([target], capture_output=True, text=True, check=False, timeout=60,
                          env=environment(arguments.library_dir, SOFTDOCA_ROLE=role,
                                          SOFTDOCA_MODEL_PCAP=str(pcap)))
    if done.returncode != 0 or done.stdout != PROGRAMS[name]:
        yield f"as {role}: status {done.returncode}, output {done.stdout!r}, {done.stderr}"
    if name == "form_a" and pcap.stat().st_size != PCAP_LEN:
        yield f"as {role}: the pcap file has {pcap.stat().st_size} bytes, not {PCAP_LEN}"


def check(compiler, standard, arguments):
    """All programs with one compiler and standard: what is wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for program in PROGRAMS:
            target = folder / program
            said = compile_program(compiler, standard, arguments.programs / f"{program}.c", target,
                                   arguments)
            if said:
                yield f"{program}: {said}"
                continue
            for role in ("host", "dpu"):
                for wrong in run_program(program, target, role, folder, arguments):
                    yield f"{program} {wrong}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", required=True, help="folder of the headers")
    parser.add_argument("--programs", type=Path, required=True, help="folder of the sources")
    parser.add_argument("--library-dir", action="append", required=True,
                        help="a folder of the libraries; may be given again")
    arguments = parser.parse_args()

    cases = [(compiler, standard) for compiler in COMPILERS for standard in STANDARDS]
    print(f"1..{len(cases)}")
    is_good = True
    for number, (compiler, standard) in enumerate(cases, 1):
        title = f"{number} - {compiler} -std={standard}"
        if not shutil.which(COMPILERS[compiler][STANDARDS[standard] == "c++"]):
            print(f"ok {title} # SKIP {compiler} is not installed", flush=True)
            continue
        wrong = list(check(compiler, standard, arguments))
        print(f"{'not ok' if wrong else 'ok'} {title}")
        for line in "\n".join(wrong).splitlines():
            print(f"# {line}")
        sys.stdout.flush()
        is_good = is_good and not wrong
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
