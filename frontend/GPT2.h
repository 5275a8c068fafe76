//===- GPT2.h - The GPT-2 family --------------------------------*- C++ -*-===//
#pragma once

#include "frontend/Activation.h"

namespace mlir::frontend {

/// The sizes have no defaults; the rest is as in Hugging Face's GPT2Config.
struct GPT2Config {
  int64_t layers = 0, heads = 0, width = 0, vocabulary = 0, positions = 0;
  /// Width of the MLP; 0 for four times the width.
  int64_t innerWidth = 0;
  double normEps = 1e-5;
  /// Standard deviation of initial weights.
  double initStd = 0.02;
  const Activation *activation = findActivation("gelu_new");
  /// The output projection uses the token embedding.
  bool tied = true;
  /// Divide attention's scores by sqrt(head_dim) ...
  bool scaleAttention = true;
  /// ... and by the layer's number, counted from 1.
  bool scaleByLayer = false;
  /// A sequence holds several samples, within which attention stays: the inputs
  /// "starts" and "positions" [B, T] give where the sample of each position
  /// begins, and its place in the sample.
  bool packed = false;
  TextLoss loss = {};
  DropoutRates dropout = {};
};

/// The next-token logits [B, T, vocabulary] of `tokens` [B, T].
Tensor gpt2(ModelBuilder &m, const GPT2Config &config, Tensor tokens);

/// Builds `@loss` of a GPT-2 on `batch` sequences of `sequence` tokens; null
/// after an error, which is reported as a diagnostic.
OwningOpRef<ModuleOp> buildGPT2(MLIRContext &context, const GPT2Config &config,
                                int64_t batch, int64_t sequence);

} // namespace mlir::frontend
