//===- PythonPattern.h - Python's expressions for PCRE2 ---------*- C++ -*-===//
#pragma once

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mlir::zero {

/// For PCRE2 with UTF and UCP, whose newlines are \n.
struct PcrePattern {
  std::string text;
  /// Of each byte, and of the end: the character of Python's expression.
  std::vector<size_t> positions;
};

/// Writes an expression of Python 3.11's module re as one of PCRE2 that means
/// the same.  Fails with what is wrong and the position.  Refused, though
/// Python knows them: the flags a and x, octal escapes, \N{...} and conditional
/// groups.  Taken, though Python refuses it: alternatives of different widths
/// in a lookbehind.
llvm::Expected<PcrePattern> translatePython(llvm::StringRef pattern);

} // namespace mlir::zero
