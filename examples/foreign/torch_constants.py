#!/usr/bin/env python3
"""Prints an unmodified PyTorch module, with its weights as constants.

    pip install torch torch-mlir
    torch_constants.py FOLDER     # writes torch_constants.mlir
"""
import sys
from pathlib import Path

import torch
import torch_mlir.fx
from torch import nn
from torch.nn import functional as F


class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(144, 16), nn.Tanh(), nn.Linear(16, 4))

    def forward(self, x, y):
        return F.cross_entropy(self.net(x), y)


torch.manual_seed(0)
x, y = torch.zeros(16, 1, 12, 12), torch.zeros(16, dtype=torch.int64)
module = torch_mlir.fx.export_and_import(Loss(), x, y, output_type="linalg-on-tensors")
(Path(sys.argv[1]) / "torch_constants.mlir").write_text(str(module))
