//===- CachedAttentionTest.cpp - A sequence that arrives in parts ---------===//
//
// Sequences are fed in parts of any length, and every row of the result is
// compared with attention over the whole sequence, bit for bit.
//
//===----------------------------------------------------------------------===//
#include "AttentionUnderTest.h"

using namespace zrt;
using namespace zrt::test;

namespace {

/// The sizes of the operands; `chunk` is the number of rows of a call.
struct CachedSizes {
  int64_t slots, chunk, heads, keyHeads, positions, width;
  int64_t window = 0;
  float softCap = 0;
};

std::ostream &operator<<(std::ostream &out, const CachedSizes &s) {
  return out << s.slots << " slots, " << s.chunk << " rows, " << s.heads
             << " heads, " << s.keyHeads << " of keys, " << s.positions
             << " positions, width " << s.width << ", window " << s.window
             << ", cap " << s.softCap;
}

template <typename T>
constexpr zrt_dtype typeOf() {
  return std::is_same_v<T, Brain>  ? ZRT_BF16
         : std::is_same_v<T, Half> ? ZRT_F16
                                   : ZRT_F32;
}

/// Elements in memory with all bits set, NaNs, before and behind them.
template <typename T>
class Guarded {
public:
  explicit Guarded(int64_t count) : all(size_t(count + 2 * kGap)) {
    std::memset(all.data(), 0xff, all.size() * sizeof(T));
  }
  T *data() { return all.data() + kGap; }
  bool sameBits(const Guarded &other) const {
    return std::memcmp(all.data(), other.all.data(), all.size() * sizeof(T)) ==
           0;
  }

private:
  static constexpr int64_t kGap = 64;
  std::vector<T> all;
};

/// Elements of type T, and what multiplies them.
template <typename T, Kernel16 kKernel = Kernel16::Widen>
struct ElementsOf {
  using Type = T;
  static constexpr auto kNumber = int32_t(kKernel);
};

/// Sequences of a batch, and their caches.
template <typename Of>
class Sequences {
  using T = typename Of::Type;

public:
  Sequences(const CachedSizes &sizes, std::vector<int32_t> starts)
      : s(sizes), starts(std::move(starts)),
        keys(s.slots * s.keyHeads * s.positions * s.width), values(keys) {
    std::mt19937 random(7);
    std::normal_distribution<float> value;
    // A row of a position has all query heads, heads of keys and of values.
    stride = (s.heads + 2 * s.keyHeads) * s.width + 3;
    for (int64_t i = 0; i < s.slots * s.positions * stride; ++i)
      narrow(value(random), qkv.emplace_back());
    attendWhole();
  }

  /// Feeds rows [begin, begin + count) of each slot, and compares them.
  void feed(const std::vector<int32_t> &begin,
            const std::vector<int32_t> &count) {
    const int64_t outStride = s.heads * s.width + 5,
                  size = s.slots * s.chunk * outStride;
    Guarded<T> out(size), expected(size);
    // Rows of operands that do not count are NaNs.
    Guarded<T> rows(s.slots * s.chunk * stride);
    for (int64_t slot = 0; slot < s.slots; ++slot)
      for (int64_t i = 0; i < s.chunk; ++i) {
        T *const wanted = expected.data() + (slot * s.chunk + i) * outStride;
        const int64_t position = begin[size_t(slot)] + i;
        if (i < count[size_t(slot)] && position < s.positions) {
          std::memcpy(rows.data() + (slot * s.chunk + i) * stride,
                      at(slot, position), size_t(stride) * sizeof(T));
          std::memcpy(wanted, wholeAt(slot, position),
                      size_t(s.heads * s.width) * sizeof(T));
        } else {
          std::memset(wanted, 0, size_t(s.heads * s.width) * sizeof(T));
        }
      }
    for (int64_t unit = 0; unit < s.slots * s.keyHeads; ++unit) {
      const int64_t slot = unit / s.keyHeads, g = unit % s.keyHeads,
                    perKeyHead = s.heads / s.keyHeads;
      const T *q = rows.data() + slot * s.chunk * stride,
              *k = q + (s.heads + g) * s.width, *v = k + s.keyHeads * s.width;
      poisoned();
      const int64_t cache = unit * s.positions * s.width;
      zrt_cached_attention(
          s.chunk, s.positions, s.width, kScale, s.softCap, s.window,
          &begin[size_t(slot)], &count[size_t(slot)],
          starts.empty() ? nullptr : &starts[size_t(slot)], typeOf<T>(),
          Of::kNumber, perKeyHead, q + g * perKeyHead * s.width, stride,
          s.width, k, stride, v, stride, keys.data() + cache, s.width,
          values.data() + cache, s.width,
          out.data() + slot * s.chunk * outStride + g * perKeyHead * s.width,
          outStride, s.width);
    }
    ASSERT_TRUE(out.sameBits(expected))
        << "from " << ::testing::PrintToString(begin) << ", "
        << ::testing::PrintToString(count) << " rows";
  }

