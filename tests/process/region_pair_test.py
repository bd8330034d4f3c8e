#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""softdoca pair copies 64 MiB: by each route, in each direction, in two cards and to several at once.

usage: region_pair_test.py BUILD_DIR
"""

import pathlib
import random
import shlex
import tempfile

import tap
from tool_case import BUILD_DIR, ToolCase

TOPOLOGY = pathlib.Path(__file__).parents[2] / "docs" / "topologies" / "two-by-two.toml"
ROUTES = ("mapped", "cross", "agent")
ADDRESSES = {"dpu": "03:00.0", "host": "3b:00.0"}
LEN = (64 << 20) + 4099  # the last task is shorter than a page and ends within one
SEED = 64


def other(side):
    return "host" if side == "dpu" else "dpu"


def region_copy(side, *args):
    program = BUILD_DIR / "tests" / "process" / f"region_copy_{side}"
    return shlex.join(["exec", str(program), *map(str, args), ADDRESSES[side]])


class RegionCase(ToolCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.files = [pathlib.Path(folder.name) / name for name in "ab"]
        for number, file in enumerate(cls.files):
            file.write_bytes(random.Random(SEED + number).randbytes(LEN))

    def commands(self, exporter, is_exporter_sender, memory, *, name="region", file=None,
                 importer_file=None, num_importers=1):
        """What --dpu and --host get, and the order."""
        file = file or self.files[0]
        words = ("send", "receive") if is_exporter_sender else ("receive", "send")
        export = region_copy(exporter, "export", words[0], file, name) + f" {memory}"
        copy = region_copy(other(exporter), "import", words[1], importer_file or file, name)
        processes = range(num_importers)
        importers = " ".join(f"({copy}) & p{i}=$!;" for i in processes)
        importers += " && ".join(f"wait $p{i}" for i in processes)
        return [f"--{exporter}", export, f"--{other(exporter)}", importers,
                "--first", exporter, "--timeout", "280"]

    def pair(self, commands, **variables):
        return self.tool("pair", *commands, **variables)


class Region(RegionCase):
    def test_is_copied_by_each_route_in_each_direction(self):
        for route in ROUTES:
            memory = "mappable" if route == "mapped" else "plain"
            for exporter in ("host", "dpu"):
                for is_exporter_sender in (True, False):
                    with self.subTest(route=route, exporter=exporter, sends=is_exporter_sender):
                        result = self.pair(self.commands(exporter, is_exporter_sender, memory),
                                           SOFTDOCA_WINDOW=route)
                        self.assertEqual("", result.stdout + result.stderr)
                        self.assert_status(0, result)

    def test_is_read_by_several_importers_at_once(self):
        for route in ROUTES:
            memory = "mappable" if route == "mapped" else "plain"
            with self.subTest(route=route):
                result = self.pair(self.commands("host", True, memory, num_importers=3),
                                   SOFTDOCA_WINDOW=route)
                self.assertEqual("", result.stdout + result.stderr)
                self.assert_status(0, result)

    def test_is_copied_in_two_cards_at_once(self):
        pairs = []
        for card, file, exporter, memory in zip("ab", self.files, ("host", "dpu"),
                                                ("plain", "mappable")):
            commands = self.commands(exporter, exporter == "host", memory, name=card, file=file)
            pairs.append(self.start("pair", *commands, "--dpu-role", f"dpu-{card}",
                                    SOFTDOCA_TOPOLOGY=TOPOLOGY,
                                    SOFTDOCA_FABRIC=self.dir / "fabric"))
        for process in pairs:
            self.assertEqual(("", ""), process.communicate(timeout=300))
            self.assertEqual(0, process.returncode)

    def test_with_a_wrong_byte_is_found(self):
        offset = LEN - 1
        wrong = self.dir / "wrong"
        content = bytearray(self.files[0].read_bytes())
        content[offset] ^= 1
        wrong.write_bytes(content)
        for is_exporter_sender in (True, False):  # the importer compares, then the exporter
            result = self.pair(self.commands("host", is_exporter_sender, "plain",
                                             importer_file=wrong))
            self.assert_status(1, result)
            self.assertIn(f"byte {offset} of {LEN} differs", result.stdout)

    def test_is_not_imported_by_a_route_that_cannot_be_had(self):
        result = self.pair(self.commands("host", True, "plain"), SOFTDOCA_WINDOW="mapped")
        self.assert_status(1, result)
        self.assertIn("failed to import", result.stdout)


if __name__ == "__main__":
    tap.main()
