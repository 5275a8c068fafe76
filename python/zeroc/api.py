"""zeroc in Python: compiles, trains, reads weights.  The work is done by the same programs as on the command line."""
from __future__ import annotations

import codecs
import json
import os
import signal
import subprocess
import tempfile
import time
import warnings
import weakref
from pathlib import Path

from . import hub
from .commands import compile_command, environment, flags, import_command, zeroc
from .errors import UserError
from .metrics import GrowingMetrics
from .needs import need
from .session import Session  # noqa: F401, of the package
from .weights import Weights
from .whole_file import whole

#: Of a torch model, beside its program.
INITIAL = "initial.safetensors"


def compile(model, example_inputs=None, *, batch=None, seq=None, out=None, import_options=None, **options):
    """Compiles a model into a training program; returns a Program.

    model           a path of MLIR; a folder of Hugging Face, OWNER/NAME of a hub, or a config.json, with `batch`
                    sequences of `seq` tokens; or a torch.nn.Module or torch.export.ExportedProgram whose forward returns the
                    loss (torch-mlir)
    example_inputs  of a torch model: a tuple of tensors, whose first dimension is the batch of a rank
    out             the program's path; default: a temporary folder, which lives as long as the Program
    import_options  options of `zeroc import` as a dict, such as {"packed": True}
    options         those of zeroc: stage=3, world_size=2, optimizer="adamw", precision="bf16", lora=16, ...;
                    True stands for a flag, None and False for nothing

    Throws Error with the compiler's message."""
    scratch = tempfile.TemporaryDirectory(prefix="zeroc-")
    folder, initial = Path(scratch.name), None
    if isinstance(model, (str, os.PathLike)):
        source, more = hub.find_folder(model), []
        if source.is_dir() or source.suffix == ".json":
            if batch is None or seq is None:
                raise UserError(f"{source} needs batch, the sequences of a micro-batch, and seq, the tokens of one")
            call(import_command(source, batch, seq, flags(import_options or {}), folder / "model.mlir"))
            initial = source if any(source.glob("*.safetensors")) else None
            source = folder / "model.mlir"
        elif batch is not None or seq is not None or import_options:
            raise UserError(f"{source} has its own batch; batch, seq and import_options are for config.json")
    else:
        from .torch_model import write_model
        more = write_model(model, tuple(example_inputs or ()), folder)
        source, initial = folder / "model.mlir", folder / INITIAL
    path = Path(out).absolute() if out else folder / "program"
    call(compile_command(source, [*more, *flags(options)], path))
    return Program(path, initial, scratch)


def finetune(model, data, out, *, wait=True, **options):
    """Does what `zeroc finetune` does, and prints what it prints; returns the Run, whose metrics are those of its steps.

    model    a folder of Hugging Face, or OWNER/NAME of a hub
    data     a path of records, or several
    out      the folder to write; `Run.weights` reads it
    wait     False returns at once, with a Run that has started: iterating it gives the metrics as they come
    options  those of the command: lora=16, objective="dpo", epochs=1, precision="bf16", ..."""
    files = [data] if isinstance(data, (str, os.PathLike)) else list(data)
    run = Run([zeroc(), "finetune", str(model), *map(str, files), "-o", str(out), *flags(options)],
              Path(out) / "zeroc" / "metrics.jsonl", Path(out))
    return run.show() if wait else run


