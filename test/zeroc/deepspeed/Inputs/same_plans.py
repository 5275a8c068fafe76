#!/usr/bin/env python3
"""same_plans.py MODEL: checks that each config beside this folder, with the options of its RUN
lines, or none, makes the same plan as the options that the config is mapped to."""
import re
import subprocess
import sys
from pathlib import Path


def plan(options):
    done = subprocess.run(["zeroc", sys.argv[1], "--emit=memory", *options], capture_output=True, text=True)
    assert done.returncode == 0, f"{options}: {done.stderr}"
    return done.stdout, done.stderr


compared = 0
for config in sorted(Path(__file__).parent.parent.glob("*.json")):
    text = config.read_text()
    runs = re.findall(r"^// RUN: %ds%s(.*?) 2>&1", text, re.MULTILINE)
    if "RUN:" not in text and "CHECK: zeroc: error:" not in text:
        runs = [""]
    for typed in runs:
        typed = typed.split()
        expected, report = plan([f"--ds-config={config}", *typed])
        became = re.search(r".* became: (.*)", report)[1].split()
        became = [] if became[0] == "no" else became
        if raised := re.search(r"the plan has (--max-live=\d+)", report):
            became = [raised[1] if option.startswith("--max-live=") else option for option in became]
        names = {option.split("=")[0] for option in became}
        others = [option for option in typed if option.split("=")[0] not in names]
        if any(option.startswith("--offload-") for option in became):
            others = [option for option in others if not option.startswith("--offload=")]
        found, _ = plan(became + others)
        assert found == expected, f"{config.name} {typed} is not {became + others}"
        compared += 1
print(f"{compared} plans are equal")
