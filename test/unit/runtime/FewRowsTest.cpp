//===- FewRowsTest.cpp - Few rows have the bits of many -------------------===//
//
// Products of a few rows have their own loops (gemm/Few.inc).  Here they are
// compared with the same rows of a product of many.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cpu/Matmul.h"
#include "runtime/device/cpu/gemm/CpuFeatures.h"
#include "runtime/device/cpu/gemm/Gemm16.h"
#include "runtime/device/cpu/gemm/Scratch.h"
#include "runtime/device/cpu/gemm/Targets.h"
#include "runtime/numbers/HalfArrays.h"
#include "runtime/packing/Pack.h"
#include "runtime/packing/Unpack.h"
#include "runtime/plan/Vocabulary.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace zrt;

namespace {

constexpr int64_t kMany = 21;

template <typename T>
std::vector<T> fewNumbers(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<T> all;
  all.reserve(size_t(count));
  while (int64_t(all.size()) < count)
    narrow(value(random), all.emplace_back());
  return all;
}

/// Sizes of a product, and distances of rows beyond their lengths.
struct ProductSizes {
  int64_t n, k, gap;
};

std::vector<ProductSizes> sizes() {
  return {{8, 64, 0},    {16, 16, 0},   {17, 33, 0},    {4, 40, 3},
          {5, 8, 0},     {1, 300, 0},   {40, 7, 0},     {31, 32, 1},
          {100, 391, 0}, {64, 768, 0},  {1, 1, 0},      {70, 1000, 5},
          {24, 1153, 0}, {1100, 40, 0}, {4200, 24, 7},  {131, 1536, 0},
          {47, 385, 2},  {23, 65, 0},   {33, 30000, 0}, {96, 1024, 0}};
}

/// The forms of a product: A and B transposed, bias, beta, alpha.
constexpr unsigned kForms = 32;

template <typename T>
using Loops = void (*)(const GemmOf<T> &, float *);

template <typename T>
void expectBitsOfMany(const char *name, Loops<T> loops) {
  for (const auto &[n, k, gap] : sizes()) {
    const auto a = fewNumbers<T>(kMany * k + (k + kMany) * gap, 1),
               b = fewNumbers<T>(n * k + (n + k) * gap, 2);
    const auto bias = fewNumbers<float>(n, 3),
               c = fewNumbers<float>(kMany * n, 4);
    for (unsigned form = 0; form < kForms; ++form) {
      GemmOf<T> many;
      many.transA = form & 1;
      many.transB = form & 2;
      many.m = kMany;
      many.n = n;
      many.k = k;
      many.bias = form & 4 ? bias.data() : nullptr;
      many.beta = form & 8 ? (form & 16 ? 0.75f : 1.0f) : 0.0f;
      many.alpha = form & 16 ? 1.25f : 1.0f;
      many.a = a.data();
      many.lda = (many.transA ? kMany : k) + gap;
      many.b = b.data();
      many.ldb = (many.transB ? k : n) + gap;
      many.ldc = n;
      std::vector<float> expected = c;
      many.c = expected.data();
      loops(many, scratch());
      for (int64_t m = 1; m <= kFewRows; ++m) {
        const int64_t first = m == kFewRows ? kMany - m : m;
        std::vector<float> found = c;
        GemmOf<T> few = many;
        few.m = m;
        few.a += first * (many.transA ? 1 : many.lda);
        few.c = found.data() + first * n;
        if (!(form & 8))
          std::fill_n(few.c, m * n, std::numeric_limits<float>::quiet_NaN());
        std::memset(scratch(), 0xff, kScratchBytes);
        loops(few, scratch());
        for (int64_t i = 0; i < kMany * n; ++i) {
          const bool inside = i >= first * n && i < (first + m) * n;
          ASSERT_EQ(std::memcmp(&found[size_t(i)],
                                inside ? &expected[size_t(i)] : &c[size_t(i)],
                                sizeof(float)),
                    0)
              << name << ": " << m << " x " << n << " x " << k << ", row "
              << i / n << ", column " << i % n << ", form " << form << ": "
              << found[size_t(i)] << " instead of " << expected[size_t(i)];
        }
      }
    }
  }
}

template <typename T>
void expectBitsOfManyOnAllTargets() {
  expectBitsOfMany<T>("portable", portable::multiply);
#ifdef __x86_64__
  const InstructionSet best = instructionSet();
  if (best != InstructionSet::Portable)
    expectBitsOfMany<T>("avx2", avx2::multiply);
  if (best == InstructionSet::Avx512)
    expectBitsOfMany<T>("avx512", avx512::multiply);
#endif
}

TEST(FewRows, HaveTheBitsOfMany) { expectBitsOfManyOnAllTargets<float>(); }

TEST(FewRows, OfBrainsHaveTheBitsOfMany) {
  expectBitsOfManyOnAllTargets<Brain>();
}

TEST(FewRows, OfHalvesHaveTheBitsOfMany) {
  expectBitsOfManyOnAllTargets<Half>();
}

#ifdef __x86_64__
TEST(FewRows, OfPairsHaveTheBitsOfMany) {
  // As in Matmul16Test, where the processor has it.
  if (hasFeature(cpuFlags(), "avx512bf16"))
    expectBitsOfMany<Brain>("pairs", avx512bf16::multiply);
}
#endif

/// Products of 16 bits are rounded, in parts of their columns.
TEST(FewRows, AreRoundedLikeMany) {
  constexpr int64_t n = 1601, k = 800;
  const auto a = fewNumbers<Brain>(kMany * k, 1),
             b = fewNumbers<Brain>(n * k, 2), bias = fewNumbers<Brain>(n, 3),
             c = fewNumbers<Brain>(kMany * n, 4);
  const auto bits = [](const std::vector<Brain> &of) {
    return reinterpret_cast<const uint16_t *>(of.data());
  };
  for (unsigned form = 0; form < 8; ++form) {
    Gemm16 many;
    many.transB = form & 1;
    many.accumulate = form & 2;
    many.m = kMany;
    many.n = n;
    many.k = k;
    many.type = many.biasType = many.cType = ZRT_BF16;
    many.a = bits(a);
    many.lda = k;
    many.b = bits(b);
    many.ldb = many.transB ? k : n;
    if (form & 4)
      many.bias = reinterpret_cast<const std::byte *>(bias.data());
    many.ldc = n;
    std::vector<Brain> expected = c;
    many.c = reinterpret_cast<std::byte *>(expected.data());
    multiply(many, Kernel16::Widen, scratch());
    for (int64_t m : {1, 2, 5, 8}) {
      std::vector<Brain> found = c;
      Gemm16 few = many;
      few.m = m;
      few.c = reinterpret_cast<std::byte *>(found.data());
      multiply(few, Kernel16::Widen, scratch());
      ASSERT_EQ(std::memcmp(found.data(), expected.data(), size_t(m * n) * 2),
                0)
          << m << " rows, form " << form;
      ASSERT_EQ(std::memcmp(&found[size_t(m * n)], &c[size_t(m * n)],
                            size_t((kMany - m) * n) * 2),
                0);
    }
  }
}

/// Threads share the columns of a product; the bits are the same.
TEST(FewRows, AreSharedByColumns) {
  constexpr int64_t m = 5, n = 1009, k = 700;
  const auto a = fewNumbers<float>(m * k, 1), b = fewNumbers<float>(n * k, 2);
  for (uint8_t transposed : {0, 1}) {
    zrt_matmul_desc d = {};
    d.scale = 1;
    d.name = "product.0";
    d.a.dtype = d.b.dtype = d.c.dtype = d.bias.dtype = ZRT_F32;
    d.trans_b = transposed;
    d.batch = 1;
    d.m = m;
    d.n = n;
    d.k = k;
    const auto run = [&](int threads) {
      Team team(threads);
      std::vector<float> c(size_t(m * n));
      runMatmul(d, a.data(), b.data(), nullptr, c.data(), team);
      return c;
    };
    const std::vector<float> one = run(1);
    for (int threads : {2, 3, 8})
      EXPECT_EQ(std::memcmp(one.data(), run(threads).data(),
                            one.size() * sizeof(float)),
                0);
  }
}

/// A packed B, and the same dequantized.
TEST(FewRows, OfPackedNumbersHaveTheBitsOfThese) {
  for (const uint32_t packing : {ZRT_NF4, ZRT_INT8})
    for (const zrt_dtype type : {ZRT_F32, ZRT_BF16, ZRT_F16})
      for (const auto &[m, n, k] : {std::array<int64_t, 3>{1, 77, 64},
                                    {8, 300, 1088},
                                    {3, 40, 14336}}) {
        const auto elements = uint64_t(n * k);
        const auto numbers = fewNumbers<float>(n * k, 3);
        std::vector<std::byte> packed(zrt_packed_bytes(packing, elements));
        for (uint64_t at = 0; at < elements; at += kPackedRun)
          packRun(packing, numbers.data() + at,
                  std::min(kPackedRun, elements - at),
                  packed.data() + zrt_packed_bytes(packing, at));
        const uint64_t size = dtypeBytes(type);
        std::vector<std::byte> a(uint64_t(m * k) * size), b(elements * size);
        const auto ofA = fewNumbers<float>(m * k, 4);
        narrow(ofA.data(), ofA.size(), type, a.data());
        unpack(packing, packed.data(), elements, 0, elements / kPackedBlock,
               type, b.data());
        zrt_matmul_desc d = {};
        d.scale = 1;
        d.a.dtype = d.b.dtype = d.c.dtype = d.bias.dtype = type;
        d.trans_b = d.batch = d.has_bias = 1;
        d.m = m;
        d.n = n;
        d.k = k;
        for (int threads : {1, 3}) {
          Team team(threads);
          std::vector<std::byte> c(uint64_t(m * n) * size), of(c.size());
          d.packing = ZRT_UNPACKED;
          runMatmul(d, a.data(), b.data(), b.data(), c.data(), team);
          d.packing = packing;
          runMatmul(d, a.data(), packed.data(), b.data(), of.data(), team);
          EXPECT_EQ(c, of) << dtypeName(type) << " " << k;
        }
      }
}

} // namespace
