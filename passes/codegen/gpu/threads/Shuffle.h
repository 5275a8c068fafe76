//===- Shuffle.h - Values of other threads of a half-warp -------*- C++ -*-===//
//
// Kernels for a GPU are functions of plain code that call a few others, which
// each device defines in its own way (EmitDeviceCode.cpp):
//
//   zg.shuffle(value, from)   `value` of thread `from` of the group
//   zg.sync()                 waits for all threads of the group, which see
//                             each other's writes
//   zg.barrier()              the same for all threads of the block
//
// All threads of a half-warp, or of the block, call them together.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

constexpr llvm::StringLiteral kShuffle = "zg.shuffle", kSync = "zg.sync",
                              kBarrier = "zg.barrier";

/// Declares these functions, once, before any kernel of `module` is written.
void declareHalfWarpFunctions(ModuleOp module);

/// `value`, a number or a vector of them, of thread `from` (an index).
Value shuffle(OpBuilder &b, Location loc, Value value, Value from);
/// `value` of thread `thread` ^ `apart`, where `thread` is this one.
Value shuffleXor(OpBuilder &b, Location loc, Value value, Value thread,
                 int64_t apart);
void syncHalfWarp(OpBuilder &b, Location loc);
void syncBlock(OpBuilder &b, Location loc);

} // namespace mlir::zero
