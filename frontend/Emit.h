//===- Emit.h - Helpers of the model language's functions -------*- C++ -*-===//
//
// Each function of the language checks what determines the result's type,
// reports a misfit with the names of both sides, and emits one or a few
// operations.  This header is for their implementations.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/Builder.h"

#include <optional>

namespace mlir::frontend {

inline bool allValid(ArrayRef<Tensor> tensors) {
  return llvm::all_of(tensors, [](Tensor t) { return static_cast<bool>(t); });
}

/// Returns true if all tensors are of floats; reports the first that is not.
bool allFloat(StringRef what, ArrayRef<Tensor> tensors);

/// Returns true if `t` is of i32 or i64; reports it if not.
bool isIds(StringRef what, Tensor t);

/// Returns true if `keys` and `rate` are those of a dropout of `of`; reports it
/// if not.
bool isDropout(Tensor of, Tensor keys, double rate);

/// Returns `dim` counted from 0, or reports "WHAT dimension 3 of x, which has
/// 2".
std::optional<int64_t> findDimension(const Twine &what, Tensor x, int64_t dim);

/// Emits an operation in the current scope; returns its first result.
template <typename OpT, typename... Args>
Tensor emit(ModelBuilder &m, Args &&...args) {
  auto op =
      OpT::create(m.getOpBuilder(), m.getLoc(), std::forward<Args>(args)...);
  return {m, op->getResult(0)};
}

/// Emits an operation whose result is like its first operand.
template <typename OpT, typename... Args>
Tensor emitLike(Tensor x, Args &&...args) {
  return emit<OpT>(x.getBuilder(), x.getType(), x.getValue(),
                   std::forward<Args>(args)...);
}

/// Same, for floats; `what` names the function in an error.
template <typename OpT>
Tensor emitUnary(StringRef what, Tensor x) {
  if (!x || !allFloat(what, {x}))
    return {};
  return emitLike<OpT>(x);
}

} // namespace mlir::frontend
