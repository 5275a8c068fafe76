#!/usr/bin/env python3
"""Runs the end-to-end tests: test_*.py beside this file.

    run.py [--report FILE.xml] [--jobs=N] [--record] [PATTERN ...]

They compile models with zeroc and run the binaries.  ZERO_BUILD_DIR names the build folder (default
build/release).  PATTERN selects tests by a part of their name, as in `run.py golden`.  --jobs is
the number of tests that run in parallel; tests that mostly wait run in addition.

Some files have a short version of a longer command:

    test/random/check.py       random models with random options (--experts, --gpu, --precision)
    test/random/kernels.py     random kernels
    test/mutation/mutate.py    broken plans
    test/checksums/checksums.py  bits of many models, before and after a change
    test/e2e/resumes.py        resumes of each layout in every other, and kills at random moments
    test/e2e/flips.py          bits flipped in runs with --digest, each located by a replay
    test/e2e/elastic.py        elastic runs whose ranks and starters are killed at random moments

A table of plans (covering.py) has every pair of options' values; larger sets are
drawn by test/random/check.py.
"""
import argparse
import concurrent.futures
import json
import os
import sys
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import support


class Result(unittest.TestResult):
    """Prints one line per test and keeps the data for a JUnit report."""

    def __init__(self):
        super().__init__()
        self.cases = []  # (name, seconds, None | "failure" | "skipped", text)

    def startTest(self, test):
        super().startTest(test)
        self.started = time.monotonic()
        self.recorded = False

    def record(self, test, kind, text):
        # A failure outside a test (setUpClass) never started one.
        seconds = time.monotonic() - getattr(self, "started", time.monotonic())
        self.recorded = True
        self.cases.append((test.id(), seconds, kind, text))
        word = {None: "PASS", "failure": "FAIL", "skipped": "SKIP"}[kind]
        line = f"{word}: {test.id()} ({seconds:.1f} s)\n"
        if text:
            line += "    " + text.rstrip().replace("\n", "\n    ") + "\n"
        # Written at once, since other processes print, too.
        os.write(sys.__stdout__.fileno(), line.encode())

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
    for name, seconds, kind, text in cases:
        case = ElementTree.SubElement(suite, "testcase", name=name, time=f"{seconds:.3f}")
        if kind:
            # XML does not allow control characters.
            clean = "".join(c for c in text if c.isprintable() or c == "\n")
            ElementTree.SubElement(case, kind).text = clean
    ElementTree.ElementTree(suite).write(path, encoding="unicode")


#: Seconds per test, as `run.py --record` has measured them; SHORT for other tests.
DURATIONS = HERE / "durations.json"
SHORT = 1.0


def longest_first(suite):
    """Returns the tests, the longest first, so that all processes end at about the same time."""
    seconds = json.loads(DURATIONS.read_text()) if DURATIONS.exists() else {}
    return sorted(each_test(suite), key=lambda test: seconds.get(test.id(), SHORT), reverse=True)


def record_durations(cases):
    """Records the tests that take longer than most."""
    seconds = {name: round(taken, 1) for name, taken, kind, _ in cases if kind is None and taken >= 2 * SHORT}
    DURATIONS.write_text(json.dumps(seconds, indent=0, sort_keys=True) + "\n")


def mostly_waits(test):
    """Returns true if support.waits marks the test."""
    return getattr(getattr(test, test._testMethodName, None), "waits", False)


def each_test(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each_test(test)
        else:
            yield test


#: The tests, for the processes forked later.
_tests = []


def run_test(number):
    result = Result()
    unittest.TestSuite([_tests[number]]).run(result)
    return result.cases


def run_all(suite, jobs):
    """Runs all tests and returns their cases.  Several processes take one test after the other, and
    another one takes the tests that need no core because they mostly wait."""
    if jobs == 1:
        result = Result()
        suite.run(result)
        return result.cases
    _tests.extend(longest_first(suite))
    support.open_store()  # one for all, which ends with this process
    cases = []
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool, concurrent.futures.ProcessPoolExecutor(1) as beside:
        running = {(beside if mostly_waits(test) else pool).submit(run_test, i): test for i, test in enumerate(_tests)}
        for done in concurrent.futures.as_completed(running):
            try:
                cases += done.result()
            except concurrent.futures.process.BrokenProcessPool as error:
                name = running[done].id()
                print(f"FAIL: {name}: a process of the tests has died", flush=True)
                cases.append((name, 0, "failure", str(error)))
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--report", help="write a JUnit report")
    parser.add_argument("--jobs", type=int, default=1, help="tests that run side by side")
    parser.add_argument("--record", action="store_true", help=f"keep how long tests took in {DURATIONS.name}")
    parser.add_argument("patterns", nargs="*", help="parts of names of tests")
    options = parser.parse_args()
    support.require_zeroc()
    loader = unittest.TestLoader()
    if options.patterns:
        loader.testNamePatterns = [f"*{pattern}*" for pattern in options.patterns]
    cases = []
    try:
        cases = run_all(loader.discover(str(HERE), pattern="test_*.py"), options.jobs)
    finally:
        support.remove_compiled()
        if options.report:
            write_report(cases, options.report)
    if options.record:
        record_durations(cases)
    failed = sum(kind == "failure" for _, _, kind, _ in cases)
    passed = sum(kind is None for _, _, kind, _ in cases)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
