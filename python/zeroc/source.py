"""What to generate with: the folder of a model, or a checkpoint of a run of zeroc, and adapters beside them.

| MODEL_DIR | config and tokenizer | weights |
|---|---|---|
| a folder with config.json | the folder | the folder |
| OUT/zeroc/run of zeroc finetune or pretrain, or a checkpoint in it | the model that OUT/zeroc/settings.json names | the checkpoint |
"""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from .errors import UserError
from .options import value_of
from .template import read_json

#: Options of a run that say what its checkpoint holds.
OF_ADAPTERS = ("--lora", "--lora-targets", "--rslora", "--dora", "--modules-to-save", "--base-storage")


@dataclass
class Source:
    """`options` are those of zeroc that the weights need."""
    folder: Path
    config: dict
    weights: Path
    precision: str
    options: list = field(default_factory=list)

    @property
    def config_path(self):
        return self.folder / "config.json"


def find_source(path):
    """Throws UserError if there is no model at `path`."""
    path = Path(path)
    if (path / "config.json").exists():
        config = read_json(path / "config.json")
        if not any(path.glob("*.safetensors")):
            raise UserError(f"{path} has no weights *.safetensors; name the folder of a whole model")
        return Source(path, config, path, precision_of(config))
    if (path / "adapter_config.json").exists():
        base = read_json(path / "adapter_config.json").get("base_model_name_or_path") or "MODEL_DIR"
        raise UserError(f"{path} holds adapters; name their model first, and them with --adapter: {base} "
                        f"--adapter {path}")
    if (path / "manifest.json").exists() or any(path.glob("step-*")):
        return find_checkpoint(path)
    raise UserError(f"{path} has no config.json; name the folder of a model" if path.is_dir() else
                    f"cannot read {path}: no such folder")


def find_checkpoint(path):
    """The Source of a checkpoint, or of a folder of them, which a run of finetuning.py or pretrain.py has written."""
    place = path.resolve()
    settings = next((found for found in (place.parent / "settings.json", place.parent.parent / "settings.json")
                     if found.exists()), None)
    if not settings:
        raise UserError(f"{path} is a checkpoint, and no settings.json of zeroc finetune or pretrain is beside it, which "
                        f"names its model; export it: zeroc export {path} -o FOLDER --config=CONFIG.json")
    run = read_json(settings)
    model = Path(str(run.get("model")))
    folder = model if model.is_dir() else model.parent
    config = read_json(folder / "config.json")
    if not config:
        raise UserError(f"{settings} names the model {model}, which is not there any more; export the checkpoint: "
                        f"zeroc export {path} -o FOLDER --config=CONFIG.json")
    options = [str(option) for option in run.get("options of zeroc", ())]
    return Source(folder, config, path, value_of(options, "--precision") or "bf16",
                  [option for option in options if option.partition("=")[0] in OF_ADAPTERS])


def precision_of(config):
    """That of the weights: fp32 if the config says float32."""
    return "fp32" if (config.get("dtype") or config.get("torch_dtype")) == "float32" else "bf16"


def adapter_options(folder):
    """The options of zeroc for adapters in PEFT's format; the program compares all of the config."""
    path = Path(folder) / "adapter_config.json"
    config = read_json(path)
    if not config:
        raise UserError(f"{folder} has no adapter_config.json; name a folder of adapters")
    rank, alpha = config.get("r"), config.get("lora_alpha")
    for name, value in (("r", rank), ("lora_alpha", alpha)):
        if not isinstance(value, (int, float)) or isinstance(value, bool) or value <= 0:
            raise UserError(f"{path}: {name} is {value!r}; it must be a number above 0")
    options = [f"--lora={rank}:{alpha:g}"]
    options += [option for key, option in (("use_rslora", "--rslora"), ("use_dora", "--dora")) if config.get(key)]
    for key, option in (("target_modules", "--lora-targets"), ("modules_to_save", "--modules-to-save")):
        pattern = pattern_of(config.get(key), f"{path}: {key}")
        options += [f"{option}={pattern}"] if pattern else []
    return options


def pattern_of(modules, place):
    """The regular expression of a list of modules, whose names may lack their beginning; "" for all of them."""
    if modules is None or modules == [] or modules == "all-linear":
        return ""
    if isinstance(modules, str):
        return modules
    if not isinstance(modules, list) or not all(isinstance(name, str) and re.fullmatch(r"[\w.]+", name)
                                                for name in modules):
        raise UserError(f"{place} is {modules!r}, where a list of names is needed")
    # The same in each layer.
    names = sorted({name.rpartition(".")[2] for name in modules})
    return f"(.*[.])?({'|'.join(names)})"
