//===- InitializeTest.cpp - Initial values --------------------------------===//
#include "runtime/hash/Hash.h"
#include "runtime/numbers/Philox.h"
#include "train/state/initialize/InitializeParameters.h"
#include "train/state/initialize/RandomFill.h"

#include "TestMemory.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <vector>

using namespace zrt;
using namespace zrt::test;

namespace {

const zrt_init normal = {ZRT_INIT_NORMAL, 0, 0.0, 1.0};

std::vector<float> values(const zrt_init &init, uint64_t seed,
                          std::string_view name, uint64_t first,
                          uint64_t count) {
  std::vector<float> out(count);
  fillInitial(init, seed, name, first, count, out.data());
  return out;
}

TEST(Philox, GivesTheKnownVectorsOfRandom123) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                       {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Hash, IsFnv1a) {
  EXPECT_EQ(Hash::of(""), 0xcbf29ce484222325u);
  EXPECT_EQ(Hash::of("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(Hash::of("foobar"), 0x85944171f73967e8u);
}

TEST(Normal, IsBoxMullerOfTheWords) {
  // Compares the definition with the C library, which also fixes the order of
  // words and elements.
  const uint64_t seed = 0x123456789abcdefu, hash = Hash::of("h.0.weight");
  const auto got = values(normal, seed, "h.0.weight", 0, 4 * 5000);
  for (uint64_t block = 0; block < 5000; ++block) {
    const auto w =
        philox4x32({uint32_t(block), 0, uint32_t(hash), uint32_t(hash >> 32)},
                   {uint32_t(seed), uint32_t(seed >> 32)});
    for (int pair = 0; pair < 2; ++pair) {
      const double radius =
          std::sqrt(-2 * std::log((w[2 * pair] + 0.5) * 0x1p-32));
      const double angle = 2 * M_PI * (w[2 * pair + 1] + 0.5) * 0x1p-32;
      const auto at = block * 4 + 2 * uint64_t(pair);
      ASSERT_NEAR(got[at], radius * std::cos(angle), 5e-7) << at;
      ASSERT_NEAR(got[at + 1], radius * std::sin(angle), 5e-7) << at;
    }
  }
}

TEST(Normal, BitsAreFixed) {
  // Computed once by another program; all machines and compilers must agree.
  const auto got =
      values({ZRT_INIT_NORMAL, 0, 0.0, 0.02}, 42, "wte.weight", 0, 4);
  const uint32_t expected[] = {0xbc616566, 0x3c001f24, 0xba37dfc6, 0x3bc4d130};
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(std::bit_cast<uint32_t>(got[i]), expected[i]) << i;
}

TEST(Normal, HasTheMomentsOfANormal) {
  constexpr size_t n = 4000000;
  const auto z = values(normal, 7, "w", 0, n);
  double sum[5] = {}, neighbours = 0;
  size_t beyond2 = 0;
  for (size_t i = 0; i < n; ++i) {
    double power = 1;
    for (double &s : sum) {
      s += power;
      power *= double(z[i]);
    }
    beyond2 += std::fabs(z[i]) > 2;
    if (i > 0)
      neighbours += double(z[i]) * double(z[i - 1]);
  }
  // A tolerance of five standard errors.
  const double error = 5 / std::sqrt(double(n));
  EXPECT_NEAR(sum[1] / n, 0, error);
  EXPECT_NEAR(sum[2] / n, 1, error * std::sqrt(2.0));
  EXPECT_NEAR(sum[3] / n, 0, error * std::sqrt(15.0));
  EXPECT_NEAR(sum[4] / n, 3, error * std::sqrt(96.0));
  EXPECT_NEAR(double(beyond2) / n, 0.0455003, error * 0.21);
  EXPECT_NEAR(neighbours / n, 0, error);
}

TEST(Normal, TakesMeanAndDeviation) {
  const auto z = values(normal, 3, "w", 0, 1000);
  const auto x = values({ZRT_INIT_NORMAL, 0, 5.0, 0.5}, 3, "w", 0, 1000);
  for (size_t i = 0; i < z.size(); ++i)
    ASSERT_NEAR(x[i], 5 + 0.5 * z[i], 1e-6);
}

TEST(Uniform, FillsItsHalfOpenInterval) {
  constexpr size_t n = 1000000;
  // Values just below b round up to it in f32; they must not reach it.
  const auto u = values({ZRT_INIT_UNIFORM, 0, -2.0, 1.0}, 9, "w", 0, n);
  double sum = 0;
  float low = 10, high = -10;
  for (float x : u) {
    ASSERT_GE(x, -2.0f);
    ASSERT_LT(x, 1.0f);
    sum += double(x);
    low = std::min(low, x);
    high = std::max(high, x);
  }
  EXPECT_NEAR(sum / n, -0.5, 5 * 3 / std::sqrt(12.0 * n));
  EXPECT_LT(low, -1.999f);
  EXPECT_GT(high, 0.999f);
  const auto narrow =
      values({ZRT_INIT_UNIFORM, 0, 1.0, 1.0 + 0x1p-22}, 9, "w", 0, 10000);
  for (float x : narrow)
    ASSERT_LT(x, 1.0f + 0x1p-22f);
}

TEST(Constant, IsConstant) {
  const auto ones = values({ZRT_INIT_CONSTANT, 0, 1.0, 0.0}, 9, "w", 3, 10);
  EXPECT_EQ(ones, std::vector<float>(10, 1.0f));
}

TEST(Fill, DoesNotDependOnTheLayout) {
  const auto whole = values(normal, 11, "w", 0, 5000);
  for (uint64_t first : {0, 1, 2, 3, 1021, 1024, 2047})
    for (uint64_t count : {1, 2, 5, 1023, 1025, 2900}) {
      const auto part = values(normal, 11, "w", first, count);
      ASSERT_EQ(part, std::vector<float>(whole.begin() + long(first),
                                         whole.begin() + long(first + count)))
          << first << " + " << count;
    }
  // A slice of a parameter beyond 32-bit indices.
  const uint64_t far = uint64_t{1} << 40;
  EXPECT_EQ(values(normal, 11, "w", far + 3, 1)[0],
            values(normal, 11, "w", far, 4)[3]);
  EXPECT_NE(values(normal, 11, "w", far, 1), values(normal, 11, "w", 0, 1));
}

TEST(Fill, DependsOnSeedAndName) {
  const auto base = values(normal, 1, "w", 0, 8);
  EXPECT_NE(base, values(normal, 2, "w", 0, 8));
  EXPECT_NE(base, values(normal, 1 + (uint64_t{1} << 32), "w", 0, 8));
  EXPECT_NE(base, values(normal, 1, "v", 0, 8));
}

TEST(Fill, OfDoublesIsTheSameValue) {
  std::vector<double> wide(100);
  fillInitial(normal, 1, "w", 5, 100, wide.data());
  const auto narrow = values(normal, 1, "w", 5, 100);
  for (size_t i = 0; i < wide.size(); ++i)
    EXPECT_EQ(wide[i], double(narrow[i]));
}

TEST(Initialize, IsTheSameOnAnyNumberOfThreads) {
  const auto run = [&](int threads) {
    std::vector<float> data(601601);
    initializeParameters(
        {{"big",
          {1000, 601},
          601000,
          ZRT_F32,
          normal,
          {{0, 601000, kEveryRank, refOf(&data[0], 601000 * 4)}}},
         {"small",
          {601},
          601,
          ZRT_F32,
          {ZRT_INIT_CONSTANT, 0, 0.5, 0},
          {{0, 601, kEveryRank, refOf(&data[601000], 601 * 4)}}}},
        5, threads, TestMemory());
    return data;
  };
  const auto one = run(1);
  EXPECT_EQ(one, run(3));
  EXPECT_EQ(one[0], values(normal, 5, "big", 0, 1)[0]);
  EXPECT_EQ(one[600999], values(normal, 5, "big", 600999, 1)[0]);
  EXPECT_EQ(one[601000], 0.5f);
  EXPECT_EQ(one.back(), 0.5f);
}

[[noreturn]] void initializeWithMoreThanFit() {
  std::vector<float> data(1000);
  std::vector<Parameter> parameters;
  for (float &value : data)
    parameters.push_back({"w",
                          {},
                          1,
                          ZRT_F32,
                          normal,
                          {{0, 1, kEveryRank, refOf(&value, sizeof value)}}});
  const rlimit limit = {size_t{1} << 30, size_t{1} << 30};
  setrlimit(RLIMIT_AS, &limit);
  try {
    initializeParameters(parameters, 5, 1000, TestMemory());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s", error.what());
    std::exit(7);
  }
  std::exit(0);
}

// In a separate process whose memory has room for only a few stacks.
TEST(InitializeDeathTest, OnMoreThreadsThanThereAreSaysSo) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs more memory than the test leaves";
#endif
  EXPECT_EXIT(initializeWithMoreThanFit(), testing::ExitedWithCode(7),
              "thread [0-9]+ of 1000 for initial values cannot be started: .*; "
              "use fewer with --threads");
}

} // namespace
