#!/usr/bin/env python3
"""cases.py MODEL FOLDER: checks what --ds-config reports of each config of cases.txt, and that a config
makes the same plan as the options that it became.  The configs are left in FOLDER.

    # A comment.
    NAME {...}                      NAME.json, in one line or more
    $ --world-size=2                options of a run; a case without these lines has one run without options
    $ --accumulate=2                another one, with the same report
    > NAME.json became: ...         lines of the report that follow each other; {{...}} is a regular expression

If the first of these lines is an error, zeroc must refuse the config.
"""
import concurrent.futures
import re
import subprocess
import sys
from pathlib import Path

MODEL, FOLDER = sys.argv[1], Path(sys.argv[2])
CASE = re.compile(r"^([\w-]+) (\{.*\n(?:[ }].*\n)*)((?:(?:\$.*\n)*(?:>.*\n)+)+)", re.MULTILINE)


def zeroc(*options):
    return subprocess.run(["zeroc", MODEL, "--emit=memory", *options], capture_output=True, text=True)


def matches(expected, line):
    parts = re.split(r"\{\{(.*?)\}\}", expected)
    return re.fullmatch("".join(part if i % 2 else re.escape(part) for i, part in enumerate(parts)), line)


def compare_reports(expected, report):
    """Returns what differs, or ""."""
    start = next((i for i, line in enumerate(report) if matches(expected[0], line)), 0)
    for i, line in enumerate(expected, start):
        if not matches(line, report[i] if i < len(report) else ""):
            return f"line {i + 1} of the report must be\n  {line}\nin\n  " + "\n  ".join(report)
    return ""


def compare_plans(report, plan, typed):
    """Returns "" if the options that a config became, and the `typed` ones, make `plan`."""
    became = re.search(r" became: (.*)", report)[1].split()
    if raised := re.search(r"the plan has (--max-live=\d+)", report):
        became = [raised[1] if option.startswith("--max-live=") else option for option in became]
    names = {option.split("=")[0] for option in became}
    others = [option for option in typed if option.split("=")[0] not in names]
    if any(option.startswith("--offload-") for option in became):
        others = [option for option in others if not option.startswith("--offload=")]
    done = zeroc(*became, *others)
    return "" if done.returncode == 0 and done.stdout == plan else f"another plan by {became + others}\n{done.stderr}"


def check(name, options, expected):
    done = zeroc(f"--ds-config={FOLDER / name}.json", *options)
    report = done.stderr.replace(f"{FOLDER}/", "").replace(MODEL, "MODEL")
    refused = expected[0].startswith("zeroc: error:")
    if done.returncode != refused:
        return f"ended with {done.returncode}\n{report}"
    differs = compare_reports(expected, report.splitlines())
    return differs or ("" if refused else compare_plans(report, done.stdout, options))


def main():
    text = re.sub(r"^#.*\n", "", Path(__file__).with_name("cases.txt").read_text(), flags=re.MULTILINE)
    assert not CASE.sub("", text), f"no cases: {CASE.sub('', text)}"
    FOLDER.mkdir(parents=True, exist_ok=True)
    runs = []
    for name, config, rest in CASE.findall(text):
        (FOLDER / f"{name}.json").write_text(config)
        for options, report in re.findall(r"((?:\$.*\n)*)((?:>.*\n)+)", rest):
            expected = [line[2:] for line in report.splitlines()]
            runs += [(name, line[1:].split(), expected) for line in options.splitlines() or "$"]
    assert len({name for name, *_ in runs}) == len(CASE.findall(text)), "a name comes twice"
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (name, options, _), error in zip(runs, pool.map(check, *zip(*runs))):
            if error:
                wrong += 1
                print(f"{' '.join([name, *options])}: {error}")
    print(f"{len(runs)} runs, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
