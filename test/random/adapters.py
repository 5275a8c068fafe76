"""Adapters with a frozen, perhaps packed, model, for some of the random models."""
import random
import re

#: Models without linear layers, or whose linear layers have one row or are heads.
NONE = re.compile("no linear layer for adapters|is no smaller than|finds no weight to pack|magnitudes of|can have no dropout")
FILE = "adapter_model.safetensors"


def draw(seed):
    """Draws options of zeroc, once per model and not per plan."""
    rng = random.Random(f"adapters {seed}")
    if rng.random() < 0.7:
        return []
    options = [f"--lora={rng.choice(('1', '1:3', '2', '3:2'))}"]
    options += rng.choice(([], ["--base-storage=nf4"], ["--base-storage=int8"]))
    if rng.random() < 0.4:
        return options + ["--dora"]
    return options + ["--lora-dropout=0.2"] * (rng.random() < 0.2)
