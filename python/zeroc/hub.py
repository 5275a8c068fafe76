"""Models and data sets of a hub, by name: OWNER/NAME, or OWNER/NAME@REVISION; of data sets also OWNER/NAME/FOLDER.

The package huggingface_hub gets them, with its cache, its tokens, HF_ENDPOINT and HF_HUB_OFFLINE; of a repository only
the files that are read.  A file or a folder of that name is taken before the hub is asked.

`zeroc import` and `zeroc plan`, which are no Python, come here with a name, and are run again with the folder.
"""
from __future__ import annotations

import glob
import os
import re
import sys
from pathlib import Path, PurePath

from . import splits, subsets
from .errors import UserError
from .needs import need
from .template import read_json
from .tokenizer_file import TOKENIZER_FILES

#: tools/zeroc/Commands.cpp has the same rule; test_hub.py compares them.
NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*(@[\w.-]+)?", re.ASCII)
FILES = (".mlir", ".json")
DATA = re.compile(f"({NAME.pattern})(?:/(.*))?", re.ASCII)
#: The names of labels beside adapters: {"id2label": {"0": NAME, ...}}, as the config.json of a whole model has them.
LABELS = "labels.json"
#: Patterns of files: what a config is for, a tokenizer, a whole model, and adapters.
CONFIG = ("config.json",)
TOKENIZER = (*CONFIG, *TOKENIZER_FILES)
MODEL = (*TOKENIZER, "model*.safetensors", "model.safetensors.index.json")
ADAPTER = ("adapter_config.json", "adapter_model.safetensors", LABELS)
#: Files of data sets that are about them.
ABOUT_DATA = ("dataset_infos.json", "dataset_info.json", "dataset_dict.json", "state.json")


def is_name(text):
    """Whether a text that names no file or folder names a repository of a hub."""
    text = str(text)
    return bool(NAME.fullmatch(text)) and not text.endswith(FILES) and not os.path.lexists(text)


def find_folder(text, patterns=MODEL):
    """The folder that `text` names, or that of a hub's model with the files of these patterns."""
    if not is_name(text):
        return Path(text)
    folder = download("model", text, patterns, ["*/*"])
    if patterns is MODEL:
        check_weights(text, folder)
    return folder


def add_weights(name, folder):
    """The weights to a folder that the hub's cache has of a model: its name is the revision."""
    repository, _ = split_name(name)
    if download("model", f"{repository}@{folder.name}", MODEL, ["*/*"]) != folder:
        raise UserError(f"{folder} is not the cache's any more; give the command again")
    check_weights(name, folder)


def find_tokenizer(text):
    """The tokenizer.json that `text` names: a file, or that of a hub's model."""
    return find_folder(text, TOKENIZER) / "tokenizer.json" if is_name(text) else Path(text)


def check_weights(name, folder):
    """Part of a model may be in the cache, and a hub may have it in formats that zeroc does not read."""
    shards = set(read_json(folder / "model.safetensors.index.json").get("weight_map", {}).values())
    missing = sorted(shard for shard in shards if not (folder / shard).exists())
    if missing:
        raise UserError(f"of {name} only a part is in the cache: {missing[0]} is missing; {by_hand('model', name, MODEL)}")
    if not any(folder.glob("model*.safetensors")):
        raise UserError(f"{name} has no weights model*.safetensors, and zeroc reads no *.bin, *.gguf or *.onnx; name a "
                        "model that has them")


def is_data_name(text):
    return bool(DATA.fullmatch(str(text))) and not os.path.lexists(text)


def find_data(text, split, suffixes):
    """(The files of a hub's data set that are read, a line that says which): those of these suffixes, of one split."""
    name, _, inside = DATA.fullmatch(text).groups()
    inside = (inside or "").strip("/")
    listed = list_files(name)
    paths = [path for path in listed if path.endswith(suffixes) and PurePath(path).name not in ABOUT_DATA]
    named = subsets.read_subsets(read_readme(name), f"the {subsets.README} of {name}") if subsets.README in listed else {}
    chosen, line = subsets.find_files(named, inside, paths, split, name) or find_in_folder(text, inside, paths, split, suffixes)
    place = download("dataset", name, map(glob.escape, chosen))
    return [place / path for path in sorted(chosen)], line


def read_readme(name):
    path = download("dataset", name, [subsets.README]) / subsets.README
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""  # not in the cache


