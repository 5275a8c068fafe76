//===- AttentionTest.cpp - Attention against the definition ---------------===//
#include "runtime/device/cpu/attention/Targets.h"

#include "runtime/device/cpu/Scratch.h"
#include "runtime/device/cpu/gemm/Gemm.h"

#include "TestPlan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <random>
#include <set>
#include <type_traits>
#include <vector>

using namespace zrt;

namespace {

/// One batch and head.  Queries, keys and values lie packed in rows of three
/// heads, as a model's do; what lies between must not be touched.
struct Problem {
  AttentionShape shape;
  int64_t stride;
  std::vector<float> qkv, grad;

  Problem(int64_t queries, int64_t keys, int64_t width, bool causal)
      : shape{queries, keys, width, 0.7f / std::sqrt(float(width)), causal},
        stride(3 * width + 1) {
    std::mt19937 random(static_cast<unsigned>(queries + 7 * keys + 31 * width));
    std::normal_distribution<float> value;
    qkv.resize(size_t(std::max(queries, keys) * stride));
    grad.resize(size_t(queries * stride));
    for (auto *vector : {&qkv, &grad})
      for (float &x : *vector)
        x = value(random);
  }

  const float *part(int64_t which) const {
    return qkv.data() + which * shape.width;
  }
};

struct Results {
  std::vector<float> out, lse, dqkv;

  explicit Results(const Problem &p)
      : out(size_t(p.shape.queries * p.stride), kUntouched),
        lse(size_t(p.shape.queries), kUntouched),
        dqkv(p.qkv.size(), kUntouched) {}
  static constexpr float kUntouched = -12345;

  bool sameBits(const Results &other) const {
    const auto same = [](const auto &x, const auto &y) {
      return std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
    };
    return same(out, other.out) && same(lse, other.lse) &&
           same(dqkv, other.dqkv);
  }
};

struct Target {
  const char *name;
  void (*attend)(const Attention &, float *);
  void (*attendBackward)(const AttentionBackward &, float *);
};

std::vector<Target> targets() {
  std::vector<Target> all = {
      {"portable", portable::attend, portable::attendBackward}};
#ifdef __x86_64__
  const InstructionSet best = instructionSet();
  if (best != InstructionSet::Portable)
    all.push_back({"avx2", avx2::attend, avx2::attendBackward});
  if (best == InstructionSet::Avx512)
    all.push_back({"avx512", avx512::attend, avx512::attendBackward});
#endif
  return all;
}

/// What a thread's memory held before must not matter.
float *poisoned() {
  float *memory = scratch();
  std::memset(memory, 0xff, kScratchBytes);
  return memory;
}

Results run(const Problem &p, const Target &target) {
  Results r(p);
  const int64_t s = p.stride, width = p.shape.width;
  target.attend({p.shape,
                 {p.part(0), s},
                 {p.part(1), s},
                 {p.part(2), s},
                 {r.out.data(), s},
                 r.lse.data()},
                poisoned());
  target.attendBackward({p.shape,
                         {p.grad.data(), s},
                         {p.part(0), s},
                         {p.part(1), s},
                         {p.part(2), s},
                         r.lse.data(),
                         {r.dqkv.data(), s},
                         {r.dqkv.data() + width, s},
                         {r.dqkv.data() + 2 * width, s}},
                        poisoned());
  return r;
}

/// The definition, in double.
struct Expected {
  std::vector<double> out, lse, dqkv;

