#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""The Comch samples and the applications, in pairs: lines, their order, exit codes, files.

usage: comch_samples_test.py BUILD_DIR
"""

import json
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import tap
from samples_test import BAD_END, BUILD_DIR, GOOD_END, environment, texts

DEADLINE = 60
PORT = {"dpu": ["-p", "03:00.0", "-r", "3b:00.0"], "host": ["-p", "3b:00.0"]}
OTHER_PORT = {"dpu": ["-p", "03:00.1", "-r", "3b:00.1"], "host": ["-p", "3b:00.1"]}
MAX_COPY = 2097152
FOR_EVER = str(2**31 - 1)


def is_sanitized():
    options = json.loads((BUILD_DIR / "meson-info" / "intro-buildoptions.json").read_text())
    return any(option["name"] == "b_sanitize" and option["value"] not in ("none", [])
               for option in options)


def program(side, name):
    folder = "samples" if name.startswith("comch_") else "applications"
    return BUILD_DIR / folder / side / f"doca_{name}"


class Side:
    """A program from its start to its end, in a folder of its own."""

    def __init__(self, case, side, name, *args, under=(), **variables):
        self.folder = case.directory / side
        self.folder.mkdir(exist_ok=True)
        number = len(list(self.folder.glob("*.out")))
        self.stdout = self.folder / f"{number}.out"
        self.stderr = self.folder / f"{number}.err"
        with open(self.stdout, "w") as out, open(self.stderr, "w") as err:
            self.process = subprocess.Popen(
                [*under, program(side, name), *args], cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=out, stderr=err, env=environment(**case.fabric, **variables))
        case.addCleanup(self.kill)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def lines(self):
        return texts(self.stdout.read_text())

    def trouble(self):
        return self.stderr.read_text()

    def wait_for(self, line):
        """Until the program has said this, to whichever stream."""
        deadline = time.monotonic() + DEADLINE
        while line not in self.stdout.read_text() + self.stderr.read_text():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise AssertionError(f"waited in vain for {line!r}: {self.lines()}")
            time.sleep(0.005)

    def end(self):
        try:
            return self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"no end: {self.lines()} {self.trouble()}") from None


class PairCase(unittest.TestCase):
    """Pairs of programs in a fabric of their own."""

    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.fabric = {"SOFTDOCA_FABRIC": str(self.directory / "fabric")}

    def run_alone(self, side, name, *args, **variables):
        alone = Side(self, side, name, *args, **variables)
        alone.end()
        return alone

    def run_pair(self, dpu, host, *, host_first=False, under=()):
        """Each is a list: name of the program, arguments."""
        commands = [("dpu", *dpu), ("host", *host)]
        if host_first:
            commands.reverse()
        sides = {command[0]: Side(self, *command, under=under) for command in commands}
        for side in sides.values():
            side.end()
        return sides["dpu"], sides["host"]

    def assert_good(self, side, lines):
        self.assertEqual(lines, side.lines(), side.trouble())
        self.assertEqual(0, side.process.returncode, side.trouble())

    def assert_bad(self, side, reason=""):
        self.assertIn(reason, side.trouble())
        self.assertEqual(1, side.process.returncode, side.trouble())


class SamplePairCase(PairCase):
    """Two samples, each of which may say some of its lines at any time."""

    START = "Starting the sample"
    TEXT = "Message from the client"
    SERVER_START = [START, "CC server context is running. Waiting for clients to connect",
                    "New client connected to server"]
    SERVER_END = ["CC server context entered into stopping state. Terminating connections with "
                  "clients", "CC server context has been stopped", GOOD_END]
    SERVER_LOSS = "A client was disconnected from server"
    CLIENT_START = [START, "CC client context entered into starting state. Waiting for connection "
                    "establishment"]
    CLIENT_END = ["CC client context entered into stopping state. Waiting for connection "
                  "termination", "CC client context has been stopped", GOOD_END]
    SENT = {}

    def assert_sample(self, side, name, lines, num_sent):
        shown = [line for line in side.lines() if line not in (self.SENT[name], self.SERVER_LOSS)]
        self.assertEqual(lines, shown, side.trouble())
        self.assertEqual(num_sent, side.lines().count(self.SENT[name]), side.lines())
        self.assertEqual(0, side.process.returncode, side.trouble())

    def assert_bad(self, side, reason=""):
        self.assertEqual(BAD_END, side.lines()[-1], side.trouble())
        super().assert_bad(side, reason)


class CtrlPath(SamplePairCase):
    SERVER = "comch_ctrl_path_server"
    CLIENT = "comch_ctrl_path_client"
    SENT = dict.fromkeys(["server", "client"], "Task sent successfully")

    def assert_exchange(self, server, client, *, to_server=SamplePairCase.TEXT,
                        to_client=SamplePairCase.TEXT):
        self.assert_sample(server, "server", [
            *self.SERVER_START, f"Message received: '{to_server}'", *self.SERVER_END], 1)
        self.assert_sample(client, "client", [
            *self.CLIENT_START, "CC client context is running. Sending message",
            f"Message received: '{to_client}'", *self.CLIENT_END], 1)

    def test_each_receives_one_message(self):
        self.assert_exchange(*self.run_pair([self.SERVER], [self.CLIENT]))

    def test_client_waits_for_its_server(self):
        client = Side(self, "host", self.CLIENT)
        client.wait_for("entered into starting state")
        server = self.run_alone("dpu", self.SERVER)
        client.end()
        self.assert_exchange(server, client)

    def test_each_sends_its_own_text_over_the_other_port(self):
        sides = self.run_pair([self.SERVER, *OTHER_PORT["dpu"], "-t", "the DPU's"],
                              [self.CLIENT, *OTHER_PORT["host"], "-t", "the host's"])
        self.assert_exchange(*sides, to_server="the host's", to_client="the DPU's")

    def test_texts_may_have_4080_characters(self):
        sides = self.run_pair([self.SERVER, "-t", "d" * 4080], [self.CLIENT, "-t", "h" * 4080])
        for side, letter in zip(sides, "hd"):
            self.assertEqual(0, side.process.returncode, side.trouble())
            # a log line has 4,096 bytes at most, so the end is cut
            self.assertRegex(side.stdout.read_text(), rf"Message received: '{letter}{{3900,}}")

    def test_five_pairs_in_a_row_use_one_fabric(self):
        for i in range(5):
            with self.subTest(i=i):
                self.assert_exchange(*self.run_pair([self.SERVER], [self.CLIENT],
                                                    host_first=i % 2 == 1))

    def test_each_refuses_bad_arguments(self):
        for side, name in (("dpu", self.SERVER), ("host", self.CLIENT)):
            for args in (["-t", "x" * 4081], ["-t", ""], ["-p", "0000:03:00.00"],
                         ["-r", "0000:3b:00.00"], ["--no-such-flag"]):
                with self.subTest(name=name, args=[arg[:20] for arg in args]):
                    self.assert_bad(self.run_alone(side, name, *args))

    def test_each_says_that_a_device_is_missing(self):
        for side, name in (("dpu", self.SERVER), ("host", self.CLIENT)):
            alone = self.run_alone(side, name, "-p", "05:00.0")
            self.assert_bad(alone, "Matching device not found")
            self.assertIn("Failed to open Comm Channel DOCA device based on PCI address",
                          alone.trouble())

    def test_server_says_that_a_representor_is_missing(self):
        reason = "Failed to open Comm Channel DOCA device representor based on PCI address"
        self.assert_bad(self.run_alone("dpu", self.SERVER, "-r", "05:00.0"), reason)
        self.assert_bad(self.run_alone("host", self.SERVER, "-p", "3b:00.0"), reason)

    def test_the_representors_there_are_are_named(self):
        for port in (["-p", "03:00.0", "-r", "3b:00.5"], ["-p", "03:00.1", "-r", "3b:00.0"]):
            self.assertRegex(self.run_alone("dpu", "comch_ctrl_path_server", *port).trouble(),
                             "no representor has the address 0000:3b:00.[50]; device "
                             r"0000:03:00.\d has representors of 0000:3b:00.\d; 0000:03:00.\d of ")

    def test_client_cannot_run_on_the_dpu(self):
        self.assert_bad(self.run_alone("dpu", self.CLIENT, "-p", "03:00.0"),
                        "Failed to start client")

    def test_client_ends_when_the_wait_for_a_server_is_limited(self):
        client = self.run_alone("host", self.CLIENT, SOFTDOCA_COMCH_TIMEOUT_MS="100")
        self.assert_bad(client, "There was no server to connect to")
        self.assertEqual([*self.CLIENT_START, *self.CLIENT_END[:-1], BAD_END], client.lines())

    def test_help_names_the_defaults(self):
        for side, name in (("dpu", self.SERVER), ("host", self.CLIENT)):
            alone = self.run_alone(side, name, "-h")
            self.assertEqual(0, alone.process.returncode)
            for word in (f"doca_{name}", "03:00.0", "3b:00.0", "4080"):
                self.assertIn(word, alone.stdout.read_text())


class DataPath(SamplePairCase):
    SERVER = "comch_data_path_high_speed_server"
    CLIENT = "comch_data_path_high_speed_client"
    SENT = {"server": "Server task sent successfully", "client": "Client task sent successfully"}
    PRODUCER = ["CC producer context is running. Posting message to consumer, waiting finish",
                "Producer task sent successfully",
                "CC producer context entered into stopping state",
                "CC producer context has been stopped"]

    @staticmethod
    def consumer(text):
        return ["CC consumer context entered into starting state. Waiting consumer producer "
                "negotiation finish",
                "CC consumer context is running. Receiving message from producer, waiting finish",
                f"Message received: '{text}'",
                "CC consumer context entered into stopping state",
                "CC consumer context has been stopped"]

    def new_consumer(self, side):
        """The line that names the peer's consumer; there is one."""
        [line] = [line for line in side.lines() if line.startswith("Got a new remote consumer")]
        self.assertRegex(line, r"\AGot a new remote consumer with ID = \[[1-9]\d*\]\Z")
        return line

    def assert_exchange(self, server, client, *, to_server=SamplePairCase.TEXT,
                        to_client=SamplePairCase.TEXT):
        self.assert_sample(server, "server", [
            *self.SERVER_START, *self.consumer(to_server), self.new_consumer(server),
            *self.PRODUCER, *self.SERVER_END], 2)
        self.assert_sample(client, "client", [
            *self.CLIENT_START, "CC client context is running. Get a connection from server",
            self.new_consumer(client), *self.PRODUCER, *self.consumer(to_client),
            *self.CLIENT_END], 2)

    def test_each_sends_and_receives_once(self):
        self.assert_exchange(*self.run_pair([self.SERVER], [self.CLIENT]))

    def test_client_waits_for_its_server(self):
        client = Side(self, "host", self.CLIENT)
        client.wait_for("entered into starting state")
        server = self.run_alone("dpu", self.SERVER)
        client.end()
        self.assert_exchange(server, client)

    def test_each_sends_its_own_text_over_the_other_port(self):
        sides = self.run_pair([self.SERVER, *OTHER_PORT["dpu"], "-t", "d"],
                              [self.CLIENT, *OTHER_PORT["host"], "-t", "h" * 3000])
        self.assert_exchange(*sides, to_server="h" * 3000, to_client="d")

    def test_five_pairs_in_a_row_use_one_fabric(self):
        for i in range(5):
            with self.subTest(i=i):
                self.assert_exchange(*self.run_pair([self.SERVER], [self.CLIENT],
                                                    host_first=i % 2 == 1))

    def test_client_ends_when_the_wait_for_a_server_is_limited(self):
        client = self.run_alone("host", self.CLIENT, SOFTDOCA_COMCH_TIMEOUT_MS="100")
        self.assert_bad(client, "There was no server to connect to")


