//===- AttentionLaunches.h - Launches of attention --------------*- C++ -*-===//
#pragma once

#include "passes/codegen/gpu/attention/Attention.h"

namespace mlir::zero {

/// The units that compute the products of attention.
enum class AttentionUnits {
  Usual,      ///< tensor cores where there is a kernel for them (Tensor.h)
  F32,        ///< FMAs of f32, with the CPU's bits (Attention.h)
  TensorCores ///< tensor cores, or an error
};

/// Turns a kernel around nn.attention or nn.attention_backward into functions
/// of blocks: one for the forward, two launches for the backward.
LogicalResult emitAttentionBlocks(func::FuncOp kernel, AttentionUnits units);

struct ForwardOperands {
  HeadRows q, k, v, out;
  Value lse; ///< [B, H, T], or null
};

/// Units are heads of keys; the heads of q, grad and dq are the first of those
/// that read it.
struct BackwardOperands {
  HeadRows grad, q, k, v;
  Value lse, delta;
  HeadRows dq, dk, dv;
};

/// Emits the work of a block in the forward.
void emitForwardBlock(AttentionCode &code, const ForwardOperands &all);

/// The operands of nn.cached_attention; the caches' next values are their own
/// bytes.
struct CachedOperands {
  Value q, k, v, keys, values, begin, count;
  Value starts; ///< or null
  Value out, nextKeys, nextValues;
};
/// Emits the work of a block (CachedAttention.cpp); returns the bytes of its
/// shared memory.
int64_t emitCachedAttentionBlock(OpBuilder &b, nn::CachedAttentionOp op,
                                 KernelViews &views, const CachedOperands &all);

enum class BackwardLaunch { Keys, Queries };

/// What launches of the backward share, by FMAs (AttentionBackward.h) and by
/// tensor cores (MmaAttentionBackward.h).
template <typename CodeT>
class BackwardBase {
public:
  BackwardBase(CodeT &code, const BackwardOperands &all) : c(code), all(all) {}

protected:
  CodeT &c;
  const BackwardOperands &all;
  Value head; ///< query head, counted from the unit's first
  HeadRows ofHead(HeadRows rows) { return {rows.view, c.add(rows.head, head)}; }
  /// A query's element of lse or delta.
  Value statistic(Value view, Value query) {
    return c.loadOne(view, {c.batch, c.add(all.q.head, head), query});
  }
};

template <typename BackwardT>
void emitLaunch(BackwardT backward, BackwardLaunch launch) {
  if (launch == BackwardLaunch::Keys)
    return backward.emitKeys();
  backward.emitQueries();
}

/// Emits the work of a block in a launch of the backward
/// (AttentionBackward.cpp).
void emitBackwardBlock(AttentionCode &code, const BackwardOperands &all,
                       BackwardLaunch launch);

/// The number of parts of a unit.
int64_t countForwardParts(const AttentionShape &shape);
int64_t countBackwardParts(const AttentionShape &shape, BackwardLaunch launch);

} // namespace mlir::zero