def find_in_folder(text, inside, paths, split, suffixes):
    """(The paths that are read in a folder of a data set, or in all of it, a line that says which), by the names of files."""
    folder = f"{inside}/" if inside else ""
    paths = [path for path in paths if path.startswith(folder)]
    # A license is no data.
    paths = [path for path in paths if not path.endswith(".txt")] or paths
    if not paths:
        raise UserError(f"{text} has no file *{', *'.join(suffixes)}")
    chosen, line = splits.choose([path[len(folder):] for path in paths], split, text)
    folders = {"/".join(part for part in PurePath(path).parts[:-1] if part != "data" and not splits.split_of_folders([part]))
               for path in chosen}
    if len(folders) > 1:
        raise UserError(f"{text} has the subsets {', '.join(sorted(folders))}; name one, as in "
                        f"{text}/{min(filter(None, folders))}")
    return [folder + path for path in chosen], line


def list_files(name):
    """The paths in a data set; without a network, those in the cache."""
    import_hub(name)
    from huggingface_hub import HfApi, errors
    repository, revision = split_name(name)
    try:
        return [file.rfilename for file in HfApi().dataset_info(repository, revision=revision).siblings]
    except errors.HfHubHTTPError as error:
        refuse(error, "dataset", name, ())
    except Exception:  # of several HTTP libraries: there is no network
        folder = download("dataset", name, [])
        return [str(path.relative_to(folder)) for path in folder.rglob("*")]


def download(kind, name, patterns, ignored=None):
    """The folder of a repository in the cache, with the files of these patterns."""
    import_hub(name)
    from huggingface_hub import snapshot_download
    repository, revision = split_name(name)
    try:
        return Path(snapshot_download(repository, repo_type=kind, revision=revision, allow_patterns=list(patterns),
                                      ignore_patterns=ignored))
    except Exception as error:  # of several HTTP libraries
        refuse(error, kind, name, patterns)


def split_name(name):
    repository, _, revision = name.partition("@")
    return repository, revision or None


def import_hub(name):
    need(f"{name}, which is no file or folder here,", ["huggingface_hub"], ", or name a folder")


def refuse(error, kind, name, patterns):
    """Throws UserError: what is wrong with a name, or what to run where there is a network."""
    from huggingface_hub import constants, errors
    what = {"model": "model", "dataset": "data set"}[kind]
    repository, revision = split_name(name)
    page = f"{constants.ENDPOINT}/{'datasets/' * (kind == 'dataset')}{repository}"
    if isinstance(error, errors.GatedRepoError):
        raise UserError(f"{name} is open to those who accept its terms: do so at {page}, then log in with `hf auth login`, "
                        "or set HF_TOKEN") from error
    if isinstance(error, errors.RepositoryNotFoundError):
        raise UserError(f"there is no file or folder {name}, and {constants.ENDPOINT} has no {what} of that name, or a "
                        "private one; check the name, or log in with `hf auth login`") from error
    if isinstance(error, errors.RevisionNotFoundError):
        raise UserError(f"the {what} {repository} has no revision {revision}; see {page}") from error
    why = ("HF_HUB_OFFLINE is set, and the cache does not have all of it" if constants.HF_HUB_OFFLINE else
           f"{constants.ENDPOINT}: {str(error.__cause__ or error).strip().splitlines()[0]}")
    raise UserError(f"there is no file or folder {name}, and the {what} of that name cannot be downloaded: {why}; "
                    f"{by_hand(kind, name, patterns)}") from error


def by_hand(kind, name, patterns):
    """What to run where there is a network; the same command then finds a folder."""
    repository, revision = split_name(name)
    files = " ".join(CONFIG) + " " if patterns is CONFIG else ""
    return (f"where there is a network, run `hf download {repository} {files}{'--repo-type dataset ' * (kind == 'dataset')}"
            f"{f'--revision {revision} ' if revision else ''}--local-dir {name}`, and bring the folder {name} here")


def main(words):
    """Runs `zeroc import` or `zeroc plan` with a folder in place of the name."""
    names = [word for before, word in zip(["", *words], words) if is_name(word) and before != "-o"]
    if not names:
        raise UserError("there is no name of a hub's model")
    folder = str(find_folder(names[0], CONFIG))
    program = os.environ["ZEROC_PROGRAM"]
    sys.stdout.flush()
    os.execv(program, [program, sys.argv[1], *(folder if word == names[0] else word for word in words)])
