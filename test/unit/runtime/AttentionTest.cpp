//===- AttentionTest.cpp - Attention against the definition ---------------===//
#include "AttentionUnderTest.h"
#include "TestPlan.h"

#include <mutex>
#include <set>

using namespace zrt;
using namespace zrt::test;

namespace {

template <typename T = float>
Problem<T> problemOf(int64_t queries, int64_t keys, int64_t width,
                     bool causal) {
  return {{queries, keys, width, 1, 0, 0, false, causal}, /*packed=*/true};
}

void expectRight(int64_t queries, int64_t keys, int64_t width, bool causal) {
  const Problem<float> problem = problemOf(queries, keys, width, causal);
  const Expected<float> expected(problem);
  for (const Target<float> &target : targets<float>()) {
    SCOPED_TRACE(target.name);
    SCOPED_TRACE(::testing::PrintToString(problem.ask));
    expectNear(run(problem, target), expected, 1e-5, 0);
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
  // With 64 columns, 2648 keys fit for the backward and 5392 for the forward;
  // with 768, 215 and 562.
  for (bool causal : {false, true}) {
    expectRight(70, 6000, 64, causal);
    expectRight(150, 600, 768, causal);
    expectRight(40, 175, ZRT_MAX_ATTENTION_WIDTH, causal);
  }
}

TEST(Attention, HasTheSameBitsOnAllProcessorsWithFma) {
  const std::vector<Target<float>> all = targets<float>();
  for (size_t i = 2; i < all.size(); ++i)
    for (int64_t queries : {7, 65, 150})
      for (int64_t width : {5, 64, 80, 768})
        for (bool causal : {false, true}) {
          const Problem<float> problem =
              problemOf(queries, queries + 33, width, causal);
          EXPECT_TRUE(run(problem, all[1]).sameBits(run(problem, all[i])))
              << queries << " queries, width " << width;
        }
}

TEST(Attention, HandlesScoresThatAreFarApart) {
  // exp of all other scores is 0, and nothing overflows.
  Problem<float> problem = problemOf(20, 20, 16, true);
  problem.scale = 1000;
  for (const Target<float> &target : targets<float>()) {
    const Results<float> results = run(problem, target);
    for (int64_t i = 0; i < 20; ++i)
      for (int64_t c = 0; c < 16; ++c)
        ASSERT_LT(std::abs(results.out[problem.grad.at(i, c)]), 10);
    for (int64_t c = 0; c < 16; ++c)
      EXPECT_EQ(results.out[problem.grad.at(0, c)],
                problem.qkv[problem.v.at(0, c)]);
  }
}

TEST(Attention, ANanStaysOne) {
  // NaNs of both signs, and the poison of arenas, whose bits are all ones.
  const uint32_t ones = 0xffffffff;
  for (float nan : {NAN, -NAN, reinterpret_cast<const float &>(ones)}) {
    Problem<float> problem = problemOf(40, 40, 16, true);
    problem.qkv[problem.k.at(30, 0)] = nan;
    for (const Target<float> &target : targets<float>()) {
      const Results<float> results = run(problem, target);
      EXPECT_FALSE(std::isnan(results.out[problem.grad.at(10, 0)]));
      for (int64_t i = 30; i < 40; ++i)
        EXPECT_TRUE(std::isnan(results.out[problem.grad.at(i, 0)])) << i;
      EXPECT_TRUE(std::isnan(results.dqkv[problem.q.at(35, 0)]));
    }
  }
}

template <typename T>
class AttentionOfPairs : public ::testing::Test {};
using Pairs = ::testing::Types<Brain, Half>;
TYPED_TEST_SUITE(AttentionOfPairs, Pairs);

TYPED_TEST(AttentionOfPairs, IsRightForAllShapes) {
  for (int64_t queries : {1, 31, 65, 130})
    for (int64_t width : {1, 33, 64, 256})
      for (int64_t more : {0, 100})
        for (bool causal : {false, true})
          expectPairsNear(
              problemOf<TypeParam>(queries, queries + more, width, causal));
  // Keys in blocks: with 256 columns 896 fit for the backward and 3008 for the
  // forward.
  for (bool causal : {false, true}) {
    expectPairsNear(problemOf<TypeParam>(70, 3300, 64, causal));
    expectPairsNear(problemOf<TypeParam>(70, 1000, 256, causal));
  }
  expectPairsNear(problemOf<TypeParam>(33, 3200, 256, true));
}

TYPED_TEST(AttentionOfPairs, KeepsANan) {
  Problem<TypeParam> problem = problemOf<TypeParam>(80, 80, 16, true);
  narrow(NAN, problem.qkv[problem.k.at(70, 0)]);
  for (const Target<TypeParam> &target : pairTargets<TypeParam>()) {
    const Results<TypeParam> results = run(problem, target);
    const auto isNan = [&](const auto &of, size_t at) {
      return std::isnan(numberOf(of[at]));
    };
    for (int64_t i = 0; i < 80; ++i)
      EXPECT_EQ(isNan(results.out, problem.grad.at(i, 0)), i >= 70) << i;
    EXPECT_TRUE(isNan(results.dqkv, problem.q.at(75, 0)));
  }
}

#ifdef __x86_64__
TEST(Attention, OfPairsIsWhatKernelsCall) {
  const Problem<Brain> problem = problemOf<Brain>(70, 90, 64, true);
  for (const Target<Brain> &target : pairTargets<Brain>()) {
    const bool isDot = target.attend == avx512bf16::attend;
    if (!isDot && target.attend != amx::attend)
      continue;
    EXPECT_TRUE(run(problem, target)
                    .sameBits(run(problem, isDot ? kernelCalls<Brain, 1>()
                                                 : kernelCalls<Brain, 2>())));
  }
  // Wider heads are multiplied in f32.
  const Problem<Brain> wide = problemOf<Brain>(20, 20, 257, true);
  EXPECT_TRUE(run(wide, kernelCalls<Brain, 2>())
                  .sameBits(run(wide, kernelCalls<Brain>())));
}

TEST(Attention, OfPairsOfF16IsWhatKernelsCall) {
  const Problem<Half> problem = problemOf<Half>(70, 90, 64, true),
                      wide = problemOf<Half>(20, 20, 257, true);
  for (const Target<Half> &target : pairTargets<Half>())
    if (target.attend == amxfp16::attend)
      EXPECT_TRUE(
          run(problem, target).sameBits(run(problem, kernelCalls<Half, 3>())));
  // Other kernels multiply f16 in f32, and so do wider heads.
  const Results<Half> floats = run(problem, kernelCalls<Half>());
  EXPECT_TRUE(run(problem, kernelCalls<Half, 1>()).sameBits(floats));
  EXPECT_TRUE(run(problem, kernelCalls<Half, 2>()).sameBits(floats));
  EXPECT_TRUE(run(wide, kernelCalls<Half, 3>())
                  .sameBits(run(wide, kernelCalls<Half>())));
}
#endif

TEST(Attention, LseIsLeftOutWhereNobodyAsks) {
  const Problem<float> p = problemOf(9, 9, 8, true);
  Target<float> withoutLse = kernelCalls<float>();
  withoutLse.attend = [](const Attention &attention, float *memory) {
    Attention asked = attention;
    asked.lse = nullptr;
    kernelCalls<float>().attend(asked, memory);
  };
  withoutLse.attendBackward = [](const AttentionBackward &, float *) {};
  EXPECT_EQ(run(p, withoutLse).out, run(p, targets<float>().back()).out);
}

//===----------------------------------------------------------------------===//
// Of 16 bits
//===----------------------------------------------------------------------===//

/// Returns the same problem in f32.
template <typename T>
Problem<float> widened(const Problem<T> &p) {
  Problem<float> wide(p.ask, /*packed=*/true);
  for (auto [from, to] :
       {std::pair{&p.qkv, &wide.qkv}, {&p.grads, &wide.grads}})
    for (size_t i = 0; i < from->size(); ++i)
      (*to)[i] = widen((*from)[i]);
  return wide;
}

/// Expects the rounding of `exact`, where it is finite.
template <typename T>
void expectRounded(const std::vector<T> &found,
                   const std::vector<float> &exact) {
  for (size_t i = 0; i < found.size(); ++i) {
    T expected = untouched<T>();
    if (exact[i] != untouched<float>())
      narrow(exact[i], expected);
    ASSERT_EQ(found[i].bits, expected.bits) << i;
  }
}

template <typename T>
void expectTheRoundingOfF32() {
  const std::vector<Target<float>> floats = targets<float>();
  const std::vector<Target<T>> all = targets<T>();
  for (int64_t queries : {1, 7, 65, 130})
    for (int64_t width : {1, 5, 64, 80})
      for (int64_t more : {0, 100})
        for (bool causal : {false, true}) {
          const Problem<T> p =
              problemOf<T>(queries, queries + more, width, causal);
          const auto expectSame = [&](const Target<T> &target,
                                      const Target<float> &ofFloats) {
            const Results<float> exact = run(widened(p), ofFloats);
            const Results<T> found = run(p, target);
            expectRounded(found.out, exact.out);
            expectRounded(found.dqkv, exact.dqkv);
            EXPECT_EQ(found.lse, exact.lse);
          };
          for (size_t i = 0; i < all.size(); ++i)
            expectSame(all[i], floats[i]);
          expectSame(kernelCalls<T>(), floats.back());
        }
}

TEST(Attention, Of16BitsIsTheRoundingOfThatOfF32) {
  expectTheRoundingOfF32<Brain>();
  expectTheRoundingOfF32<Half>();
}

TEST(Attention, Of16BitsRoundsOnceWhereKeysComeInBlocks) {
  for (bool causal : {false, true})
    for (auto [queries, keys, width] :
         {std::tuple{200, 3000, 64}, {150, 600, 768}, {300, 80, 1500}}) {
      if (causal && keys < queries)
        continue;
      const Problem<Half> p = problemOf<Half>(queries, keys, width, causal);
      // One rounding: half a unit in the last place.
      expectNear(run(p, kernelCalls<Half>()), Expected<Half>(p), 1e-5, 0x1p-10);
    }
}

TEST(Attention, WorksInTheMemoryOfItsTeam) {
  // Every thread has its own scratch memory, from the context it belongs to.
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
