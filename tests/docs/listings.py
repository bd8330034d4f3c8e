# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""Compiles and runs the programs that a page of documentation shows, so that the page stays true.
Speaks TAP, one case a program or a pair of them.

A program is a fenced block whose info string begins with c (C11) or cpp (C++20):

    ```c                 compiled as the host, run as the host
    ```cpp dpu           the same with the DPU's headers, run as the DPU
    ```c NAME=VALUE      with this variable in its environment
    ```cpp exit=7        ends with this status (0 if nothing is said)
    ```cpp dpu pair=NAME runs at the same time as the host's program of this name
    ```cpp fragment      not a whole program: left alone

and a block ```text output that directly follows is what it writes to stdout, exactly. Each program
or pair has a folder and a fabric of its own."""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FENCE = re.compile(r"^ {0,3}(`{3,})\s*(.*?)\s*$")
LANGUAGES = {"c": ("c", "c11"), "cpp": ("c++", "c++20")}
FOR_US = ("exit", "pair")  # what NAME=VALUE means to us, not to the program
TIME_LIMIT = 60  # seconds
NUM_AT_A_TIME = 2
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic"]


class Block:
    """A fenced block: the line of its fence, the words of its info string, its text."""

    def __init__(self, line, words):
        self.line = line
        self.words = words
        self.text = ""
        self.output = None  # of a program: what it must write
        self.end = line

    def value(self, name):
        """Of a word name=value; None if there is none."""
        return next((word.split("=", 1)[1] for word in self.words
                     if word.startswith(f"{name}=")), None)

    @property
    def side(self):
        return "dpu" if "dpu" in self.words else "host"


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


def cases(page):
    """What is run together: lists of one program, or of the two of a pair."""
    found, pairs = [], {}
    for block in programs(page):
        name = block.value("pair")
        if name in pairs:
            pairs[name].append(block)
            continue
        found.append([block])
        if name is not None:
            pairs[name] = found[-1]
    for name, pair in pairs.items():
        if sorted(block.side for block in pair) != ["dpu", "host"]:
            sys.exit(f"line {pair[0].line}: pair {name} is not one program of each side")
    return found


def environment(arguments, block, folder):
    """No variable of ours but those that are asked for."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SOFTDOCA_")}
    wanted = dict(word.split("=", 1) for word in block.words if "=" in word)
    for name in FOR_US:
        wanted.pop(name, None)
    libraries = ":".join([*arguments.library_dir, *filter(None, [kept.get("LD_LIBRARY_PATH")])])
    return kept | {"SOFTDOCA_ROLE": block.side, "SOFTDOCA_FABRIC": f"{folder}/fabric",
                   "LD_LIBRARY_PATH": libraries} | wanted


def compile_block(arguments, block, target):
    """What the compiler says if it refuses, else nothing."""
    language, standard = LANGUAGES[block.words[0]]
    compiler = arguments.cc if language == "c" else arguments.cxx
    folders = [arguments.include / "dpu"] if block.side == "dpu" else []
    command = [*shlex.split(compiler), f"-std={standard}", *WARNINGS,
               "-DDOCA_ALLOW_EXPERIMENTAL_API"]
    for folder in [*folders, arguments.include]:
        command += ["-I", folder]
    command += ["-x", language, "-", "-x", "none", "-o", target]
    command += [word for flags in arguments.link for word in shlex.split(flags)]
    done = subprocess.run(command, input=block.text, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


class Run:
    """A program from its start to its end."""

    def __init__(self, arguments, block, folder):
        self.block = block
        self.process = subprocess.Popen(
            [folder / block.side], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd=folder, env=environment(arguments, block, folder))

    def wrong(self, deadline):
        """What is wrong with it, once it has ended."""
        late = False
        try:
            left = max(1, deadline - time.monotonic())  # it may have ended while another had not
            out, err = self.process.communicate(timeout=left)
        except subprocess.TimeoutExpired:
            late = True
            self.process.kill()
            out, err = self.process.communicate()
        said = "does not end within a minute\n" if late else ""
        status = int(self.block.value("exit") or 0)
        if not late and self.process.returncode != status:
            said += f"ends with status {self.process.returncode}, not {status}\n"
        if self.block.output is not None and out != self.block.output:
            said += f"writes\n{out}and not\n{self.block.output}"
        return said and f"the {self.block.side}'s program {said}on stderr:\n{err}"


def check(arguments, case):
    """What is wrong with one program, or with a pair."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for block in case:
            said = compile_block(arguments, block, folder / block.side)
            if said:
                return f"the {block.side}'s program does not compile\n{said}"
        deadline = time.monotonic() + TIME_LIMIT
        runs = [Run(arguments, block, folder) for block in case]
        return "".join([run.wrong(deadline) for run in runs])


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

    found = cases(arguments.doc.read_text(encoding="utf-8"))
    if not found:
        return f"{arguments.doc}: there is no program in it"
    print(f"1..{len(found)}")
    is_good = True
    checks = ThreadPoolExecutor(NUM_AT_A_TIME).map(lambda case: check(arguments, case), found)
    for number, (case, wrong) in enumerate(zip(found, checks), 1):
        lines = " and ".join(f"line {block.line} ({' '.join(block.words)})" for block in case)
        print(f"{'not ok' if wrong else 'ok'} {number} - {arguments.doc.name} {lines}")
        for line in wrong.splitlines():
            print(f"# {line}")
        sys.stdout.flush()
        is_good = is_good and not wrong
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
