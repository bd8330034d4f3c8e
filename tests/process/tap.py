# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""Runs the test cases of a script and reports each in TAP, which meson reads."""

import sys
import unittest


class TapResult(unittest.TestResult):
    """One line a case, whichever of its sub-tests failed."""

    num_cases = 0
    problems = ()
    skip_reason = None

    def startTest(self, test):
        super().startTest(test)
        self.problems = []
        self.skip_reason = None

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.problems.append(self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self.problems.append(self.errors[-1][1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.problems.append(f"{subtest}\n{self._exc_info_to_string(err, test)}")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.skip_reason = reason

    def stopTest(self, test):
        super().stopTest(test)
        self.num_cases += 1
        name = ".".join(test.id().split(".")[-2:])
        skip = f" # SKIP {self.skip_reason}" if self.skip_reason else ""
        print(f"{'not ok' if self.problems else 'ok'} {self.num_cases} - {name}{skip}")
        for line in "\n".join(self.problems).splitlines():
            print(f"# {line}")
        sys.stdout.flush()


def main(module="__main__"):
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[module])
    print(f"1..{suite.countTestCases()}")
    result = TapResult()
    suite.run(result)
    sys.exit(0 if result.wasSuccessful() else 1)
