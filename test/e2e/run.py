#!/usr/bin/env python3
"""Runs the end-to-end tests: test_*.py beside this file.

    run.py [--report FILE.xml] [PATTERN ...]

They compile models with zeroc and run what comes out.  ZERO_BUILD_DIR names the
build folder (default build/release).  PATTERN chooses tests by a part of their
name, as in `run.py golden`.
"""
import argparse
import sys
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import support


class Result(unittest.TestResult):
    """Prints one line per test and keeps what a JUnit report needs."""

    def __init__(self):
        super().__init__()
        self.cases = []  # (test, seconds, None | "failure" | "skipped", text)

    def startTest(self, test):
        super().startTest(test)
        self.started = time.monotonic()
        self.recorded = False

    def record(self, test, kind, text):
        # A failure outside a test (setUpClass) never started one.
        seconds = time.monotonic() - getattr(self, "started", time.monotonic())
        self.recorded = True
        self.cases.append((test, seconds, kind, text))
        word = {None: "PASS", "failure": "FAIL", "skipped": "SKIP"}[kind]
        print(f"{word}: {test.id()} ({seconds:.1f} s)", flush=True)
        if text:
            print("    " + text.rstrip().replace("\n", "\n    "), flush=True)

    def addSuccess(self, test):
        self.record(test, None, "")

    def addSkip(self, test, reason):
        self.record(test, "skipped", reason)

    def addFailure(self, test, err):
        self.record(test, "failure", self._exc_info_to_string(err, test))

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        # Each failing part counts; a test all of whose parts pass is one success.
        if err is not None:
            self.record(subtest, "failure", self._exc_info_to_string(err, test))

    def addExpectedFailure(self, test, err):
        self.record(test, "failure", "no test here is expected to fail")

    def addUnexpectedSuccess(self, test):
        self.record(test, "failure", "no test here is expected to fail")


def write_report(cases, path):
    suite = ElementTree.Element("testsuite", name="e2e", tests=str(len(cases)))
    for test, seconds, kind, text in cases:
        case = ElementTree.SubElement(suite, "testcase", name=test.id(), time=f"{seconds:.3f}")
        if kind:
            # XML has no place for control characters.
            clean = "".join(c for c in text if c.isprintable() or c == "\n")
            ElementTree.SubElement(case, kind).text = clean
    ElementTree.ElementTree(suite).write(path, encoding="unicode")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--report", help="write a JUnit report")
    parser.add_argument("patterns", nargs="*", help="parts of names of tests")
    options = parser.parse_args()
    support.require_zeroc()
    loader = unittest.TestLoader()
    if options.patterns:
        loader.testNamePatterns = [f"*{pattern}*" for pattern in options.patterns]
    result = Result()
    try:
        loader.discover(str(HERE), pattern="test_*.py").run(result)
    finally:
        support.remove_compiled()
        if options.report:
            write_report(result.cases, options.report)
    failed = sum(kind == "failure" for _, _, kind, _ in result.cases)
    passed = sum(kind is None for _, _, kind, _ in result.cases)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
