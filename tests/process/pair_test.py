#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""softdoca pair: what it starts and when, what it shows, its exit status, and that it leaves nothing.

usage: pair_test.py BUILD_DIR
"""

import os
import pathlib
import pty
import re
import shlex
import signal
import time

import tap
from tool_case import (BUILD_DIR, TOOL, ToolCase, environment, processes_with,
                       refuse_process_vm, sample, wait_until)


def application(side, name):
    return shlex.quote(str(BUILD_DIR / "applications" / side / f"doca_{name}"))


def lines_of(side, output):
    """The lines of a side, without its name."""
    prefix = f"{side:4} | "
    return [line.removeprefix(prefix) for line in output.splitlines() if line.startswith(prefix)]


def children_of(pid):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(path.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(path.parent.name))
        except OSError:
            pass
    return found


class PairCase(ToolCase):
    def pair(self, dpu, host, *args, **variables):
        return self.tool("pair", "--dpu", dpu, "--host", host, *args, **variables)

    def start_pair(self, dpu, host, *args, **variables):
        return self.start("pair", "--dpu", dpu, "--host", host, *args, **variables)


class Status(PairCase):
    def test_is_zero_when_both_end_well(self):
        result = self.pair("echo one; echo two", "echo three")
        self.assert_status(0, result)
        self.assertEqual("dpu  | one\ndpu  | two\nhost | three\n", result.stdout)
        self.assertEqual("", result.stderr)

    def test_is_that_of_the_first_failure(self):
        result = self.pair("read line; exit 4", "exit 3", "--wait", "0")
        self.assert_status(3, result)

    def test_names_a_signal(self):
        self.assert_status(128 + 9, self.pair("true", "kill -KILL $$"))

    def test_is_124_when_the_time_is_over(self):
        seconds = self.some_seconds()
        begin = time.monotonic()
        result = self.pair(f"sleep {seconds}", f"sleep {seconds}; true", "--wait", "0",
                           "--timeout", "0.3")
        self.assert_status(124, result)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertIn("--timeout", result.stderr)
        self.assertEqual([], processes_with(seconds))

    def test_time_out_reaches_a_side_that_ignores_signals_and_one_that_is_stopped(self):
        seconds = self.some_seconds()
        result = self.pair(f"trap '' TERM; sleep {seconds}; sleep {seconds}", "kill -STOP $$",
                           "--wait", "0", "--timeout", "0.3")
        self.assert_status(124, result)
        self.assertEqual([], processes_with(seconds))

    def test_a_failure_ends_the_other_side_after_a_grace(self):
        seconds = self.some_seconds()
        result = self.pair(f"sleep {seconds}", "exit 5", "--wait", "0", "--grace", "0.2")
        self.assert_status(5, result)
        self.assertIn("--grace", result.stderr)
        self.assertEqual([], processes_with(seconds))

    def test_the_good_end_of_the_last_word_ends_a_service(self):
        seconds = self.some_seconds()
        result = self.pair(f"sleep {seconds}", "echo done", "--wait", "0", "--last-word", "host")
        self.assert_status(0, result)
        self.assertEqual([], processes_with(seconds))

    def test_a_program_that_is_not_there_gives_127(self):
        self.assert_status(127, self.pair("/no/such/program", "true"))

    def test_wrong_arguments_give_2(self):
        for args in ([], ["--dpu", "true"], ["--dpu", "true", "--host", "true", "--first", "x"],
                     ["--dpu", "true", "--host", "true", "--timeout", "-1"],
                     ["--dpu", "true", "--host", "true", "--timeout", "soon"],
                     ["--dpu", "true", "--host", "true", "--dpu-role", "nobody"],
                     ["--dpu", "true", "--host", "true", "--dpu-role", "host"]):
            with self.subTest(args=args):
                self.assert_status(2, self.tool("pair", *args))


class Sides(PairCase):
    def test_have_roles_and_one_private_fabric_that_goes(self):
        show = "echo $SOFTDOCA_ROLE; echo $SOFTDOCA_FABRIC; stat -c %a $SOFTDOCA_FABRIC"
        result = self.pair(show, show)
        self.assert_status(0, result)
        dpu, host = lines_of("dpu", result.stdout), lines_of("host", result.stdout)
        self.assertEqual((["dpu", "700"], ["host", "700"]), (dpu[::2], host[::2]))
        self.assertEqual(dpu[1], host[1])
        self.assertFalse(pathlib.Path(dpu[1]).exists())

    def test_use_the_fabric_of_the_caller(self):
        fabric = self.dir / "fabric"
        fabric.mkdir()
        show = "echo $SOFTDOCA_FABRIC"
        result = self.pair(show, show, SOFTDOCA_FABRIC=fabric)
        self.assertEqual(f"dpu  | {fabric}\nhost | {fabric}\n", result.stdout)
        self.assertTrue(fabric.is_dir())

    def test_are_named_by_the_role_that_was_asked_for(self):
        result = self.pair("echo a", "echo b", "--dpu-role", "dpu", "--host-role", "host")
        self.assertEqual("dpu  | a\nhost | b\n", result.stdout)

    def test_read_a_newline_when_the_other_has_ended_and_nothing_before(self):
        read_end, write_end = os.pipe()
        os.write(write_end, b"for pair itself\n")
        os.close(write_end)
        saved = os.dup(0)
        os.dup2(read_end, 0)
        try:
            result = self.pair("read line; echo \"<$line>\"", "sleep 0.1", "--wait", "0")
        finally:
            os.dup2(saved, 0)
            os.close(saved)
            os.close(read_end)
        self.assert_status(0, result)
        self.assertEqual(["<>"], lines_of("dpu", result.stdout))

    def test_background_processes_end_with_the_pair(self):
        seconds = self.some_seconds()
        result = self.pair(f"sleep {seconds} & (setsid sleep {seconds} &); "
                           f"setsid sh -c 'sleep {seconds} &'", "true", "--wait", "0.1")
        self.assert_status(0, result)
        self.assertEqual([], processes_with(seconds))


TWO_BY_TWO = """
[[dpu]]
name = "dpu-a"
[[host]]
name = "host-a"
behind = "dpu-a"
[[dpu]]
name = "dpu-b"
[[host]]
name = "host-b"
behind = "dpu-b"
"""


class Topology(PairCase):
    def setUp(self):
        super().setUp()
        self.world = self.dir / "world.toml"
        self.world.write_text(TWO_BY_TWO)

    def test_a_dpu_gets_the_host_that_is_behind_it(self):
        show = "echo $SOFTDOCA_ROLE"
        for args, expected in (([], "dpu  | dpu-a\nhost | host-a\n"),
                               (["--dpu-role", "dpu-b"], "dpu-b | dpu-b\nhost  | host-b\n"),
                               (["--host-role", "host-b"], "dpu    | dpu-a\nhost-b | host-b\n")):
            with self.subTest(args=args):
                result = self.pair(show, show, *args, SOFTDOCA_TOPOLOGY=self.world)
                self.assert_status(0, result)
                self.assertEqual(expected, result.stdout)

    def test_a_bad_file_is_refused_with_its_line(self):
        self.world.write_text("[[dpu]]\nnonsense = 1\n")
        for args in ([], ["--dpu-role", "dpu"]):
            result = self.pair("true", "true", *args, SOFTDOCA_TOPOLOGY=self.world)
            self.assert_status(2, result)
            self.assertIn(f"{self.world}:2", result.stderr)

    def test_two_pairs_share_a_fabric(self):
        pairs = []
        for card in "ab":
            files = f"-d descriptor-{card} -b buffer-{card}"
            pairs.append(self.start_pair(
                sample("dpu", "dma_copy_dpu") + f" -p 03:00.0 {files}",
                sample("host", "dma_copy_host") + f" -p 3b:00.0 {files} -t 'card {card}'",
                "--dpu-role", f"dpu-{card}", "--first", "host", "--verbose",
                SOFTDOCA_TOPOLOGY=self.world, SOFTDOCA_FABRIC=self.dir / "fabric"))
        for card, process in zip("ab", pairs):
            output, words = process.communicate(timeout=60)
            self.assertEqual(0, process.returncode, output + words)
            self.assertIn(f"Memory content: card {card}\n", output)
            self.assertIn("is ready", words)


class Order(PairCase):
    def test_the_dpu_is_first_unless_told_otherwise(self):
        for args, expected in (([], "dpu  | \nhost | \n"), (["--first", "host"], "host | \ndpu  | \n"),
                               (["--first", "dpu"], "dpu  | \nhost | \n")):
            with self.subTest(args=args):
                self.assertEqual(expected, self.pair("echo", "echo", *args).stdout)

    def test_the_second_is_not_started_when_the_first_has_failed(self):
        result = self.pair("exit 3", "echo here")
        self.assert_status(3, result)
        self.assertEqual("", result.stdout)
        self.assertIn("--first", result.stderr)

    def test_the_second_is_started_when_the_wait_is_over(self):
        result = self.pair("read line", "echo here", "--wait", "0.2")
        self.assert_status(0, result)
        self.assertEqual("host | here\n", result.stdout)
        self.assertIn("--wait", result.stderr)

    def test_waits_for_files_that_are_written_now(self):
        (self.dir / "one").write_text("old")
        (self.dir / "two").write_text("old")
        result = self.pair("cat one two", "sleep 0.2; echo new > one; sleep 0.2; echo new > two; "
                           "read line", "--first", "host", "--until-file", "one",
                           "--until-file", "two")
        self.assert_status(0, result)
        self.assertEqual("dpu  | new\ndpu  | new\n", result.stdout)
        self.assertEqual("", result.stderr)

    def test_a_host_that_exports_and_waits_for_enter_comes_before_its_dpu(self):
        for args, before in (([], None), (["--until-file", "buffer"], None),
                             ([], refuse_process_vm)):
            with self.subTest(args=args, before=before):
                result = self.pair(
                    sample("dpu", "dma_copy_dpu") + " -p 03:00.0 -d descriptor -b buffer",
                    sample("host", "dma_copy_host") + " -p 3b:00.0 -d descriptor -b buffer "
                    "-t 'across the bus'", "--first", "host", *args, before=before)
                self.assert_status(0, result)
                self.assertRegex(result.stdout, r"(?m)^dpu  \| .*Memory content: across the bus$")
                self.assertEqual(2, result.stdout.count("Sample finished successfully"))

    def test_a_comch_server_comes_before_its_client(self):
        for dpu, host, word in (
                (sample("dpu", "comch_ctrl_path_server"), sample("host", "comch_ctrl_path_client"),
                 "Sample finished successfully"),
                (application("dpu", "secure_channel") + " -s 256 -n 10 -p 03:00.0 -r 3b:00.0",
                 application("host", "secure_channel") + " -s 256 -n 10 -p 3b:00.0",
                 "Consumer received 10 messages")):
            with self.subTest(dpu=dpu):
                result = self.pair(dpu, host, "--wait", "50", "--verbose")
                self.assert_status(0, result)
                self.assertIn("dpu is ready after", result.stderr)
                self.assertEqual(2, result.stdout.count(word), result.stdout)

    def test_a_server_that_was_there_before_does_not_count(self):
        fabric = self.dir / "fabric"
        older = self.start("run", "--role", "dpu", "--", "sh", "-c",
                           "exec " + sample("dpu", "comch_ctrl_path_server"), SOFTDOCA_FABRIC=fabric)
        wait_until(lambda: any((fabric / "s").glob("[0-9a-f]*")))
        result = self.pair("read line", "echo here", "--wait", "0.2", SOFTDOCA_FABRIC=fabric)
        self.assert_status(0, result)
        self.assertIn("--wait", result.stderr)
        self.assertIsNone(older.poll())

    def test_pairs_with_servers_of_one_name_run_at_the_same_time(self):
        pairs = [self.start_pair(application("dpu", "secure_channel") +
                                 f" -s 64 -n {num} -p 03:00.0 -r 3b:00.0",
                                 application("host", "secure_channel") +
                                 f" -s 64 -n {num} -p 3b:00.0") for num in (11, 12, 13)]
        for num, process in zip((11, 12, 13), pairs):
            output, words = process.communicate(timeout=60)
            self.assertEqual(0, process.returncode, output + words)
            self.assertEqual(2, output.count(f"Consumer received {num} messages"), output)


class Output(PairCase):
    def test_never_mixes_lines(self):
        result = self.pair("seq -f 'the dpu counts %.0f' 20000", "seq -f 'host %.0f' 20000 >&2",
                           "--wait", "0")
        self.assert_status(0, result)
        numbers = range(1, 20001)
        self.assertEqual([f"the dpu counts {i}" for i in numbers], lines_of("dpu", result.stdout))
        self.assertEqual([f"host {i}" for i in numbers], lines_of("host", result.stdout))
        self.assertEqual(40000, len(result.stdout.splitlines()))

    def test_shows_a_prompt_before_its_line_ends(self):
        process = self.start_pair("printf 'press enter: '; read line; echo thanks",
                                  f"while [ ! -e {self.dir}/go ]; do sleep 0.01; done; echo gone",
                                  "--wait", "0")
        seen = process.stdout.read(len("dpu  | press enter: "))
        (self.dir / "go").touch()
        self.assertEqual("dpu  | press enter: ", seen)
        self.assertEqual("\nhost | gone\ndpu  | thanks\n", process.stdout.read())

    def test_ends_a_last_line_that_has_no_end(self):
        self.assertEqual("dpu  | a\nhost | b\n", self.pair("printf a", "printf b").stdout)

    def test_passes_long_lines_and_odd_bytes(self):
        result = self.pair("head -c 200000 /dev/zero | tr '\\0' x", r"printf '\tb\033[1m\n'")
        self.assertEqual(["x" * 200000], lines_of("dpu", result.stdout))
        self.assertEqual(["\tb\033[1m"], lines_of("host", result.stdout))

    def test_is_coloured_on_a_terminal_only(self):
        for variables, is_coloured in (({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False),
                                       ({"TERM": "xterm", "NO_COLOR": "1"}, False)):
            with self.subTest(variables=variables):
                self.assertEqual(is_coloured, "\033[" in self.on_terminal(variables))
        self.assertNotIn("\033", self.pair("echo a", "echo b", TERM="xterm").stdout)

    def on_terminal(self, variables):
        """What a pair writes to a terminal."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(TOOL, [TOOL, "pair", "--dpu", "echo a", "--host", "echo b"],
                      environment(variables))
        output = b""
        try:
            while piece := os.read(terminal, 1000):
                output += piece
        except OSError:  # the terminal's last user has gone
            pass
        os.close(terminal)
        self.assertEqual(0, os.waitpid(pid, 0)[1])
        text = output.decode()
        self.assertEqual("dpu  | a\r\nhost | b\r\n", re.sub(r"\033\[\d*m", "", text))
        return text

    def test_a_reader_that_goes_ends_the_pair(self):
        seconds = self.some_seconds()
        process = self.start_pair("yes", f"sleep {seconds}", "--wait", "0")
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(128 + signal.SIGPIPE, process.wait(60))
        self.assertEqual([], processes_with(seconds))


