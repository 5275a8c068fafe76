//===- HalfWarpBuffers.h - Temporaries of a half-warp -----------*- C++ -*-===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/codegen/loops/VectorLoops.h"

namespace mlir::zero {

/// On functions: units of a half-warp.
constexpr llvm::StringLiteral kHalfWarpUnitsAttr = "half_warp_units";
/// On functions: threads of a block that works on such a range together; the
/// function receives the thread's index in the block.
constexpr llvm::StringLiteral kBlockThreadsAttr = "block_threads";
/// On functions of the runtime, which are no kernels of a plan: the elements of
/// a unit.  They receive a number of elements in place of units.
constexpr llvm::StringLiteral kUnitElementsAttr = "unit_elements";
/// The alignment of everything in shared memory, in bytes: a thread's widest
/// write.
constexpr int64_t kSharedAlignment = 16;
/// On functions: bytes of shared memory of each half-warp, or block.
constexpr llvm::StringLiteral kSharedBytesAttr = "shared_bytes";
inline int64_t getSharedBytes(func::FuncOp function) {
  auto bytes = function->getAttrOfType<IntegerAttr>(kSharedBytesAttr);
  return bytes ? bytes.getInt() : 0;
}

SmallVector<memref::AllocOp> findTemporaries(func::FuncOp kernel);
/// The type of a temporary's buffer: that of one row if the temporary is
/// indexed by the row, whose dimensions are `rows`.  And whether it is.
std::pair<MemRefType, bool> typeOfTemporary(memref::AllocOp alloc,
                                            ArrayRef<int64_t> rows);
/// Whether threads read or write each other's elements of a temporary.
bool isShared(memref::AllocOp alloc, const LoopContext &context);
/// Replaces `alloc` by `buffer`.  The users of a row's buffer keep naming the
/// whole one, whose shape gives their indices, until their loops are emitted.
void replaceTemporary(memref::AllocOp alloc, Value buffer, bool ofRow,
                      LoopContext &context);

/// Places the temporaries of a kernel: in a buffer of each thread if no other
/// thread reads or writes its elements, else in memory that the half-warp
/// shares.
class HalfWarpBuffers {
public:
  HalfWarpBuffers(func::FuncOp kernel, LoopContext &context)
      : kernel(kernel), context(context) {}

  /// Gives `alloc` its place; `rows` are the dimensions of which only one row
  /// exists.
  void place(memref::AllocOp alloc, ArrayRef<int64_t> rows);
  /// Places the shared ones in `shared`, the half-warp's memory, of unknown
  /// size.
  LogicalResult finish(Value shared);

private:
  func::FuncOp kernel;
  LoopContext &context;
  struct Shared {
    memref::AllocOp alloc;
    MemRefType type;
    bool ofRow;
    int64_t offset;
  };
  SmallVector<Shared> shared;
  int64_t bytes = 0;
};

} // namespace mlir::zero
