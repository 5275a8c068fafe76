//===- InputBound.h - What the host lets pass of an input -----------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero {

/// An input of integers holds what lies in [0, vocab), and `ignored`; without a
/// vocabulary, any value of its type.
struct InputBound {
  int64_t vocab = 0;   ///< 0: none
  int64_t ignored = 0; ///< 0, which lies in any vocabulary: none
};

/// Of an argument.
inline InputBound getInputBound(FunctionOpInterface function,
                                unsigned argument) {
  auto number = [&](StringRef name) {
    auto attr = function.getArgAttrOfType<IntegerAttr>(argument, name);
    return attr ? attr.getValue().trySExtValue().value_or(0) : 0;
  };
  return {number(kVocabAttr), number(kIgnoredAttr)};
}

} // namespace mlir::zero
