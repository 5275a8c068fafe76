"""What a DeepSpeed config says of a run of zeroc finetune or pretrain.

zeroc reads the file (`zeroc --ds-config=FILE --certificate=json` says what it becomes) and compiles with it.  What these
commands choose themselves is then what the file says: micro-batch, accumulation, precision, and options of the training
program.
"""
from __future__ import annotations

import json
import subprocess
import sys

from .errors import UserError
from .options import name_of, value_of


def take_ds_config(run, typed):
    """Takes over --ds-config of a run, whose options `typed` were given by themselves."""
    file = value_of(run.compiled, "--ds-config")
    if file is None:
        return
    told = [option for option in run.compiled if name_of(option) != "--certificate"]
    done = subprocess.run([run.program, *told, f"--world-size={run.args.ranks}", "--certificate=json"], capture_output=True,
                          text=True)
    if done.returncode:
        sys.stderr.write(done.stderr)
        sys.exit(1)
    options = json.loads(done.stdout)
    run.from_ds_config = options["compile"]
    for name in ("--precision", "--accumulate"):
        if value_of(run.compiled, name) is None and value_of(run.from_ds_config, name) is not None:
            run.compiled.append(f"{name}={value_of(run.from_ds_config, name)}")
    actions = {name: action for action in run.parser._actions for name in action.option_strings}
    for name, equals, value in (option.partition("=") for option in [*options["train"], *options["import"]]):
        action = actions.get(name)
        given = getattr(run.args, action.dest) if action and name in typed else value_of(run.trained, name)
        if given is None and action:
            setattr(run.args, action.dest, (action.type or str)(value))
        elif given is None:
            run.trained.append(f"{name}{equals}{value}")
        elif str(given) != value and number(given) != number(value):
            raise UserError(f"{name}={given} contradicts {file}, which says {name}={value}; drop one of them")


def number(text):
    try:
        return float(text)
    except ValueError:
        return None
