#!/usr/bin/env python3
"""Adds up the JUnit reports of the test suites.

    summary.py NAME=REPORT.xml:STATUS ...

STATUS is the exit status of the suite's runner.  Prints one line per suite and,
last, `N passed, N failed`.  A suite that ran nothing, wrote no report, or ended
with an error that its report does not show counts as one failure: silence is
not success.
"""
import sys
import xml.etree.ElementTree as ElementTree


def is_skipped(case):
    """Whether a test skipped itself.  ctest says "notrun" of it, and of a test whose program is missing."""
    skipped = case.find("skipped")
    if case.get("status") == "notrun":
        return skipped is not None and skipped.get("message") == "SKIP_REGULAR_EXPRESSION_MATCHED"
    return skipped is not None or case.get("status") == "disabled"


def count(report):
    """Returns (passed, failed, skipped) of one JUnit report."""
    passed = failed = skipped = 0
    for case in ElementTree.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif is_skipped(case):
            skipped += 1
        elif case.get("status") == "notrun":  # ctest: the program is missing
            failed += 1
        else:
            passed += 1
    return passed, failed, skipped


def judge(name, report, status):
    try:
        passed, failed, skipped = count(report)
    except (OSError, ElementTree.ParseError) as error:
        print(f"{name}: no report ({error}); the runner ended with status {status}")
        return 0, 1
    line = f"{name}: {passed} passed, {failed} failed"
    if skipped:
        line += f", {skipped} skipped"
    if passed + failed == 0:
        line += "; it ran nothing, which counts as a failure"
        failed = 1
    elif status != 0 and failed == 0:
        line += f"; but its runner ended with status {status}, which counts as a failure"
        failed = 1
    print(line)
    return passed, failed


def main():
    passed = failed = 0
    for argument in sys.argv[1:]:
        name, _, rest = argument.partition("=")
        report, _, status = rest.rpartition(":")
        p, f = judge(name, report, int(status))
        passed += p
        failed += f
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
