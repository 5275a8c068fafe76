//===- DecodedRows.h - A model of some positions of each slot ---*- C++ -*-===//
#pragma once

#include "dialect/nn/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::zero {

inline RankedTensorType tensorTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// What replaces the tokens of a model, [B, T], in a function that computes C
/// positions of each of B slots.
struct DecodedInputs {
  Value tokens;            ///< [B, C]
  Value begin, count;      ///< [B]: the first position, and the number of them
  Value document;          ///< [B]: where their document begins; or null
  int64_t positions, step; ///< T, and C
};

/// Rewrites operations of T positions as those of C, from the tokens on.  A
/// value has its positions in one dimension, possibly collapsed with others.
///
///   a row's own work     the same operation, of another size
///   nn.attention         nn.cached_attention, with two new arguments
///   nn.causal_conv       nn.cached_causal_conv, with one
///   nn.gated_delta_rule  nn.cached_delta_rule, with four
///   nn.rope              the same, at the slot's positions
///   tables of T rows     rows of the slot's positions
class DecodedRows {
public:
  /// `function` is a copy of the model, to which caches are added as arguments.
  DecodedRows(func::FuncOp function, const DecodedInputs &inputs);

  /// Rewrites the operations that depend on `tokens`, or on other inputs of
  /// that shape.  Fails with an error that names an operation which mixes
  /// positions.
  LogicalResult run(BlockArgument tokens);
  /// The rewritten value.
  Value lookup(Value value) const { return rows.lookup(value).value; }

  /// The caches, and the values that replace them.
  SmallVector<std::pair<BlockArgument, Value>> caches;

private:
  /// A rewritten value; dimension `dim` has the positions, each `inner` times.
  struct Rows {
    Value value;
    unsigned dim = 0;
    int64_t inner = 1;
  };

  LogicalResult visit(Operation *op);
  LogicalResult visitGeneric(linalg::LinalgOp op);
  LogicalResult visitReshape(Operation *op);
  LogicalResult visitSlice(Operation *op);
  LogicalResult visitRows(Operation *op);

  // DecodedTables.cpp
  /// `old` where rows are at `dim`, which may depend on positions but not on
  /// tokens: rows of the slot's positions, [B, C, ...]; null if that is not
  /// known.
  Value pull(Value old, unsigned dim);
  /// The initial value of a result.
  Value resize(Value old, const Rows &like);

  Value clone(Operation *op, ArrayRef<Value> operands, const Rows &mark);
  RankedTensorType resized(Value old, unsigned dim) const;
  bool hasRows(Value value) const { return rows.contains(value); }
  LogicalResult mixes(Operation *op);
  Value getPlaces();

  // DecodedCaches.cpp
  LogicalResult visitAttention(nn::AttentionOp op);
  LogicalResult visitConv(nn::CausalConvOp op);
  LogicalResult visitRule(nn::GatedDeltaRuleOp op);
  /// Adds a cache of `shape` for the layer `op`, with the elements of `like`.
  BlockArgument addCache(Operation *op, Value like, ArrayRef<int64_t> shape,
                         StringRef what);
  /// Where the document of each slot begins, for an operation with `starts`.
  Value documentOf(Value starts);
  bool areRowsOfSlots(ValueRange values) const;

  func::FuncOp function;
  DecodedInputs in;
  OpBuilder b;
  DenseMap<Value, Rows> rows;
  Value places; ///< [B, C]: begin + i, at most T - 1
  unsigned layers = 0;
  /// Where in `caches` attention to these keys and values finds its own.
  DenseMap<std::pair<Value, Value>, size_t> attended;
};

} // namespace mlir::zero
