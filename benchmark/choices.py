#!/usr/bin/env python3
"""Holds the plan that zeroc chooses by predicted time against a grid of plans, all measured.

    benchmark/choices.py --machine=FILE [--case=NAME,...]

A case is a model, its ranks, and how much of its plain plan's device memory a plan may use.  All plans of the grid that fit are
measured once, then the fastest of them and what `zeroc plan` ranks first, twice more, in turn.  ZERO_BUILD_DIR names another
build folder.
"""
import argparse
import itertools
import json
import sys
import tempfile
from pathlib import Path

import trainer
import watch
from cases import quiet
from predicted import Case

#: name: (model, batch, tokens, options, part of the device memory of the plain plan)
CHOICES = {
    "gpt2-b2t64-r2": ("gpt2", 2, 64, ["--world-size=2"], None),
    "gpt2-b2t64-r2-bf16-tight": ("gpt2", 2, 64, ["--world-size=2", "--precision=bf16"], 0.62),
    "gpt2-b4t256-tight": ("gpt2", 4, 256, [], 0.5),
    "deep-b4t128-tight": ("deep", 4, 128, [], 0.5),
    "llama-b1t256-r2-tight": ("llama", 1, 256, ["--world-size=2"], 0.6),
    "gpt2-b2t64-r2-nvme": ("gpt2", 2, 64, ["--world-size=2", "--stage=3", "--offload=nvme"], None),
}
#: 48 layers, 38M parameters.
DEEP = {"model_type": "gpt2", "n_layer": 48, "n_head": 4, "n_embd": 256, "vocab_size": 4096, "n_positions": 1024,
        "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "initializer_range": 0.02, "resid_pdrop": 0.0,
        "embd_pdrop": 0.0, "attn_pdrop": 0.0, "tie_word_embeddings": True}
TIERS = [[], ["--offload-activations=cpu"], ["--offload-optimizer=cpu"], ["--offload=cpu"],
         ["--offload=cpu", "--offload-activations=cpu"]]
BUCKETS = [[], ["--bucket-size=4MiB"], ["--bucket-size=64MiB"]]
REMAT = [[], ["--remat=block"]]
#: Where all state is on drives.
DRIVES = [[["--prefetch=64MiB"], ["--prefetch=256MiB"], ["--prefetch=1GiB"], []], [["--bucket-size=16MiB"], []],
          [["--offload-ratio=0.5"], ["--overlap-update"], ["--reuse-distance=16GiB"], []]]
FASTEST = 4  #: of the grid, which are measured again


def grid(given, ranks):
    """Options of plans, as a person would try them."""
    if "--offload=nvme" in given:
        return [sum(parts, []) for parts in itertools.product(*DRIVES)]
    if ranks == 1:
        return [sum(parts, []) for parts in itertools.product(TIERS, REMAT, BUCKETS)]
    sharded = [[f"--stage={stage}"] for stage in range(4)]
    kept = [["--stage=3", "--reuse-distance=16GiB"]]
    return [sum(parts, []) for parts in itertools.product(sharded + kept, REMAT, BUCKETS[:2])] + [
        ["--stage=3", *tier, *remat] for tier in TIERS[1:] for remat in REMAT]


class Plan(Case):
    def __init__(self, model, number, options, folder):
        self.name, self.folder, self.options, self.steps = " ".join(options) or "plain", folder, options, []
        self.model, self.program = model, folder / f"plan{number}"

    def compile(self):
        """Returns its device memory, or None if there is no such plan."""
        try:
            done = self.run([trainer.ZEROC, self.model, *self.options, "--certificate=json", "-o", self.program])
        except watch.Failed:
            return None
        return next(arena["bytes"] for arena in json.loads(done)["arenas"] if arena["tier"] == "device")


def measure(name, machine, steps, folder):
    model_name, batch, tokens, given, part = CHOICES[name]
    config = folder / "deep.json"
    config.write_text(json.dumps(DEEP))
    if model_name != "deep":
        config = trainer.ROOT / {"gpt2": "examples/gpt2-small.json", "llama": "benchmark/models/llama-100m.json"}[model_name]
    model = folder / f"{name}.mlir"
    watch.run(name, [trainer.ZEROC, "import", config, f"--batch={batch}", f"--seq={tokens}", "-o", model],
              watch.environment(), folder)
    limit = []
    if part:
        limit = [f"--device-memory={int(part * Plan(model, 0, given, folder).compile())}"]
    ranks = 2 if "--world-size=2" in given else 1
    planned = json.loads(watch.run(name, [trainer.ZEROC, "plan", model, f"--machine={machine}", *given, *limit,
                                          "--certificate=json"], watch.environment(), folder).out)["plans"]
    fitting = [plan for plan in planned if plan["fits"]]
    chosen = [Plan(model, f"-chosen{i}", [*given, *limit, *plan["options"].replace("as given", "").split()], folder)
              for i, plan in enumerate(fitting[:3])]
    plans = [Plan(model, i, [*given, *limit, *options], folder) for i, options in enumerate(grid(given, ranks))]
    plans = [plan for plan in plans if plan.compile()]
    for plan in plans:
        plan.measure(steps)
        print(f"  {name}: {1e3 * quiet(plan.steps):8.1f} ms {plan.name}", file=sys.stderr, flush=True)
    fastest = sorted(plans, key=lambda plan: quiet(plan.steps))[:FASTEST]
    for plan in chosen:
        plan.compile()
    for plan in fastest:
        plan.steps.clear()
    for _ in range(2):
        for plan in [*chosen, *fastest]:
            plan.measure(steps)
    best = min(quiet(plan.steps) for plan in fastest)
    tuned = min(quiet(plan.steps) for plan in chosen)
    print(f"{name}: {len(plans)} plans of the grid fit, {len(planned)} were tried")
    for plan, tried in zip(chosen, fitting):
        print(f"  chosen  {1e3 * quiet(plan.steps):8.1f} ms, {quiet(plan.steps) / best:.3f} of the grid's best "
              f"(simulated {1e3 * tried['step_seconds']:.1f}): {plan.name}")
    for plan in fastest:
        print(f"  grid    {1e3 * quiet(plan.steps):8.1f} ms: {plan.name}")
    print(f"  {name}: by prediction {quiet(chosen[0].steps) / best:.3f}, of three measured {tuned / best:.3f} of the best",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", required=True, help="a machine file of this machine")
    parser.add_argument("--case", default=",".join(CHOICES), help="cases, with commas between")
    parser.add_argument("--steps", type=int, default=5, help="of a run")
    options = parser.parse_args()
    for name in options.case.split(","):
        if name not in CHOICES:
            parser.error(f"{name} is no case; they are {', '.join(CHOICES)}")
    for name in options.case.split(","):
        with tempfile.TemporaryDirectory() as folder:
            measure(name, Path(options.machine).resolve(), options.steps, Path(folder))


if __name__ == "__main__":
    try:
        main()
    except watch.Failed as error:
        sys.exit(f"choices.py: error: {error}")
