"""The commands of zeroc that others are made of: from a model's config to a program."""
from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from .errors import UserError


def zeroc():
    """The compiler: the one that runs this package, that of the wheel, or the first in PATH."""
    own = Path(__file__).parent / "bin" / "zeroc"
    found = os.environ.get("ZEROC_PROGRAM") or (str(own) if own.exists() else shutil.which("zeroc"))
    if not found:
        raise UserError("there is no zeroc in PATH; install the wheel, or name the program with ZEROC_PROGRAM")
    return found


def environment():
    """zeroc runs its commands in Python by this one."""
    return {"ZEROC_PYTHON": sys.executable, **os.environ}


def flags(options):
    """Options of a command: {"world_size": 2, "eval": True} is --world-size=2 --eval."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif name in ("stop_token", "column") and isinstance(value, (list, tuple)):
            words += [f"{option}={one}" for one in value]
        elif value is not None and value is not False:
            words.append(f"{option}={','.join(map(str, value)) if isinstance(value, (list, tuple)) else value}")
    return words


def import_command(config, batch, seq, options, out):
    """Writes the model of a config, or of a folder with one."""
    return [zeroc(), "import", str(config), f"--batch={batch}", f"--seq={seq}", *options, "-o", str(out)]


def compile_command(model, options, out):
    return [zeroc(), str(model), *options, "-o", str(out)]


def text_of(config):
    """The config of the model of text, which one of images and text has inside; what that lacks is around it."""
    return {**config, **config["text_config"]} if isinstance(config.get("text_config"), dict) else config


def positions_of(config):
    """The most tokens of a sequence that zeroc import takes for a model of a config, or None."""
    config = text_of(config)
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    limits = [config.get("max_position_embeddings") or config.get("n_positions")]
    if "short_factor" in rope:
        limits.append(config.get("original_max_position_embeddings", 4096))
    if rope.get("llama_4_scaling_beta"):
        limits.append(rope.get("original_max_position_embeddings"))
    return min(filter(None, limits), default=None)
