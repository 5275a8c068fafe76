//===- OlderNames.h - Names in plans of older builds ------------*- C++ -*-===//
#pragma once

#include "llvm/Support/MemoryBuffer.h"

namespace mlir::zero {

/// Returns `text` with the names that operations and types have now: what an
/// older build printed is still read.  Text without older names is returned as
/// it is.
std::unique_ptr<llvm::MemoryBuffer>
replaceOlderNames(std::unique_ptr<llvm::MemoryBuffer> text);

} // namespace mlir::zero
