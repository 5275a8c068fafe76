//===- BlockCode.h - Code of a thread of a block ----------------*- C++ -*-===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"
#include "passes/codegen/gpu/threads/Shuffle.h"
#include "passes/codegen/loops/LoopCode.h"
#include <numeric>

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

/// Describes a function whose units are shared by `parts` blocks.
inline void describeParts(func::FuncOp function, int64_t parts,
                          int64_t sharedBytes) {
  Builder b(function.getContext());
  function->setAttr(kUnitPartsAttr, b.getI64IntegerAttr(parts));
  function->setAttr(kSharedBytesAttr, b.getI64IntegerAttr(sharedBytes));
}

/// The number of elements, a divisor of `most`, of which rows of `view` and
/// their widths are multiples: vectors of so many are aligned.  Buffers begin
/// at multiples of 16 bytes.
inline int64_t alignedElements(Value view, int64_t most) {
  auto type = cast<MemRefType>(view.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return 1;
  int64_t common = std::gcd(most, type.getShape().back());
  strides.back() = offset;
  for (int64_t stride : strides)
    common = ShapedType::isDynamic(stride) ? 1 : std::gcd(common, stride);
  return common;
}

class BlockCode : public LoopCode {
public:
  using LoopCode::LoopCode;

  /// Waits for all threads of the block, which then see each other's writes.
  void barrier() { syncBlock(b, loc); }
};

} // namespace mlir::zero
