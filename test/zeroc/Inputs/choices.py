"""Compiles the first choice of --compare --certificate=json, and compares its certificate."""
import json
import subprocess
import sys

table = json.load(open(sys.argv[1]))
first = [plan for plan in table["plans"] if plan["first_choice"]]
assert len(first) == 1 and first[0]["fits"], table
assert all(not plan["fits"] for plan in table["plans"][:table["plans"].index(first[0])])
subprocess.run("zeroc import model --batch=1 --seq=64 -o model.mlir", shell=True, check=True, stderr=subprocess.DEVNULL)
done = subprocess.run(f"zeroc model.mlir {first[0]['options']} --certificate=json -o train", shell=True,
                      check=True, stdout=subprocess.PIPE)
found, expected = json.loads(done.stdout), first[0]["certificate"]
for name in ("arenas", "wire"):
    assert found.get(name) == expected.get(name), (name, found.get(name), expected.get(name))
assert found["arenas"], found
