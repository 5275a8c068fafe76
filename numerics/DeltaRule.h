//===- DeltaRule.h - Sizes of the gated delta rule --------------*- C++ -*-===//
//
// Positions are computed in chunks, which determine the order of sums.
//
// Included by code for several processors, so each has its own copy.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace zrt {
namespace {

/// Positions of a chunk.
constexpr int64_t kDeltaChunk = 64;

inline int64_t deltaChunks(int64_t positions) {
  return (positions + kDeltaChunk - 1) / kDeltaChunk;
}

} // namespace
} // namespace zrt
