# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""What the tests of the softdoca tool have in common."""

import ctypes
import os
import pathlib
import shlex
import struct
import subprocess
import sys
import tempfile
import time
import unittest

BUILD_DIR = pathlib.Path(sys.argv[1])
TOOL = BUILD_DIR / "tools" / "softdoca" / "softdoca"
DEADLINE = 60


def sample(side, name):
    return shlex.quote(str(BUILD_DIR / "samples" / side / f"doca_{name}"))


def environment(variables):
    """The caller's, without SoftDOCA settings or colours, and then these."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith("SOFTDOCA_") and name not in ("LD_LIBRARY_PATH", "NO_COLOR")}
    return env | {name: str(value) for name, value in variables.items()}


def processes_with(word):
    """The processes that have this word on their command line."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word in path.read_text(errors="replace").split("\0"):
                found.append(int(path.parent.name))
        except OSError:  # it has just ended
            pass
    return found


def wait_until(condition):
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited in vain")
        time.sleep(0.005)


def refuse_process_vm():
    """From here on this process and its children may not read or write another's memory."""
    number = {"x86_64": 310, "aarch64": 270}[os.uname().machine]  # and the next one
    steps = ((0x20, 0, 0, 0),  # load the number of the system call
             (0x15, 1, 0, number), (0x15, 0, 1, number + 1),  # is it one of the two?
             (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000))  # EPERM; allowed
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(steps), ctypes.addressof(buffer))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p, ctypes.c_ulong,
                      ctypes.c_ulong]
    no_new_privileges, seccomp, filter_mode = 38, 22, 2
    if prctl(no_new_privileges, 1, None, 0, 0) or prctl(seccomp, filter_mode, program, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


class ToolCase(unittest.TestCase):
    """Runs the tool in a folder of its own."""

    maxDiff = None
    num_words = 0

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def tool(self, *args, before=None, **variables):
        return subprocess.run([TOOL, *args], env=environment(variables), cwd=self.dir, text=True,
                              capture_output=True, timeout=DEADLINE, check=False,
                              preexec_fn=before)

    def start(self, *args, **variables):
        process = subprocess.Popen([TOOL, *args], env=environment(variables), cwd=self.dir,
                                   text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def some_seconds(self):
        """A number for sleep(1) by which its process is known."""
        ToolCase.num_words += 1
        return f"1000.{os.getpid()}{ToolCase.num_words:03}"

    def assert_status(self, expected, result):
        self.assertEqual(expected, result.returncode, result.stdout + result.stderr)
