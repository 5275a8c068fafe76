#!/usr/bin/env python3
"""Breaks plans and checks that the judge notices.

    mutate.py [--mutants=2000] [--seeds=3] [--plans=tiny,odd-2] [--jobs=2] [--keep=DIR]
    mutate.py --random=100 ...
    mutate.py --attributes=3 ...

Makes real plans (plans.py), with --random those of so many random models, breaks
one thing of each at a time (zero-mutate), and executes every mutant that the judge
accepts: three steps, plainly and under chaos seeds, compared bit for bit with the
plan as it was (execute.py).  With --attributes every attribute of every operation is
changed, dropped or added so often (attributes.py), and zeroc itself is the judge.  Prints
which rule caught what, why accepted ones were harmless, and every one that was
not.  Exits 1 if there is one: a hole in the judge.

ZERO_BUILD_DIR names the build folder (default build/release).
"""
import argparse
import collections
import concurrent.futures
import json
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

from attributes import Definitions, mutator_of
from execute import Plan
from plans import PLANS, random_recipe, support

ZERO_MUTATE = support.BUILD / "bin" / "zero-mutate"


def make_mutants(plan, count, seed, mutations=""):
    """Runs zero-mutate; returns the folder and the mutants."""
    folder = plan.folder / "mutants"
    command = [ZERO_MUTATE, plan.file, f"--count={count}", f"--seed={seed}", "-o", folder]
    done = support.run(*command, *([f"--mutations={mutations}"] if mutations else []))
    if done.returncode:
        raise SystemExit(f"mutate.py: {done.err}")
    lines = (folder / "mutants.jsonl").read_text().splitlines()
    return folder, [{**json.loads(line), "plan": plan.recipe.name} for line in lines]


def examine_plan(recipe, folder, count, seed, options, pool):
    """Mutates one plan; every mutant gets a `verdict`."""
    plan = Plan(recipe, folder / recipe.name, options.seeds)
    place, mutants = make_mutants(plan, count, seed, options.mutations)
    accepted = [mutant for mutant in mutants if mutant["outcome"] == "accepted"]
    for mutant in mutants:
        # "alone": the judge accepts it on its rank, but zeroc compiles only the plan of all ranks,
        # which the judge refuses.
        caught = mutant["outcome"] != "alone"
        mutant["verdict"] = "caught" if caught else "not executed"
        mutant["reason"] = mutant["message"]
    chosen = accepted if options.execute is None else accepted[:options.execute]
    for mutant in accepted:
        mutant["verdict"], mutant["reason"] = "not executed", ""
    verdicts = pool.map(lambda mutant: plan.examine(mutant, place), chosen)
    for mutant, (verdict, reason) in zip(chosen, verdicts):
        mutant["verdict"], mutant["reason"] = verdict, reason
    return mutants


def change_attributes(recipe, folder, seed, options, definitions, pool):
    """Changes each attribute of a plan; every mutant gets a `verdict`.  Values of one plan are
    tried in later plans that could have them."""
    plan = Plan(recipe, folder / recipe.name, options.seeds)
    mutator = mutator_of(plan.file, definitions)
    place = plan.folder / "mutants"
    place.mkdir()
    definitions.found.update(edit.place for edit in mutator.edits)

    def examine(numbered):
        number, edit = numbered
        file = place / f"{number:04}.mlir"
        file.write_text(mutator.apply(edit))
        mutant = {"plan": recipe.name, "number": number, "mutation": f"{edit.kind} {edit.place.split(' ')[0]}",
                  "change": mutator.describe(edit), "harmless": "nothing depends on it"}
        mutant["verdict"], mutant["reason"] = plan.examine(mutant, place)
        refused = re.match(r"zeroc: (.*\berror: .*)", mutant["reason"])
        mutant["outcome"] = "accepted"
        if refused:
            rule = re.search(r"\(([VS]\d+)\)", refused[1])
            mutant.update(verdict="caught", outcome=rule[1] if rule else "IR")
            file.unlink()
        return mutant

    return list(pool.map(examine, enumerate(mutator.draw(options.attributes, seed))))


def print_table(mutants):
    rules = sorted({m["outcome"] for m in mutants} - {"accepted", "alone"},
                   key=lambda rule: (rule[0], len(rule), rule))
    verdicts = ["same program", "equal", "refused", "differs", "not executed"]
    verdicts = [v for v in verdicts if any(m["verdict"] == v for m in mutants)]
    columns = rules + verdicts
    counts = collections.Counter()
    for mutant in mutants:
        column = mutant["outcome"] if mutant["verdict"] == "caught" else mutant["verdict"]
        for row in (mutant["mutation"], "all"):
            counts[row, column] += 1
    print(f"{'mutation':28}" + "".join(f"{c:>{max(6, len(c) + 2)}}" for c in columns))
    for mutation in [*sorted({m["mutation"] for m in mutants}), "all"]:
        print(f"{mutation:28}" + "".join(f"{counts[mutation, c] or '.':>{max(6, len(c) + 2)}}"
                                     for c in columns))


