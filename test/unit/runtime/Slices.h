//===- Slices.h - Models that ranks hold in slices --------------*- C++ -*-===//
//
// Tests go through many layouts: 1 to 4 ranks, and 4 or 6 in groups; buckets
// whole, in slices, in parts or mixed; parameters split by rows over buckets;
// odd sizes; padding.  The expected memory of a rank is computed by brute force:
// the whole bucket, element by element, and then the rank's slice or part.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/state/io/Parameters.h"
#include "train/state/io/Safetensors.h"

#include "TestMemory.h"
#include "TestPlan.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <string_view>

namespace zrt::test {

inline constexpr float kUntouched = -7.0f;
inline constexpr zrt_init kNormal = {ZRT_INIT_NORMAL, 0, 0.0, 1.0};

/// A plan made by hand, and the memory of its ranks.
class Slices {
public:
  explicit Slices(uint32_t ranks, uint32_t groupSize = 0) : ranks(ranks) {
    plan.world_size = ranks;
    plan.group_size = groupSize;
    plan.accumulate = 1;
  }
  Slices(Slices &&) = default;

  /// Puts the members up to the next call into this bucket, of which ranks hold
  /// ZRT_WHOLE, ZRT_SLICE or ZRT_PART.
  Slices &bucket(uint32_t extent) {
    buckets.push_back({"b", 0, 0, 0, nullptr, ZRT_UNPACKED, 0});
    states.push_back(
        {"param", uint32_t(buckets.size() - 1), ZRT_F32, extent, 0, {}});
    members.emplace_back();
    return *this;
  }
  /// Adds elements [first, first + count) of a parameter, at the next offset
  /// that is a multiple of 4.
  Slices &member(const char *name, const std::vector<int64_t> &shape,
                 uint64_t first, uint64_t count) {
    shapes.push_back(shape);
    uint64_t &elements = buckets.back().elements;
    elements = (elements + 3) / 4 * 4;
    members.back().push_back({name, uint32_t(shape.size()), 0,
                              shapes.back().data(), first, elements, count,
                              kNormal});
    elements += count;
    return *this;
  }
  const zrt_plan &finish() {
    uint64_t offset = 0;
    for (size_t b = 0; b < buckets.size(); ++b) {
      // Padded, so that every slice is a multiple of 4.
      const uint64_t step = 4 * uint64_t{ranks};
      buckets[b].elements = (buckets[b].elements + step - 1) / step * step;
      buckets[b].members = members[b].data();
      buckets[b].member_count = uint32_t(members[b].size());
      states[b].ref = deviceRef(offset, held(b) * 4);
      offset += states[b].ref.bytes + 16;
    }
    plan.buckets = buckets.data();
    plan.states = states.data();
    plan.bucket_count = plan.state_count = uint32_t(buckets.size());
    floats = offset / 4;
    memory.assign(ranks, std::vector<float>(floats, kUntouched));
    return plan;
  }

  std::vector<Parameter> parameters(int rank) {
    return findParameters(plan, rank);
  }
  TestMemory memoryOf(int rank) {
    return TestMemory(memory[size_t(rank)].data());
  }

  /// Returns the memory of `rank` if element i of parameter p is value(p, i).
  template <typename Value>
  std::vector<float> expected(int rank, Value value) const {
    std::vector<float> all(floats, kUntouched);
    for (size_t b = 0; b < buckets.size(); ++b) {
      std::vector<float> whole(buckets[b].elements, kUntouched);
      for (const zrt_member &m : members[b])
        for (uint64_t i = 0; i < m.count; ++i)
          whole[m.offset + i] = value(m.name, m.first + i);
      const uint64_t begin = numberOf(b, uint32_t(rank)) * held(b);
      std::copy_n(whole.begin() + long(begin), held(b),
                  all.begin() + long(states[b].ref.offset / 4));
    }
    return all;
  }

