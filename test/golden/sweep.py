#!/usr/bin/env python3
"""Random configurations of the families that zeroc imports, against transformers in float64.

    sweep.py [--count=N] [--seed=S] [--keep=FOLDER] [WORD...]
                                            (needs torch, transformers, safetensors)

Draws config.json files as the Hub and transformers' own save_pretrained have them: old and new
keys, keys left out, set to null, and set to what zeroc does not do.  Of each, zeroc must

  refuse it     with an error that names one of its keys, or
  train it      the first loss within 1e-6, and every gradient within 1e-5 of its largest element.

A configuration that transformers refuses is drawn again.  WORDs choose families by their names.
`--keep` writes each case to FOLDER/FAMILY-NUMBER.
"""
import argparse
import contextlib
import io
import json
import random
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

import draw_config
import experts
import families  # float32 is another name of float64 from here on
import support
import torch
import transformers

STEP = 2.0**16
PLAIN = ("--optimizer=sgd", "--momentum=0", "--weight-decay=0", "--grad-clip=0")


class Refused(Exception):
    """A refusal by transformers."""


def make_model(folder, seed):
    """Makes a model whose parameters are exact in f32, and none at a special value."""
    torch.manual_seed(seed)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            config = transformers.AutoConfig.from_pretrained(folder)
            config.dtype = torch.float64
            model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager")
    except Exception as error:  # of many kinds
        raise Refused(f"{type(error).__name__}: {error}") from error
    config._experts_implementation = model.config._experts_implementation = "eager"
    model.train()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.add_(0.1 * torch.randn_like(parameter))
            if name.endswith(".gate.weight"):  # of routers: ties are unlikely
                parameter.mul_(10)
            parameter.copy_(parameter.to(families.F32).double())
    return model


def named(tensors, kind):
    """Converts to the names of checkpoints."""
    tensors = {families.saved_name(name, kind): value for name, value in tensors.items()}
    return experts.split(tensors, kind) if kind in draw_config.MIXTURES else tensors


def train(folder, config, batch, seq, seed):
    """Returns the loss and gradients of transformers; leaves its weights and tokens in `folder`."""
    model = make_model(folder, seed)
    kind = config["model_type"]
    vocabulary = model.config.vocab_size
    ids = torch.tensor([random.Random(f"{seed} {i}").randrange(vocabulary) for i in range(batch * seq + 1)])
    (folder / "tokens.bin").write_bytes(ids.numpy().astype("uint16").tobytes())
    inputs, targets = ids[:-1].view(batch, seq), ids[1:].view(batch, seq)
    keys = {"output_router_logits": True} if kind in draw_config.MIXTURES else {}
    try:
        out = model(input_ids=inputs, use_cache=False, **keys)
    except Exception as error:
        raise Refused(f"{type(error).__name__}: {error}") from error
    assert out.logits.dtype == torch.float64
    loss = torch.nn.functional.cross_entropy(out.logits.flatten(0, 1), targets.reshape(-1))
    if keys and model.config.output_router_logits:
        loss = loss + model.config.router_aux_loss_coef * out.aux_loss
    loss.backward()
    parameters = dict(model.named_parameters()) | dict(families.saved_buffers(model))
    families.save(folder / "model.safetensors", named(parameters, kind))
    zero = {name: torch.zeros_like(p) if p.grad is None else p.grad for name, p in parameters.items()}
    return loss.item(), {name: value.double() for name, value in named(zero, kind).items()}


def load(path):
    return {name: torch.tensor(values.tolist()).reshape(shape)
            for name, (shape, values) in support.read_safetensors(path).items()}


def compile_and_run(folder, batch, seq):
    """Returns zeroc's loss and gradients, or its refusal as a text."""
    done = support.run(support.ZEROC, "import", folder / "config.json", f"--batch={batch}", f"--seq={seq}",
                       "-o", folder / "model.mlir")
    if done.returncode:
        return done.err.strip()
    for command in ((support.ZEROC, folder / "model.mlir", *PLAIN, "-o", folder / "train"),
                    (folder / "train", "--data", folder / "tokens.bin", "--data-format", "u16", "--steps", "1",
                     "--lr", str(STEP), "--init", folder / "model.safetensors", "--save", folder / "end.safetensors",
                     "--metrics", folder / "metrics.jsonl", "--quiet")):
        done = support.run(*command)
        if done.returncode:
            raise AssertionError(f"{command[0]} ended with {done.returncode}: {done.err}{done.out}")
    (loss,) = (line["loss"] for line in support.read_metrics(folder / "metrics.jsonl") if "loss" in line)
    begin, end = (load(folder / f"{name}.safetensors") for name in ("model", "end"))
    assert set(begin) == set(end), sorted(set(begin) ^ set(end))
    return loss, {name: (begin[name] - end[name]) / STEP for name in begin}


def compare(expected, got):
    """Returns the difference, or None."""
    (loss, gradients), (got_loss, got_gradients) = expected, got
    if abs(loss - got_loss) > 1e-6 * max(1, abs(loss)):
        return f"loss {got_loss}, but {loss} of transformers"
    if set(gradients) != set(got_gradients):
        return f"parameters {sorted(set(gradients) ^ set(got_gradients))}"
    # The gradient of a bias of keys is 0, except for rounding.
    floor = 1e-2 * max(value.abs().max().item() for value in gradients.values())
    for name, value in gradients.items():
        error = (value - got_gradients[name]).abs().max().item() / max(value.abs().max().item(), floor)
        if not error <= 1e-5:
            return (f"gradient of {name} differs by {error:.2g} of its largest, {value.abs().max():.2g}, "
                    f"{floor / 1e-2:.2g} of all")
    return None


def check(folder, case, seed):
    """Returns ("equal" | "refused" | "wrong", explanation)."""
    (folder / "config.json").write_text(json.dumps(case.config, indent=1) + "\n")
    if case.saved:
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                transformers.AutoConfig.from_pretrained(folder).save_pretrained(folder)
        except Exception as error:
            raise Refused(f"{type(error).__name__}: {error}") from error
    expected = train(folder, case.config, case.batch, case.seq, seed)
    got = compile_and_run(folder, case.batch, case.seq)
    if isinstance(got, str):
        keys = sorted(set(re.findall(r"\w+", got)) & set(case.odd))
        return ("refused", got) if keys else ("wrong", f"refused without need: {got}")
    if difference := compare(expected, got):
        return "wrong", difference
    if case.must_refuse:
        return "wrong", f"{case.must_refuse} is not refused"
    return "equal", ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20, help="of each family")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    support.require_zeroc()
    transformers.logging.set_verbosity_error()
    store = options.keep or Path(tempfile.mkdtemp(prefix="sweep-"))
    wrong = 0
    for family in draw_config.FAMILIES:
        if not all(word in family for word in options.words):
            continue
        counts, drawn, number = Counter(), 0, 0
        while number < options.count:
            drawn += 1
            seed = f"{options.seed} {family} {drawn}"
            case = draw_config.draw(family, random.Random(seed))
            folder = store / f"{family}-{drawn}"
            folder.mkdir(parents=True, exist_ok=True)
            try:
                verdict, what = check(folder, case, options.seed * 1000 + drawn)
            except Refused as refused:
                counts["not of transformers"] += 1
                if options.keep:
                    print(f"  {family}-{drawn} transformers: {str(refused)[:150]}", flush=True)
                continue
            number += 1
            counts[verdict] += 1
            if verdict != "equal":
                print(f"  {family}-{drawn} {verdict}: {what}", flush=True)
        wrong += counts["wrong"]
        print(f"{family:12s} {dict(counts)}", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
