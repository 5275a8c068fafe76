"""The models whose results are summed up: those of the end-to-end tests, and random ones.

A subject's `prepare` writes its model and data into a workplace.  The models of tests are not
duplicated here: a test that passes its models to `check` is called with another `check`, which
records them.
"""
import json
import random
import shutil
import sys
import unittest
from pathlib import Path
from typing import Callable, NamedTuple

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("e2e", "random", "foreign")]

import check
import check_modules
import support
import test_foreign
import test_head_bias
import test_initial_values
import test_inputs
import test_loss
import test_odd_kernels
import test_odd_sizes
import test_ranks_models
import test_slices
import test_slopes

MODEL = "model.mlir"
#: Tokens of the whole batch, so that every rank has different text.
TOKENS = 8000


class Subject(NamedTuple):
    name: str
    prepare: Callable  # of a workplace; returns the options of a run
    options: tuple = ()  # of zeroc
    lr: float = 1e-2
    #: (stage, layout's name) -> additional options of zeroc; not used with --reference.
    layout_options: Callable = lambda stage, name: ()


def in_chunks(stage, name):
    """Computes the loss by the smallest chunks."""
    return "--loss-chunk=1",


def of_text(name, text, vocab, *options, lr=1e-2, **more):
    def prepare(place):
        (place.folder / MODEL).write_text(text)
        support.write_tokens(place.folder / "tokens.u16", TOKENS, vocab)
        return ["--data", "tokens.u16"]
    return Subject(name, prepare, options, lr, **more)


def of_config(name, config, batch, seq, *options):
    def prepare(place):
        (place.folder / "config.json").write_text(json.dumps(config))
        place.command(support.ZEROC, "import", "config.json", f"--batch={batch}", f"--seq={seq}", "-o", MODEL)
        support.write_tokens(place.folder / "tokens.u16", TOKENS, config["vocab_size"])
        return ["--data", "tokens.u16"]
    return Subject(name, prepare, options, 1e-3)


def of_random(seed):
    def prepare(place):
        trial.folder = place.folder
        trial.write_tokens()
        (place.folder / MODEL).write_text(trial.model.text(trial.rows))
        return ["--data", "tokens.u16", "--seed", seed]

    def layout_options(stage, name):
        kept = check.kept_state(random.Random(f"checksums {seed} {name}"))
        return [*trial.chunks, *(option for option in kept if stage == 3 or option.startswith("--bucket-size="))]

    trial = check.Trial(seed, None)
    trial.ranks, trial.micro_steps = 3, 3  # at most
    return Subject(f"random-{seed:03}", prepare, tuple(trial.optimizer["flags"]), trial.optimizer["lr"],
                   layout_options)


def golden(name, **more):
    golden = json.loads((support.GOLDEN / "golden.json").read_text())

    def prepare(place):
        place.command(support.ZEROC, "import", support.GOLDEN / "config.json", "--batch=1",
                      f"--seq={golden['seq']}", "-o", MODEL)
        return ["--data", support.GOLDEN / "tokens.bin", "--init", support.GOLDEN / "model.safetensors"]
    return Subject(name, prepare, (), golden["hyper"]["lr"], **more)


def mlp(name, *options, lr):
    def prepare(place):
        shutil.copy(support.EXAMPLES / "mlp.mlir", place.folder / MODEL)
        (place.folder / "text.txt").write_bytes(support.TEXT)
        return ["--data", "text.txt"]
    return Subject(name, prepare, options, lr)


def of_files(name, text, which):
    def prepare(place):
        (place.folder / MODEL).write_text(text.format(batch=2, ids="i64"))
        return test_inputs.write_points(place.folder.resolve())[which]
    return Subject(name, prepare, (), 0.05)


def of_module(module):
    def prepare(place):
        shutil.copy(module, place.folder / MODEL)
        return check_modules.start(module, place.folder.resolve())[0]
    return Subject(module.stem.replace("_", "-"), prepare, (), 1e-3)


def checked(case, without=()):
    """Returns (name, arguments, keywords) of each call of `check` in the tests of a class."""
    found = []

    class Listener(case):
        def check(self, *arguments, **keywords):
            name = self._testMethodName.removeprefix("test_").replace("_", "-")
            calls[name] = calls.get(name, 0) + 1
            found.append((f"{name}-{calls[name]}", arguments, keywords))

    calls = {}
    for name in unittest.TestLoader().getTestCaseNames(case):
        if name not in without:
            getattr(Listener(name), name)()
    return [(name if calls[name.rpartition("-")[0]] > 1 else name.rpartition("-")[0], arguments, keywords)
            for name, arguments, keywords in found]


def of_tests():
    for name, (config, batch, seq, *options), _ in checked(test_odd_sizes.OddSizes):
        yield of_config(f"sizes-{name}", config, batch, seq, *options)
    for name, (body,), _ in checked(test_odd_kernels.OddKernels):
        yield of_text(f"kernels-{name}", test_odd_kernels.MODEL.format(body=body), 40)
    for name, (body, shape), _ in checked(test_initial_values.InitialValues):
        yield of_text(f"initial-{name}", test_initial_values.MODEL.format(body=body, shape=shape), 16)
    yield of_text("head-bias", test_head_bias.MODEL, 90, layout_options=in_chunks)
    yield of_text("slices", test_slices.MODEL, 16)
    yield of_text("slopes", test_slopes.model(test_slopes.FUNCTIONS), 9, "--optimizer=sgd", "--momentum=0",
                  "--weight-decay=0", "--grad-clip=0")
    for name, ignore in ("state", ""), ("state-ignored", "{ignore_index = 0 : i32}"):
        yield of_text(name, test_ranks_models.ODD.format(batch=2, rows=16, ignore=ignore), 64, "--optimizer=sgd")
    yield of_files("classifier", test_inputs.CLASSIFIER, 0)
    yield of_files("regression", test_inputs.REGRESSION, 1)


def of_losses():
    for name, (body,), text in checked(test_loss.Losses, without=("test_micro_steps",)):
        text.pop("loose", None)
        if text.get("vocab", 0) < 1000:  # wider ones take seconds each
            vocab = min(text.get("vocab", 37), 64)
            yield of_text(f"loss-{name}", test_loss.model_text(body, **text), vocab, "--optimizer=sgd", lr=0.1)


def subjects(random_models):
    """Returns (subjects that run in every layout, subjects that run in a third of them)."""
    every = [golden("golden"), golden("golden-chunks", layout_options=in_chunks),
             mlp("mlp", lr=3e-3), mlp("mlp-sgd", "--optimizer=sgd", "--momentum=0.5", "--grad-clip=0", lr=0.3),
             mlp("mlp-lion", "--optimizer=lion", lr=3e-4),
             *of_tests()]
    third = [*of_losses(), *map(of_module, sorted(test_foreign.MODULES.glob("*.mlir"))),
             *map(of_random, range(1, random_models + 1))]
    return every, third
