//===- RankedSum.cpp - Sums in rank order ---------------------------------===//
//
// Works block by block, so that the running sum stays in the first-level cache
// and every source is read from memory once.  Elements do not depend on each
// other, so the result is the same for every block and vector size.  This file
// is compiled with -ffp-contract=off: scale and old value must not become one
// FMA.
//
//===----------------------------------------------------------------------===//
#include "runtime/transport/RankedSum.h"

#include "runtime/numbers/Clones.h"
#include "runtime/numbers/HalfFloats.h"
#include "runtime/numbers/NumberBlocks.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace zrt;

namespace {

/// The arguments of rankedSum, for elements of type From.
template <typename From, typename To>
struct Sum {
  const std::byte *const *sources;
  size_t sourceCount, count;
  float scale;
  bool accumulate, inTree;
  To *result;

  const From *block(size_t source, size_t begin) const {
    return reinterpret_cast<const From *>(sources[source]) + begin;
  }
};

constexpr size_t kBlock = 2048; // 8 KiB of f32

// Always inlined, for the clones at the end.  Iterations are independent even
// if the target is one of the operands.

template <typename A, typename B>
[[gnu::always_inline]] inline void add(const A *a, const B *b, size_t count,
                                       float *sum) {
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i)
    sum[i] = widen(a[i]) + widen(b[i]);
}

template <typename A, typename B, typename To>
[[gnu::always_inline]] inline void finish(const A *sum, const B *last,
                                          size_t count, float scale,
                                          bool accumulate, To *result) {
  if (accumulate) {
#pragma clang loop vectorize(assume_safety)
    for (size_t i = 0; i < count; ++i) {
      const float scaled = (widen(sum[i]) + widen(last[i])) * scale;
      narrow(scaled + widen(result[i]), result[i]);
    }
  } else {
#pragma clang loop vectorize(assume_safety)
    for (size_t i = 0; i < count; ++i)
      narrow((widen(sum[i]) + widen(last[i])) * scale, result[i]);
  }
}

/// The sums of a tree: level i has that of 2^(i + 1) sources.  There are four
/// or more, a power of two.
constexpr size_t kTreeBlock = 512, kTreeLevels = 16;

template <typename From, typename To>
[[gnu::always_inline]] inline void sumTree(const Sum<From, To> &s) {
  alignas(64) float levels[kTreeLevels][kTreeBlock], sum[kTreeBlock];
  for (size_t begin = 0; begin < s.count; begin += kTreeBlock) {
    const size_t size = std::min(kTreeBlock, s.count - begin);
    for (size_t pair = 0; pair < s.sourceCount / 2; ++pair) {
      const From *const a = s.block(2 * pair, begin), *const b = s.block(
                                                          2 * pair + 1, begin);
      // As many levels are complete with this pair as its number ends in ones.
      const auto level = size_t(std::countr_one(pair));
      const bool isLast = pair + 1 == s.sourceCount / 2;
      add(a, b, size, level == 0 ? levels[0] : sum);
      for (size_t i = 0; i + 1 < level; ++i)
        add(levels[i], sum, size, sum);
      if (level > 0 && isLast)
        finish(levels[level - 1], sum, size, s.scale, false, s.result + begin);
      else if (level > 0)
        add(levels[level - 1], sum, size, levels[level]);
    }
  }
}

template <typename From, typename To>
[[gnu::always_inline]] inline void sumBlocks(const Sum<From, To> &s) {
  if (s.inTree && s.sourceCount > 2)
    return sumTree(s);
  alignas(64) float sum[kBlock];
  if (s.sourceCount == 1)
    std::fill_n(sum, kBlock, -0.0f); // adding it changes nothing
  for (size_t begin = 0; begin < s.count; begin += kBlock) {
    const size_t size = std::min(kBlock, s.count - begin);
    const From *const first = s.block(0, begin), *const last = s.block(
                                                     s.sourceCount - 1, begin);
    if (s.sourceCount > 2)
      add(first, s.block(1, begin), size, sum);
    for (size_t source = 2; source + 1 < s.sourceCount; ++source)
      add(sum, s.block(source, begin), size, sum);
    if (s.sourceCount == 2)
      finish(first, last, size, s.scale, s.accumulate, s.result + begin);
    else
      finish(sum, last, size, s.scale, s.accumulate, s.result + begin);
  }
}

