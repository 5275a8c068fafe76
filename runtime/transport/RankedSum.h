//===- RankedSum.h - Sums over ranks ----------------------------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"

#include <cstddef>
#include <span>

namespace zrt {

/// Computes result[i] = scale * (sources[0][i] + sources[1][i] + ...) for
/// `count` elements.  Sources are added in this order, and each operation is
/// rounded to f32; with `accumulate` the old result[i] is added last.  `result`
/// may be one of the sources.
///
/// Both types are f32; or `from` is bf16 or f16, and `to` is the same or f32.
/// In the latter case, elements and the old result are widened before they are
/// added, and a 16-bit result is rounded once.
///
/// `from` may be a type of blocks: then `count` is that of blocks, and their
/// numbers are added; `to` is f32, bf16 or f16.
///
/// `inTree` adds neighbours first: scale * ((s0 + s1) + (s2 + s3)) of four
/// sources; their number is a power of two, and there is no old result.
void rankedSum(const std::byte *const *sources, size_t sourceCount,
               zrt_dtype from, size_t count, float scale, bool accumulate,
               bool inTree, zrt_dtype to, std::byte *result);

/// Computes an all_reduce of f32 or f64: the same of few elements, in their own
/// type and in the order of `desc`.  The sources are those of ranks, or of
/// slices where it adds in their order.  Allocates nothing.
void smallSum(std::span<const std::byte *const> sources,
              const zrt_collective_desc &desc, std::byte *result);

} // namespace zrt
