#!/usr/bin/env python3
"""A small vision model of PyTorch, for zeroc.

    pip install torch torch-mlir safetensors
    torch_vision.py FOLDER

writes into FOLDER

    torch_vision.mlir          the loss of 16 images, as torch-mlir prints it: its
                               arguments are the parameters, the images, the classes
    torch_vision.json          the names of the parameters
    torch_vision.safetensors   the values that they begin with
"""
import json
import sys
from pathlib import Path

import torch
import torch_mlir.fx
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1), nn.GroupNorm(2, 8), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
    nn.Linear(16, 4))
parameters = dict(net.named_parameters())


class Loss(nn.Module):
    def forward(self, *values):
        *weights, x, y = values
        logits = torch.func.functional_call(net, dict(zip(parameters, weights)), (x,))
        return F.cross_entropy(logits, y)


folder = Path(sys.argv[1])
x, y = torch.zeros(16, 1, 12, 12), torch.zeros(16, dtype=torch.int64)
module = torch_mlir.fx.export_and_import(Loss(), *parameters.values(), x, y,
                                         output_type="linalg-on-tensors")
(folder / "torch_vision.mlir").write_text(str(module))
(folder / "torch_vision.json").write_text(json.dumps(list(parameters)))
save_file({name: value.detach().clone() for name, value in parameters.items()},
          folder / "torch_vision.safetensors")
