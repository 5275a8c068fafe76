"""Files that appear whole or not at all."""
import contextlib
import errno
import os
from pathlib import Path

from .errors import UserError

#: Errors of a write, which do not name the file; numpy's has no number.
OF_DISKS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, None)


def check_writable(folder, path=None):
    """Raises UserError if no file, or not that of `path`, can be made in a folder, before the work for it is done."""
    if not os.access(folder, os.W_OK):
        raise UserError(f"cannot write {path or folder}; choose a folder that exists and is writable")


@contextlib.contextmanager
def whole(path):
    """The name under which a file is written: it is on the disk and renamed to `path` at the end, or removed after an
    error, which names `path`, as those of a full disk do not by themselves.  A pipe or a device is written itself."""
    is_replaced = Path(path).is_file() or not Path(path).exists()
    partial = Path(f"{path}.partial.{os.getpid()}") if is_replaced else Path(path)
    try:
        yield partial
        if is_replaced:
            sync(partial)
            partial.replace(path)
    except OSError as error:
        names = [str(name) for name in (error.filename, error.filename2) if name]
        if str(partial) not in names and (names or error.errno not in OF_DISKS):
            raise
        raise UserError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        if is_replaced:
            partial.unlink(missing_ok=True)


def sync(path):
    """Lets what is in a file or a folder survive a power failure."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def write_whole(path, text):
    """Writes a text file."""
    with whole(path) as partial:
        partial.write_text(text, encoding="utf-8")