def print_harmless(mutants):
    reasons = collections.Counter()
    for mutant in mutants:
        if mutant["verdict"] == "same program":
            reasons["compiles to the very same program"] += 1
        elif mutant["verdict"] == "equal":
            reasons[mutant["harmless"]] += 1
    print(f"\nharmless: {reasons.total()}")
    for reason, count in reasons.most_common():
        print(f"{count:8}  {reason}")


def effect(reason):
    """Describes the effect of a harmful mutant in a word or two."""
    if "has not come" in reason or "hangs" in reason:
        return "hangs"
    return "other results" if re.search("instead of|other weights", reason) else "fails"


def summarise(mutants, plans, seconds):
    """Prints the score; returns the mutants that were accepted and differ."""
    print_table(mutants)
    print_harmless(mutants)
    holes = [m for m in mutants if m["verdict"] == "differs"]
    if holes:
        print(f"\naccepted, but they do something else: {len(holes)}")
        counts = collections.Counter((m["mutation"], effect(m["reason"])) for m in holes)
        for (mutation, what), count in sorted(counts.items()):
            print(f"{count:8}  {mutation}: {what}")
    for hole in holes:
        rank = f", rank {hole['rank']}" if "rank" in hole else ""
        print(f"  {hole['plan']} {hole['number']:04} {hole['mutation']}{rank}\n"
              f"    {hole['change']}\n    {hole['reason']}")
    caught = sum(m["verdict"] == "caught" for m in mutants)
    executed = sum(m["verdict"] in ("same program", "equal", "refused", "differs") for m in mutants)
    print(f"\n{len(mutants)} mutants of {plans} plans in {seconds:.0f} s: {caught} caught, "
          f"{len(mutants) - caught} accepted, {executed} of these compiled and compared, "
          f"{len(holes)} differ")
    refused = sum(m["verdict"] == "refused" for m in mutants)
    if refused:
        print(f"{refused} did not start: the runtime compares the collectives of all ranks")
    alone = [m for m in mutants if m["outcome"] == "alone"]
    if alone:
        print(f"{len(alone)} were accepted on one rank, but no program can be made of them: "
              f"as the plan of all ranks they are refused")
    for m in alone:
        print(f"  {m['plan']} {m['number']:04} {m['mutation']}, rank {m['rank']}\n    {m['change']}\n"
              f"    {m['message']}")
    return holes


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mutants", type=int, default=2000, help="of all plans together")
    parser.add_argument("--seeds", type=int, default=3, help="of chaos, for each mutant")
    parser.add_argument("--seed", type=int, default=1, help="of the mutations")
    parser.add_argument("--plans", default="", help="parts of names of plans, with commas")
    parser.add_argument("--attributes", type=int, default=0, metavar="N",
                        help="change, drop and add each attribute N times, in place of --mutants")
    parser.add_argument("--random", type=int, default=0, help="random models, in place of plans")
    parser.add_argument("--mutations", default="", help="names of mutations, with commas")
    parser.add_argument("--execute", type=int, help="accepted mutants of a plan to execute")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="folder for plans, mutants and results.jsonl")
    options = parser.parse_args(arguments)
    wanted = options.plans.split(",")
    options.recipes = [r for r in PLANS if any(part in r.name for part in wanted)]
    if options.random:
        options.recipes = [random_recipe(options.seed + i) for i in range(options.random)]
    if not options.recipes:
        parser.error(f"no plan is called {options.plans}; "
                     f"there are {', '.join(r.name for r in PLANS)}")
    if options.mutants < 1 or options.seeds < 0 or options.jobs < 1:
        parser.error("--mutants and --jobs must be positive, --seeds not negative")
    if not ZERO_MUTATE.exists():
        parser.error(f"{ZERO_MUTATE} does not exist; build first, or set ZERO_BUILD_DIR")
    return options


def run(arguments):
    """Returns all mutants and those that differ."""
    options = parse(arguments)
    folder = options.keep or Path(tempfile.mkdtemp(prefix="zero-mutate-"))
    folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    mutants = []
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            definitions = Definitions()
            for i, recipe in enumerate(options.recipes):
                if options.attributes:
                    more = change_attributes(recipe, folder, options.seed + i, options, definitions, pool)
                    mutants += more
                    print(f"{recipe.name}: {len(more)} mutants", file=sys.stderr, flush=True)
                    continue
                count = (options.mutants * (i + 1) // len(options.recipes)
                         - options.mutants * i // len(options.recipes))
                mutants += examine_plan(recipe, folder, count, options.seed + i, options, pool)
                print(f"{recipe.name}: {count} mutants", file=sys.stderr, flush=True)
        if options.keep:
            (folder / "results.jsonl").write_text("".join(json.dumps(m) + "\n" for m in mutants))
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    if options.attributes:
        print(f"in none of these plans: {', '.join(definitions.missing())}\n")
    return mutants, summarise(mutants, len(options.recipes), time.monotonic() - started)


if __name__ == "__main__":
    sys.exit(1 if run(sys.argv[1:])[1] else 0)
