#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""The C++ samples, alone and in pairs: what they print, how they end, what they say in trouble.

usage: cpp_samples_test.py BUILD_DIR
"""

import pathlib
import subprocess
import tempfile
import time
import unittest

import tap
from samples_test import BUILD_DIR, environment, run, sample

DEADLINE = 60
NOT_FOUND = "doca::Device::find: DOCA_ERROR_NOT_FOUND "


class Side:
    """A program from its start to its end, which waits for input while it is not let go on."""

    def __init__(self, case, side, name, *args, **variables):
        self.stderr = tempfile.TemporaryFile("w+")
        case.addCleanup(self.stderr.close)
        self.stdout = case.directory / f"{name}.{time.monotonic_ns()}"
        with open(self.stdout, "w") as out:
            self.process = subprocess.Popen(
                [sample(side, f"cpp_{name}"), *args], text=True, stdin=subprocess.PIPE, stdout=out,
                stderr=self.stderr, env=environment(**case.fabric, **variables))
        case.addCleanup(self.kill)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()

    def lines(self):
        return self.stdout.read_text().splitlines()

    def trouble(self):
        """The program's lines, without the library's log."""
        self.stderr.seek(0)
        return [line for line in self.stderr.read().splitlines() if not line.startswith("[")]

    def wait_for(self, line):
        deadline = time.monotonic() + DEADLINE
        while line not in self.lines():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise AssertionError(f"waited in vain for {line!r}: {self.lines()}")
            time.sleep(0.005)

    def end(self, keys=""):
        """With these keys, or none, as the end of its input."""
        try:
            self.process.communicate(keys, timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"no end: {self.lines()} {self.trouble()}") from None
        return self


class CppCase(unittest.TestCase):
    """Programs in a fabric and a folder of their own."""

    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.fabric = {"SOFTDOCA_FABRIC": str(self.directory / "fabric")}

    def start(self, side, name, *args, **variables):
        return Side(self, side, name, *args, **variables)

    def run_alone(self, side, name, *args, **variables):
        return self.start(side, name, *args, **variables).end()

    def assert_good(self, side, lines):
        self.assertEqual(lines, side.lines(), side.trouble())
        self.assertEqual([], side.trouble())
        self.assertEqual(0, side.process.returncode)

    def assert_bad(self, side, reason, lines=()):
        self.assertEqual(list(lines), side.lines())
        self.assertEqual(1, len(side.trouble()), side.trouble())
        self.assertTrue(side.trouble()[0].startswith(reason), side.trouble())
        self.assertEqual(1, side.process.returncode)


class DmaCopy(CppCase):
    def test_copies_on_both_sides(self):
        for side, address in (("dpu", "03:00.1"), ("host", "3b:00.1")):
            for args in ([], [address], [f"0000:{address}"]):
                with self.subTest(side=side, args=args):
                    self.assert_good(self.run_alone(side, "dma_copy", *args),
                                     ["copied by a coroutine"])

    def test_says_that_a_device_is_missing(self):
        for side, address in (("dpu", "3b:00.0"), ("host", "03:00.0"), ("dpu", "nonsense")):
            with self.subTest(side=side, address=address):
                self.assert_bad(self.run_alone(side, "dma_copy", address), NOT_FOUND)


class ExportAndImport(CppCase):
    EXPORTED = "exported; Enter ends"
    TEXT = "hello across PCIe"

    def setUp(self):
        super().setUp()
        self.file = self.directory / "export"

    def export(self, *args):
        host = self.start("host", "host_export", str(self.file), *args)
        host.wait_for(self.EXPORTED)
        return host

    def run_import(self):
        return self.run_alone("dpu", "dpu_import", str(self.file))

    def test_the_dpu_shows_the_text_of_the_host(self):
        for args, text in (([], self.TEXT), (["x"], "x"), (["long " * 5000], "long " * 5000)):
            for keys in ("\n", ""):
                with self.subTest(text=text[:20], keys=keys):
                    host = self.export(*args)
                    self.assert_good(self.run_import(), [text])
                    self.assert_good(host.end(keys), [self.EXPORTED])

    def test_several_imports_of_one_export(self):
        host = self.export()
        for _ in range(3):
            self.assert_good(self.run_import(), [self.TEXT])
        host.end()

    def test_the_dpu_says_that_nothing_is_exported(self):
        self.assert_bad(self.run_import(), "no export there; start doca_cpp_host_export first")

    def test_the_dpu_says_that_the_exporter_has_gone(self):
        self.export().end()
        self.assert_bad(self.run_import(), "doca_mmap_create_from_export: DOCA_ERROR_")

    def test_the_dpu_refuses_what_is_no_descriptor(self):
        self.file.write_bytes(b"4096 64\nnothing")
        self.assert_bad(self.run_import(),
                        "doca_mmap_create_from_export: DOCA_ERROR_INVALID_VALUE")

    def test_the_host_says_that_it_cannot_write_the_file(self):
        self.file = self.directory / "nowhere" / "export"
        self.assert_bad(self.run_alone("host", "host_export", str(self.file)),
                        "filesystem error: cannot rename")


class Echo(CppCase):
    TEXTS = ["one", "a text with blanks", "x" * 4000]

    def assert_echoed(self, client, texts):
        self.assert_good(client, [f"echo: {text}" for text in texts])

    def assert_received(self, server, texts):
        self.assertEqual(sorted(f"received: {text}" for text in texts), sorted(server.lines()))
        self.assertEqual(0, server.process.returncode, server.trouble())

    def test_each_text_comes_back_in_its_order(self):
        server = self.start("dpu", "comch_echo_server")
        self.assert_echoed(self.run_alone("host", "comch_echo_client", *self.TEXTS), self.TEXTS)
        self.assert_good(server.end(), [f"received: {text}" for text in self.TEXTS])

    def test_hello_is_said_if_there_is_no_text(self):
        server = self.start("dpu", "comch_echo_server")
        self.assert_echoed(self.run_alone("host", "comch_echo_client"), ["hello"])
        self.assert_good(server.end(), ["received: hello"])

    def test_the_client_waits_for_its_server(self):
        client = self.start("host", "comch_echo_client", "early")
        server = self.start("dpu", "comch_echo_server", "1", "03:00.0", "3b:00.0")
        self.assert_echoed(client.end(), ["early"])
        self.assert_good(server.end(), ["received: early"])

    def test_two_clients_are_served_at_a_time_or_one_after_the_other(self):
        for at_a_time in (True, False):
            with self.subTest(at_a_time=at_a_time):
                server = self.start("dpu", "comch_echo_server", "2")
                clients = []
                for texts in (["a", "b", "c"], ["d", "e"]):
                    clients.append((self.start("host", "comch_echo_client", *texts), texts))
                    if not at_a_time:
                        clients[-1][0].end()
                for client, texts in clients:
                    self.assert_echoed(client.end(), texts)
                self.assert_received(server.end(), "abcde")

    def test_the_server_goes_on_when_a_client_is_killed(self):
        server = self.start("dpu", "comch_echo_server", "2")
        killed = self.start("host", "comch_echo_client", *["again"] * 20000)
        killed.wait_for("echo: again")
        killed.kill()
        self.assert_echoed(self.run_alone("host", "comch_echo_client", "next"), ["next"])
        server.end()
        self.assertIn("received: next", server.lines())

    def test_a_text_that_is_too_long_is_refused(self):
        self.start("dpu", "comch_echo_server")
        self.assert_bad(self.run_alone("host", "comch_echo_client", "x" * 5000),
                        "doca_comch_task_send_alloc_init: DOCA_ERROR_INVALID_VALUE")

    def test_the_server_says_what_is_missing(self):
        for args, reason in ((["05:00.0"], NOT_FOUND),
                             (["03:00.0", "05:00.0"],
                              "doca::Representor::open: DOCA_ERROR_NOT_FOUND ")):
            with self.subTest(args=args):
                self.assert_bad(self.run_alone("dpu", "comch_echo_server", "1", *args), reason)

    def test_the_client_ends_when_the_wait_for_a_server_is_limited(self):
        self.assert_bad(self.run_alone("host", "comch_echo_client",
                                       SOFTDOCA_COMCH_TIMEOUT_MS="100"),
                        "doca_ctx_start: DOCA_ERROR_NOT_CONNECTED ")

    def test_the_client_finds_no_device_on_the_dpu(self):
        self.assert_bad(self.run_alone("host", "comch_echo_client", SOFTDOCA_ROLE="dpu"),
                        NOT_FOUND)


class Numbers(CppCase):
    def assert_exchange(self, consumer, producer, num):
        self.assert_good(consumer, [f"received {num}, sum {num * (num + 1) // 2}"])
        self.assert_good(producer, [f"sent {num}"])

    def wait_for_a_consumer(self):
        deadline = time.monotonic() + DEADLINE
        tool = BUILD_DIR / "tools" / "softdoca" / "softdoca"
        while "\n        consumer  1 of" not in run(tool, "ls", **self.fabric).stdout:
            self.assertLess(time.monotonic(), deadline)

    def test_each_number_arrives_once(self):
        for num in ("1", "1000", "20000"):
            with self.subTest(num=num):
                consumer = self.start("dpu", "comch_consumer", num)
                producer = self.run_alone("host", "comch_producer", num)
                self.assert_exchange(consumer.end(), producer, int(num))

    def test_a_thousand_is_the_default(self):
        consumer = self.start("dpu", "comch_consumer")
        producer = self.run_alone("host", "comch_producer")
        self.assert_exchange(consumer.end(), producer, 1000)

    def test_the_producer_waits_for_its_consumer(self):
        producer = self.start("host", "comch_producer", "10")
        consumer = self.run_alone("dpu", "comch_consumer", "10", "03:00.0", "3b:00.0")
        self.assert_exchange(consumer, producer.end(), 10)

    def test_each_ends_when_the_other_is_killed(self):
        for_ever = str(2**40)
        for killed in (0, 1):
            with self.subTest(killed=("dpu", "host")[killed]):
                sides = [self.start("dpu", "comch_consumer", for_ever),
                         self.start("host", "comch_producer", for_ever)]
                self.wait_for_a_consumer()
                sides[killed].kill()
                left = sides[1 - killed].end()
                self.assertEqual(([], 1), (left.lines(), left.process.returncode), left.trouble())

    def test_the_consumer_says_what_is_missing(self):
        for args, reason in ((["05:00.0"], NOT_FOUND),
                             (["03:00.0", "05:00.0"],
                              "doca::Representor::open: DOCA_ERROR_NOT_FOUND ")):
            with self.subTest(args=args):
                self.assert_bad(self.run_alone("dpu", "comch_consumer", "1", *args), reason)

    def test_the_producer_ends_when_the_wait_for_a_server_is_limited(self):
        self.assert_bad(self.run_alone("host", "comch_producer", SOFTDOCA_COMCH_TIMEOUT_MS="100"),
                        "doca_ctx_start: DOCA_ERROR_NOT_CONNECTED ")


if __name__ == "__main__":
    tap.main()
