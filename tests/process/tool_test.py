#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""softdoca run, ls, doctor and completion, doca_comm_channel_admin. (softdoca pair: pair_test.py.)

usage: tool_test.py BUILD_DIR SOURCE_DIR
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import tap
from tool_case import BUILD_DIR, TOOL, ToolCase, environment, refuse_process_vm, wait_until

SOURCE_DIR = pathlib.Path(sys.argv[2])
SERVICE = "comch_ctrl_path_sample_server"



def stop(process):
    """Until it stands still."""
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED)


class Run(ToolCase):
    def test_sets_the_role(self):
        for role, expected in (("dpu", "dpu"), ("host", "host"), ("DPU", "dpu")):
            with self.subTest(role=role):
                result = self.tool("run", "--role", role, "--", "sh", "-c", "echo $SOFTDOCA_ROLE",
                                   SOFTDOCA_ROLE="host")
                self.assert_status(0, result)
                self.assertEqual(f"{expected}\n", result.stdout)

    def test_leaves_the_words_of_the_command_alone(self):
        words = ["env", "--help", "-r", "[1,2]", "", "--", "a b", "pair"]
        result = self.tool("run", "-r", "dpu", "--", sys.executable, "-c",
                           "import sys, json; print(json.dumps(sys.argv[1:]))", *words)
        self.assertEqual(words, json.loads(result.stdout))
        self.assertIn("SOFTDOCA_ROLE=dpu\n", self.tool("run", "-r", "dpu", "--", "env").stdout)

    def test_has_the_status_of_the_program(self):
        self.assert_status(7, self.tool("run", "-r", "dpu", "--", "sh", "-c", "exit 7"))
        self.assertEqual(-signal.SIGTERM, self.tool("run", "-r", "dpu", "--", "sh", "-c",
                                                    "kill $$").returncode)

    def test_says_why_a_program_cannot_be_run(self):
        for program, status in (("/no/such/program", 127), (str(self.dir), 126)):
            result = self.tool("run", "-r", "dpu", "--", program)
            self.assert_status(status, result)
            self.assertIn(program, result.stderr)

    def test_refuses_wrong_arguments(self):
        for args in ([], ["-r", "dpu"], ["-r", "dpu", "--"], ["-r", "dpu", "true"],
                     ["--", "true"], ["-r", "moon", "--", "true"]):
            with self.subTest(args=args):
                self.assert_status(2, self.tool("run", *args))

    def test_of_an_installed_copy_finds_what_belongs_to_the_side(self):
        prefix = self.dir / "prefix"
        (prefix / "lib" / "host" / "pkgconfig").mkdir(parents=True)
        (prefix / "bin").mkdir()
        shutil.copy(TOOL, prefix / "bin")
        show = subprocess.run(
            [prefix / "bin" / "softdoca", "run", "-r", "dpu", "--", sys.executable, "-c",
             "import os; print(os.environ['PATH'], os.environ['LD_LIBRARY_PATH'])"],
            env=environment({"PATH": f"{prefix}/bin/host:/bin", "LD_LIBRARY_PATH": "/mine"}),
            capture_output=True, text=True, check=True)
        self.assertEqual(f"{prefix}/bin/dpu:{prefix}/bin:/bin /mine:{prefix}/lib/dpu\n", show.stdout)

    def test_names_the_nodes_if_there_is_no_such(self):
        self.assertIn("host, dpu", self.tool("run", "-r", "moon", "--", "true").stderr)