  explicit Expected(const Problem &p)
      : out(size_t(p.shape.queries * p.stride), Results::kUntouched),
        lse(size_t(p.shape.queries)), dqkv(p.qkv.size(), Results::kUntouched) {
    const int64_t width = p.shape.width, s = p.stride;
    const double scale = double(p.shape.scale);
    const auto at = [&](int64_t row, int64_t which, int64_t c) {
      return size_t(row * s + which * width + c);
    };
    for (int64_t i = 0; i < std::max(p.shape.queries, p.shape.keys); ++i)
      for (int64_t c = 0; c < 3 * width; ++c)
        if (i < (c < width ? p.shape.queries : p.shape.keys))
          dqkv[at(i, 0, c)] = 0;
    for (int64_t i = 0; i < p.shape.queries; ++i) {
      const int64_t seen = p.shape.causal
                               ? i + p.shape.keys - p.shape.queries + 1
                               : p.shape.keys;
      std::vector<double> probability(static_cast<size_t>(seen)), adjoint;
      double most = -INFINITY, sum = 0, dot = 0;
      for (int64_t j = 0; j < seen; ++j) {
        double &x = probability[size_t(j)];
        for (int64_t c = 0; c < width; ++c)
          x += scale * double(p.qkv[at(i, 0, c)]) * double(p.qkv[at(j, 1, c)]);
        most = std::max(most, x);
      }
      for (double &x : probability)
        sum += x = std::exp(x - most);
      lse[size_t(i)] = most + std::log(sum);
      for (int64_t c = 0; c < width; ++c)
        out[at(i, 0, c)] = 0;
      for (int64_t j = 0; j < seen; ++j) {
        const double x = probability[size_t(j)] /= sum;
        double d = 0;
        for (int64_t c = 0; c < width; ++c) {
          out[at(i, 0, c)] += x * double(p.qkv[at(j, 2, c)]);
          d += double(p.grad[at(i, 0, c)]) * double(p.qkv[at(j, 2, c)]);
          dqkv[at(j, 2, c)] += x * double(p.grad[at(i, 0, c)]);
        }
        adjoint.push_back(d);
        dot += x * d;
      }
      for (int64_t j = 0; j < seen; ++j) {
        const double d =
            scale * probability[size_t(j)] * (adjoint[size_t(j)] - dot);
        for (int64_t c = 0; c < width; ++c) {
          dqkv[at(i, 0, c)] += d * double(p.qkv[at(j, 1, c)]);
          dqkv[at(j, 1, c)] += d * double(p.qkv[at(i, 0, c)]);
        }
      }
    }
  }
};

::testing::AssertionResult near(const std::vector<float> &x,
                                const std::vector<double> &y) {
  for (size_t i = 0; i < x.size(); ++i)
    if (!(std::abs(double(x[i]) - y[i]) <= 1e-5))
      return ::testing::AssertionFailure()
             << "at " << i << " of " << x.size() << ": " << x[i]
             << " instead of " << y[i];
  return ::testing::AssertionSuccess();
}

void expectRight(int64_t queries, int64_t keys, int64_t width, bool causal) {
  const Problem problem(queries, keys, width, causal);
  const Expected expected(problem);
  for (const Target &target : targets()) {
    SCOPED_TRACE(target.name);
    SCOPED_TRACE(std::to_string(queries) + " queries, " + std::to_string(keys) +
                 " keys, width " + std::to_string(width) +
                 (causal ? ", causal" : ""));
    const Results results = run(problem, target);
    EXPECT_TRUE(near(results.out, expected.out));
    EXPECT_TRUE(near(results.lse, expected.lse));
    EXPECT_TRUE(near(results.dqkv, expected.dqkv));
  }
}

TEST(Attention, IsRightForAllShapes) {
  for (int64_t queries : {1, 7, 64, 65, 130, 300})
    for (int64_t width : {1, 5, 16, 64, 80, 130})
      for (int64_t more : {0, 3, 100})
        for (bool causal : {false, true})
          expectRight(queries, queries + more, width, causal);
}

TEST(Attention, IsRightForFewerKeysThanQueries) {
  expectRight(300, 20, 33, false);
  expectRight(65, 1, 64, false);
}

TEST(Attention, IsRightWhereKeysComeInBlocks) {
  // Of 64 columns 1282 keys fit for the backward, 2661 for the forward.
  for (bool causal : {false, true}) {
    expectRight(70, 3000, 64, causal);
    expectRight(150, 150, 768, causal);
    expectRight(40, 75, ZRT_MAX_ATTENTION_WIDTH, causal);
  }
}

TEST(Attention, HasTheSameBitsOnAllProcessorsWithFma) {
  const std::vector<Target> all = targets();
  for (size_t i = 2; i < all.size(); ++i)
    for (int64_t queries : {7, 65, 150})
      for (int64_t width : {5, 64, 80, 768})
        for (bool causal : {false, true}) {
          const Problem problem(queries, queries + 33, width, causal);
          EXPECT_TRUE(run(problem, all[1]).sameBits(run(problem, all[i])))
              << queries << " queries, width " << width;
        }
}

TEST(Attention, HandlesScoresThatAreFarApart) {
  // exp of the others is 0, and nothing overflows.
  Problem problem(20, 20, 16, true);
  problem.shape.scale = 1000;
  for (const Target &target : targets()) {
    const Results results = run(problem, target);
    for (int64_t i = 0; i < 20; ++i)
      for (int64_t c = 0; c < 16; ++c)
        ASSERT_LT(std::abs(results.out[size_t(i * problem.stride + c)]), 10);
    for (int64_t c = 0; c < 16; ++c)
      EXPECT_EQ(results.out[size_t(c)], problem.qkv[size_t(32 + c)]);
  }
}

TEST(Attention, ANanStaysOne) {
  // Each kind: poison of the arena is all ones.
  const uint32_t ones = 0xffffffff;
  for (float nan : {NAN, -NAN, reinterpret_cast<const float &>(ones)}) {
    Problem problem(40, 40, 16, true);
    problem.qkv[size_t(30 * problem.stride + 16)] = nan; // in key 30
    for (const Target &target : targets()) {
      const Results results = run(problem, target);
      EXPECT_FALSE(std::isnan(results.out[size_t(10 * problem.stride)]));
      for (int64_t i = 30; i < 40; ++i)
        EXPECT_TRUE(std::isnan(results.out[size_t(i * problem.stride)])) << i;
      EXPECT_TRUE(std::isnan(results.dqkv[size_t(35 * problem.stride)]));
    }
  }
}

TEST(Attention, LseIsLeftOutWhereNobodyAsks) {
  const Problem p(9, 9, 8, true);
  const Results expected = run(p, targets().back());
  Results r(p);
  zrt_attention(9, 9, 8, p.shape.scale, 0, 1, 0, nullptr, ZRT_F32, p.part(0),
                p.stride, p.part(1), p.stride, p.part(2), p.stride,
                r.out.data(), p.stride, nullptr);
  EXPECT_EQ(r.out, expected.out);
}

//===----------------------------------------------------------------------===//
// Of 16 bits
//===----------------------------------------------------------------------===//

template <typename T>
struct Sixteen {
  std::vector<T> qkv, grad;
  Problem wide; ///< what they are as f32