  /// Feeds all positions of all slots, `most` at a time.
  void feedAll(int64_t most) {
    std::vector<int32_t> begin = firsts(), count(size_t(s.slots), 0);
    for (bool any = true; any;) {
      any = false;
      for (size_t slot = 0; slot < count.size(); ++slot) {
        begin[slot] += count[slot];
        count[slot] = int32_t(std::min(most, s.positions - begin[slot]));
        any |= count[slot] > 0;
      }
      ASSERT_NO_FATAL_FAILURE(feed(begin, count));
    }
  }

  /// The first position of each slot: earlier ones are never fed.
  std::vector<int32_t> firsts() const {
    std::vector<int32_t> begin(size_t(s.slots), 0);
    for (size_t slot = 0; slot < starts.size(); ++slot)
      begin[slot] = std::max(starts[slot], 0);
    return begin;
  }

private:
  static constexpr float kScale = 0.3f;
  CachedSizes s;
  std::vector<int32_t> starts;
  int64_t stride = 0;
  std::vector<T> qkv, whole;
  Guarded<T> keys, values;

  const T *at(int64_t slot, int64_t position) const {
    return qkv.data() + (slot * s.positions + position) * stride;
  }
  const T *wholeAt(int64_t slot, int64_t position) const {
    return whole.data() + (slot * s.positions + position) * s.heads * s.width;
  }

