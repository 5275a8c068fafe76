//===- Activation.h - Activation functions of an MLP ------------*- C++ -*-===//
#pragma once

#include "frontend/Functions.h"

namespace mlir::frontend {

enum class Activation { GeluTanh, GeluErf, Relu, Silu };

inline Tensor activate(Activation activation, Tensor x) {
  switch (activation) {
  case Activation::GeluTanh:
    return gelu(x, Gelu::Tanh);
  case Activation::GeluErf:
    return gelu(x, Gelu::Erf);
  case Activation::Relu:
    return relu(x);
  case Activation::Silu:
    return silu(x);
  }
  llvm_unreachable("all activations are listed");
}

} // namespace mlir::frontend