  const uint32_t ranks;
  std::deque<std::vector<zrt_member>> members;
  std::vector<zrt_bucket> buckets;
  std::vector<zrt_state> states;
  std::vector<std::vector<float>> memory; ///< of each rank
  size_t floats = 0;                      ///< per rank
  zrt_plan plan = {};

private:
  /// The elements that a rank holds, and the number of this share of a bucket.
  uint64_t held(size_t b) const {
    return buckets[b].elements / (states[b].extent == ZRT_SLICE  ? ranks
                                  : states[b].extent == ZRT_PART ? groupSize()
                                                                 : 1);
  }
  uint64_t numberOf(size_t b, uint32_t rank) const {
    const uint32_t member = rank % groupSize(), group = rank / groupSize();
    return states[b].extent == ZRT_SLICE
               ? member * (ranks / groupSize()) + group
           : states[b].extent == ZRT_PART ? member
                                          : 0;
  }
  uint32_t groupSize() const {
    return plan.group_size ? plan.group_size : ranks;
  }
  std::deque<std::vector<int64_t>> shapes;
};

// In alphabetical order, as they are saved; plans have another order.
inline constexpr const char *kNames[] = {"bias", "none", "scale", "w", "wte"};
inline const std::vector<int64_t> kShapes[] = {
    {5}, {0, 3}, {}, {11, 4}, {7, 3}};
inline constexpr uint64_t kCounts[] = {5, 0, 1, 44, 21};

/// All parameters in one bucket.
inline Slices together(uint32_t ranks, uint32_t extent,
                       uint32_t groupSize = 0) {
  Slices s(ranks, groupSize);
  s.bucket(extent);
  for (size_t p : {4, 0, 3, 2, 1})
    s.member(kNames[p], kShapes[p], 0, kCounts[p]);
  s.finish();
  return s;
}

/// `w` in three buckets, its last rows before the middle ones.
inline Slices split(uint32_t ranks, uint32_t first, uint32_t others,
                    uint32_t groupSize = 0) {
  Slices s(ranks, groupSize);
  s.bucket(first)
      .member("wte", kShapes[4], 0, 21)
      .member("bias", kShapes[0], 0, 5)
      .member("w", kShapes[3], 0, 12);
  s.bucket(others).member("w", kShapes[3], 32, 12);
  s.bucket(others)
      .member("w", kShapes[3], 12, 20)
      .member("scale", kShapes[2], 0, 1)
      .member("none", kShapes[1], 0, 0);
  s.finish();
  return s;
}

inline std::vector<Slices> layouts() {
  std::vector<Slices> all;
  for (uint32_t ranks = 1; ranks <= 4; ++ranks) {
    for (const uint32_t extent : {ZRT_WHOLE, ZRT_SLICE}) {
      all.push_back(together(ranks, extent));
      all.push_back(split(ranks, extent, extent));
    }
    all.push_back(split(ranks, ZRT_SLICE, ZRT_WHOLE));
    all.push_back(split(ranks, ZRT_WHOLE, ZRT_SLICE));
  }
  for (const auto &[ranks, groupSize] : {std::pair(4u, 2u), {6u, 2u}, {6u, 3u}})
    for (const uint32_t extent : {ZRT_WHOLE, ZRT_SLICE, ZRT_PART}) {
      all.push_back(together(ranks, extent, groupSize));
      all.push_back(split(ranks, extent, ZRT_PART, groupSize));
    }
  return all;
}

/// A different value for each element of the model.
inline float valueOf(std::string_view name, uint64_t element) {
  for (size_t p = 0; p < 5; ++p)
    if (name == kNames[p])
      return float(p) * 100 + float(element) + 0.25f;
  return NAN;
}

inline void writeModel(const std::string &path) {
  std::vector<std::vector<float>> values(5);
  std::vector<TensorToWrite> tensors;
  for (size_t p = 0; p < 5; ++p) {
    for (uint64_t i = 0; i < kCounts[p]; ++i)
      values[p].push_back(valueOf(kNames[p], i));
    tensors.push_back(
        {kNames[p], "F32", kShapes[p], values[p].data(), kCounts[p] * 4});
  }
  writeSafetensors(path, tensors);
}

} // namespace zrt::test
