"""Programs that were compiled before."""
from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .commands import compile_command, import_command, zeroc
from .errors import UserError

#: What is not used for so long is removed.
MOST_AGE = 30 * 24 * 3600.0


def cache_folder():
    named = os.environ.get("ZEROC_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(named) if named else Path(home) / "zeroc"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def find_program(config, slots, seq, options, command):
    """The program of a config that generates; compiles it if it is not there."""
    options = ["--sample-only", *options]
    programs = cache_folder() / "programs"
    made = programs / key_of(config, slots, seq, options)
    if not (made / "program").exists():
        programs.mkdir(exist_ok=True)
        remove_old(programs)
        print(f"zeroc {command}: compiles {config.parent.resolve().name} for {slots} x {seq:,} tokens, once for these "
              "options", file=sys.stderr, flush=True)
        fresh = Path(tempfile.mkdtemp(prefix="new-", dir=programs))
        try:
            call(import_command(config.resolve(), slots, seq, [], fresh / "model.mlir"))
            call(compile_command(fresh / "model.mlir", options, fresh / "program"))
            (fresh / "model.mlir").unlink()
            fresh.rename(made)
        except OSError:
            if not (made / "program").exists():  # else another process was faster
                raise
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    os.utime(made)
    return made / "program"


def key_of(config, slots, seq, options):
    """Of all that the program depends on: it is for the processor that it was compiled on."""
    digest = hashlib.sha256()
    for part in (config.read_bytes(), f"{slots} {seq} {' '.join(options)}", versions(), processor()):
        part = part if isinstance(part, bytes) else part.encode()
        digest.update(b"%d " % len(part) + part)
    return digest.hexdigest()[:32]


def versions():
    """Those of zeroc, and which files it is made of: builds of one version differ."""
    path = Path(shutil.which(zeroc()) or zeroc()).resolve()
    done = subprocess.run([zeroc(), "--version"], capture_output=True, text=True)
    lib = path.parent.parent / "lib"
    files = [path, *(folder / "zrt_program" for folder in (Path(os.environ.get("ZRT_LIB_DIR") or lib), lib / "zeroc"))]
    return done.stdout + " ".join(f"{file.stat().st_size} {file.stat().st_mtime_ns}" for file in files if file.exists())


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            return "".join(sorted({line for line in file if line.startswith(("flags", "Features", "model name"))}))
    except OSError:
        return ""


def call(command):
    """What the compiler notes is for those who train; its errors are not."""
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    if done.returncode:
        sys.stderr.write(done.stderr)
        raise UserError("the model was not compiled, as said above")


def remove_old(programs):
    for folder in programs.iterdir():
        try:
            if time.time() - folder.stat().st_mtime > MOST_AGE:
                shutil.rmtree(folder)
        except OSError:
            pass  # another process removes it, too
