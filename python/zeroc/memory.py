"""Holds the plan of a run against the memory of this machine, before it is compiled.

    zeroc --memory RANKS   what is available here, and what each of the ranks may have in arenas
    zeroc plan MODEL       the arenas of a plan

The training program makes the same check at its start (train/run/MemoryCheck.h).
"""
from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

from .commands import zeroc
from .errors import UserError
from .options import name_of, value_of

#: What an error tries: less memory for more time, in the order of what is lost.
SMALLER = (("--stage=3",), ("--remat=block",), ("--offload=nvme",), ("--remat=block", "--offload=nvme"))
#: Options that change no arena, and that zeroc plan does not take, or takes for other ends.
NOT_OF_PLANS = ("--cpu", "--attention", "--collectives", "--timing", "--certificate", "--machine", "--threads-per-rank")


def in_units(count):
    """1.5 GiB."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024:
            break
        count /= 1024
    else:
        unit = "TiB"
    return f"{count:.1f} {unit}" if unit != "bytes" else f"{count} bytes"


class Machine:
    """What `ranks` processes of this machine can take: bytes available, the most for the arenas of a rank, who says so."""

    def __init__(self, ranks):
        words = subprocess.run([zeroc(), "--memory", str(ranks)], stdout=subprocess.PIPE, text=True, check=True).stdout
        available, most, self.source = words.rstrip("\n").split(" ", 2)
        self.available, self.most = int(available), int(most)


def arenas(certificate, target):
    """Bytes of this machine's memory that a rank allocates; a GPU has its own."""
    return sum(arena["bytes"] for arena in certificate["arenas"]
               if arena["tier"] == "host" or arena["tier"] == "device" and target != "cuda")


def need_of(model, options):
    """Bytes of a rank with these options; None if zeroc does not say it."""
    options = [option for option in options if name_of(option) not in NOT_OF_PLANS]
    # All that zeroc plan would choose, so that it makes one plan.
    options += [] if value_of(options, "--stage") else ["--stage=0"]
    done = subprocess.run([zeroc(), "plan", str(model), *options, "--certificate=json"], capture_output=True, text=True)
    plans = [] if done.returncode else json.loads(done.stdout)["plans"]
    target = value_of(options, "--target")
    return next((arenas(plan["certificate"], target) for plan in plans if plan["options"] == "as given"), None)


def smaller_plans(model, options, ranks, most):
    """[(added options, bytes of a rank)]: plans of a model that need `most` at most."""
    found, given = [], {name_of(option) for option in options}
    for added in SMALLER:
        if any(name_of(option) in given for option in added) or added == ("--stage=3",) and ranks == 1:
            continue
        size = need_of(model, [*options, *added])
        if size is not None and size <= most:
            found.append((" ".join(added), size))
    return found


def smaller_batch(batch, most, need, need_with):
    """The largest power of two below `batch` with which `need_with(batch)` bytes are `most` or less, and these; or None.

    Activations grow with the batch, and the rest does not: two sizes tell of all others, nearly."""
    if batch == 1 or (least := need_with(1)) is None or least > most:
        return None
    of_one = max(1, (need - least) / (batch - 1))
    found = 1 << (min(batch - 1, 1 + int((most - least) / of_one)).bit_length() - 1)
    while found > 1 and ((size := need_with(found)) is None or size > most):
        found //= 2
    return found, size if found > 1 else least


def check(model, batch, ranks, options, import_command):
    """Raises UserError if the ranks of a plan do not fit into this machine; names options with which they do.

    `model` is a file, of micro-batches of `batch`; import_command(batch, file) writes one of another batch."""
    if any(option.endswith("=auto") for option in options):  # zeroc chooses, and the program checks
        return
    need, machine = need_of(model, options), Machine(ranks)
    if need is None or need <= machine.most:
        return
    found = smaller_plans(model, options, ranks, machine.most)
    with tempfile.TemporaryDirectory() as folder:
        def need_with(other):
            file = Path(folder) / "model.mlir"
            done = subprocess.run(import_command(other, file), capture_output=True)
            return None if done.returncode else need_of(file, options)

        smaller = smaller_batch(batch, machine.most, need, need_with)
    lines = []
    if smaller:  # with as many sequences in a step
        steps, rest = divmod(batch * int(value_of(options, "--accumulate") or 1), smaller[0])
        lines.append(f"--batch={smaller[0]}{'' if rest else f' --accumulate={steps}'} needs {in_units(smaller[1])}")
    lines += [f"{added} needs {in_units(size)}" for added, size in found]
    each = f" for each of {ranks} ranks" if ranks > 1 else ""
    raise UserError(
        f"the plan needs {in_units(need)} of memory{each}, and {in_units(machine.most)} can be had of the "
        f"{in_units(machine.available)} that {machine.source} has as available; " +
        ("these fit, added to or in place of yours:\n" + "".join(f"  {line}\n" for line in lines) + "or " if lines else
         "use a smaller --seq, fewer --ranks, or ") +
        "go on anyway with --memory-check=off")


def killed(program, command):
    """What to say of a training program that SIGKILL has ended."""
    text = "was killed (SIGKILL): if nobody did that, the machine ran out of memory"
    try:
        done = subprocess.run([program, "--certificate=json"], capture_output=True, check=True)
        certificate = json.loads(done.stdout)
        text += f"; its plan needs {in_units(arenas(certificate, None))} for each rank"
    except (OSError, subprocess.CalledProcessError, ValueError, KeyError):
        pass
    machine = Machine(1)
    return (f"{program} {text}, and {in_units(machine.available)} are available now; take a smaller --batch or --seq, "
            f"--remat=block or --offload=nvme. The same {command} goes on from the last checkpoint")
