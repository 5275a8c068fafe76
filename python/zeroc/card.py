"""The README.md of a trained model: what it was made from, how, and what came out."""
from __future__ import annotations

import json
import shlex
import subprocess

from .errors import plural
from .whole_file import write_whole


def write(run):
    """Writes OUT/README.md after a run."""
    write_whole(run.out / "README.md", "\n".join(lines(run)) + "\n")


def lines(run):
    base, what = run.describe()
    is_adapter = run.export_options() is None
    yield "---"
    if base:
        yield f"base_model: {json.dumps(base)}"
    yield "library_name: " + ("peft" if is_adapter else "transformers")
    yield from ("tags:", "- zeroc", "---", "", f"# {run.out.resolve().name}", "")
    yield f"Trained by zeroc{f' from {base}' if base else ''} in {run.precision}: {what}."
    yield from ("", "![The loss over the steps](loss.svg)", "", "| | |", "|---|---|")
    metrics = last_metrics(run.work / "metrics.jsonl", run.keeps_best)
    for name, value in {"data": ", ".join(path.rsplit("/", 1)[-1] for path in run.args.data), **run.facts,
                        "steps": f"{run.steps:,} of {plural(run.sequences_per_step(), 'sequence')}",
                        "last loss": metrics.get("loss"), "loss of the evaluation": metrics.get("eval_loss")}.items():
        if value is not None:
            yield f"| {name} | {value} |"
    yield from ("", "Commands:", "")
    for command in run.commands:
        yield "    " + shlex.join(["zeroc" if word == run.program else word for word in command])
    yield from ("", "Memory of a rank, known before the run:", "")
    done = subprocess.run([str(run.work / "train"), "--certificate"], capture_output=True, text=True)
    for line in done.stdout.splitlines()[:12]:
        yield "    " + line


def last_metrics(path, best=False):
    """The last values of loss and eval_loss in a file of metrics, or the `best` eval_loss."""
    found = {}
    try:
        for line in path.read_text().splitlines():
            for key, value in json.loads(line).items():
                name = key.removeprefix("initial_")
                if name in ("loss", "eval_loss") and value is not None:
                    found[name] = min(value, found.get(name, value)) if best and name == "eval_loss" else value
    except (OSError, ValueError):
        pass
    return found
