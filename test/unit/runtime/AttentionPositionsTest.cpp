//===- AttentionPositionsTest.cpp - Few queries have the forward's bits ---===//
#include "AttentionUnderTest.h"

using namespace zrt;
using namespace zrt::test;

namespace {

/// Calls that compute some of the positions of a problem.
template <typename T>
class Parts {
public:
  Parts(const Problem<T> &p, const Target<T> &target)
      : p(p), target(target), out(p.grads.size(), untouched<T>()),
        lse(size_t(p.ask.heads * p.ask.queries), 0.0f) {}

  void attend(int64_t first, int64_t count) {
    for (int64_t h = 0; h < p.ask.heads; ++h)
      target.attend({shape(first, count), query(first, h), keys(p.k), keys(p.v),
                     result(first, h), lse.data() + h * p.ask.queries + first},
                    poisoned());
  }
  void attendFew(int64_t first, int64_t count) {
    target.attendFew({shape(first, count), query(first, 0), keys(p.k),
                      keys(p.v), result(first, 0), p.ask.heads, p.ask.width,
                      p.ask.width},
                     poisoned());
  }

  /// Compares the bits of `count` positions.
  bool sameBits(const Parts &other, int64_t first, int64_t count) const {
    const size_t begin = p.grad.at(first, 0), end = p.grad.at(first + count, 0);
    return std::memcmp(out.data() + begin, other.out.data() + begin,
                       (end - begin) * sizeof(T)) == 0;
  }
  bool sameLse(const Parts &other, int64_t first, int64_t count) const {
    for (int64_t h = 0; h < p.ask.heads; ++h)
      if (const auto at = size_t(h * p.ask.queries + first);
          std::memcmp(&lse[at], &other.lse[at],
                      size_t(count) * sizeof(float)) != 0)
        return false;
    return true;
  }

private:
  const Problem<T> &p;
  const Target<T> &target;
  std::vector<T> out;
  std::vector<float> lse;

  /// The positions [first, first + count), which see the keys up to their own.
  AttentionShape shape(int64_t first, int64_t count) const {
    AttentionShape shape = p.shape();
    shape.queries = count;
    shape.keys = first + count;
    shape.starts = shape.starts ? shape.starts + first : nullptr;
    shape.positions = p.ask.queries;
    return shape;
  }
  Rows<const T> keys(const Part &part) const {
    return {p.qkv.data() + part.first, part.stride};
  }
  Rows<const T> query(int64_t first, int64_t head) const {
    return {p.qkv.data() + p.q.at(first, head * p.ask.width), p.q.stride};
  }
  Rows<T> result(int64_t first, int64_t head) {
    return {out.data() + p.grad.at(first, head * p.ask.width), p.grad.stride};
  }
};

class AttentionPositions : public ::testing::TestWithParam<Ask> {
protected:
  /// Compares the forward of all positions with calls of few of them.
  template <typename T>
  void expectSameBits(std::initializer_list<int64_t> calls, bool few,
                      const std::vector<Target<T>> &of = targets<T>()) {
    const Problem<T> p(GetParam(), /*packed=*/false);
    const int64_t all = p.ask.queries;
    for (const Target<T> &one : of) {
      Parts<T> whole(p, one), parts(p, one);
      whole.attend(0, all);
      for (int64_t queries : calls) {
        // Not all of the many calls of a few queries.
        const int64_t step = queries < 10 ? 29 + all / 16 : queries;
        for (int64_t first = 0; first < all; first += step) {
          const int64_t count = std::min(queries, all - first);
          if (few)
            parts.attendFew(first, count);
          else
            parts.attend(first, count);
          ASSERT_TRUE(parts.sameBits(whole, first, count))
              << one.name << ": " << count << " queries from " << first;
          ASSERT_TRUE(few || parts.sameLse(whole, first, count))
              << one.name << ": " << count << " queries from " << first;
        }
      }
    }
  }
  void expectSameBitsOfAllTypes(std::initializer_list<int64_t> calls,
                                bool few) {
    expectSameBits<float>(calls, few);
    expectSameBits<Brain>(calls, few);
    expectSameBits<Half>(calls, few);
  }
};

TEST_P(AttentionPositions, PartsHaveTheBitsOfTheWhole) {
  expectSameBitsOfAllTypes({1, 5, 64}, /*few=*/false);
}

TEST_P(AttentionPositions, PartsOfPairsHaveTheBitsOfTheWhole) {
  if (GetParam().width > kMaxPairWidth)
    return;
  const auto expectOf = [&](auto all) {
    // The model would take a minute.
    if (GetParam().queries > 1000 && !all.empty())
      all.erase(all.begin());
    expectSameBits({1, 5, 64}, /*few=*/false, all);
  };
  expectOf(pairTargets<Brain>());
  expectOf(pairTargets<Half>());
}

TEST_P(AttentionPositions, FewQueriesHaveTheBitsOfTheWhole) {
  expectSameBitsOfAllTypes({1, 3, 9}, /*few=*/true);
}

std::vector<Ask> asksOfPositions() {
  std::vector<Ask> all;
  for (int64_t width : {20, 80})
    for (int64_t window : {0, 33})
      for (float cap : {0.0f, 0.8f})
        for (bool documents : {false, true})
          all.push_back({200, 200, width, 1, window, cap, documents});
  all.push_back({120, 120, 40, 7, 70, 0.8f, true});
  // Keys in several blocks: 562 with 768 columns, 157 with the most.
  all.push_back({700, 700, 768, 1});
  all.push_back({700, 700, 768, 1, 400, 0, true});
  all.push_back({600, 600, 768, 2, 0, 0.8f});
  all.push_back({180, 180, ZRT_MAX_ATTENTION_WIDTH, 1});
  // And for pairs.
  all.push_back({3100, 3100, 256, 1});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Shapes, AttentionPositions,
                         ::testing::ValuesIn(asksOfPositions()));

} // namespace
