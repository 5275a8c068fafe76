//===- ShortestText.h - Numbers as in a command line ------------*- C++ -*-===//
#ifndef DIALECT_ZERO_SHORTESTTEXT_H
#define DIALECT_ZERO_SHORTESTTEXT_H

#include <charconv>
#include <string>

namespace mlir::zero {

/// The shortest text that reads as `value` again.
inline std::string shortestText(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

} // namespace mlir::zero

#endif // DIALECT_ZERO_SHORTESTTEXT_H
