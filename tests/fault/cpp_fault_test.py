#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""Every C call that the C++ layer makes is made to fail, once: the program then ends well or with a
doca::Error, in time, with everything ended that was made, and without a report of a sanitizer.

usage: cpp_fault_test.py SCENARIO SHIM_SOURCE
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "process"))
import tap  # noqa: E402  (the path of it is known only now)

SCENARIO, SHIM_SOURCE = map(pathlib.Path, sys.argv[1:3])
ROLES = {"copy": "dpu", "import": "dpu", "serve": "dpu", "export": "host", "client": "host",
         "client again": "host"}
PARTNERS = {"import": "export", "serve": "client again", "client": "serve"}
DEADLINE = 30
CODES = {"DOCA_ERROR_UNEXPECTED": 22, "DOCA_ERROR_NO_MEMORY": 7, "DOCA_ERROR_AGAIN": 5}
GOOD = (0, 3)


class Run:
    """A part with its partner, in a fabric of their own."""

    def __init__(self, part, fault=None):
        self.part, self.fault = part, fault
        with tempfile.TemporaryDirectory(prefix="softdoca-fault-") as folder:
            self.folder = pathlib.Path(folder)
            self.play()

    def start(self, part, **more):
        tsan = os.environ.get("TSAN_OPTIONS", "") + ":atexit_sleep_ms=0"  # a second for each run
        variables = {"SOFTDOCA_ROLE": ROLES[part], "SOFTDOCA_QUIET": "1", "TSAN_OPTIONS": tsan,
                     "SOFTDOCA_FABRIC": str(self.folder / "fabric"), **more}
        return subprocess.Popen(
            [SCENARIO, part, str(self.folder / "export")], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **variables})

    def play(self):
        partner = self.start(PARTNERS[self.part]) if self.part in PARTNERS else None
        try:
            while self.part == "import" and not (self.folder / "export").exists():
                partner.poll()
            subject = self.start(self.part, **({"SHIM_FAIL": self.fault} if self.fault else {}))
            try:
                self.out, self.err = subject.communicate(timeout=DEADLINE)
                self.status = subject.returncode
            except subprocess.TimeoutExpired:
                subject.kill()
                self.out, self.err = subject.communicate()
                self.status = "it hangs"
        finally:
            if partner is not None:
                partner.kill()
                partner.communicate()

    def calls(self):
        """How often each call was made."""
        return {name: int(num) for name, num in re.findall(r"^call (\w+) (\d+)$", self.out, re.M)}


def faults_of(calls):
    """Each call, at its first, second and last time."""
    for name, num in sorted(calls.items()):
        for at in sorted({1, min(2, num), num}):
            for code in CODES.values():
                yield f"{name}:{at}:{code}"


class CppFault(unittest.TestCase):
    def check(self, part):
        clean = Run(part)
        self.assertEqual(clean.status, 0, clean.err)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for run in pool.map(lambda fault: Run(part, fault), faults_of(clean.calls())):
                with self.subTest(fault=run.fault):
                    self.assertIn(run.status, GOOD, run.out[-300:] + run.err[-3000:])
                    self.assertNotRegex(run.err, "Sanitizer|runtime error")

    def test_copy(self):
        self.check("copy")

    def test_import(self):
        self.check("import")

    def test_server(self):
        self.check("serve")

    def test_client(self):
        self.check("client")

    def test_every_call_of_the_layer_was_made(self):
        shimmed = set(re.findall(r'ShimCall call\("(\w+)"\)', SHIM_SOURCE.read_text()))
        made = set().union(*(Run(part).calls() for part in ("copy", "import", "serve", "client")))
        self.assertGreater(len(shimmed), 90)
        self.assertEqual(shimmed - made, {"doca_mmap_export_pci"})  # export is a partner only


if __name__ == "__main__":
    tap.main()