class SecureChannel(PairCase):
    NAME = "secure_channel"
    DPU_START = ["Server waiting on a client to connect", "Server connection established"]

    def side(self, side, size, num, *, port=None):
        return [self.NAME, "-s", str(size), "-n", str(num), *(port or PORT)[side]]

    def assert_results(self, lines, num_sent, num_received):
        time_taken = r"in approximately \d+\.\d{4} milliseconds"
        self.assertEqual(2, len(lines), lines)
        self.assertRegex(lines[0], rf"\AProducer sent {num_sent} messages {time_taken}\Z")
        self.assertRegex(lines[1], rf"\AConsumer received {num_received} messages {time_taken}\Z")

    def assert_exchange(self, dpu, host, num_of_dpu, num_of_host):
        for side in (dpu, host):
            self.assertEqual(0, side.process.returncode, side.trouble())
        self.assertEqual(self.DPU_START, dpu.lines()[:2])
        self.assert_results(dpu.lines()[2:], num_of_dpu, num_of_host)
        self.assert_results(host.lines(), num_of_host, num_of_dpu)

    def test_sends_ten_messages_each_way(self):
        self.assert_exchange(*self.run_pair(self.side("dpu", 256, 10), self.side("host", 256, 10)),
                             10, 10)

    def test_takes_every_size_and_number(self):
        for size, num in ((1, 1), (1, 1024), (255, 1025), (257, 5000), (4096, 2048), (65535, 300)):
            with self.subTest(size=size, num=num):
                dpu, host = self.run_pair(self.side("dpu", size, num), self.side("host", size, num))
                self.assert_exchange(dpu, host, num, num)

    def test_sides_may_differ(self):
        for dpu_side, host_side in (((1, 3000), (65535, 7)), ((65535, 7), (1, 3000)),
                                    ((300, 1), (8, 2000))):
            with self.subTest(dpu=dpu_side, host=host_side):
                sides = self.run_pair(self.side("dpu", *dpu_side), self.side("host", *host_side))
                self.assert_exchange(*sides, dpu_side[1], host_side[1])

    def test_host_may_be_first_and_use_the_other_port(self):
        dpu, host = self.run_pair(self.side("dpu", 64, 100, port=OTHER_PORT),
                                  self.side("host", 64, 100, port=OTHER_PORT), host_first=True)
        self.assert_exchange(dpu, host, 100, 100)

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    @unittest.skipIf(is_sanitized(), "Valgrind does not run programs with sanitizers")
    def test_runs_under_valgrind_which_has_no_membarrier(self):
        dpu, host = self.run_pair(self.side("dpu", 4096, 50), self.side("host", 4096, 50),
                                  under=["valgrind", "-q", "--error-exitcode=9"])
        self.assert_exchange(dpu, host, 50, 50)

    def test_a_side_that_stands_still_is_not_cut_off(self):
        """As in a debugger."""
        num = 200_000 if is_sanitized() else 2_000_000
        sides = [Side(self, side, *self.side(side, 256, num)) for side in ("dpu", "host")]
        sides[0].wait_for("Server connection established")
        for stopped in sides:
            stopped.process.send_signal(signal.SIGSTOP)
            time.sleep(0.5)
            stopped.process.send_signal(signal.SIGCONT)
        for side in sides:
            side.end()
        self.assert_exchange(*sides, num, num)

    def start_endless(self):
        dpu = Side(self, "dpu", *self.side("dpu", 256, FOR_EVER))
        host = Side(self, "host", *self.side("host", 256, FOR_EVER))
        dpu.wait_for("Server connection established")
        return dpu, host

    def test_each_ends_when_the_other_is_killed(self):
        for killed in (0, 1):
            with self.subTest(killed=("dpu", "host")[killed]):
                sides = self.start_endless()
                sides[killed].kill()
                sides[1 - killed].end()
                self.assert_bad(sides[1 - killed])

    def test_server_rejects_a_second_client_and_goes_on(self):
        dpu, host = self.start_endless()
        self.assert_bad(self.run_alone("host", *self.side("host", 256, 10)))
        self.assertIn("A connection already exists on the server - rejecting new attempt",
                      dpu.trouble())
        self.assertEqual([None, None], [dpu.process.poll(), host.process.poll()])

    def test_refuses_bad_arguments(self):
        good = {"-s": "256", "-n": "10", "-p": "3b:00.0"}
        for bad in ({"-s": "0"}, {"-s": "65536"}, {"-s": "x"}, {"-n": "0"}, {"-n": "-1"},
                    {"-s": None}, {"-n": None}, {"-p": None}, {"-p": "0000:03:00.00"},
                    {"-x": "1"}):
            with self.subTest(bad=bad):
                args = [word for name, value in (good | bad).items() if value is not None
                        for word in (name, value)]
                self.assert_bad(self.run_alone("host", self.NAME, *args))

    def test_says_what_is_missing(self):
        self.assert_bad(self.run_alone("host", self.NAME, "-s", "1", "-n", "1", "-p", "05:00.0"),
                        "Failed to open Comm Channel DOCA device based on PCI address")
        self.assert_bad(self.run_alone("dpu", self.NAME, "-s", "1", "-n", "1", "-p", "03:00.0"),
                        "Failed to open Comm Channel DOCA device representor based on PCI address")

    def test_shows_its_versions(self):
        alone = self.run_alone("dpu", self.NAME, "-v")
        self.assertEqual(0, alone.process.returncode)
        shown = alone.stdout.read_text()
        self.assertEqual(2, len(re.findall(r"DOCA version \(.*\): 3\.3\.0000", shown)), shown)


