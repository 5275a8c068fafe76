"""The settings of a run in OUT/zeroc/settings.json, by which the same command is known to go on."""
from __future__ import annotations

import json
import shutil

from .errors import UserError
from .options import name_of, options_with
from .run_options import OF_EVALUATION
from .template import read_json

#: They change no step but its last bits, so a run goes on with others: of zeroc those of the layout and these, of
#: train how a run is watched.
PLACES = ("--accumulate", "--offload", "--device-memory", "--host-memory", "--cpu")
FREE = ("--threads", "--host-threads", "--progress", "--quiet", "--tensorboard", "--profile", "--utilization", "--keep",
        "--nvme-path", "--verify-reads", "--nvme-endurance", "--checkpoint-memory", "--on-checkpoint-error",
        "--time-limit", "--until", "--memory-check", "--matmul-algorithms", "--retune-matmuls", *OF_EVALUATION)


def settings_of(run):
    """What a run that goes on has in common with its beginning."""
    return {**known_settings(run), "steps": run.steps, "warmup": run.warmup, **import_settings(run), "data": run.data_key,
            "weights": weights_of(run.model if run.model.is_dir() else run.model.parent), **run.more_settings()}


def known_settings(run):
    """Those that are known before the data are."""
    a = run.args
    compiled, trained = ([option for option in options if name_of(option) not in free]
                         for options, free in ((run.all_compile_options(), {*PLACES, *options_with("layout")}),
                                               (run.trained, FREE)))
    typed = {name: value for name, value in (("steps", a.steps), ("warmup", a.warmup)) if value is not None}
    return {"model": str(run.model.resolve()), **typed, "sequences of a step": run.sequences_per_step(),
            "tokens of a sequence": run.seq, "lr": run.lr if a.lr is None else a.lr, "seed": a.seed,
            **({} if run.imports_by_data else import_settings(run)),
            "options of zeroc": sorted([*compiled, *run.from_ds_config]), "options of train": sorted(trained)}


def import_settings(run):
    return {"options of zeroc import": [*run.import_options(), *run.model_options]}


def weights_of(folder):
    """Names, sizes and times of the files that a model begins with."""
    return sorted([file.name, file.stat().st_size, file.stat().st_mtime_ns] for file in folder.glob("*.safetensors"))


def keep_settings(run):
    """Refuses to go on with a run of other settings; with --restart, drops it."""
    path, now = run.work / "settings.json", settings_of(run)
    if run.args.restart and path.exists():
        shutil.rmtree(run.work / "run", ignore_errors=True)
        for name in ("metrics.jsonl", "reports.json"):
            (run.work / name).unlink(missing_ok=True)
    check_unchanged(run, now)
    path.write_text(json.dumps({**now, "date": run.date}, indent=2) + "\n")


def check_unchanged(run, now):
    """Refuses settings that are others than those of the checkpoints that are there."""
    was = run.was
    # The training program knows the files of frozen parameters by what is in them.
    moved = ("model", "weights") if has_base(run) else ()
    for key, value in json.loads(json.dumps(now)).items():
        if key not in was or was[key] == value or key in moved:
            continue
        what = (f"other {key}" if key in ("data", "weights", "reference") else
                f"{key} {json.dumps(was[key])}, and now it is {json.dumps(value)}")
        raise UserError(f"{run.out} has a run with {what}; name another folder with -o, or start again with --restart")


def has_base(run):
    """Whether the checkpoints leave frozen parameters in the files of the model."""
    return any(read_json(path).get("base") for path in (run.work / "run").glob("step-*/manifest.json"))