class FabricCase(ToolCase):
    def setUp(self):
        super().setUp()
        self.fabric = self.dir / "fabric"

    def start_program(self, path, *args):
        process = subprocess.Popen(
            [path, *args], env=environment({"SOFTDOCA_FABRIC": self.fabric}), cwd=self.dir,
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.kill)
        return process

    def start_exporter(self):
        process = self.start_program(BUILD_DIR / "samples" / "host" / "doca_dma_copy_host",
                                     "-p", "3b:00.0", "-d", "descriptor", "-b", "buffer",
                                     "-t", "hello")
        wait_until((self.dir / "buffer").exists)
        return process

    def start_server(self):
        process = self.start_program(BUILD_DIR / "samples" / "dpu" / "doca_comch_ctrl_path_server")
        wait_until(lambda: any((self.fabric / "s").glob("[0-9a-f]*")))
        return process

    def start_secure_channel(self):
        """Both sides, which send and receive for as long as they live."""
        folder = BUILD_DIR / "applications"
        end = ["-s", "64", "-n", str(2**31 - 1), "-p"]
        dpu = self.start_program(folder / "dpu" / "doca_secure_channel", *end, "03:00.0",
                                 "-r", "3b:00.0")
        host = self.start_program(folder / "host" / "doca_secure_channel", *end, "3b:00.0")
        wait_until(lambda: all(self.row(process)["consumers"] for process in (dpu, host)))
        return dpu, host

    def row(self, process):
        """What ls says of a process."""
        return next((row for row in json.loads(self.ls("--json"))["processes"]
                     if row["pid"] == process.pid), {"consumers": []})

    def ls(self, *args):
        result = self.tool("ls", *args, SOFTDOCA_FABRIC=self.fabric)
        self.assert_status(0, result)
        return result.stdout

    def doctor(self, *args, **variables):
        return self.tool("doctor", *args, **({"SOFTDOCA_FABRIC": self.fabric} | variables))


class Ls(FabricCase):
    def test_says_that_nobody_is_there(self):
        self.assertIn("No process", self.ls())
        self.assertEqual({"fabric": str(self.fabric), "processes": []}, json.loads(self.ls("--json")))
        self.assertFalse(self.fabric.exists())

    def test_shows_an_export(self):
        process = self.start_exporter()
        [row] = json.loads(self.ls("--json"))["processes"]
        self.assertEqual((process.pid, "host", "host", "doca_dma_copy_host", True, []),
                         (row["pid"], row["side"], row["node"], row["program"],
                          row["is_answering"], row["imports"]))
        [exported] = row["exports"]
        self.assertEqual((6, "read-only", 0),
                         (exported["len"], exported["access"], exported["num_imports"]))
        self.assertIn("3b:00.0", exported["pci"])
        text = self.ls()
        self.assertIn("doca_dma_copy_host", text)
        self.assertIn("6 B  read-only", text)

    def test_shows_a_stopped_process(self):
        process = self.start_exporter()
        stop(process)
        [row] = json.loads(self.ls("--json"))["processes"]
        self.assertFalse(row["is_answering"])
        self.assertIn("DOES NOT ANSWER", self.ls())

    def test_forgets_a_process_that_has_gone(self):
        for end in (lambda p: p.kill(), lambda p: p.stdin.write(b"\n") and p.stdin.flush()):
            process = self.start_exporter()
            end(process)
            process.wait()
            self.assertIn("No process", self.ls())
            (self.dir / "buffer").unlink()

    def test_shows_a_server_that_waits_for_clients(self):
        process = self.start_server()
        row = self.row(process)
        self.assertEqual(("dpu", "doca_comch_ctrl_path_server", True, [], []),
                         (row["node"], row["program"], row["is_answering"], row["connections"],
                          row["consumers"]))
        self.assertEqual([{"name": SERVICE, "function": "0000:3b:00.0", "num_clients": 0,
                           "max_clients": 512}], row["servers"])
        self.assertIn(f'server  "{SERVICE}"  on 0000:3b:00.0  0 of 512 clients\n', self.ls())

    def test_shows_the_server_of_a_stopped_process_without_its_clients(self):
        process = self.start_server()
        stop(process)
        row = self.row(process)
        self.assertFalse(row["is_answering"])
        self.assertEqual([{"name": SERVICE, "function": "0000:3b:00.0", "num_clients": None,
                           "max_clients": None}], row["servers"])
        self.assertIn(f'server  "{SERVICE}"  on 0000:3b:00.0\n', self.ls())

    def test_shows_both_ends_of_a_connection_and_their_consumers(self):
        dpu, host = self.start_secure_channel()
        service = self.row(dpu)["servers"][0]
        self.assertEqual((1, 512), (service["num_clients"], service["max_clients"]))
        for process, peer, role in ((dpu, host, "server"), (host, dpu, "client")):
            row = self.row(process)
            self.assertEqual([{"service": service["name"], "role": role, "peer_pid": peer.pid,
                               "is_accepted": True, "is_alive": True, "num_waiting_sends": 0}],
                             row["connections"])
            [consumer] = row["consumers"]
            self.assertEqual((service["name"], peer.pid, 1024),
                             (consumer["service"], consumer["peer_pid"], consumer["num_slots"]))
            self.assertLess(0, consumer["id"])
            self.assertIn(consumer["num_posted"], range(1025))
            self.assertRegex(self.ls(), rf'connection  "{service["name"]}"  with the '
                             rf'{"client" if process is dpu else "server"}, process {peer.pid}  0')

    def test_shows_consumers_of_a_stopped_process_as_far_as_its_peer_knows(self):
        dpu, host = self.start_secure_channel()
        stop(dpu)
        row = self.row(dpu)
        self.assertEqual((False, []), (row["is_answering"], row["connections"]))
        self.assertEqual([host.pid], [consumer["peer_pid"] for consumer in row["consumers"]])


