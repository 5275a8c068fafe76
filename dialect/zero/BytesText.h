//===- BytesText.h - Numbers of bytes in messages ---------------*- C++ -*-===//
#pragma once

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstdint>
#include <string>

namespace mlir::zero {

/// "20 bytes", "319,488 bytes (312.0 KiB)".
inline std::string bytesText(int64_t bytes) {
  std::string text =
      llvm::formatv("{0:N} byte{1}", bytes, bytes == 1 ? "" : "s").str();
  double value = static_cast<double>(bytes);
  const char *unit = nullptr;
  for (const char *next : {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}) {
    if (value < 1024)
      break;
    value /= 1024;
    unit = next;
  }
  if (unit)
    text +=
        llvm::formatv(" ({0} {1})", llvm::format("%.1f", value), unit).str();
  return text;
}

} // namespace mlir::zero
