//===- Activation.h - Activation functions of an MLP ------------*- C++ -*-===//
#pragma once

#include "frontend/Functions.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::frontend {

struct Activation {
  /// What config.json calls it, and another name, or "".
  StringLiteral name, other;
  Tensor (*apply)(Tensor x);
};

inline constexpr Activation kActivations[] = {
    {"gelu_new", "gelu_pytorch_tanh",
     [](Tensor x) { return gelu(x, Gelu::Tanh); }},
    {"gelu", "", [](Tensor x) { return gelu(x, Gelu::Erf); }},
    {"relu", "", relu},
    {"silu", "swish", silu},
};

/// The activation of this name; null if there is none.
inline const Activation *findActivation(StringRef name) {
  const Activation *found =
      llvm::find_if(kActivations, [&](const Activation &one) {
        return !name.empty() && (name == one.name || name == one.other);
      });
  return found == std::end(kActivations) ? nullptr : found;
}

} // namespace mlir::frontend
