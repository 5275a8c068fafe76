"""Compiles what zeroc plan --certificate=json marks, and compares its certificates."""
import json
import subprocess
import sys

plans = json.load(open(sys.argv[1]))["plans"]
best = [plan for plan in plans if plan["best"]]
assert len(best) == int(sys.argv[2]) and all(plan["fits"] for plan in best), plans
for plan in best:
    for command in plan["commands"]:
        done = subprocess.run(command + (" --certificate=json" if " import " not in command else ""), shell=True, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    found, expected = json.loads(done.stdout), plan["certificate"]
    for name in ("arenas", "wire"):
        assert found.get(name) == expected.get(name), (name, found.get(name), expected.get(name))
    assert found["arenas"], found
