//===- BlockCode.h - Code of a thread of a block ----------------*- C++ -*-===//
#pragma once

#include "passes/codegen/gpu/threads/Shuffle.h"
#include "passes/codegen/loops/LoopCode.h"

namespace mlir::zero {

/// On functions: the number of blocks that share a unit; each has a part of
/// it.  The last arguments of such a function are the thread of the block, the
/// memory that its threads share, the unit, and the part.
constexpr llvm::StringLiteral kUnitPartsAttr = "unit_parts";
/// On functions: the kernel that has this launch among several.
constexpr llvm::StringLiteral kLaunchOfAttr = "launch_of";
/// On functions: intermediate values are rounded to 16 bits, so that results
/// are only near the CPU's.
constexpr llvm::StringLiteral kRoundsAttr = "rounds";
/// On functions: the number of blocks that shall run on a processor at once,
/// which limits their registers.
constexpr llvm::StringLiteral kBlocksAtOnceAttr = "blocks_at_once";

class BlockCode : public LoopCode {
public:
  using LoopCode::LoopCode;

  /// Waits for all threads of the block, which then see each other's writes.
  void barrier() { syncBlock(b, loc); }
};

} // namespace mlir::zero