class End(PairCase):
    """Whatever ends the pair, nothing of it is left."""

    def start_hardy_pair(self, seconds):
        """Sides that leave processes in the background, in sessions of their own."""
        process = self.start_pair(
            f"setsid sleep {seconds} & (setsid setsid sleep {seconds} &); trap '' HUP INT; "
            f"sleep {seconds}; true", f"sleep {seconds}; true", "--wait", "0")
        wait_until(lambda: len(processes_with(seconds)) >= 4)
        return process

    def test_comes_with_the_signals_of_a_terminal_and_of_a_ci_runner(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                seconds = self.some_seconds()
                process = self.start_hardy_pair(seconds)
                process.send_signal(number)
                self.assertEqual(128 + number, process.wait(60))
                self.assertEqual([], processes_with(seconds))

    def test_lets_the_sides_clean_up(self):
        seconds = self.some_seconds()
        process = self.start_pair(f"trap 'echo bye; exit 0' TERM; sleep {seconds} & wait", "read x",
                                  "--wait", "0")
        wait_until(lambda: processes_with(seconds))
        process.terminate()
        self.assertEqual(["bye"], lines_of("dpu", process.stdout.read()))
        self.assertEqual(128 + signal.SIGTERM, process.wait(60))

    def test_kill_9_leaves_nothing(self):
        seconds = self.some_seconds()
        process = self.start_hardy_pair(seconds)
        fabric = pathlib.Path(f"/proc/{processes_with(seconds)[0]}/environ").read_text()
        fabric = re.search("SOFTDOCA_FABRIC=([^\0]+)", fabric)[1]
        process.kill()
        process.wait()
        wait_until(lambda: not processes_with(seconds))
        wait_until(lambda: not pathlib.Path(fabric).exists())

    def test_kill_9_of_the_keeper_leaves_nothing_but_a_folder_that_the_next_one_removes(self):
        seconds = self.some_seconds()
        process = self.start_hardy_pair(seconds)
        fabric = pathlib.Path(f"/proc/{processes_with(seconds)[0]}/environ").read_text()
        fabric = re.search("SOFTDOCA_FABRIC=([^\0]+)", fabric)[1]
        [keeper] = children_of(process.pid)
        os.kill(keeper, signal.SIGKILL)
        self.assertEqual(128 + signal.SIGKILL, process.wait(60))
        self.assertEqual([], processes_with(seconds))
        self.assert_status(0, self.pair("true", "true"))
        self.assertFalse(pathlib.Path(fabric).exists())


if __name__ == "__main__":
    tap.main()