/// The sums of blocks with codes of `Bits` bits.
template <int Bits, typename To>
[[gnu::always_inline]] inline void sumNumbers(const Sum<std::byte, To> &s) {
  alignas(64) float sum[kNumbers], next[kNumbers];
  for (size_t i = 0; i < s.count; ++i) {
    std::fill_n(sum, kNumbers, -0.0f); // adding to it changes nothing
    for (size_t source = 0; source < s.sourceCount; ++source) {
      dequantizeBlock<Bits>(s.sources[source] + i * kBlockBytes<Bits>, next);
      if (source + 1 < s.sourceCount)
        add(sum, next, kNumbers, sum);
    }
    finish(sum, next, kNumbers, s.scale, s.accumulate, s.result + i * kNumbers);
  }
}

// target_clones does not work on templates.
ZRT_CLONES void sum(const Sum<float, float> &s) { sumBlocks(s); }
ZRT_CLONES void sum(const Sum<Brain, float> &s) { sumBlocks(s); }
ZRT_CLONES void sum(const Sum<Brain, Brain> &s) { sumBlocks(s); }
ZRT_CLONES void sum(const Sum<Half, float> &s) { sumBlocks(s); }
ZRT_CLONES void sum(const Sum<Half, Half> &s) { sumBlocks(s); }
ZRT_CLONES void sum8(const Sum<std::byte, float> &s) { sumNumbers<8>(s); }
ZRT_CLONES void sum8(const Sum<std::byte, Brain> &s) { sumNumbers<8>(s); }
ZRT_CLONES void sum8(const Sum<std::byte, Half> &s) { sumNumbers<8>(s); }
ZRT_CLONES void sum4(const Sum<std::byte, float> &s) { sumNumbers<4>(s); }
ZRT_CLONES void sum4(const Sum<std::byte, Brain> &s) { sumNumbers<4>(s); }
ZRT_CLONES void sum4(const Sum<std::byte, Half> &s) { sumNumbers<4>(s); }

} // namespace

void zrt::rankedSum(const std::byte *const *sources, size_t sourceCount,
                    zrt_dtype from, size_t count, float scale, bool accumulate,
                    bool inTree, zrt_dtype to, std::byte *result) {
  const auto sumAs = [&]<typename From, typename To>(From, To) {
    sum(Sum<From, To>{sources, sourceCount, count, scale, accumulate, inTree,
                      reinterpret_cast<To *>(result)});
  };
  const auto sumOf = [&](auto element) {
    to == ZRT_F32 ? sumAs(element, float()) : sumAs(element, element);
  };
  const auto sumBlocksAs = [&]<typename To>(To) {
    const Sum<std::byte, To> all{sources,
                                 sourceCount,
                                 count,
                                 scale,
                                 accumulate,
                                 inTree,
                                 reinterpret_cast<To *>(result)};
    from == ZRT_BLOCK8 ? sum8(all) : sum4(all);
  };
  if (isBlock(from))
    to == ZRT_F32    ? sumBlocksAs(float())
    : to == ZRT_BF16 ? sumBlocksAs(Brain())
                     : sumBlocksAs(Half());
  else if (from == ZRT_F32)
    sumOf(float());
  else if (from == ZRT_BF16)
    sumOf(Brain());
  else
    sumOf(Half());
}

/// Element `i` of all sources, added up.
template <typename T>
static T addUp(std::span<const std::byte *const> sources, uint64_t i,
               bool inTree) {
  if (inTree && sources.size() > 1) {
    const size_t half = sources.size() / 2;
    return addUp<T>(sources.first(half), i, true) +
           addUp<T>(sources.subspan(half), i, true);
  }
  T sum = 0;
  for (size_t place = 0; place < sources.size(); ++place) {
    T value;
    std::memcpy(&value, sources[place] + i * sizeof(T), sizeof(T));
    sum = place == 0 ? value : sum + value;
  }
  return sum;
}

template <typename T>
static void smallSumOf(std::span<const std::byte *const> sources,
                       const zrt_collective_desc &desc, std::byte *result) {
  for (uint64_t i = 0; i < desc.elements; ++i) {
    T sum = addUp<T>(sources, i, desc.order != ZRT_IN_RANK_ORDER) *
            static_cast<T>(desc.scale);
    if (desc.accumulate) {
      T old;
      std::memcpy(&old, result + i * sizeof(T), sizeof(T));
      sum += old;
    }
    std::memcpy(result + i * sizeof(T), &sum, sizeof(T));
  }
}

void zrt::smallSum(std::span<const std::byte *const> sources,
                   const zrt_collective_desc &desc, std::byte *result) {
  if (desc.source.dtype == ZRT_F32)
    smallSumOf<float>(sources, desc, result);
  else
    smallSumOf<double>(sources, desc, result);
}
