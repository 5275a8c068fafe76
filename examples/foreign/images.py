#!/usr/bin/env python3
"""Writes images of stripes, and their direction as the class: a task for a small vision model.

    images.py FOLDER [COUNT]

FOLDER/x.npy has COUNT images of 1 x 12 x 12 numbers, FOLDER/y.npy their classes:
0 across, 1 down, 2 and 3 the diagonals.
"""
import array
import math
import random
import sys
from pathlib import Path

SIZE = 12
DIRECTIONS = ((0, 1), (1, 0), (0.7, 0.7), (0.7, -0.7))


def image(rng, direction):
    across, down = DIRECTIONS[direction]
    width, phase = rng.uniform(1.2, 2.0), rng.uniform(0, 2 * math.pi)
    return [math.sin(width * (across * column + down * row) + phase) + rng.gauss(0, 0.5)
            for row in range(SIZE) for column in range(SIZE)]


def write_npy(path, kind, shape, values):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}}}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") +
                     header.encode() + values.tobytes())


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 512
    rng = random.Random(0)
    classes = [rng.randrange(len(DIRECTIONS)) for _ in range(count)]
    pixels = [pixel for one in classes for pixel in image(rng, one)]
    write_npy(folder / "x.npy", "<f4", (count, 1, SIZE, SIZE), array.array("f", pixels))
    write_npy(folder / "y.npy", "<i8", (count,), array.array("q", classes))


if __name__ == "__main__":
    main()
