"""zeroc replay: repeats steps of a run on one rank, and finds the first that another rank computed differently."""
from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

from .commands import compile_command
from .errors import UserError
from .options import name_of, parse, parser_of

#: Of the run's plan, what one rank has not; --accumulate is given anew.  Buckets depend on --stage.
OF_RANKS = {"--world-size", "--accumulate", "--ranks-per-host", "--shard-size", "--secondary-shard", "--reuse-distance",
            "--prefetch", "--max-live", "--device-memory", "--host-memory"}
#: Options of zeroc that others stand for, or belong to.
OTHERS_OF = {"--offload": ("--offload-optimizer", "--offload-params"),
             "--lora": ("--lora-dropout", "--lora-targets", "--rslora", "--dora", "--modules-to-save", "--base-storage")}
MANAGED = {"--resume": "name the checkpoint first", "--until": "say --steps", "--world-size": "it is 1",
           "--digest": "use train itself", "--progress": "it is none"}
#: The most bytes of a header.
MOST = 64 << 20


def parser():
    p = parser_of("replay", usage="zeroc replay CHECKPOINT --steps A:B --against FILE [options]",
                  epilog="Options of zeroc and of train replace those of the run, which FILE has. Exit status: 0 if all "
                  "agree, 5 at a difference.")
    p.add_argument("checkpoint", metavar="CHECKPOINT", help="the checkpoint of step A, or the folder with it")
    p.add_argument("--steps", metavar="A:B", required=True, help="from the checkpoint of A steps until B are done")
    p.add_argument("--against", metavar="FILE", required=True, help="the file of train --digest")
    p.add_argument("--model", metavar="MODEL.mlir", help="the run's model [its name, in the folder of the run]")
    return p


def read_header(path):
    """The first line of a file of digests, which its check follows (train/report/DigestFile.h)."""
    with open(path, "rb") as file:
        line, check = file.readline(MOST), file.read(4)
    if not line.startswith(b"{"):
        raise UserError(f"{path} is no file of train --digest; name the one that the run has written")
    if check != zlib.crc32(line).to_bytes(4, "little"):
        raise UserError(f"{path}: its first line is damaged, or an older zeroc wrote it")
    return json.loads(line)


def find_checkpoint(folder, step):
    """The folder of the checkpoint of `step`."""
    path = Path(folder) if (Path(folder) / "manifest.json").exists() else Path(folder) / f"step-{step}"
    try:
        found = json.loads((path / "manifest.json").read_text())["step"]
    except (OSError, ValueError, KeyError):
        raise UserError(f"{folder} has no checkpoint of step {step}; name one, such as run/step-{step}") from None
    if found != step:
        raise UserError(f"{path} is of step {found}, and --steps begins with {step}; take the checkpoint of step {step}")
    return path


def without(words, names):
    """`words` without these options, and the values that follow them."""
    kept, drops = [], False
    for word in words:
        if word.startswith("--"):
            drops = name_of(word) in names
        if not drops:
            kept.append(word)
    return kept


def compile_options(header, given, folder):
    """The options of the run for one rank."""
    names = {name_of(word) for word in given}
    words = without(shlex.split(header["plan"]), names.union(*(OTHERS_OF.get(name, ()) for name in names)))
    # It writes the values that the run has read.
    words = [f"--constants-as-params={folder}/constants.safetensors" if name_of(word) == "--constants-as-params" else word
             for word in words]
    if header["ranks"] > 1:
        shards = header["virtual_shards"]
        if not shards:
            raise UserError(f"the run had {header['ranks']} ranks, whose sums depend on their number; one rank can repeat "
                            f"runs with --virtual-shards={header['ranks'] * header['accumulate']}")
        words = [*without(words, OF_RANKS), f"--accumulate={shards}"]
    return [*words, *given]


def main(arguments):
    a, given = parse(parser(), arguments, MANAGED, "replay")
    steps = re.fullmatch(r"(\d+):(\d+)", a.steps)
    begin, end = map(int, steps.groups()) if steps else (0, 0)
    if begin >= end:
        raise UserError(f"--steps must be A:B with A below B, got {a.steps}")
    header = read_header(a.against)
    checkpoint = find_checkpoint(a.checkpoint, begin)
    model = Path(a.model or Path(header["folder"]) / header["model"])
    if not model.exists():
        raise UserError(f"the model {model} does not exist; name it with --model")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "train"
        options = compile_options(header, given["compile"], folder)
        compiled = subprocess.run(compile_command(model, options, program), capture_output=True, text=True)
        if compiled.returncode:
            raise UserError(f"the model does not compile for one rank:\n{compiled.stderr.strip()}")
        replaced = {name_of(word) for word in given["train"]}
        if not any(word.startswith("--offload") and word.endswith("=nvme") for word in options):
            replaced.add("--nvme-path")  # the plan keeps nothing there now
        done = subprocess.run([program, *without(header["train"], replaced),
                               *given["train"], "--resume", checkpoint, "--until", str(end), "--against",
                               a.against, "--progress", "none"],
                              stdout=subprocess.PIPE, text=True)
    for line in done.stdout.splitlines():
        if line.startswith("steps "):
            print(line)
    sys.exit(done.returncode)