  Sixteen(const Problem &of) : wide(of) {
    for (auto [from, to] : {std::pair{&wide.qkv, &qkv}, {&wide.grad, &grad}})
      for (float &x : *from) {
        narrow(x, to->emplace_back());
        x = widen(to->back());
      }
  }
};

template <typename T>
struct Results16 {
  std::vector<T> out, dqkv;
  std::vector<float> lse;
};

template <typename T>
Results16<T> run(const Sixteen<T> &p, bool calls,
                 void (*attend)(const AttentionOf<T> &, float *),
                 void (*attendBackward)(const AttentionBackwardOf<T> &,
                                        float *)) {
  const AttentionShape &shape = p.wide.shape;
  const int64_t s = p.wide.stride, width = shape.width;
  Results16<T> r{std::vector<T>(size_t(shape.queries * s), T{0x1234}),
                 std::vector<T>(p.qkv.size(), T{0x1234}),
                 std::vector<float>(size_t(shape.queries))};
  const T *const q = p.qkv.data();
  T *const dq = r.dqkv.data();
  if (calls) {
    const zrt_dtype type = std::is_same_v<T, Brain> ? ZRT_BF16 : ZRT_F16;
    zrt_attention(shape.queries, shape.keys, width, shape.scale, 0,
                  shape.causal, 0, nullptr, type, q, s, q + width, s,
                  q + 2 * width, s, r.out.data(), s, r.lse.data());
    zrt_attention_backward(shape.queries, shape.keys, width, shape.scale, 0,
                           shape.causal, 0, nullptr, type, 1, p.grad.data(), s,
                           0, q, s, 0, q + width, s, q + 2 * width, s,
                           r.lse.data(), 0, dq, s, 0, dq + width, s,
                           dq + 2 * width, s);
    return r;
  }
  attend({shape,
          {q, s},
          {q + width, s},
          {q + 2 * width, s},
          {r.out.data(), s},
          r.lse.data()},
         poisoned());
  attendBackward({shape,
                  {p.grad.data(), s},
                  {q, s},
                  {q + width, s},
                  {q + 2 * width, s},
                  r.lse.data(),
                  {dq, s},
                  {dq + width, s},
                  {dq + 2 * width, s}},
                 poisoned());
  return r;
}

/// The rounding of `exact`, where that is anything.
template <typename T>
void expectRounded(const std::vector<T> &found,
                   const std::vector<float> &exact) {
  for (size_t i = 0; i < found.size(); ++i) {
    T expected{0x1234};
    if (exact[i] != Results::kUntouched)
      narrow(exact[i], expected);
    ASSERT_EQ(found[i].bits, expected.bits) << i;
  }
}

template <typename T>
void expectTheRoundingOfF32() {
  struct Of16 {
    void (*attend)(const AttentionOf<T> &, float *);
    void (*attendBackward)(const AttentionBackwardOf<T> &, float *);
  };
  std::vector<Of16> all = {{portable::attend, portable::attendBackward}};
#ifdef __x86_64__
  all.push_back({avx2::attend, avx2::attendBackward});
  all.push_back({avx512::attend, avx512::attendBackward});
#endif
  const std::vector<Target> floats = targets();
  for (int64_t queries : {1, 7, 65, 130})
    for (int64_t width : {1, 5, 64, 80})
      for (int64_t more : {0, 100})
        for (bool causal : {false, true}) {
          const Sixteen<T> p(Problem(queries, queries + more, width, causal));
          for (size_t i = 0; i < floats.size(); ++i) {
            const Results exact = run(p.wide, floats[i]);
            const auto found =
                run<T>(p, false, all[i].attend, all[i].attendBackward);
            expectRounded(found.out, exact.out);
            expectRounded(found.dqkv, exact.dqkv);
            EXPECT_EQ(found.lse, exact.lse);
          }
          const auto called = run<T>(p, true, nullptr, nullptr);
          expectRounded(called.out, run(p.wide, floats.back()).out);
          expectRounded(called.dqkv, run(p.wide, floats.back()).dqkv);
        }
}

TEST(Attention, Of16BitsIsTheRoundingOfThatOfF32) {
  expectTheRoundingOfF32<Brain>();
  expectTheRoundingOfF32<Half>();
}

TEST(Attention, Of16BitsRoundsOnceWhereKeysComeInBlocks) {
  for (bool causal : {false, true})
    for (auto [queries, keys, width] :
         {std::tuple{200, 3000, 64}, {150, 150, 768}, {300, 20, 1500}}) {
      if (causal && keys < queries)
        continue;
      const Sixteen<Half> p(Problem(queries, keys, width, causal));
      const Expected expected(p.wide);
      const auto found = run<Half>(p, true, nullptr, nullptr);
      const auto compare = [](const std::vector<Half> &x,
                              const std::vector<double> &y) {
        for (size_t i = 0; i < x.size(); ++i)
          if (y[i] == Results::kUntouched)
            ASSERT_EQ(x[i].bits, 0x1234);
          else // Half a unit of the last place, once.
            ASSERT_NEAR(double(widen(x[i])), y[i],
                        std::abs(y[i]) * 0x1p-11 + 1e-5);
      };
      compare(found.out, expected.out);
      compare(found.dqkv, expected.dqkv);
    }
}

TEST(Attention, WorksInTheMemoryOfItsTeam) {
  // Every thread has its own, of the context that it belongs to.
  static std::set<float *> seen;
  static std::mutex mutex;
  const zrt_kernel_fn look = [](void *const *, int64_t, int64_t) {
    const std::lock_guard<std::mutex> lock(mutex);
    seen.insert(scratch());
  };
  seen = {scratch()};
  const zrt_plan plan =
      testPlan(Table()
                   .launch(ZRT_COMPUTE, "attention.0", look, 3, 1, {})
                   .launch(ZRT_H2D, "attention.0", look, 3, 1, {}));
  const ContextPtr first = create(plan, 3), second = create(plan, 3);
  for (zrt_context *ctx : {first.get(), second.get()})
    ASSERT_EQ(zrt_run(ctx, ZRT_STEP), 0);
  EXPECT_EQ(seen.size(), 1u + 2 * (3 + 1));
}

} // namespace