  void attendWhole() {
    whole.resize(size_t(s.slots * s.positions * s.heads * s.width));
    for (int64_t slot = 0; slot < s.slots; ++slot)
      for (int64_t h = 0; h < s.heads; ++h) {
        const int64_t g = h / (s.heads / s.keyHeads);
        const std::vector<int32_t> all(
            size_t(s.positions), starts.empty() ? 0 : starts[size_t(slot)]);
        const T *q = at(slot, 0), *k = q + (s.heads + g) * s.width,
                *v = k + s.keyHeads * s.width;
        zrt_attention(
            s.positions, s.positions, s.width, kScale, s.softCap, 1, s.window,
            all.data(), nullptr, 0, 0, h, typeOf<T>(), Of::kNumber,
            q + h * s.width, stride, k, stride, v, stride,
            whole.data() + slot * s.positions * s.heads * s.width + h * s.width,
            s.heads * s.width, nullptr);
      }
  }
};

template <typename Of>
class CachedAttention : public ::testing::Test {
  void SetUp() override {
    if (Of::kNumber != 0 && !hasFeature(cpuFlags(), "avx512bf16"))
      GTEST_SKIP() << "this processor has no AVX512_BF16";
  }
};
using Types =
    ::testing::Types<ElementsOf<float>, ElementsOf<Brain>, ElementsOf<Half>,
                     ElementsOf<Brain, Kernel16::DotBrains>>;
TYPED_TEST_SUITE(CachedAttention, Types);

/// All shapes with `chunk` rows in a call.
std::vector<CachedSizes> shapesOf(int64_t chunk) {
  std::vector<CachedSizes> all;
  for (int64_t window : {0, 1, 50})
    for (float cap : {0.0f, 0.8f}) {
      all.push_back({1, chunk, 2, 2, 130, 20, window, cap});
      all.push_back({2, chunk, 6, 2, 100, 64, window, cap});
    }
  // Keys in several blocks.
  all.push_back({1, chunk, 2, 1, 600, 768});
  all.push_back({1, chunk, 2, 1, 600, 768, 170});
  return all;
}

TYPED_TEST(CachedAttention, TokenByToken) {
  for (const CachedSizes &sizes : shapesOf(1)) {
    SCOPED_TRACE(::testing::PrintToString(sizes));
    Sequences<TypeParam>(sizes, {}).feedAll(1);
  }
}

TYPED_TEST(CachedAttention, InChunks) {
  for (int64_t chunk : {7, 64})
    for (const CachedSizes &sizes : shapesOf(chunk)) {
      SCOPED_TRACE(::testing::PrintToString(sizes));
      Sequences<TypeParam>(sizes, {}).feedAll(chunk);
    }
  // Fewer rows than a call has room for; more than a block of queries.
  Sequences<TypeParam>({1, 20, 4, 2, 70, 33}, {}).feedAll(13);
  Sequences<TypeParam>({1, 200, 4, 2, 300, 33, 90}, {}).feedAll(150);
}

TYPED_TEST(CachedAttention, StartsHideWhatIsNotInTheCache) {
  for (int64_t window : {0, 20}) {
    const CachedSizes sizes{3, 7, 4, 2, 120, 24, window};
    Sequences<TypeParam>(sizes, {0, 50, 97}).feedAll(7);
    Sequences<TypeParam>(sizes, {-5, 48, 119}).feedAll(1);
  }
  // More than a block of keys is hidden.
  Sequences<TypeParam>({1, 7, 2, 1, 700, 768}, {650}).feedAll(7);
}

TYPED_TEST(CachedAttention, SlotsHaveTheirOwnLengths) {
  Sequences<TypeParam> all({4, 16, 4, 2, 90, 40}, {});
  std::vector<int32_t> begin(4), count(4);
  std::mt19937 random(3);
  for (int round = 0; round < 30; ++round) {
    for (size_t slot = 0; slot < 4; ++slot) {
      begin[slot] += count[slot];
      // Sequences end; others begin in their slots.
      if (begin[slot] >= 90 || random() % 10 == 0)
        begin[slot] = 0;
      count[slot] = int32_t(random() % 17);
      count[slot] = std::min(count[slot], 90 - begin[slot]);
    }
    ASSERT_NO_FATAL_FAILURE(all.feed(begin, count));
  }
}

TYPED_TEST(CachedAttention, KeepsRowsThatAreFedAgain) {
  // A sequence that goes on from an earlier position.
  Sequences<TypeParam> all({1, 16, 2, 2, 60, 16}, {});
  all.feed({0}, {16});
  all.feed({16}, {16});
  all.feed({20}, {16});
  all.feed({3}, {1});
  all.feed({36}, {16});
}

TYPED_TEST(CachedAttention, ClampsWhatItIsTold) {
  // Caches have guards, and so has the result.
  Sequences<TypeParam> all({2, 16, 2, 1, 40, 16}, {});
  all.feed({0, 0}, {16, 100});
  all.feed({16, 16}, {16, 16});
  all.feed({32, 32}, {16, 8});
  all.feed({40, 100}, {16, 1 << 30});
  all.feed({5, 39}, {-1, 3});
}

TEST(CachedAttention, TakesNegativeBeginsAsZero) {
  const int32_t begin = -7, count = 1;
  const float row[] = {1, 2};
  float keys[] = {9, 9, 9, 9}, values[] = {9, 9, 9, 9}, out[] = {9, 9, 9, 9};
  zrt_cached_attention(2, 2, 2, 1, 0, 0, &begin, &count, nullptr, ZRT_F32, 0, 1,
                       row, 2, 2, row, 2, row, 2, keys, 2, values, 2, out, 2,
                       2);
  EXPECT_EQ(std::vector<float>(keys, keys + 4),
            (std::vector<float>{1, 2, 9, 9}));
  EXPECT_EQ(std::vector<float>(values, values + 4),
            (std::vector<float>{1, 2, 9, 9}));
  EXPECT_EQ(std::vector<float>(out, out + 4), (std::vector<float>{1, 2, 0, 0}));
}

} // namespace
