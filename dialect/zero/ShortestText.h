//===- ShortestText.h - Numbers as in a command line ------------*- C++ -*-===//
#pragma once

#include <charconv>
#include <string>

namespace mlir::zero {

/// The shortest text that reads as `value` again.
inline std::string shortestText(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

} // namespace mlir::zero
