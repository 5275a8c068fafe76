#!/usr/bin/env python3
"""Prints the modules of other front ends that the tests compile.

    python3 -m venv venv && venv/bin/pip install torch torch-mlir jax iree-base-compiler
    venv/bin/python test/foreign/generate.py OUT [WORD...]

For every model of torch_models.py and jax_models.py (or those with a WORD in
their names) it writes into the folder OUT:

    NAME.mlir          linalg on tensors as the front end prints it, but for its
                       function, which is called @loss and has zeroc's
                       attributes at its arguments
    NAME.safetensors   values of parameters and inputs, and the loss and the
                       gradients that the front end computes from them in float64
                       (`grad.` before the parameter's name; rounded to f32)

PyTorch's modules come from torch_mlir.fx, JAX's from StableHLO by the lowering to
linalg that is part of IREE's compiler.
"""
import json
import os
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent


def draw(name, shape, scale=1.0):
    """Values that depend only on the name, exact in float32."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    return (np.round(rng.normal(size=shape) * scale * 1024) / 1024).astype(np.float32)


def draw_inputs(model, inputs):
    values = {}
    for name, shape in inputs.items():
        if len(shape) == 2 and isinstance(shape[1], tuple):
            rng = np.random.default_rng(zlib.crc32(f"{model}.{name}".encode()))
            values[name] = rng.integers(0, shape[0], shape[1])
        else:
            values[name] = draw(f"{model}.{name}", shape)
    return values


def annotate(text, entry, arguments):
    """Returns the module with `entry` renamed to @loss, and attributes of its arguments."""
    head, body = re.split(rf"(?=func\.func (?:public )?@{entry}\()", text, maxsplit=1)
    for i, attributes in enumerate(arguments):
        body, count = re.subn(rf"(%arg{i}: tensor<[^>]*>)(?: \{{[^}}]*\}})?", rf"\1 {{{attributes}}}",
                              body, count=1)
        assert count == 1, f"argument {i}"
    return head + re.sub(rf"^func\.func (?:public )?@{entry}\(", "func.func @loss(", body)


def attributes(parameters, inputs):
    return ([f'zero.param = "{name}"' for name in parameters] +
            [f'zero.input = "{name}"' for name in inputs])


def write(out, name, front_end, text, parameters, inputs, loss, gradients):
    (out / f"{name}.mlir").write_text(f"// Printed by {front_end}.\n{text.rstrip()}\n")
    tensors = {**parameters, **inputs, "loss": np.float64(loss).reshape(())}
    tensors.update({f"grad.{key}": np.asarray(value, np.float32) for key, value in gradients.items()})
    kinds = {"float32": "F32", "float64": "F64", "int32": "I32", "int64": "I64"}
    header, data = {}, b""
    for key, value in tensors.items():
        raw = np.ascontiguousarray(value).tobytes()
        header[key] = {"dtype": kinds[str(value.dtype)], "shape": list(value.shape),
                       "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    header = json.dumps(header, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    (out / f"{name}.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + data)
    print(f"{name}: {len(text)} characters, loss {loss:.6f}", flush=True)


def print_jax(out, wanted):
    import jax
    from importlib.metadata import version
    from jax.export import export
    import jax_models
    lower = Path(sys.executable).parent / "iree-opt"
    front_end = (f"JAX {version('jax')}, lowered by IREE's compiler "
                 f"{version('iree-base-compiler')}")
    for model, (shapes, inputs, loss) in jax_models.MODELS.items():
        name = f"jax_{model}"
        if not wanted(name):
            continue
        parameters = {key: draw(f"{name}.{key}", shape, 0.5) for key, shape in shapes.items()}
        given = {key: value.astype(np.int32) if value.dtype == np.int64 else value
                 for key, value in draw_inputs(name, inputs).items()}
        flat = lambda *values: loss(dict(zip(parameters, values)), *values[len(parameters):])
        text = export(jax.jit(flat))(*parameters.values(), *given.values()).mlir_module()
        done = subprocess.run([lower, "--pass-pipeline=builtin.module("
                               "iree-stablehlo-to-stablehlo-preprocessing,iree-stablehlo-to-iree-input)"],
                              input=text, capture_output=True, text=True)
        if done.returncode:
            print(f"{name}: not lowered: {done.stderr[:300]}")
            continue
        text = annotate(done.stdout, "main", attributes(parameters, given))
        with jax.enable_x64(True):
            wide = lambda values: [v.astype(np.float64) if v.dtype == np.float32 else v
                                   for v in values.values()]
            exact = jax.value_and_grad(lambda p, *rest: loss(p, *rest))
            value, gradients = exact(dict(zip(parameters, wide(parameters))), *wide(given))
        write(out, name, front_end, text, parameters, given, value, gradients)


def print_torch(out, wanted):
    import torch
    import torch_mlir.fx
    from importlib.metadata import version
    import torch_models
    front_end = f"torch-mlir {version('torch-mlir')}, PyTorch {version('torch')}"
    for model, (net, inputs) in torch_models.MODELS.items():
        name = f"torch_{model}"
        if not wanted(name):
            continue
        parameters = {}
        for key, value in net.named_parameters():
            norm = key.endswith("weight") and value.dim() == 1
            parameters[key] = draw(f"{name}.{key}", tuple(value.shape), 0.5) + np.float32(norm)
        given = draw_inputs(name, inputs)

        class Loss(torch.nn.Module):
            """Parameters are arguments; the module is hidden, since otherwise they would be
            constants, too."""
            def forward(self, *values):
                return torch.func.functional_call(net, dict(zip(parameters, values)),
                                                  values[len(parameters):])

        tensors = [torch.tensor(value) for value in (*parameters.values(), *given.values())]
        printed = torch_mlir.fx.export_and_import(Loss(), *tensors, output_type="linalg-on-tensors")
        text = annotate(str(printed), "main", attributes(parameters, given))
        net = net.double()
        net.load_state_dict({key: torch.tensor(value) for key, value in parameters.items()})
        value = net(*(torch.tensor(v).double() if v.dtype == np.float32 else torch.tensor(v)
                      for v in given.values()))
        value.backward()
        gradients = {key: p.grad.numpy() for key, p in net.named_parameters()}
        write(out, name, front_end, text, parameters, given, value.item(), gradients)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    out, words = Path(sys.argv[1]), sys.argv[2:]
    out.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(HERE))
    wanted = lambda name: not words or any(word in name for word in words)
    print_jax(out, wanted)
    print_torch(out, wanted)


if __name__ == "__main__":
    main()
