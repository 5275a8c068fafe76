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
from .whole_file import sync

#: What is not used for so long is removed.
MOST_AGE = 30 * 24 * 3600.0
#: The file with the hash of a program, beside it.
HASH = "sha256"


def cache_folder():
    named = os.environ.get("ZEROC_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return own_folder(Path(named) if named else Path(home) / "zeroc")


def own_folder(folder):
    """The folder, made if it is not there: its programs are run, so no one else may write there."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    info = folder.stat()
    if info.st_uid != os.geteuid():
        raise UserError(f"{folder} belongs to user {info.st_uid}, who could change the programs there that are run; name a "
                        "folder of yours with ZEROC_CACHE")
    if info.st_mode & 0o022:
        raise UserError(f"others may write to {folder}, and could change the programs there that are run; remove what is in "
                        f"it and `chmod go-w {folder}`, or name another folder with ZEROC_CACHE")
    return folder


def find_program(config, slots, seq, options, command, kind="--sample-only", imports=()):
    """The program of a config that generates, or is of another kind; compiles it if it is not there.

    `imports` are options of zeroc import."""
    options = [kind, *options]
    programs = own_folder(cache_folder() / "programs")
    made = programs / key_of(config, slots, seq, [*imports, *options])
    if not is_whole(made):
        shutil.rmtree(made, ignore_errors=True)  # damaged, or of an older zeroc
        remove_old(programs)
        print(f"zeroc {command}: compiles {config.parent.resolve().name} for {slots} x {seq:,} tokens, once for these "
              "options", file=sys.stderr, flush=True)
        fresh = Path(tempfile.mkdtemp(prefix="new-", dir=programs))
        try:
            call(import_command(config.resolve(), slots, seq, imports, fresh / "model.mlir"))
            call(compile_command(fresh / "model.mlir", options, fresh / "program"))
            (fresh / "model.mlir").unlink()
            (fresh / HASH).write_text(hash_of(fresh / "program"))
            for path in (fresh / "program", fresh / HASH, fresh):
                sync(path)
            fresh.rename(made)
            sync(programs)
        except OSError:
            if not is_whole(made):  # else another process was faster
                raise
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    os.utime(made)
    return made / "program"


def hash_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def is_whole(made):
    """Whether a program is as it was written."""
    try:
        return (made / HASH).read_bytes() == hash_of(made / "program").encode()
    except OSError:
        return False


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