class DmaCopy(PairCase):
    NAME = "dma_copy"
    FILE = "a"
    HOST_FOUND = "File was found locally, it will be DMA copied to the DPU"
    HOST_MISSING = "File was not found locally, it will be DMA copied from the DPU"
    DPU_FOUND = "File was found locally, it will be DMA copied to the Host"
    DPU_MISSING = "File was not found locally, it will be DMA copied from the Host"
    CONNECTED = ["Server waiting on a client to connect", "Server connection established"]
    COPIED = "DMA copy was done Successfully"
    STATUS = "Final status message was successfully received"

    def put(self, side, content, name=FILE):
        (self.directory / side).mkdir(exist_ok=True)
        (self.directory / side / name).write_bytes(content)

    def get(self, side, name=FILE):
        return (self.directory / side / name).read_bytes()

    def copy(self, name=FILE, port=None, **order):
        return self.run_pair([self.NAME, "-f", name, *(port or PORT)["dpu"]],
                             [self.NAME, "-f", name, *(port or PORT)["host"]], **order)

    @staticmethod
    def content(size):
        return random.Random(size).randbytes(size)

    @staticmethod
    def writing(name=FILE):
        return f"Writing DMA buffer into a file on {name}"

    def test_copies_from_the_host_to_the_dpu(self):
        content = self.content(100000)
        self.put("host", content)
        dpu, host = self.copy()
        self.assert_good(dpu, [*self.CONNECTED, self.DPU_MISSING, self.COPIED, self.writing()])
        self.assert_good(host, ["The file size is 100000", self.HOST_FOUND, self.STATUS])
        self.assertEqual(content, self.get("dpu"))

    def test_copies_from_the_dpu_to_the_host(self):
        content = self.content(100000)
        self.put("dpu", content)
        dpu, host = self.copy(host_first=True)
        self.assert_good(dpu, ["The file size is 100000", *self.CONNECTED, self.DPU_FOUND,
                               self.COPIED])
        self.assert_good(host, [self.HOST_MISSING, self.STATUS, self.writing()])
        self.assertEqual(content, self.get("host"))

    def test_copies_every_size_that_a_task_can(self):
        for source, target in (("host", "dpu"), ("dpu", "host")):
            for size in (1, 63, 4097, MAX_COPY):
                with self.subTest(source=source, size=size):
                    name = f"{source}{size}"
                    self.put(source, self.content(size), name)
                    for side in self.copy(name):
                        self.assertEqual(0, side.process.returncode, side.trouble())
                    self.assertEqual(self.content(size), self.get(target, name))

    def test_dma_and_comch_may_use_different_ports(self):
        self.put("host", b"by the first port")
        for side in self.copy(port=OTHER_PORT):
            self.assertEqual(0, side.process.returncode, side.trouble())
        self.assertEqual(b"by the first port", self.get("dpu"))

    def test_refuses_a_file_that_is_too_large_for_a_task(self):
        for source, target in (("host", "dpu"), ("dpu", "host")):
            with self.subTest(source=source):
                self.put(source, bytes(MAX_COPY + 1), source)
                dpu, host = self.copy(source)
                self.assert_bad(dpu, f"DMA device maximum allowed file size in bytes is {MAX_COPY}")
                self.assert_bad(host)
                self.assertFalse((self.directory / target / source).exists())

    def test_refuses_two_files_and_none(self):
        dpu, host = self.copy()
        self.assert_bad(dpu, "Error - File was not found on both Host and DPU")
        self.assert_bad(host)
        self.put("dpu", b"dpu's")
        self.put("host", b"host's")
        dpu, host = self.copy()
        self.assert_bad(dpu, "Error - File was found on both Host and DPU")
        self.assert_bad(host)
        self.assertEqual((b"dpu's", b"host's"), (self.get("dpu"), self.get("host")))

    def test_host_fails_when_the_dpu_cannot_write(self):
        folder = "folder"
        (self.directory / "host" / folder).mkdir(parents=True)
        self.put("host", b"content", f"{folder}/{self.FILE}")
        dpu, host = self.copy(f"{folder}/{self.FILE}")
        self.assert_bad(dpu, f"Failed to write file {folder}/{self.FILE}")
        self.assert_bad(host, "The DPU reports that the file was not copied")

    def test_paths_have_at_most_127_characters(self):
        name = "n" * 127
        self.put("host", b"content", name)
        for side in self.copy(name):
            self.assertEqual(0, side.process.returncode, side.trouble())
        self.assertEqual(b"content", self.get("dpu", name))
        self.assert_bad(self.run_alone("host", self.NAME, "-f", "n" * 128, *PORT["host"]),
                        "Entered file path of 128 characters")

    def test_refuses_bad_arguments(self):
        self.put("host", b"", "empty")
        for args in (["-p", "3b:00.0"], ["-f", self.FILE], ["-f", "", "-p", "3b:00.0"],
                     ["-f", ".", "-p", "3b:00.0"], ["-f", "empty", "-p", "3b:00.0"],
                     ["-f", self.FILE, "-p", "0000:03:00.00"],
                     ["-f", self.FILE, "-p", "3b:00.0", "-r", "0000:3b:00.00"]):
            with self.subTest(args=args):
                self.assert_bad(self.run_alone("host", self.NAME, *args))

    def test_host_accepts_a_representor_and_ignores_it(self):
        self.put("host", b"content")
        dpu, host = self.run_pair([self.NAME, "-f", self.FILE, *PORT["dpu"]],
                                  [self.NAME, "-f", self.FILE, "-p", "3b:00.0", "-r", "05:00.0"])
        self.assertEqual((0, 0), (dpu.process.returncode, host.process.returncode),
                         dpu.trouble() + host.trouble())


if __name__ == "__main__":
    tap.main()
