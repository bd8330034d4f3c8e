#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""The sample programs and tools, run as a user runs them: lines, their order, exit codes.

usage: samples_test.py BUILD_DIR
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import tap

BUILD_DIR = pathlib.Path(sys.argv[1])
SIDES = ("dpu", "host")

LOG_LINE = re.compile(
    r"\[\d\d:\d\d:\d\d:\d{6}\]\[\d+\]\[DOCA\]\[(INF|WRN|ERR)\]"
    r"\[[\w.]+:\d+\]\[\w+\] (?P<text>.*)")

RUNNING = "DMA context is running"
COMPLETED = "DMA task was completed successfully"
STOPPING = "DMA context entered into stopping state. Any inflight tasks will be flushed"
STOPPED = "DMA context has been stopped"
GOOD_END = "Sample finished successfully"
BAD_END = "Sample finished with errors"


def environment(**variables):
    """The caller's, without SoftDOCA's settings."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("SOFTDOCA_")}
    return env | variables


def run(program, *args, **variables):
    return subprocess.run([program, *args], env=environment(**variables), capture_output=True,
                          text=True, timeout=60, stdin=subprocess.DEVNULL, check=False)


def sample(side, name):
    return BUILD_DIR / "samples" / side / f"doca_{name}"


def run_sample(side, name, *args, **variables):
    return run(sample(side, name), *args, **variables)


def run_caps(side, *args, **variables):
    return run(BUILD_DIR / "tools" / side / "doca_caps", *args, **variables)


def texts(output):
    """The texts of the log lines of an application; everything else stays as it is."""
    matches = ((LOG_LINE.fullmatch(line), line) for line in output.splitlines())
    return [match["text"] if match else line for match, line in matches]


class SampleCase(unittest.TestCase):
    maxDiff = None

    def assert_good(self, result, lines):
        self.assertEqual(["Starting the sample", *lines, GOOD_END], texts(result.stdout),
                         result.stderr)
        self.assertEqual(0, result.returncode, result.stderr)

    def assert_bad(self, result, reason=""):
        self.assertEqual(BAD_END, texts(result.stdout)[-1], result.stdout + result.stderr)
        self.assertIn(reason, result.stderr)
        self.assertEqual(1, result.returncode)


class DmaLocalCopy(SampleCase):
    @staticmethod
    def good_lines(num_tasks):
        return [RUNNING, *[COMPLETED] * num_tasks, STOPPING, STOPPED,
                *[f"Success, DMA memory task {i} copied and verified as correct"
                  for i in range(num_tasks)]]

    def test_copies_once_by_default(self):
        self.assert_good(run_sample("dpu", "dma_local_copy"), self.good_lines(1))

    def test_copies_with_several_tasks_and_lists(self):
        result = run_sample("dpu", "dma_local_copy", "-p", "03:00.0", "-t", "hello", "-nt", "4",
                            "-nd", "2")
        self.assert_good(result, self.good_lines(4))

    def test_takes_every_number_of_buffers_up_to_the_limit(self):
        for num_src, num_dst in ((1, 1), (2, 1), (1, 2), (3, 5), (5, 3), (63, 1), (32, 32)):
            result = run_sample("dpu", "dma_local_copy", "-ns", str(num_src), "-nd", str(num_dst))
            self.assert_good(result, self.good_lines(1))

    def test_leaves_out_empty_buffers(self):
        result = run_sample("dpu", "dma_local_copy", "-t", "a", "-ns", "20", "-nd", "30")
        self.assert_good(result, self.good_lines(1))

    def test_copies_the_longest_text_in_the_most_tasks(self):
        result = run_sample("dpu", "dma_local_copy", "-t", "x" * 4096, "-nt", "128")
        self.assert_good(result, self.good_lines(128))

    def test_writes_trouble_only_to_stderr(self):
        result = run_sample("dpu", "dma_local_copy")
        library_lines = [line for line in result.stderr.splitlines() if "DOCA version" not in line]
        self.assertEqual([], library_lines)

    def test_refuses_too_many_buffers_for_the_device(self):
        self.assert_bad(run_sample("dpu", "dma_local_copy", "-ns", "64", "-nd", "1"),
                        "65 buffers, the device supports lists of 64")

    def test_refuses_bad_arguments(self):
        for args in (["-nt", "0"], ["-nt", "129"], ["-nt", "x"], ["-mnr", "-1"], ["-mnr", "129"],
                     ["-ns", "0"], ["-nd", "0"], ["-t", "x" * 4097], ["-p", "0000:03:00.00"],
                     ["--no-such-flag"]):
            with self.subTest(args=args[:1] + [arg[:20] for arg in args[1:]]):
                self.assert_bad(run_sample("dpu", "dma_local_copy", *args))

    def test_says_that_a_device_is_missing(self):
        self.assert_bad(run_sample("dpu", "dma_local_copy", "-p", "05:00.0"),
                        "Matching device not found")

    def test_runs_only_on_the_dpu(self):
        result = run_sample("host", "dma_local_copy")
        self.assert_bad(result, "Local DMA copy can run only on the DPU")
        self.assertNotIn(RUNNING, result.stdout)

    def test_goes_on_for_a_profile_on_the_host(self):
        for side in SIDES:
            result = run_sample(side, "dma_local_copy", "-nt", "3", "-mnr", "2")
            self.assert_good(result, self.good_lines(3))

    def test_has_buffer_numbers_only_on_the_dpu(self):
        self.assert_bad(run_sample("host", "dma_local_copy", "-mnr", "1", "-ns", "2"))


class HostSample:
    """dma_copy_host from its start to the line that it waits; then Enter ends it."""

    WAITING = "Wait till the DPU has finished and press enter"

    def __init__(self, *args, **variables):
        self.process = subprocess.Popen(
            [sample("host", "dma_copy_host"), *args], env=environment(**variables), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.limit = threading.Timer(60, self.process.kill)
        self.limit.start()
        self.lines = []
        for line in self.process.stdout:
            self.lines.append(line)
            if self.WAITING in line:
                break

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.returncode is None:
            self.process.kill()
            self.process.communicate()
        self.limit.cancel()

    def press(self, keys):
        """What the program ends with when these keys, or none, are the end of its input."""
        stdout, stderr = self.process.communicate(keys)
        return subprocess.CompletedProcess(self.process.args, self.process.returncode,
                                           "".join(self.lines) + stdout, stderr)


class DmaCopy(SampleCase):
    """The pair of programs, in a fabric and with files of its own."""

    TEXT = "This is a sample piece of text"
    ENDED = "Host sample can be closed, DMA copy ended"

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.descriptor = self.directory / "descriptor"
        self.buffer = self.directory / "buffer"
        self.files = ["-d", str(self.descriptor), "-b", str(self.buffer)]
        self.fabric = {"SOFTDOCA_FABRIC": str(self.directory / "fabric")}

    def host(self, *args):
        host = HostSample(*self.files, *args, **self.fabric)
        self.addCleanup(host.__exit__)
        return host

    def run_dpu(self, *args):
        return run_sample("dpu", "dma_copy_dpu", *self.files, *args, **self.fabric)

    def assert_copied(self, result, text=TEXT):
        self.assert_good(result, [
            RUNNING, COMPLETED, STOPPING, STOPPED, "Remote DMA copy was done Successfully",
            f"Memory content: {text}", self.ENDED])

    def make_files(self, descriptor=b"nothing", buffer="4096\n64"):
        self.descriptor.write_bytes(descriptor)
        self.buffer.write_text(buffer)

    def test_copies_from_the_host_to_the_dpu(self):
        host = self.host()
        self.assert_copied(self.run_dpu())
        self.assert_good(host.press("\n"), [
            f"Please copy {self.descriptor} and {self.buffer} to the DPU and run DMA Copy DPU "
            "sample", HostSample.WAITING])

    def test_copies_any_text_over_the_other_port(self):
        for text in ("", "it is short", "x" * 3900):
            with self.subTest(len=len(text)), self.host("-t", text, "-p", "3b:00.1") as host:
                self.assert_copied(self.run_dpu("-p", "03:00.1"), text)
                self.assertEqual(0, host.press("\n").returncode)

    def test_copies_the_longest_text(self):
        self.host("-t", "x" * 4096)
        result = self.run_dpu()
        shown = texts(result.stdout)[6]  # a log line has 4,096 bytes at most, so the end is cut
        self.assertRegex(shown, r"\AMemory content: x{3900,}\Z")
        self.assertEqual(0, result.returncode)

    def test_copies_lists_of_buffers(self):
        self.host()
        for num_src, num_dst in ((2, 1), (1, 2), (3, 5), (40, 24)):
            with self.subTest(num_src=num_src, num_dst=num_dst):
                self.assert_copied(self.run_dpu("-ns", str(num_src), "-nd", str(num_dst)))

    def test_takes_the_length_in_hexadecimal(self):
        self.host()
        address = int(self.buffer.read_text().split()[0])
        self.buffer.write_text(f"{address:#x}\n{15:#x}\n")
        self.assert_copied(self.run_dpu(), self.TEXT[:15])

    def test_files_hold_the_descriptor_and_where_the_memory_is(self):
        self.host("-t", "four")
        self.assertRegex(self.buffer.read_text(), r"\A[1-9]\d*\n5\Z")
        self.assertIn(len(self.descriptor.read_bytes()), range(1, 513))
        for file in (self.descriptor, self.buffer):
            self.assertEqual(0o600, file.stat().st_mode & 0o777)

    def test_host_waits_for_either_key(self):
        for keys in ("\n", "\r", "some text\n"):
            with self.subTest(keys=keys):
                host = self.host()
                self.assertIsNone(host.process.poll())
                result = host.press(keys)
                self.assertEqual((0, GOOD_END), (result.returncode, texts(result.stdout)[-1]))

    def test_host_fails_when_its_input_ends(self):
        self.assert_bad(self.host().press("no enter"), "The standard input ended before enter")

    def test_dpu_fails_once_the_host_has_gone(self):
        self.host().press("\n")
        result = self.run_dpu()
        self.assert_bad(result, "Failed to create mmap from export")
        self.assertNotIn(COMPLETED, result.stdout)

    def test_dpu_refuses_what_is_no_descriptor(self):
        self.make_files()
        self.assert_bad(self.run_dpu(), "Failed to create mmap from export: Invalid input")
        self.make_files(descriptor=b"")
        self.assert_bad(self.run_dpu(), f"from file {self.descriptor}")

    def test_dpu_refuses_a_length_that_it_cannot_copy(self):
        for length, reason in ((0, "The host's memory is empty"),
                               (2097153, "has 2097153 bytes, the device copies at most 2097152"),
                               (-1, "the device copies at most 2097152")):
            with self.subTest(length=length):
                self.make_files(buffer=f"4096\n{length}")
                self.assert_bad(self.run_dpu(), reason)

    def test_dpu_refuses_what_is_no_address_and_length(self):
        for text in ("", "4096", "4096\n", "x\n5", "4096\n5x", "1" * 40 + "\n5"):
            with self.subTest(text=text):
                self.make_files(buffer=text)
                self.assert_bad(self.run_dpu(), f"File {self.buffer} does not hold")

    def test_dpu_refuses_memory_beyond_the_export(self):
        self.host()
        address, length = map(int, self.buffer.read_text().split())
        for beyond in (f"{address}\n{length + 1}", f"{address - 1}\n{length}", "1\n1"):
            with self.subTest(buffer=beyond):
                self.buffer.write_text(beyond)
                result = self.run_dpu()
                self.assert_bad(result, "Failed to get a list of buffers: Invalid input")

    def test_dpu_refuses_too_many_buffers_for_the_device(self):
        self.make_files()
        self.assert_bad(self.run_dpu("-ns", "64", "-nd", "1"),
                        "65 buffers, the device supports lists of 64")

    def test_dpu_wants_the_files_that_are_named(self):
        missing = str(self.directory / "missing")
        for option in ("-d", "--descriptor-path", "-b", "--buffer-path"):
            self.assert_bad(run_sample("dpu", "dma_copy_dpu", option, missing, **self.fabric),
                            f"Failed to find file {missing}")

    def test_host_says_which_file_it_cannot_write(self):
        missing = str(self.directory / "missing" / "file")
        result = run_sample("host", "dma_copy_host", "-d", missing, "-b", str(self.buffer),
                            **self.fabric)
        self.assert_bad(result, f"Failed to write file {missing}: No such file or directory")

    def test_each_refuses_bad_arguments(self):
        self.make_files()
        both = (["-t", "x" * 4097], ["-p", "0000:03:00.00"], ["--no-such-flag"], ["-b", "x" * 257])
        for side, name, more in (
                ("dpu", "dma_copy_dpu", (["-ns", "0"], ["-nd", "0"], ["-ns", "x"])),
                ("host", "dma_copy_host", (["-ns", "1"], ["-nd", "1"], ["-d", "x" * 257]))):
            for args in (*both, *more):
                with self.subTest(name=name, args=args[:1] + [arg[:20] for arg in args[1:]]):
                    self.assert_bad(run_sample(side, name, *args, **self.fabric))

    def test_each_says_that_a_device_is_missing(self):
        self.make_files()
        for side, name, address in (("dpu", "dma_copy_dpu", "3b:00.0"),
                                    ("host", "dma_copy_host", "b1:00.0")):
            result = run_sample(side, name, *self.files, "-p", address, **self.fabric)
            self.assert_bad(result, "Matching device not found")
            self.assertIn("sees 0000:" + {"dpu": "03:00.0", "host": "3b:00.0"}[side],
                          result.stderr)

    def test_each_runs_only_on_its_side(self):
        for side, name, reason in (("dpu", "dma_copy_host", "Sample can run only on the Host"),
                                   ("host", "dma_copy_dpu", "Sample can run only on the DPU")):
            result = run_sample(side, name, *self.files, **self.fabric)
            self.assert_bad(result, reason)
            self.assertFalse(self.descriptor.exists())

    def test_help_names_the_defaults(self):
        for side, name, address in (("dpu", "dma_copy_dpu", "03:00.0"),
                                    ("host", "dma_copy_host", "3b:00.0")):
            result = run_sample(side, name, "-h")
            self.assertEqual(0, result.returncode)
            for default in (address, "/tmp/export_desc.txt", "/tmp/buffer_info.txt"):
                self.assertIn(f"(default {default})", result.stdout)


class PeSamples(SampleCase):
    def assert_lines(self, name, lines, **variables):
        for side in SIDES:
            with self.subTest(side=side):
                self.assert_good(run_sample(side, name, **variables), lines)

    def test_help_names_the_program_and_exits_with_0(self):
        for name in ("pe_polling", "dma_local_copy"):
            result = run_sample("dpu", name, "-h")
            self.assertIn(f"Usage: doca_{name}", result.stdout)
            self.assertEqual(0, result.returncode)

    def test_each_names_an_unknown_device(self):
        for name in ("pe_async_stop", "pe_event", "pe_multi_context", "pe_polling", "pe_reactive",
                     "pe_task_error", "pe_task_resubmit", "pe_task_try_submit"):
            self.assert_bad(run_sample("dpu", name, "-p", "05:00.0"), "Matching device not found")

    def test_each_takes_an_address(self):
        self.assertEqual(0, run_sample("host", "pe_polling", "-p", "0000:3B:00.1").returncode)

    def test_role_can_be_overruled(self):
        result = run_sample("host", "pe_polling", "-p", "03:00.1", SOFTDOCA_ROLE="dpu")
        self.assertEqual(0, result.returncode, result.stderr)

    def test_polling(self):
        self.assert_lines("pe_polling", [
            "CTX is running",
            "16 tasks completed and verified as correct, 0 failed",
            "CTX entered into stopping state",
            "CTX has been stopped"])

    def test_event(self):
        for side in SIDES:
            lines = texts(run_sample(side, "pe_event").stdout)
            events = re.fullmatch(r"All tasks ended after (\d+) events", lines[2])
            self.assertGreaterEqual(int(events[1]), 1)
            self.assertEqual(["16 tasks completed and verified as correct, 0 failed",
                              "CTX entered into stopping state",
                              "CTX has been stopped",
                              GOOD_END], lines[3:])

    def test_reactive(self):
        self.assert_lines("pe_reactive", [
            "CTX is running",
            "CTX entered into stopping state",
            "CTX has been stopped",
            "The context has been destroyed in its own callback",
            "16 tasks completed and verified as correct, 0 failed"])

    def test_async_stop(self):
        self.assert_lines("pe_async_stop", [
            "CTX is running",
            "CTX entered into stopping state",
            *[f"Task {i} failed: Shut down in process or completed" for i in range(8, 16)],
            "CTX has been stopped",
            "8 tasks completed, 8 were flushed"])

    def test_task_error(self):
        for side in SIDES:
            result = run_sample(side, "pe_task_error")
            self.assert_good(result, [
                "CTX is running",
                "Task 2 failed: Input/Output Operation Failed",
                *[f"Task {i} failed: Shut down in process or completed" for i in range(3, 255)],
                "CTX has been stopped",
                "2 tasks completed, 253 failed"])
            self.assertEqual(1, texts(result.stderr).count(
                "CTX moved to stopping state unexpectedly"))

    def test_task_resubmit(self):
        self.assert_lines("pe_task_resubmit", [
            "CTX is running",
            "4 tasks copied 16 pairs of buffers",
            "16 tasks completed and verified as correct, 0 failed",
            "CTX entered into stopping state",
            "CTX has been stopped"])

    def test_task_try_submit(self):
        self.assert_lines("pe_task_try_submit", [
            "CTX is running",
            "A task with an empty source was refused: Invalid input",
            "16 tasks completed and verified as correct, 0 failed",
            "CTX entered into stopping state",
            "CTX has been stopped"])

    def test_multi_context(self):
        self.assert_lines("pe_multi_context", [
            *["CTX is running"] * 4,
            "64 tasks of 4 contexts are in flight",
            "64 tasks completed and verified as correct, 0 failed",
            *["CTX entered into stopping state", "CTX has been stopped"] * 4])


class DocaCaps(unittest.TestCase):
    maxDiff = None

    def listing(self, side, *args):
        result = run_caps(side, *args)
        self.assertEqual("", result.stderr)
        self.assertEqual(0, result.returncode)
        return result.stdout

    def test_lists_devices(self):
        ipv6 = r"fe80(:[0-9a-f]{4}){7}"
        for side, pci, iface in (("dpu", "0000:03:00.0", "p0"),
                                 ("host", "0000:3b:00.0", "ens1f0np0")):
            self.assertRegex(self.listing(side, "--list-devs", "-p", pci), "".join((
                rf"\APCI: {pci}\n",
                rf"    ibdev_name {{36}}mlx5_0\n",
                rf"    iface_name {{36}}{iface}\n",
                rf"    iface_index {{35}}\d+\n",
                rf"    pci_func_type {{33}}PF\n",
                rf"    uplink_ib_port {{32}}1\n",
                rf"    mac_addr {{38}}[0-9a-f]{{2}}(:[0-9a-f]{{2}}){{5}}\n",
                rf"    ipv4_addr {{37}}0\.0\.0\.0\n",
                rf"    ipv6_addr {{37}}{ipv6}\n",
                rf"    gid_table_size {{32}}255\n",
                rf"    GID\[0\] {{40}}{ipv6}\n\Z")))

    def test_lists_all_devices_of_a_side(self):
        for side, bus in (("dpu", "03"), ("host", "3b")):
            devices = [line for line in self.listing(side, "--list-devs").splitlines()
                       if line.startswith("PCI")]
            self.assertEqual([f"PCI: 0000:{bus}:00.{i}" for i in (0, 1)], devices)

    def test_lists_representors(self):
        representors = "".join(
            rf"PCI: 0000:03:00.{i}\n"
            rf" {{8}}representor-PCI: 0000:3b:00.{i}\n"
            rf" {{12}}pci_func_type {{33}}PF\n"
            rf" {{12}}hotplug {{39}}no\n"
            rf" {{12}}vuid {{42}}\w+MLNXS0D0F{i}\n"
            rf" {{12}}rep_type {{38}}NET\n"
            rf" {{12}}iface_name {{36}}pf{i}hpf\n"
            rf" {{12}}iface_index {{35}}\d+\n"
            rf" {{12}}host_index {{36}}0\n"
            rf" {{12}}pf_index {{38}}{i}\n" for i in (0, 1))
        self.assertRegex(self.listing("dpu", "--list-rep-devs"), rf"\A{representors}\Z")

    def test_lists_a_host_without_representors(self):
        self.assertEqual("PCI: 0000:3b:00.0\nPCI: 0000:3b:00.1\n",
                         self.listing("host", "--list-rep-devs"))

    def test_prints_the_capabilities_of_a_library(self):
        for side, pci in (("dpu", "0000:03:00.0"), ("host", "0000:3b:00.0")):
            self.assertEqual(
                f"PCI: {pci}\n"
                "    dma\n"
                "        task_memcpy                                   supported\n"
                "        task_memcpy_max_buf_size                      2097152\n"
                "        task_memcpy_max_buf_list_len                  64\n"
                "        max_num_tasks                                 65536\n",
                self.listing(side, "-p", pci, "-b", "dma"))

    def test_prints_all_capabilities_in_sections(self):
        for side, has_reps in (("dpu", "supported"), ("host", "unsupported")):
            lines = self.listing(side).splitlines()
            self.assertEqual(["    common", "    dma", "    comch"] * 2,
                             [line for line in lines if re.match(r" {4}\w", line)])
            self.assertEqual(2, lines.count(f"        {'rep_filter_net':46}{has_reps}"))
            for line in lines:
                self.assertRegex(line, r"PCI: |    \w+$| {8}(?=.{46}\w)\w+ +(\d+|(un)?supported)$")

    def test_takes_short_addresses_of_either_case(self):
        self.assertEqual(self.listing("host", "--list-devs", "-p", "0000:3b:00.1"),
                         self.listing("host", "--list-devs", "--pci-addr", "3B:00.1"))

    def test_names_the_known_addresses_when_none_matches(self):
        for address in ("3b:00.0", "03:00", "", "nonsense"):
            result = run_caps("dpu", "--list-devs", "-p", address)
            self.assertEqual("", result.stdout)
            self.assertEqual([f"doca_caps: no device has the address {address}; "
                              "the dpu sees 0000:03:00.0, 0000:03:00.1"],
                             result.stderr.splitlines())
            self.assertEqual(1, result.returncode)

    def test_names_the_known_libraries_when_none_matches(self):
        result = run_caps("dpu", "-b", "nothing")
        self.assertIn("common, dma, comch", result.stderr)
        self.assertEqual(1, result.returncode)

    def test_lists_libraries(self):
        lines = self.listing("dpu", "--list-libs").splitlines()
        self.assertIn(f"{'dma':46}Linux", lines)
        self.assertIn(f"{'rdma':46}unavailable", lines)

    def test_lists_loggers_once_each(self):
        names = self.listing("dpu", "--list-loggers").splitlines()
        self.assertEqual(sorted(set(names)), names)
        self.assertTrue(any("MMAP" in name for name in names), names)

    def test_prints_both_versions(self):
        version = (pathlib.Path(__file__).parents[2] / "VERSION").read_text().strip()
        for flag in ("-v", "--version"):
            self.assertEqual(f"DOCA version 3.3.0000\nSoftDOCA version {version}\n",
                             self.listing("dpu", flag))

    def test_shows_the_library_log_on_request(self):
        result = run_caps("dpu", "--sdk-log-level", "60", "-b", "dma")
        self.assertIn("[DOCA]", result.stderr)
        self.assertEqual(0, result.returncode)

    def test_refuses_unknown_flags(self):
        self.assertEqual(1, run_caps("dpu", "--list-nothing").returncode)


class SoftdocaEnv(unittest.TestCase):
    """The tool finds its prefix by its own place, so it is copied into one."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.prefix = self.make_prefix("it's a $(prefix) \\ \"with\" a name")

    def make_prefix(self, name):
        prefix = pathlib.Path(self.directory.name).resolve() / name
        for side in SIDES:
            (prefix / "lib" / side / "pkgconfig").mkdir(parents=True)
        (prefix / "bin").mkdir()
        shutil.copy(BUILD_DIR / "tools" / "softdoca" / "softdoca", prefix / "bin")
        return prefix

    def values(self, script, **variables):
        """What the three variables hold in a shell after the script."""
        shown = script + '; printf "%s\\n" "$PATH" "$PKG_CONFIG_PATH" "$LD_LIBRARY_PATH"'
        result = run("/bin/sh", "-c", "set -e\n" + shown, **variables)
        self.assertEqual("", result.stderr)
        return [line.split(":") for line in result.stdout.splitlines()]

    def choose(self, side):
        return f'eval "$({shlex.quote(str(self.prefix))}/bin/softdoca env {side})"'

    def test_puts_the_side_in_front(self):
        values = self.values(self.choose("dpu"), PATH="/usr/bin:/bin", PKG_CONFIG_PATH="/a b",
                             LD_LIBRARY_PATH="/l")
        self.assertEqual([
            [f"{self.prefix}/bin/dpu", f"{self.prefix}/bin", "/usr/bin", "/bin"],
            [f"{self.prefix}/lib/dpu/pkgconfig", "/a b"],
            [f"{self.prefix}/lib/dpu", "/l"]], values)

    def test_leaves_no_empty_entry_when_a_variable_was_empty(self):
        values = self.values(self.choose("host"), PKG_CONFIG_PATH="", LD_LIBRARY_PATH="")
        self.assertEqual([[f"{self.prefix}/lib/host/pkgconfig"], [f"{self.prefix}/lib/host"]],
                         values[1:])

    def test_keeps_the_entries_of_others_as_they_are(self):
        values = self.values(self.choose("host"), LD_LIBRARY_PATH=":/a::/a:")
        self.assertEqual([f"{self.prefix}/lib/host", "", "/a", "", "/a", ""], values[2])

    def test_does_not_grow(self):
        once = self.values(self.choose("host"))
        self.assertEqual(once, self.values("; ".join(
            self.choose(side) for side in ("host", "dpu", "dpu", "host"))))

    def test_does_not_move_a_bin_directory_that_is_there(self):
        values = self.values(self.choose("host"), PATH=f"/usr/bin:/bin:{self.prefix}/bin")
        self.assertEqual([f"{self.prefix}/bin/host", "/usr/bin", "/bin", f"{self.prefix}/bin"],
                         values[0])

    def test_refuses_a_copy_that_is_not_installed(self):
        result = run(BUILD_DIR / "tools" / "softdoca" / "softdoca", "env", "dpu")
        self.assertEqual("", result.stdout)
        self.assertIn("./dev install", result.stderr)
        self.assertEqual(1, result.returncode)

    def test_refuses_a_prefix_with_a_colon(self):
        result = run(self.make_prefix("a:b") / "bin" / "softdoca", "env", "dpu")
        self.assertEqual(("", 1), (result.stdout, result.returncode))

    def test_refuses_other_words(self):
        for args in ([], ["env"], ["env", "arm"], ["env", "host", "dpu"], ["nothing"], ["--no"]):
            with self.subTest(args=args):
                result = run(self.prefix / "bin" / "softdoca", *args)
                self.assertEqual(("", 2), (result.stdout, result.returncode))

    def test_prints_both_versions(self):
        version = (pathlib.Path(__file__).parents[2] / "VERSION").read_text().strip()
        result = run(self.prefix / "bin" / "softdoca", "--version")
        self.assertEqual(f"softdoca {version} (DOCA API 3.3.0000)\n", result.stdout)


if __name__ == "__main__":
    tap.main()
