#!/usr/bin/env python3
"""acceptance.py MODEL: checks that zeroc takes the numbers that DeepSpeed 0.19.8 takes.

Of each key that zeroc supports and whose value is a number, a file has numbers that DeepSpeed takes, and
numbers that it refuses (acceptance.json).  A number that is 0 or more must be taken by zeroc where DeepSpeed
takes it, and any number must be refused where DeepSpeed refuses it; what is below 0 must be refused where a
key becomes an option.

    python3 -m venv ds && ds/bin/pip install pydantic hjson
    pip download --no-deps --no-binary :all: deepspeed==0.19.8 && tar xf deepspeed-0.19.8.tar.gz
    ds/bin/python acceptance.py MODEL --deepspeed=deepspeed-0.19.8 --draws=50

asks DeepSpeed itself, of numbers that are drawn at random; with --write its answers become the file.  Only
the modules of its config are loaded, so PyTorch is not needed.
"""
import argparse
import concurrent.futures
import functools
import importlib.abc
import importlib.util
import json
import logging
import math
import random
import re
import subprocess
import sys
import tempfile
import types
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
TABLE = HERE / "acceptance.json"
KEYS = HERE.parents[3] / "tools" / "zeroc" / "deepspeed" / "DeepSpeedKeys.def"
COUNTS, NUMBERS = ("Count", "Natural", "Positive"), ("Number", "Amount", "Part")
FIXED = [0, 1, 3, 16, 32, -1, 0.5, 4096.0, 1e9, 2 ** 62, -2.5, math.nan]
#: What zeroc has for fewer numbers than DeepSpeed, and says so: they depend on ranks, on the model's batch,
#: or a rule of an update has no other.
LIMITS = {
    "zero_optimization.zero_hpz_partition_size": lambda x: x in (0, 1, 2),
    "train_batch_size": lambda x: x == 32,
    "train_micro_batch_size_per_gpu": lambda x: x == 16,
    "gradient_accumulation_steps": lambda x: x <= 1 << 20,
    "sequence_parallel_size": lambda x: x == 1,
    "scheduler.params.total_num_steps": lambda x: x >= 1,
    "gradient_clipping": lambda x: x <= 1e30,
    "optimizer.params.eps": lambda x: 1e-30 <= x <= 1,
    "optimizer.params.momentum": lambda x: x < 1,
    "optimizer.params.weight_decay": lambda x: x <= 1e3,
    "fp16.initial_scale_power": lambda x: x <= 126,
    "fp16.hysteresis": lambda x: x >= 1,
}
#: Keys of earlier versions, or ignored by them, and values that they took.
REMOVED = ("zero_optimization.mics_shard_size", "zero_optimization.offload_optimizer.buffer_size", "zero_optimization.aio.")
TAKEN_BEFORE = {"zero_optimization.reduce_bucket_size": [0], "fp16.min_loss_scale": [0.5]}


@functools.cache
def numeric_keys():
    """Supported keys with numbers: their fate, and whether the numbers are whole."""
    keys = {}
    for fate, path, kind in re.findall(r'^(OPTION|TRAIN|NO_EFFECT|MODEL)\("([^"]+)", (\w+|")', KEYS.read_text(), re.MULTILINE):
        if kind in COUNTS + NUMBERS or fate == "MODEL":
            prefix, _, names = path.partition("{")
            for name in names.rstrip("}").split(",") if names else [""]:
                keys[prefix + name] = fate, kind not in NUMBERS
    return keys


def config_of(path, value):
    """A config for the model with the key `path` set to `value`, and the other keys that it requires."""
    config = {"train_micro_batch_size_per_gpu": 16, "zero_optimization": {"stage": 3}}
    if path == "train_batch_size":
        del config["train_micro_batch_size_per_gpu"]
    if path.startswith("fp16."):
        config["fp16"] = {"enabled": True}
    if path.startswith("optimizer.params."):
        config["optimizer"] = {"type": "SGD" if path.endswith("momentum") else "AdamW"}
    if path.startswith("scheduler.params."):
        config["optimizer"] = {"type": "AdamW", "params": {"lr": 1e-3}}
        config["scheduler"] = {"type": "WarmupCosineLR", "params": {"total_num_steps": 10}}
        if path.endswith("warmup_max_lr"):
            config["scheduler"]["type"] = "WarmupLR"
    if path.startswith("zero_optimization.offload_optimizer."):
        config["bf16"] = {"enabled": True}
        config["zero_optimization"]["offload_optimizer"] = {"device": "cpu"}
    *sections, name = path.split(".")
    inner = config
    for section in sections:
        inner = inner.setdefault(section, {})
    inner[name] = value
    return config


def merge(one, other):
    """Both configs in one."""
    for key, value in other.items():
        one[key] = merge(one.get(key, {}), value) if isinstance(value, dict) else value
    return one


class ConfigModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """DeepSpeed's modules of configs; all others are empty."""

    def __init__(self, root):
        self.root = root

    def find_spec(self, name, path=None, target=None):
        place = self.root.joinpath(*name.split("."))
        if name.split(".")[0] != "deepspeed" or (not place.is_dir() and
                                                 ("config" in place.name or place.name in ("constants", "loss_scaler"))):
            return None
        spec = importlib.util.spec_from_loader(name, self, is_package=True)
        spec.submodule_search_locations = [str(place)]
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__getattr__ = self.missing

    @staticmethod
    def missing(name):
        if name.startswith("__"):
            raise AttributeError(name)
        return mock.MagicMock()


def load_deepspeed(folder):
    """Whether DeepSpeed takes a config, of two ranks."""
    class Torch(types.ModuleType):
        def __getattr__(self, name):
            return type(name, (), {}) if not name.startswith("__") else ConfigModules.missing(name)

    sys.meta_path.insert(0, ConfigModules(folder))
    sys.modules["torch"] = Torch("torch")
    import deepspeed.comm
    import deepspeed.utils
    deepspeed.utils.logger = logging.getLogger("deepspeed")
    logging.disable()
    deepspeed.comm.get_rank, deepspeed.comm.get_world_size = lambda *group: 0, lambda *group: 2
    from deepspeed.runtime.config import DeepSpeedConfig

    def takes(config):
        try:
            DeepSpeedConfig(config)
        except Exception:  # noqa: BLE001, it has no one kind of error
            return False
        return True
    return takes


def draw(dice):
    value = dice.choice([dice.uniform(0, 1), 10 ** dice.uniform(-12, 18), 2 ** dice.randrange(63), dice.randrange(20)])
    if dice.random() < 0.6:
        value = int(value)
    return dice.choice([1, 1, 1, -1]) * (float(value) if dice.random() < 0.3 else value)


def ask(folder, draws, seed):
    """The table: of each key, what DeepSpeed takes and refuses."""
    takes, dice, table = load_deepspeed(folder), random.Random(seed), {}
    for path in numeric_keys():
        answers = table[path] = {"taken": [], "refused": []}
        for value in FIXED + [draw(dice) for _ in range(draws)]:
            answers["taken" if takes(config_of(path, value)) else "refused"].append(value)
    return table


def zeroc(model, config, folder, name):
    """The error of zeroc; "" if it takes the config."""
    file = folder / f"{name}.json"
    file.write_text(json.dumps(config))
    done = subprocess.run(["zeroc", model, f"--ds-config={file}", "--world-size=2", "--emit=memory"],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode in (0, 1), done.stderr
    return done.stderr[done.stderr.find("zeroc: error:"):].strip() if done.returncode else ""


def expected(path, value, taken):
    """Whether zeroc must take a number; None if it may."""
    fate, is_whole = numeric_keys()[path]
    if path.startswith(REMOVED) or value in TAKEN_BEFORE.get(path, ()):
        return None
    if math.isnan(value) or not taken or (value < 0 and fate != "NO_EFFECT"):
        return False
    if value < 0 or (is_whole and value != int(value)) or not LIMITS.get(path, lambda x: True)(value):
        return None
    return True


def main():
    p = argparse.ArgumentParser()
    p.add_argument("model")
    p.add_argument("--deepspeed", type=Path)
    p.add_argument("--draws", type=int, default=0)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--write", action="store_true")
    a = p.parse_args()
    table = ask(a.deepspeed, a.draws, a.seed) if a.deepspeed else json.loads(TABLE.read_text())
    if a.write:
        TABLE.write_text("{\n" + ",\n".join(f" {json.dumps(path)}: {json.dumps(row)}" for path, row in table.items()) + "\n}\n")
    assert set(table) == set(numeric_keys()), f"{TABLE.name} lacks keys: {set(table) ^ set(numeric_keys())}; --write"
    cases = {}  # numbers of one config, and whether it must be taken
    for path, row in table.items():
        for kind in row:
            for i, value in enumerate(row[kind]):
                must = expected(path, value, kind == "taken")
                # Keys without effect do not depend on each other.
                alone = path if numeric_keys()[path][0] != "NO_EFFECT" or not must else ""
                if must is not None:
                    cases.setdefault((must, alone, i, kind), {})[path] = value
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        configs = [functools.reduce(merge, (config_of(*number) for number in numbers.items())) for numbers in cases.values()]
        errors = pool.map(lambda i: zeroc(a.model, configs[i], Path(folder), i), range(len(configs)))
        for ((must, *_), numbers), error in zip(cases.items(), errors):
            if must == bool(error):
                wrong += 1
                print(f"{numbers} must be {'taken' if must else 'refused'}: {error or 'taken'}")
    count = sum(map(len, cases.values()))
    print(f"{count} numbers of {len(table)} keys, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
