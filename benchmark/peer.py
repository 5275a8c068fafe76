"""Runs the same work in PyTorch, where it is installed."""
import json
import os
from pathlib import Path

import watch
from trainer import Run, step_of

PROGRAMS = Path(__file__).resolve().parent / "peers"


class Torch:
    """PyTorch of the interpreter `python`; `library` is a folder with a preferred libblas.so.3, `options` are of the
    programs, and `needs` is what they import.

    By default glibc returns large blocks after each use and requests them again, page by page; a tuned
    PyTorch keeps them.
    """

    def __init__(self, python, library, config, folder, options=(), needs=("torch",)):
        # Programs run in `folder`.
        self.python = os.path.abspath(python) if "/" in python else python
        self.config, self.folder = Path(config).resolve(), folder
        self.options = tuple(options)
        self.environment = watch.environment(MALLOC_MMAP_THRESHOLD_=str(8 << 30),
                                             MALLOC_TRIM_THRESHOLD_=str(16 << 30),
                                             TORCHINDUCTOR_CACHE_DIR=str(Path(folder) / "inductor"))
        if library:
            known = os.environ.get("LD_LIBRARY_PATH")
            self.environment["LD_LIBRARY_PATH"] = ":".join(filter(None, (library, known)))
        #: Why PyTorch cannot be measured; "" if it can.
        self.missing = ""
        if library and not (Path(library) / "libblas.so.3").exists():
            self.missing = f"there is no libblas.so.3 in {library}"
            return
        try:
            names = ", ".join(needs)
            versions = ", ".join(f"'{name}', {name}.__version__" for name in needs)
            done = watch.run(names, [self.python, "-c", f"import {names}; print({versions})"],
                             self.environment, folder)
            #: As in "torch 2.15.0".
            self.version = done.out.strip()
        except watch.Failed as error:
            self.missing = str(error).strip().splitlines()[-1]

    def run(self, case, steps):
        """Uses DistributedDataParallel on several ranks, for every stage."""
        return self._run("torch_ddp.py" if case.ranks > 1 else "torch_gpt2.py", case, steps)

    def _run(self, program, case, steps, *arguments):
        done = watch.run(f"{program} {case.name}",
                         [self.python, PROGRAMS / program, self.config, case.batch, case.seq,
                          case.ranks if case.ranks > 1 else case.threads, steps, *arguments, *self.options],
                         {**self.environment, "OMP_NUM_THREADS": str(case.threads)}, self.folder)
        result = json.loads(done.out.splitlines()[-1])
        return Run(*step_of(result["seconds"]), result["peak_bytes"])


class Peft(Torch):
    """Adapters of all linear layers by transformers and PEFT, which runs as a Trainer does."""

    def __init__(self, python, config, folder, rank, options):
        super().__init__(python, None, config, folder, options, ("torch", "transformers", "peft"))
        self.rank = rank

    def run(self, case, _, steps):
        """Its tokens are its own."""
        return self._run("peft_lora.py", case, steps, self.rank)