class CommChannelAdmin(FabricCase):
    EMPTY = (["  Server name  PID  Connections (active/max)"],
             ["  Server name  Server PID  Client PID  State"])

    def admin(self, side, *args):
        return subprocess.run([BUILD_DIR / "tools" / side / "doca_comm_channel_admin", *args],
                              env=environment({"SOFTDOCA_FABRIC": self.fabric}), text=True,
                              capture_output=True, timeout=60, check=False)

    def tables(self, side):
        """The lines of the two tables, headings included."""
        result = self.admin(side)
        self.assert_status(0, result)
        self.assertEqual("", result.stderr)
        servers, _, connections = result.stdout.partition("\n\n")
        self.assertEqual(("SERVERS", "CONNECTIONS"),
                         (servers.splitlines()[0], connections.splitlines()[0]))
        return servers.splitlines()[1:], connections.splitlines()[1:]

    def test_has_empty_tables_where_nobody_is(self):
        for side in ("dpu", "host"):
            self.assertEqual(self.EMPTY, self.tables(side))
        self.assertFalse(self.fabric.exists())

    def test_shows_a_server_on_its_own_side(self):
        process = self.start_server()
        servers, connections = self.tables("dpu")
        self.assertEqual([[SERVICE, str(process.pid), "0/512"]],
                         [line.split() for line in servers[1:]])
        self.assertEqual(self.EMPTY[1], connections)
        self.assertEqual(self.EMPTY, self.tables("host"))
        stop(process)
        self.assertEqual("unknown", self.tables("dpu")[0][1].split()[2])

    def test_shows_a_connection_on_both_sides(self):
        dpu, host = self.start_secure_channel()
        [name, pid, load] = self.tables("dpu")[0][1].split()
        self.assertEqual((str(dpu.pid), "1/512"), (pid, load))
        for side in ("dpu", "host"):
            self.assertEqual([[name, str(dpu.pid), str(host.pid), "connected"]],
                             [line.split() for line in self.tables(side)[1][1:]])
        self.assertEqual(self.EMPTY[0], self.tables("host")[0])

    def test_takes_no_arguments_but_the_usual_ones(self):
        self.assert_status(1, self.admin("dpu", "x"))
        self.assert_status(1, self.admin("dpu", "--servers"))
        self.assertIn("Usage: doca_comm_channel_admin", self.admin("dpu", "-h").stdout)
        self.assertIn("DOCA version 3.3.0000\nSoftDOCA version ", self.admin("dpu", "-v").stdout)


