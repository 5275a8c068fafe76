"""PyTorch modules as models of zeroc, through torch.export and torch-mlir."""
from __future__ import annotations

import inspect
import json
from pathlib import Path

from .errors import UserError
from .needs import need


def write_model(module, inputs, folder):
    """Writes model.mlir, names.json and initial.safetensors of a module to a folder.

    `module` is a torch.nn.Module, or a torch.export.ExportedProgram, whose forward takes `inputs`, a tuple of tensors
    whose first dimension is the batch, and returns the loss, a scalar.  Returns the options of zeroc for the model."""
    need("a module of PyTorch", ["torch", "torch_mlir", "safetensors"])
    import torch
    import torch_mlir.fx
    from safetensors.torch import save_file
    if isinstance(module, torch.export.ExportedProgram):
        names = [spec.arg.name for spec in module.graph_signature.input_specs
                 if spec.kind is torch.export.graph_signature.InputKind.USER_INPUT]
        module = module.module()
    else:
        names = list(inspect.signature(module.forward).parameters)
    if len(names) < len(inputs):
        raise UserError(f"forward has {len(names)} arguments, and example_inputs {len(inputs)}")
    parameters = {name: value for name, value in module.named_parameters() if value.requires_grad}
    if not parameters:
        raise UserError("the module has no parameter that requires a gradient, so there is nothing to train")

    class Loss(torch.nn.Module):
        def forward(self, *values):
            own, given = values[:len(parameters)], values[len(parameters):]
            return torch.func.functional_call(module, dict(zip(parameters, own)), given)

    values = [value.detach() for value in parameters.values()]
    text = torch_mlir.fx.export_and_import(Loss(), *values, *inputs, output_type="linalg-on-tensors")
    folder = Path(folder)
    (folder / "model.mlir").write_text(str(text))
    (folder / "names.json").write_text(json.dumps(list(parameters)))
    save_file({name: value.clone().contiguous() for name, value in zip(parameters, values)},
              folder / "initial.safetensors")
    first = len(parameters)
    return [f"--params={folder / 'names.json'}",
            "--inputs=" + ",".join(f"{name}:{first + i}" for i, name in enumerate(names[:len(inputs)]))]
