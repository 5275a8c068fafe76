//===- AttentionLaunches.h - Launches of attention --------------*- C++ -*-===//
#pragma once

#include "passes/codegen/gpu/Attention.h"

namespace mlir::zero {

/// What multiplies in attention.
enum class AttentionUnits {
  Usual,      ///< tensor cores where there is a kernel for them (Tensor.h)
  F32,        ///< FMAs of f32, with the CPU's bits (Attention.h)
  TensorCores ///< or an error
};

/// Kernels around nn.attention or nn.attention_backward become functions of
/// blocks; the backward three of them, its launches.
LogicalResult emitAttentionBlocks(func::FuncOp kernel, AttentionUnits units);

struct ForwardOperands {
  HeadRows q, k, v, out;
  Value lse; ///< [B, H, T], or null
};

/// Units are heads of keys; the heads of q, grad and dq are the first of those
/// that read it.
struct BackwardOperands {
  HeadRows grad, q, k, v;
  Value lse;
  HeadRows dq, dk, dv;
};

/// What a block does in the forward.
void emitForwardBlock(AttentionCode &code, const ForwardOperands &all);

/// What a block does in the launches of the backward (AttentionBackward.cpp).
enum class BackwardLaunch { Dots, Keys, Queries };
void emitBackwardBlock(AttentionCode &code, const BackwardOperands &all,
                       BackwardLaunch launch);

/// Parts of a unit.
int64_t countForwardParts(const AttentionShape &shape);
int64_t countBackwardParts(const AttentionShape &shape, BackwardLaunch launch);

} // namespace mlir::zero