class Program:
    """A compiled training program.

    path         its file, which runs without Python
    certificate  its memory and state, exact before anything runs: the dict of `program --certificate=json`; sizes are
                 bytes of a rank"""

    def __init__(self, path, initial=None, scratch=None):
        self.path, self.initial, self.scratch = Path(path), initial, scratch

    @property
    def certificate(self):
        return json.loads(call([str(self.path), "--certificate=json"]))

    def train(self, data=None, *, inputs=None, steps=None, lr=None, init=None, save=None, wait=True, **options):
        """Trains, and prints what the program prints; returns the Run.

        data     a path, or several, of texts, tokens, or a file of samples
        inputs   {name: path of *.npy or *.safetensors, or an array}, whose first dimension counts samples
        steps    number of steps (or epochs=E)
        lr       peak learning rate
        init     weights to begin with; default: those of a torch model or of the folder, or random ones
        save     where to write weights at the end, *.safetensors; default: a temporary file, for Run.weights
        wait     False returns at once, with a Run that has started: iterating it gives the metrics as they come
        options  those of the program: seed=1, schedule="cosine", threads=2, checkpoint="run", ..."""
        scratch = tempfile.TemporaryDirectory(prefix="zeroc-")
        init, save = init or self.initial, Path(save or Path(scratch.name) / "weights.safetensors")
        words = [] if data is None else [data] if isinstance(data, (str, os.PathLike)) else list(data)
        command = [str(self.path), *(["--data", *map(str, words)] if words else [])]
        for number, (name, value) in enumerate((inputs or {}).items()):
            command.append(f"--input={name}={place_of(value, Path(scratch.name) / f'input-{number}.npy')}")
        metrics = Path(options.pop("metrics", None) or Path(scratch.name) / "metrics.jsonl")
        if metrics.exists() and not metrics.is_file():
            raise UserError(f"metrics={metrics} is no file that the Run could read; name another, or drop it")
        command += flags({"steps": steps, "lr": lr, "init": init, "save": save, "metrics": metrics, **options})
        run = Run(command, metrics, save, keeps=(self.scratch, scratch))
        return run.show() if wait else run


class Run:
    """A run that has started.  Iterating gives the metrics of each step as a dict: step, loss, lr, grad_norm, ... (see
    `train --metrics`), as they come, and ends with the run; an error of the run is thrown there as Error.

    weights  after the end, the Weights that it has saved
    stop()   ends it after the step, with its checkpoint if it has one; leaving a `with` block does that, too, and so
             do, with a warning, the end of Python and that of the last reference to the Run"""

    def __init__(self, command, metrics, saved, keeps=()):
        self.metrics, self.saved, self.keeps = metrics, saved, keeps
        self.lines = GrowingMetrics(metrics)
        self.lines.read()  # those of the run that goes on
        self.messages = tempfile.TemporaryFile()
        # In a group of its own, so that Ctrl-C reaches it through stop() alone.
        self.process = subprocess.Popen(command, stdout=self.messages, stderr=self.messages, start_new_session=True,
                                        env=environment())
        self.left = weakref.finalize(self, leave, self.process, keeps)

    def __iter__(self):
        try:
            while True:
                ended = self.process.poll() is not None
                yield from map(json.loads, self.lines.read())
                if ended:
                    break
                time.sleep(0.02)
        except KeyboardInterrupt:
            self.stop()
            raise
        self.wait()

    def show(self):
        """Waits for the end, and prints what the run prints."""
        decoder, place = codecs.getincrementaldecoder("utf-8")("replace"), 0
        ended = False
        try:
            while not ended:
                ended = self.process.poll() is not None
                # The file's own position is that of the run, too.
                while block := os.pread(self.messages.fileno(), 1 << 16, place):
                    place += len(block)
                    print(decoder.decode(block), end="", flush=True)
                time.sleep(0 if ended else 0.05)
        except KeyboardInterrupt:
            self.stop()
            raise
        return self.wait()

    def stop(self):
        self.left.detach()
        interrupt(self.process)

    def wait(self):
        """Waits for the end; throws Error if the run failed."""
        try:
            status = self.process.wait()
        except KeyboardInterrupt:
            self.stop()
            raise
        # Stopped by a signal, or by its time_limit.
        if status not in (0, 75, 130, -signal.SIGINT):
            self.messages.seek(0)
            text = self.messages.read().decode(errors="replace")
            errors = [line for line in text.splitlines() if "error:" in line]
            raise UserError("\n".join(errors) or text or f"the run ended with status {status}")
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def weights(self):
        self.wait()
        return Weights(self.saved)


def leave(process, _keeps):
    """Ends a run that nobody has stopped; its folders stay until then."""
    if process.poll() is None:
        warnings.warn("a run of zeroc is stopped before its end, because nothing waits for it; iterate it or call wait()",
                      RuntimeWarning, stacklevel=2)
        interrupt(process)


def interrupt(process):
    """Ends a run and the programs that it has started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
        process.wait()


def place_of(value, path):
    if isinstance(value, (str, os.PathLike)):
        return value
    need("an array", ["numpy"])
    import numpy
    with whole(path) as partial, open(partial, "wb") as file:
        numpy.save(file, numpy.ascontiguousarray(value))
    return path


def call(command):
    """The output of a command; throws Error with what it says."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment())
    if done.returncode:
        raise UserError(done.stderr.strip() or f"{command[0]} ended with status {done.returncode}")
    return done.stdout
