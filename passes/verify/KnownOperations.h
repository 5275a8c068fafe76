//===- KnownOperations.h - Operations known to the judge --------*- C++ -*-===//
//
// The judge does not use the interfaces of operations: plans are made from
// them, so an error there would confirm itself.  It has one row of facts for
// each operation, beside the accesses of Accesses.h and what its rules say that
// each computes, and refuses operations without a row.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero::judge {

enum class Fact : uint32_t {
  NamesBytes = 1u << 0,    ///< only names bytes, and runs nothing
  Runs = 1u << 1,          ///< the runtime has a call for it
  Collective = 1u << 2,    ///< between ranks
  ReadByPeers = 1u << 3,   ///< peers read operand 0 while it runs
  ChangesTier = 1u << 4,   ///< moves a value from one tier to another
  OrdersStreams = 1u << 5, ///< an event or a wait for it
  OnBuckets = 1u << 6,     ///< the runtime's own work on f32 and 16-bit floats
  TakesBytes = 1u << 7,    ///< also on packed parameters, as bytes
  TakesBlocks = 1u << 8,   ///< also on blocks of numbers
  KeepsElements = 1u << 9, ///< operands and result have the same elements
  SumsAsF32 = 1u << 10,    ///< but a sum of 16-bit floats may be f32
  TakesPaddedRows = 1u << 11, ///< of matrices
  KeepsValue = 1u << 12,      ///< the result is operand 0, elsewhere
  ForCollective =
      1u << 13,          ///< quantized elements of a bucket, or back from them
  AddsLeaves = 1u << 14, ///< sums a binary tree of micro-steps
  GivesZeros = 1u << 15,
  SumsSquares = 1u << 16, ///< for the norm
  KeepsState = 1u << 17,  ///< the result is the state that operand 0 is
  OnGradients = 1u << 18, ///< takes and gives gradients of its bucket
};

/// Whether `fact` holds of `op`; no fact holds of unknown operations.
bool has(Operation *op, Fact fact);

inline bool namesBytes(Operation *op) { return has(op, Fact::NamesBytes); }
inline bool isCollectiveCall(Operation *op) {
  return has(op, Fact::Collective);
}
inline bool isTransfer(Operation *op) { return has(op, Fact::ChangesTier); }
inline bool runs(Operation *op) { return has(op, Fact::Runs); }

/// The pairs of values of `op` that share bytes.
SmallVector<StorageTie> getTies(Operation *op, SymbolTableCollection &symbols);

} // namespace mlir::zero::judge
