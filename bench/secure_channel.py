#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""Pairs of doca_secure_channel, timed by what they print themselves.

usage: secure_channel.py BUILD_DIR [--runs N] [--brief]

Three cases, one line for each figure: a few messages, where the first use counts (beside what was
published for a BlueField-3); a million messages on two CPUs; the same with both sides on one CPU,
where six polling threads have to give way to each other.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

DPU, HOST = "dpu", "host"
FUNCTIONS = {DPU: ["-p", "03:00.0", "-r", "3b:00.0"], HOST: ["-p", "3b:00.0"]}
RESULT = re.compile(r"(Producer sent|Consumer received) (\d+) messages in approximately ([\d.]+)"
                    r" milliseconds")
PRODUCER, CONSUMER = "Producer sent", "Consumer received"

# BlueField-3, DOCA 3.1, 10 messages of 1,024 bytes: milliseconds.
PUBLISHED = {PRODUCER: 0.1372, CONSUMER: 0.0049}
GOAL_MS = 0.137
ONE_CPU_LIMIT_S = 10
HANG_S = 120


def say(what, ours, reference="-", verdict="-"):
    print(f"{what:<58} {ours:>14} {reference:>14}  {verdict}", flush=True)


def verdict(is_met):
    return "met" if is_met else "short"


class Pair:
    """One run of both sides, each in a fabric of nobody else's."""

    def __init__(self, build_dir, options, cpus):
        with tempfile.TemporaryDirectory(prefix="softdoca-") as fabric:
            env = {name: value for name, value in os.environ.items()
                   if not name.startswith("SOFTDOCA_")} | {"SOFTDOCA_FABRIC": fabric}
            start = time.monotonic()
            sides = {side: self._start(build_dir, side, options, cpus, env)
                     for side in (DPU, HOST)}
            try:
                self.milliseconds = {side: self._finish(side, process)
                                     for side, process in sides.items()}
            finally:
                for process in sides.values():  # one that failed leaves the other waiting
                    process.kill()
            self.seconds = time.monotonic() - start

    @staticmethod
    def _start(build_dir, side, options, cpus, env):
        program = build_dir / "applications" / side / "doca_secure_channel"
        return subprocess.Popen([program, *options, *FUNCTIONS[side]], env=env, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT,
                                preexec_fn=lambda: os.sched_setaffinity(0, cpus))

    @staticmethod
    def _finish(side, process):
        """What the side printed: its two results."""
        try:
            output = process.communicate(timeout=HANG_S)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            output = process.communicate()[0] + f"\nhas not ended within {HANG_S} s"
        results = {match[1]: float(match[3]) for match in RESULT.finditer(output)}
        if process.returncode != 0 or set(results) != {PRODUCER, CONSUMER}:
            sys.exit(f"secure_channel on the {side} side failed ({process.returncode}):\n{output}")
        return results


def run_few(build_dir, cpus, num_runs):
    pairs = [Pair(build_dir, ["-s", "1024", "-n", "10"], cpus) for _ in range(num_runs)]
    for what in (PRODUCER, CONSUMER):
        for side in (DPU, HOST):
            runs = [pair.milliseconds[side][what] for pair in pairs]
            median = statistics.median(runs)
            say(f"-s 1024 -n 10, {what.split()[0].lower()} on the {side} side; BlueField-3",
                f"{median:.4f} ms", f"{PUBLISHED[what]:.4f} ms",
                (f"{verdict(median <= GOAL_MS)} (<= {GOAL_MS} ms), " if what == PRODUCER else "")
                + f"{min(runs):.4f} to {max(runs):.4f} in {num_runs} runs")


def run_many(build_dir, cpus, num_messages):
    """Time a message beside the published one, which was taken over ten messages only."""
    pair = Pair(build_dir, ["-s", "256", "-n", str(num_messages)], cpus)
    for what in (PRODUCER, CONSUMER):
        for side in (DPU, HOST):
            us = 1000 * pair.milliseconds[side][what] / num_messages
            say(f"-s 256 -n {num_messages}, two CPUs, {what.split()[0].lower()} on the {side} side",
                f"{us:.3f} us each", f"{100 * PUBLISHED[what]:.2f} us each",
                f"{1 / us:.2f} M/s")


def run_on_one_cpu(build_dir, cpu, num_messages):
    pair = Pair(build_dir, ["-s", "256", "-n", str(num_messages)], {cpu})
    say(f"-s 256 -n {num_messages}, both sides on one CPU, all of it", f"{pair.seconds:.2f} s",
        verdict=f"{verdict(pair.seconds <= ONE_CPU_LIMIT_S)} (<= {ONE_CPU_LIMIT_S} s)")


def main():
    parser = argparse.ArgumentParser(description="Pairs of doca_secure_channel, timed.")
    parser.add_argument("build_dir", type=pathlib.Path, help="for example build/bench")
    parser.add_argument("--runs", type=int, default=21, help="of the short case (default 21)")
    parser.add_argument("--brief", action="store_true",
                        help="small and quick, to see that it runs; the figures mean nothing")
    arguments = parser.parse_args()
    num_runs, num_messages = (1, 1000) if arguments.brief else (arguments.runs, 1_000_000)

    cpus = sorted(os.sched_getaffinity(0))
    say("what", "ours", "published", "verdict")
    run_few(arguments.build_dir, set(cpus), num_runs)
    if len(cpus) > 1:
        run_many(arguments.build_dir, set(cpus[:2]), num_messages)
    else:
        say("-s 256, two CPUs", "-", verdict="skipped: one CPU only")
    run_on_one_cpu(arguments.build_dir, cpus[-1], num_messages)


if __name__ == "__main__":
    main()
