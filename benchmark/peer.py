"""Runs the same work in PyTorch, where it is installed."""
import json
import os
from pathlib import Path

import watch
from trainer import Run, step_of

PROGRAMS = Path(__file__).resolve().parent / "peers"


class Torch:
    """PyTorch of the interpreter `python`; `library` is a folder with a preferred libblas.so.3.

    By default glibc returns large blocks after each use and requests them again, page by page; a tuned
    PyTorch keeps them.
    """

    def __init__(self, python, library, config, folder):
        self.python, self.config, self.folder = python, Path(config).resolve(), folder
        self.environment = watch.environment(MALLOC_MMAP_THRESHOLD_=str(8 << 30),
                                             MALLOC_TRIM_THRESHOLD_=str(16 << 30))
        if library:
            known = os.environ.get("LD_LIBRARY_PATH")
            self.environment["LD_LIBRARY_PATH"] = ":".join(filter(None, (library, known)))
        #: Why PyTorch cannot be measured; "" if it can.
        self.missing = ""
        if library and not (Path(library) / "libblas.so.3").exists():
            self.missing = f"there is no libblas.so.3 in {library}"
            return
        try:
            done = watch.run("torch", [python, "-c", "import torch; print(torch.__version__)"],
                             self.environment, folder)
            self.version = done.out.strip()
        except watch.Failed as error:
            self.missing = str(error).strip().splitlines()[-1]

    def run(self, case, steps):
        """Uses DistributedDataParallel on several ranks, for every stage."""
        program = "torch_ddp.py" if case.ranks > 1 else "torch_gpt2.py"
        done = watch.run(f"torch {case.name}",
                         [self.python, PROGRAMS / program, self.config, case.batch, case.seq,
                          case.ranks if case.ranks > 1 else case.threads, steps],
                         {**self.environment, "OMP_NUM_THREADS": str(case.threads)}, self.folder)
        result = json.loads(done.out.splitlines()[-1])
        return Run(*step_of(result["seconds"]), result["peak_bytes"])
