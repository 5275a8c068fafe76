//===- InputBound.h - Values that the host accepts in an input ------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero {

/// An integer input holds values in [0, vocab) and `ignored`; without a
/// vocabulary, any value of its type.
struct InputBound {
  int64_t vocab = 0;   ///< 0: none
  int64_t ignored = 0; ///< 0 means none: every vocabulary has it
};

/// The bound of an argument.
inline InputBound getInputBound(FunctionOpInterface function,
                                unsigned argument) {
  auto number = [&](StringRef name) {
    auto attr = function.getArgAttrOfType<IntegerAttr>(argument, name);
    return attr ? attr.getValue().trySExtValue().value_or(0) : 0;
  };
  return {number(kVocabAttr), number(kIgnoredAttr)};
}

} // namespace mlir::zero
