"""Whether an argument is the folder of a model, and what to do if it is not."""
from __future__ import annotations

from pathlib import Path

from .errors import UserError


def check_model_folder(command, path, others=()):
    """Throws UserError if `path` is no folder; `others` are the arguments after it, one of which may be the model."""
    path = Path(path)
    if path.is_dir():
        return
    model = next((other for other in others if (Path(other) / "config.json").is_file()), None)
    if not path.exists():
        raise UserError(f"cannot read {path}: no such folder; a model of Hugging Face is there after "
                        f"`hf download OWNER/NAME --local-dir {path}`")
    if model:
        raise UserError(f"{path} is a file, and the model comes first: zeroc {command} {model} {path} ...")
    raise UserError(f"{path} is a file; name the folder of a model"
                    + (f", {path.parent}" if path.name == "config.json" else ""))
