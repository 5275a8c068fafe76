//===- Warp.h - Functions of the 32 threads of a warp -----------*- C++ -*-===//
//
// More functions that kernels call (Shuffle.h), for products of matrices of 16
// bits on tensor cores.  A place `at` counts bytes from the first of the
// block's shared memory; words are i32, and hold two numbers of 16 bits.
//
//   zg.mma.bf16(a x 4, b x 2, c x 4) -> c x 4
//   zg.mma.f16            c + a b, of a 16 x 16, b 16 x 8 and c 16 x 8 in f32,
//                         over the lanes
//   zg.fragment(at, more) -> word x 4
//   zg.fragment.transposed(at, more) -> word x 4
//                         four matrices of 8 x 8, at the sum of a place and a
//                         constant; transposed
//   zg.pack.bf16(low, high) -> word
//   zg.pack.f16           two of f32, rounded
//   zg.swap(word, distance) -> word
//                         the word of the lane whose number differs by a
//                         constant (exclusive or)
//   zg.exp2(x)            about 2^x, in f32
//   zg.copy(at, more, from, bytes)
//                         starts a copy of `bytes` bytes, at most 16, from the
//                         address `from`; zeros follow, up to 16
//   zg.copies.end()       ends a group of copies: those that the thread started
//                         since the last end
//   zg.copies.wait()      waits for all copies of the thread
//   zg.copies.wait.older()
//                         waits for those of all groups but the last
//                         kNewerCopies
//
// Matrices are distributed over lanes as the PTX ISA defines for mma.m16n8k16:
// lane l has the rows l / 4 and l / 4 + 8 of `c`, and in each two columns, from
// 2 (l % 4) on.  A fragment of 16 rows and 16 columns of shared memory is an
// `a`.  As a `b`, its words 0 and 2 hold the first eight rows, as columns, and
// 1 and 3 the others; transposed, words 0 and 1 hold the first eight columns,
// and 2 and 3 the others.  Two `c` side by side, packed, are an `a` as well.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

constexpr int64_t kWarpThreads = 32;

constexpr llvm::StringLiteral kMmaBF16 = "zg.mma.bf16", kMmaF16 = "zg.mma.f16",
                              kFragment = "zg.fragment",
                              kTransposed = "zg.fragment.transposed",
                              kPackBF16 = "zg.pack.bf16",
                              kPackF16 = "zg.pack.f16", kSwap = "zg.swap",
                              kExp2 = "zg.exp2", kCopy = "zg.copy",
                              kEndCopies = "zg.copies.end",
                              kWaitForCopies = "zg.copies.wait",
                              kWaitForOlderCopies = "zg.copies.wait.older";
constexpr uint32_t kNewerCopies = 2;

/// Declares these functions, once, before any kernel of `module` is written.
void declareWarpFunctions(ModuleOp module);

/// Calls one of them.
ValueRange callWarp(OpBuilder &b, Location loc, StringRef name,
                    ValueRange operands);

/// Starts to copy `bytes` bytes (i32, at most 16) from the address `from`, of
/// type index, to byte at + more of the block's memory; zeros follow, up to 16.
void startCopy(OpBuilder &b, Location loc, Value at, int64_t more, Value from,
               Value bytes);

/// Adds a times the 8 columns (b0, b1) to the four `sums`, for operands of type
/// `element`, bf16 or f16.
void addWarpProduct(OpBuilder &b, Location loc, Type element, ValueRange a,
                    Value b0, Value b1, MutableArrayRef<Value> sums);

} // namespace mlir::zero
