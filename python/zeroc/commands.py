"""The commands of zeroc that others are made of: from a model's config to a program."""
from __future__ import annotations

import os


def zeroc():
    """The compiler that runs this package."""
    return os.environ.get("ZEROC_PROGRAM", "zeroc")


def import_command(config, batch, seq, options, out):
    """Writes the model of a config, or of a folder with one."""
    return [zeroc(), "import", str(config), f"--batch={batch}", f"--seq={seq}", *options, "-o", str(out)]


def compile_command(model, options, out):
    return [zeroc(), str(model), *options, "-o", str(out)]


def positions_of(config):
    """The most tokens that a model of a config reads, or None."""
    return config.get("max_position_embeddings") or config.get("n_positions")
