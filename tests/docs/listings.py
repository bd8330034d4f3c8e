# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""Compiles and runs the programs that a page of documentation shows, so that the page stays true.
Speaks TAP, one case a program.

A program is a fenced block whose info string begins with c (C11) or cpp (C++20):

    ```c                 compiled as the host, run as the host
    ```cpp dpu           the same with the DPU's headers, run as the DPU
    ```c NAME=VALUE      with this variable in its environment
    ```cpp exit=7        ends with this status (0 if nothing is said)
    ```cpp fragment      not a whole program: left alone

and a block ```text output that directly follows is what it writes to stdout, exactly."""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

FENCE = re.compile(r"^ {0,3}(`{3,})\s*(.*?)\s*$")
LANGUAGES = {"c": ("c", "c11"), "cpp": ("c++", "c++20")}
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic"]


class Block:
    """A fenced block: the line of its fence, the words of its info string, its text."""

    def __init__(self, line, words):
        self.line = line
        self.words = words
        self.text = ""
        self.output = None  # of a program: what it must write
        self.end = line


def blocks(page):
    """All fenced blocks, in order."""
    block = fence = None
    for number, line in enumerate(page.splitlines(), 1):
        match = FENCE.match(line)
        if block is None and match:
            fence, block = match.group(1), Block(number, match.group(2).split())
        elif block is not None and match and match.group(2) == "" and match.group(1) == fence:
            block.end = number
            yield block
            block = None
        elif block is not None:
            block.text += line + "\n"
    if block is not None:
        sys.exit(f"line {block.line}: the block has no end")


def programs(page):
    """The blocks that are whole programs, with their outputs."""
    lines = page.splitlines()
    found, before = [], None
    for block in blocks(page):
        if block.words[:2] == ["text", "output"]:
            between = "".join(lines[before.end:block.line - 1]) if before else "nothing before it"
            if between.strip():
                sys.exit(f"line {block.line}: this output follows no program")
            before.output = block.text
        before = None
        if block.words and block.words[0] in LANGUAGES and "fragment" not in block.words:
            before = block
            found.append(block)
    return found


def environment(arguments, side, words):
    """No variable of ours but those that are asked for."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SOFTDOCA_")}
    wanted = dict(word.split("=", 1) for word in words if "=" in word)
    wanted.pop("exit", None)
    folders = ":".join([*arguments.library_dir, *filter(None, [kept.get("LD_LIBRARY_PATH")])])
    return kept | {"SOFTDOCA_ROLE": side, "LD_LIBRARY_PATH": folders} | wanted


def compile_block(arguments, block, side, target):
    """What the compiler says if it refuses, else nothing."""
    language, standard = LANGUAGES[block.words[0]]
    compiler = arguments.cc if language == "c" else arguments.cxx
    folders = [arguments.include / "dpu"] if side == "dpu" else []
    command = [*shlex.split(compiler), f"-std={standard}", *WARNINGS,
               "-DDOCA_ALLOW_EXPERIMENTAL_API"]
    for folder in [*folders, arguments.include]:
        command += ["-I", folder]
    command += ["-x", language, "-", "-x", "none", "-o", target]
    command += [word for flags in arguments.link for word in shlex.split(flags)]
    done = subprocess.run(command, input=block.text, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def check(arguments, block):
    """What is wrong with one program."""
    side = "dpu" if "dpu" in block.words else "host"
    status = next((int(word[5:]) for word in block.words if word.startswith("exit=")), 0)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "listing"
        said = compile_block(arguments, block, side, target)
        if said:
            return f"does not compile\n{said}"
        try:
            done = subprocess.run([target], capture_output=True, text=True, check=False, timeout=60,
                                  stdin=subprocess.DEVNULL, cwd=folder,
                                  env=environment(arguments, side, block.words))
        except subprocess.TimeoutExpired:
            return "does not end within a minute"
    wrong = ""
    if done.returncode != status:
        wrong += f"ends with status {done.returncode}, not {status}\n"
    if block.output is not None and done.stdout != block.output:
        wrong += f"writes\n{done.stdout}and not\n{block.output}"
    return wrong and wrong + f"on stderr:\n{done.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--doc", type=Path, required=True, help="the page")
    parser.add_argument("--cc", default="cc", help="C compiler, with its flags")
    parser.add_argument("--cxx", default="c++", help="C++ compiler, with its flags")
    parser.add_argument("--include", type=Path, required=True,
                        help="folder of the headers; its folder dpu has the DPU's")
    parser.add_argument("--link", action="append", default=[], metavar="FLAGS",
                        help="flags behind the source; may be given again (--link=-lm)")
    parser.add_argument("--library-dir", action="append", default=[], metavar="DIR",
                        help="where a program finds its libraries; may be given again")
    arguments = parser.parse_args()

    found = programs(arguments.doc.read_text(encoding="utf-8"))
    if not found:
        return f"{arguments.doc}: there is no program in it"
    print(f"1..{len(found)}")
    is_good = True
    for number, block in enumerate(found, 1):
        wrong = check(arguments, block)
        print(f"{'not ok' if wrong else 'ok'} {number} - {arguments.doc.name} line {block.line} "
              f"({' '.join(block.words)})")
        for line in wrong.splitlines():
            print(f"# {line}")
        sys.stdout.flush()
        is_good = is_good and not wrong
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
