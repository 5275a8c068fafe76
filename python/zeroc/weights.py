"""Weights of safetensors files as arrays that read the file in place."""
from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from pathlib import Path

from .errors import UserError
from .needs import need

#: Types of safetensors; bf16 has none in NumPy.
TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U64": "<u8",
         "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?"}


def read_header(file):
    """({name: what the header says of that tensor}, where the tensors begin).  Throws zeroc.Error."""
    try:
        with open(file, "rb") as opened:
            size, = struct.unpack("<Q", opened.read(8))
            header = json.loads(opened.read(min(size, Path(file).stat().st_size)))
    except (OSError, ValueError, struct.error) as error:
        raise UserError(f"cannot read {file}: {error}") from error
    if not isinstance(header, dict):
        raise UserError(f"{file}: the header is no object of JSON")
    header.pop("__metadata__", None)
    return header, 8 + size


class Weights(Mapping):
    """The tensors of a file, or of all safetensors files of a folder, by name.

    A value is a read-only numpy.ndarray of the tensor's shape over the mapped file: no byte is read before it is used,
    and none is copied.  bf16 is ml_dtypes.bfloat16 if that package is there, else uint16 of the same bits.  Throws
    zeroc.Error for a file that is missing or damaged, KeyError for a name that is not there."""

    def __init__(self, path):
        path = Path(path)
        files = sorted(path.glob("*.safetensors")) if path.is_dir() else [path]
        if not files:
            raise UserError(f"{path} has no *.safetensors")
        self.places = {}
        for file in files:
            self.read_header(file)

    def read_header(self, file):
        need(file, ["numpy"])
        import numpy
        header, start = read_header(file)
        data = numpy.memmap(file, mode="r")[start:]
        for name, entry in header.items():
            try:
                (begin, end), kind, shape = entry["data_offsets"], entry["dtype"], tuple(entry["shape"])
                wanted = math.prod(shape) * (2 if kind == "BF16" else numpy.dtype(TYPES[kind]).itemsize)
            except (KeyError, TypeError, ValueError) as error:
                raise UserError(f"{file}: the header says nothing that is known of {name!r}") from error
            if not 0 <= begin <= end <= len(data):
                raise UserError(f"{file} ends before its tensor {name}")
            if end - begin != wanted:
                raise UserError(f"{file}: tensor {name} has {end - begin:,} bytes, and its shape needs {wanted:,}")
            self.places[name] = data[begin:end], kind, shape

    def __getitem__(self, name):
        data, kind, shape = self.places[name]
        return data.view(bfloat16() if kind == "BF16" else TYPES[kind]).reshape(shape)

    def __iter__(self):
        return iter(self.places)

    def __len__(self):
        return len(self.places)


def bfloat16():
    try:
        import ml_dtypes
        return ml_dtypes.bfloat16
    except ImportError:
        return "<u2"
