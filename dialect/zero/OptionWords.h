//===- OptionWords.h - Words as options of passes ---------------*- C++ -*-===//
#pragma once

#include "dialect/zero/PlanOptions.h"

namespace mlir::zero {

/// Makes the words of an enumeration of abi/PlanOptions.def the values of a
/// pass's option.
template <typename Enum>
struct WordsOf {
  template <typename Option>
  void apply(Option &option) const {
    for (auto [i, word] : llvm::enumerate(getWords(Enum())))
      option.getParser().addLiteralOption(word, static_cast<Enum>(i), "");
  }
};

} // namespace mlir::zero
