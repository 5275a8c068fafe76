//===- DecoderParts.h - The parts of a decoder ------------------*- C++ -*-===//
#pragma once

#include "frontend/Decoder.h"
#include "frontend/Functions.h"

namespace mlir::frontend {

/// The parts of one model, which are made in the order in which they compute.
struct DecoderParts {
  ModelBuilder &m;
  const DecoderConfig &c;
  RouterLosses *losses;
  Tensor starts = {}; ///< of documents, if attention stays within them
  Tensor keys = {};   ///< of dropout, if there is any

  /// Keys and values [B, T, heads, width] of the last layer that had its own,
  /// of those without a window and of those with one.
  struct KeysAndValues {
    Tensor keys, values;
  } ofFull = {}, ofSliding = {};
  /// What layers add of the second embedding, [B, T, layers, width].
  Tensor ofLayers = {};

  /// A linear layer to `out` values, with weight [out, in].
  Tensor project(StringRef name, Tensor x, int64_t out, bool bias) const;
  /// Returns x itself if the block has no such norm.
  Tensor norm(StringRef name, Tensor x) const;
  /// A parameter [rows, width] in a block of its own.
  Tensor table(StringRef name, int64_t rows, int64_t width) const;

  Tensor selfAttention(int64_t layer, Tensor x);
  Tensor block(int64_t layer, Tensor x);
  /// Makes `ofLayers`; `x` is the first embedding of `tokens`.
  void embedForLayers(Tensor tokens, Tensor x);
  Tensor logits(Tensor x, Tensor weight) const;

private:
  struct Heads;
  Heads projectHeads(int64_t layer, Tensor x) const;
  Tensor turn(StringRef name, Tensor x, const Rope &by) const;
  Tensor mixPositions(int64_t layer, Tensor x);
  Tensor innerOfMlp(int64_t layer, Tensor x) const;
  Tensor mlp(int64_t layer, Tensor x) const;
  Tensor mixture(Tensor x) const;
  Tensor feedForward(int64_t layer, Tensor x) const;
  Tensor addend(Tensor x) const;
  Tensor addOfLayer(int64_t layer, Tensor x) const;
};

} // namespace mlir::frontend
