//===- LibraryAttention.h - Attention that a library computes ---*- C++ -*-===//
#pragma once

#include "dialect/zero/Zero.h"
#include "passes/codegen/tables/ZrtStructs.h"
#include <string>

namespace mlir::zero {

/// What the runtime gives to the library in place of a kernel.
struct LibraryAttention {
  std::string kernel;            ///< its twin on processors
  Zrt<zrt_device_attention> how; ///< without fn
};

/// Whether a library computes the kernel.
bool isLibraryAttention(KernelOp kernel);
/// Reads it from such a kernel.  Fails with an error where the library cannot
/// reach what the kernel reads or writes.
FailureOr<LibraryAttention> describeLibraryAttention(KernelOp kernel);

} // namespace mlir::zero
