"""The files that a run writes to OUT: weights or adapters, the tokenizer's, and what is about them."""
from __future__ import annotations

import shutil

from .hub import LABELS
from .tokenizer_file import TOKENIZER_FILES

#: Files of weights and of adapters; a folder with both is read in different ways.
WEIGHTS = ("model*.safetensors", "model.safetensors.index.json")
ADAPTERS = ("adapter_model.safetensors", "adapter_config.json", LABELS)
OUTPUTS = (*WEIGHTS, *ADAPTERS, *TOKENIZER_FILES, "config.json", "README.md", "loss.svg")


def remove_others(run):
    """Removes what an earlier run of another kind left in OUT."""
    for pattern in WEIGHTS if run.export_options() is None else ADAPTERS:
        for file in run.out.glob(pattern):
            run.own.remove(file.name)


def make_folder(run):
    """Makes OUT and OUT/zeroc, if nothing in OUT is somebody else's."""
    if (run.work / "settings.json").exists():  # also of a run of an older zeroc
        run.own.make()
    run.own.check([file.name for pattern in OUTPUTS for file in run.out.glob(pattern)], run.args.force)
    run.own.make()
    run.work.mkdir(exist_ok=True)


def copy_tokenizer_files(run, folder):
    for name in TOKENIZER_FILES:
        if (folder / name).exists():
            with run.own.writing(name) as path:
                shutil.copyfile(folder / name, path)
