"""The README.md of a tuned model: what it was made from, how, and what came out."""
from __future__ import annotations

import json
import shlex
import subprocess


def write(run):
    """Writes OUT/README.md after a run."""
    (run.out / "README.md").write_text("\n".join(lines(run)) + "\n", encoding="utf-8")


def lines(run):
    a, summary = run.args, run.summaries[0]
    base = run.config.get("_name_or_path") or run.model.resolve().name
    yield from ("---", f"base_model: {json.dumps(base)}", "library_name: " + ("peft" if a.lora and not a.merge else
                "transformers"), "tags:", *(["- lora"] if a.lora else []), "- sft", "- zeroc", "---", "")
    yield f"# {run.out.resolve().name}"
    yield ""
    kind = (f"adapters of rank {a.lora.partition(':')[0]} of" if a.lora and not a.merge else
            f"with adapters of rank {a.lora.partition(':')[0]}, merged," if a.lora else "all weights of")
    yield f"Fine-tuned by zeroc from {base}: {kind if a.lora and a.merge else kind + ' that model,'} in {run.precision}."
    yield ""
    yield "![The loss over the steps](loss.svg)"
    yield ""
    yield "| | |"
    yield "|---|---|"
    metrics = last_metrics(run.work / "metrics.jsonl")
    for name, value in (("data", ", ".join(path.rsplit("/", 1)[-1] for path in a.data)),
                        ("records, samples", f"{summary.records:,}, {summary.samples:,}"),
                        ("tokens, trained on", f"{summary.tokens:,}, {summary.trained:,}"),
                        ("sequences", f"{summary.sequences:,} of {run.seq:,} tokens"),
                        ("steps", f"{run.steps:,} of {run.sequences_per_step():,} sequences"),
                        ("last loss", metrics.get("loss")), ("loss of the evaluation", metrics.get("eval_loss"))):
        if value is not None:
            yield f"| {name} | {value} |"
    yield ""
    yield "Commands:"
    yield ""
    for command in run.commands:
        yield "    " + shlex.join(["zeroc" if word == run.program else word for word in command])
    yield ""
    yield "Memory of a rank, known before the run:"
    yield ""
    done = subprocess.run([str(run.work / "train"), "--certificate"], capture_output=True, text=True)
    for line in done.stdout.splitlines()[:12]:
        yield "    " + line


def last_metrics(path):
    """The last values of loss and eval_loss in a file of metrics."""
    found = {}
    try:
        for line in path.read_text().splitlines():
            for key, value in json.loads(line).items():
                if key in ("loss", "eval_loss") and value is not None:
                    found[key] = value
    except (OSError, ValueError):
        pass
    return found