class Doctor(FabricCase):
    def test_is_content(self):
        result = self.doctor()
        self.assert_status(0, result)
        self.assertNotIn("FAIL", result.stdout)

    def test_names_the_devices_of_each_side(self):
        text = self.doctor().stdout
        for address in ("0000:03:00.0", "0000:03:00.1", "0000:3b:00.0", "0000:3b:00.1"):
            self.assertIn(address, text)

    def test_fails_for_a_folder_that_others_may_enter(self):
        self.fabric.mkdir()
        self.fabric.chmod(0o755)
        result = self.doctor()
        self.assert_status(1, result)
        self.assertIn(f"chmod 0700 {self.fabric}", result.stdout)
        self.fabric.chmod(0o700)
        self.assert_status(0, self.doctor())

    def test_fails_for_a_fabric_that_cannot_be(self):
        (self.dir / "file").touch()
        self.assert_status(1, self.doctor(SOFTDOCA_FABRIC=self.dir / "file"))
        self.assert_status(1, self.doctor(SOFTDOCA_FABRIC=self.dir / "no" / "where"))

    def test_sees_what_a_killed_process_left(self):
        process = self.start_exporter()
        process.kill()
        process.wait()
        self.assertIn("of killed processes are left", self.doctor().stdout)

    def test_names_what_a_killed_server_left(self):
        process = self.start_server()
        process.kill()
        process.wait()
        self.assertIn("3 entries of killed processes are left, such as p/", self.doctor().stdout)
        for path in (self.fabric / "p").iterdir():
            path.unlink()
        [record] = (self.fabric / "s").iterdir()
        self.assertIn(f"1 entries of killed processes are left, such as s/{record.name};",
                      self.doctor().stdout)

    def test_sees_a_stopped_process(self):
        process = self.start_exporter()
        stop(process)
        self.assertIn(f"kill -CONT {process.pid}", self.doctor().stdout)

    def test_says_why_copies_are_slow_where_processes_may_not_read_each_other(self):
        result = self.doctor(before=refuse_process_vm)
        self.assert_status(0, result)
        self.assertIn("takes the agent route", result.stdout)
        self.assertIn("a seccomp filter", result.stdout)

    def test_names_a_pid_namespace(self):
        command = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]
        if subprocess.run([*command, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("this machine refuses a PID namespace (unshare)")
        result = subprocess.run([*command, TOOL, "doctor"], capture_output=True, text=True,
                                env=environment({"SOFTDOCA_FABRIC": self.fabric}), check=False)
        self.assertIn("PID namespace of its own", result.stdout)

    def test_explains_variables(self):
        for variables, status, word in (
                ({"SOFTDOCA_ROLE": "moon"}, 1, "there is no node 'moon'"),
                ({"SOFTDOCA_TOPOLOGY": "/no/such/file"}, 1, "/no/such/file"),
                ({"SOFTDOCA_ROLLE": "dpu"}, 0, "perhaps SOFTDOCA_ROLE was meant"),
                ({"SOFTDOCA_WINDOW": "crossed"}, 0, "is no route"),
                ({"SOFTDOCA_WINDOW": "agent"}, 0, "forces the route agent"),
                ({"SOFTDOCA_STRICT": "1"}, 0, "has no effect in this release")):
            with self.subTest(variables=variables):
                result = self.doctor(**variables)
                self.assert_status(status, result)
                self.assertIn(word, result.stdout)

    def test_output_is_safe_for_a_terminal(self):
        self.assertNotIn("\033", self.doctor(SOFTDOCA_X="a", SOFTDOCA_LOG="\033[2J").stdout)


class DoctorOfPrograms(FabricCase):
    def test_tells_the_side_and_the_library(self):
        for side, name in (("dpu", "DPU"), ("host", "host")):
            result = self.doctor(BUILD_DIR / "tools" / side / "doca_caps")
            self.assert_status(0, result)
            self.assertIn(f"it was compiled for the {name}\n", result.stdout)
            self.assertIn("it loads", result.stdout)

    def test_sees_a_role_that_disagrees(self):
        result = self.doctor(BUILD_DIR / "tools" / "dpu" / "doca_caps", SOFTDOCA_ROLE="host")
        self.assert_status(0, result)
        self.assertIn("makes it run as the host all the same", result.stdout)

    def test_fails_when_a_library_is_not_found(self):
        shutil.copy(BUILD_DIR / "tools" / "dpu" / "doca_caps", self.dir / "caps")
        result = self.doctor("./caps")
        self.assert_status(1, result)
        self.assertIn("libdoca_common.so.2 is not found", result.stdout)

    def test_fails_when_the_library_is_somebody_elses(self):
        shutil.copy(BUILD_DIR / "tools" / "dpu" / "doca_caps", self.dir / "caps")
        other = self.dir / "other"
        other.mkdir()
        libc = next(line.split()[2] for line in
                    subprocess.run(["ldd", TOOL], capture_output=True, text=True,
                                   check=True).stdout.splitlines() if "libc.so" in line)
        for name in ("common", "argp", "dma"):
            shutil.copy(libc, other / f"libdoca_{name}.so.2")
        result = self.doctor("./caps", LD_LIBRARY_PATH=other)
        self.assert_status(1, result)
        self.assertIn("not of SoftDOCA", result.stdout)
        self.assertIn("needs a BlueField", result.stdout)

    def test_finds_programs_as_a_shell_does_and_takes_any_file(self):
        self.assert_status(0, self.doctor("sh"))
        (self.dir / "script").write_text("#!/bin/sh\n")
        self.assertIn("no ELF program", self.doctor("./script").stdout)
        self.assert_status(1, self.doctor("./nothing"))
        whole = (BUILD_DIR / "tools" / "dpu" / "doca_caps").read_bytes()
        for size in (3, 20, 64, 100, 700, 1500):  # cut short
            (self.dir / "part").write_bytes(whole[:size])
            self.assertIn(self.doctor("./part").returncode, (0, 1))

    def test_does_not_run_the_program(self):
        (self.dir / "mark.c").write_text(
            "#include <stdio.h>\nint main(void) { fclose(fopen(\"ran\", \"w\")); return 0; }\n")
        if shutil.which("cc") is None:
            self.skipTest("there is no C compiler")
        subprocess.run(["cc", "mark.c", "-o", "mark"], cwd=self.dir, check=True)
        self.assert_status(0, self.doctor("./mark"))
        self.assertFalse((self.dir / "ran").exists())


class Completion(ToolCase):
    @staticmethod
    def completed(*words):
        """What bash offers for the last word."""
        script = (f"source '{SOURCE_DIR}/packaging/completion/softdoca.bash'; COMP_WORDS=(\"$@\"); "
                  "COMP_CWORD=$(($# - 1)); _softdoca; printf '%s\\n' \"${COMPREPLY[@]}\"")
        result = subprocess.run(["bash", "-c", script, "bash", TOOL, *words], capture_output=True,
                                text=True, check=True, env=environment({}))
        return result.stdout.split()

    def setUp(self):
        super().setUp()
        if shutil.which("bash") is None:
            self.skipTest("there is no bash")

    def test_offers_subcommands_sides_and_nodes(self):
        self.assertEqual(["pair"], self.completed("p"))
        self.assertEqual(["host", "dpu"], self.completed("env", "")[:2])
        self.assertEqual(["dpu"], self.completed("run", "--role", "d"))
        self.assertEqual(["host"], self.completed("pair", "--host-role", "h"))
        self.assertEqual(["--first"], self.completed("pair", "--fi"))
        self.assertIn("true", self.completed("run", "--role", "dpu", "--", "tru"))

    def test_offers_every_option_and_subcommand(self):
        for subcommand in ("", "pair", "run", "ls", "doctor"):
            with self.subTest(subcommand=subcommand):
                words = [subcommand] if subcommand else []
                text = self.tool(*words, "--help").stdout
                options = {word for line in text.splitlines() if line.startswith("  ")
                           for word in line.split()[0].split(",") if word.startswith("--")}
                self.assertEqual(set(), options - set(self.completed(*words, "--")) - {"--help"})
        listed = [line.split()[0] for line in
                  self.tool("--help").stdout.partition("Subcommands:")[2].splitlines() if line]
        self.assertEqual(sorted(listed), sorted(word for word in self.completed("")
                                                if not word.startswith("-")))


if __name__ == "__main__":
    os.umask(0o022)
    tap.main()
