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
from .model_folder import check_model_folder
from .options import name_of, options_with, value_of
from .template import read_json
from .weights import read_header


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
    check_model_folder("chat", path)
    raise UserError(f"{path} has no config.json; name the folder of a model")


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
    of_adapters = options_with("lora") - options_with("steps")  # what the checkpoint holds
    return Source(folder, config, path, value_of(options, "--precision") or "bf16",
                  [option for option in options if option.partition("=")[0] in of_adapters])


def precision_of(config):
    """The precision of the weights: fp32 if the config says float32, else bf16."""
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
    adapted, whole = modules_in(Path(folder) / "adapter_model.safetensors")
    return options + [f"{option}={pattern_of(modules)}" for option, modules in
                      (("--lora-targets", adapted), ("--modules-to-save", whole)) if modules]


def forward_options(source, adapter, model, typed):
    """Options of zeroc for a program that only computes forward; what is typed goes before what the adapters say."""
    more = [*source.options, f"--precision={source.precision}"]
    if adapter:
        if value_of(source.options, "--lora"):
            raise UserError(f"{model} has adapters itself, and --adapter={adapter} names others; drop it")
        more += adapter_options(adapter)
    return [*typed, *(option for option in more if value_of(typed, name_of(option)) is None)]


def modules_in(file):
    """(the layers with adapters, the modules that are there whole), by the names of the tensors: the config says them in
    many ways, of which some need the model."""
    adapted, whole = set(), set()
    for name in read_header(file)[0]:
        _, is_named, rest = name.partition("base_model.model.")  # behind what wraps the model, if anything
        module, _, kind = rest.partition(".lora_")
        if not is_named or kind not in ("", "A.weight", "B.weight", "magnitude_vector"):
            raise UserError(f"{file}: {name} is of no adapter of a linear layer, and zeroc has no others")
        if kind:
            adapted.add(module)
        else:
            whole.add(module.rpartition(".")[0])
    if not adapted:
        raise UserError(f"{file} has no adapters of linear layers, *.lora_A.weight")
    return adapted, whole


def pattern_of(modules):
    """The regular expression of these names alone, which names once what several layers have."""
    layers, alike = {}, {}
    for name in modules:
        before, number, behind = re.fullmatch(r"(?:(.*?\.)(\d+)\.)?(.*)", name).groups("")
        layers.setdefault((before, number), []).append(behind)
    for (before, number), behind in layers.items():
        alike.setdefault((before, *sorted(behind)), []).append(number)
    return any_of(quoted(before) + any_of(sorted(numbers, key=lambda number: (len(number), number))) +
                  ("[.]" if before else "") + any_of(map(quoted, behind))
                  for (before, *behind), numbers in sorted(alike.items()))


def quoted(name):
    return re.escape(name).replace(r"\.", "[.]")


def any_of(patterns):
    patterns = list(patterns)
    return patterns[0] if len(patterns) == 1 else f"({'|'.join(patterns)})"
