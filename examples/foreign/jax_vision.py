#!/usr/bin/env python3
"""A small vision model of JAX, for zeroc.

    pip install jax iree-base-compiler safetensors
    jax_vision.py FOLDER

writes into FOLDER

    jax_vision.mlir          the loss of 16 images, lowered to linalg by IREE's compiler:
                             its arguments are the parameters, the images, the classes
    jax_vision.json          the names of the parameters
    jax_vision.safetensors   the values that they begin with
"""
import json
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
from jax import lax
from jax.export import export
from safetensors.numpy import save_file

LOWER = "builtin.module(iree-stablehlo-to-stablehlo-preprocessing,iree-stablehlo-to-iree-input)"
SHAPES = {"stem": (3, 3, 1, 8), "scale": (8,), "shift": (8,), "deep": (3, 3, 8, 16),
          "out.w": (16, 4), "out.b": (4,)}


def convolve(x, w, stride):
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME",
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"))


def loss(p, x, y):
    h = convolve(jnp.transpose(x, (0, 2, 3, 1)), p["stem"], 1)
    h = jax.nn.standardize(h, axis=(1, 2)) * p["scale"] + p["shift"]
    h = lax.reduce_window(jax.nn.relu(h), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    h = jax.nn.relu(convolve(h, p["deep"], 2)).mean((1, 2))
    logits = jax.nn.log_softmax(h @ p["out.w"] + p["out.b"])
    return -jnp.mean(jnp.take_along_axis(logits, y[:, None], axis=1))


def begin(name, shape, key):
    if len(shape) == 1:
        return jnp.ones(shape) if name == "scale" else jnp.zeros(shape)
    return jax.nn.initializers.he_normal()(key, shape)


folder = Path(sys.argv[1])
keys = jax.random.split(jax.random.key(0), len(SHAPES))
parameters = {name: begin(name, shape, key) for (name, shape), key in zip(SHAPES.items(), keys)}
flat = lambda *values: loss(dict(zip(parameters, values)), *values[len(parameters):])
x, y = jnp.zeros((16, 1, 12, 12)), jnp.zeros(16, jnp.int32)
printed = export(jax.jit(flat))(*parameters.values(), x, y).mlir_module()
lowered = subprocess.run([Path(sys.executable).parent / "iree-opt", f"--pass-pipeline={LOWER}"],
                         input=printed, capture_output=True, text=True, check=True)
(folder / "jax_vision.mlir").write_text(lowered.stdout)
(folder / "jax_vision.json").write_text(json.dumps(list(parameters)))
save_file({name: jax.device_get(value) for name, value in parameters.items()},
          folder / "jax_vision.safetensors")
