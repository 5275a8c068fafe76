//===- LibraryAttention.h - Sizes of a library's attention ------*- C++ -*-===//
#pragma once

#include "dialect/nn/NN.h"

namespace mlir::nn {

/// The widest heads of library_attention.
constexpr int64_t kMaxLibraryWidth = 256;

/// The batches that a backward with these operands does at once: as many as a
/// room of 256 MiB is enough for, but at least one.
int64_t getBatchesAtOnce(RankedTensorType q, RankedTensorType k);
/// The type of `room`, of the forward, or of a backward of `batches` at once.
/// That of a backward begins with the sums of dO O of all rows.
RankedTensorType getLibraryRoom(RankedTensorType q, RankedTensorType k,
                                std::optional<int64_t> batches);
/// The elements of these sums.
int64_t getSumElements(RankedTensorType q);

/// Creates the attention that kernels compute, of the same operands.  `delta`
/// [B, H, T] holds the sums of dO O.
AttentionOp asAttention(OpBuilder &b, LibraryAttentionOp op);
AttentionBackwardOp asAttention(OpBuilder &b, LibraryAttentionBackwardOp op,
                                Value delta);

} // namespace mlir::nn
