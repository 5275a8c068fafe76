//===- TensorTest.cpp - Matrices of warps, and async copies ---------------===//
//
// The places of elements are written out from the tables of the PTX ISA
// ("Matrix Fragments for mma.m16n8k16", "ldmatrix"), independently of the
// emulator.
//
//===----------------------------------------------------------------------===//
#include "Emulator.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

constexpr uint64_t kSeeds = 20;

/// Converts a number that bf16 represents exactly.
uint16_t bf16(float x) { return uint16_t(std::bit_cast<uint32_t>(x) >> 16); }

/// The kernel's operands and results.
struct Matrices {
  float a[16][16], b[16][8], c[16][8], d[16][8];
  uint16_t halves[64][8], words[32][4][2];
  alignas(16) uint16_t global[128][8];
};
Matrices all;

std::string find(void (*kernel)(void **), uint64_t seed, uint32_t threads = 32,
                 uint32_t shared = 4096) {
  zge::Emulator emulator;
  emulator.memory.add(&all, sizeof(all));
  void *params[] = {nullptr};
  return emulator.tryRun({"k", kernel, params, 1, threads, shared, seed});
}
void passes(void (*kernel)(void **), uint32_t threads = 32) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed)
    ASSERT_EQ(find(kernel, seed, threads), "") << "seed " << seed;
}
void fails(void (*kernel)(void **), const std::string &text,
           uint32_t threads = 32) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::string found = find(kernel, seed, threads);
    ASSERT_NE(found.find(text), std::string::npos)
        << "seed " << seed << ": " << found;
  }
}

//===----------------------------------------------------------------------===//
// mma.m16n8k16
//===----------------------------------------------------------------------===//

uint32_t wordOf(float low, float high) {
  return bf16(low) | uint32_t(bf16(high)) << 16;
}

/// PTX ISA: groupID = %laneid >> 2, threadID_in_group = %laneid % 4.
///   A, a_i of 8:  row = groupID for i in 0, 1, 4, 5, else groupID + 8
///                 col = threadID_in_group * 2 + (i & 1), and + 8 for i >= 4
///   B, b_i of 4:  row = threadID_in_group * 2 + (i & 1), and + 8 for i >= 2
///                 col = groupID
///   C, c_i of 4:  row = groupID for i < 2, else groupID + 8
///                 col = threadID_in_group * 2 + (i & 1)
void multiply(void **) {
  const uint32_t lane = zge_thread(), group = lane >> 2, in = lane % 4;
  const uint32_t rows[] = {group, group, group + 8, group + 8,
                           group, group, group + 8, group + 8};
  float a[8], b[4], sums[4];
  for (uint32_t i = 0; i < 8; ++i)
    a[i] = all.a[rows[i]][in * 2 + (i & 1) + (i >= 4 ? 8 : 0)];
  for (uint32_t i = 0; i < 4; ++i) {
    b[i] = all.b[in * 2 + (i & 1) + (i >= 2 ? 8 : 0)][group];
    sums[i] = all.c[i < 2 ? group : group + 8][in * 2 + (i & 1)];
  }
  const uint32_t aWords[] = {wordOf(a[0], a[1]), wordOf(a[2], a[3]),
                             wordOf(a[4], a[5]), wordOf(a[6], a[7])},
                 bWords[] = {wordOf(b[0], b[1]), wordOf(b[2], b[3])};
  zge_mma(ZGE_BF16, aWords, bWords, sums);
  for (uint32_t i = 0; i < 4; ++i)
    all.d[i < 2 ? group : group + 8][in * 2 + (i & 1)] = sums[i];
}

TEST(Tensor, AWarpMultipliesMatrices) {
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      all.a[i][j] = float((i * 7 + j * 3) % 11 - 5);
      if (j < 8) {
        all.b[i][j] = float((i * 5 + j * 13) % 17 - 8) / 4;
        all.c[i][j] = float(i - j);
      }
    }
  passes(multiply);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      float sum = all.c[i][j]; // small numbers: any order is exact
      for (int k = 0; k < 16; ++k)
        sum += all.a[i][k] * all.b[k][j];
      EXPECT_EQ(all.d[i][j], sum) << i << ", " << j;
    }
}

/// 1 + 2^-24, twice, then -1: each sum is rounded to f32, in the order of k.
void inOrder(void **) {
  const uint32_t lane = zge_thread();
  const uint32_t one = 0x3c00, tiny = 0x0001; // f16: 1 and 2^-24
  // Row 0 of a: 1, 2^-24, 2^-24, -1, 0...; b is all 1.
  uint32_t a[4] = {}, b[2] = {one | one << 16, one | one << 16};
  if (lane == 0)
    a[0] = one | tiny << 16;
  if (lane == 1)
    a[0] = tiny | (0x8000 | one) << 16;
  float sums[4] = {};
  zge_mma(ZGE_F16, a, b, sums);
  if (lane == 0)
    all.d[0][0] = sums[0];
}

TEST(Tensor, SumsAreRoundedInTheOrderOfTheirTerms) {
  passes(inOrder);
  EXPECT_EQ(all.d[0][0], 0.0f); // not 2^-23
}

TEST(Tensor, FindsLanesThatDoNotMultiply) {
  fails(
      [](void **) {
        uint32_t a[4] = {}, b[2] = {};
        float sums[4] = {};
        if (zge_thread() != 7)
          zge_mma(ZGE_BF16, a, b, sums);
      },
      "waits in mma of bf16, but thread 7 has ended");
  fails(
      [](void **) {
        uint32_t a[4] = {}, b[2] = {};
        float sums[4] = {};
        zge_mma(zge_thread() < 16 ? ZGE_BF16 : ZGE_F16, a, b, sums);
      },
      "waits in mma of ");
  fails(
      [](void **) {
        uint32_t a[4] = {}, b[2] = {};
        float sums[4] = {};
        zge_mma(ZGE_BF16, a, b, sums);
      },
      "the block has 48 threads", 48);
}

//===----------------------------------------------------------------------===//
// ldmatrix
//===----------------------------------------------------------------------===//

uint16_t *shared() { return static_cast<uint16_t *>(zge_shared()); }

/// Row r of matrix m, 8 halves, is at byte 16 (8 m + r), but with a larger
/// stride.
constexpr uint32_t kStride = 48;

template <bool IsTransposed, bool HasSync, uint32_t Align = 0>
void load(void **) {
  const uint32_t lane = zge_thread();
  for (uint32_t i = 0; i < 8; ++i) {
    uint16_t *to = shared() + lane * kStride / 2 + i;
    zge_write(to, 2);
    *to = all.halves[lane][i];
  }
  if (HasSync)
    zge_sync(32);
  uint32_t words[4];
  zge_fragment(lane * kStride + Align, IsTransposed, words);
  for (int m = 0; m < 4; ++m)
    for (int half = 0; half < 2; ++half)
      all.words[lane][m][half] = uint16_t(words[m] >> 16 * half);
}

/// PTX ISA: lanes 8 m to 8 m + 7 give the addresses of rows 0 to 7 of matrix m;
/// lane l gets the elements 2 (l % 4) and 2 (l % 4) + 1 of row l / 4, or with
/// .trans of column l / 4.
template <bool IsTransposed>
void checkFragments() {
  for (int lane = 0; lane < 32; ++lane)
    for (int m = 0; m < 4; ++m)
      for (int half = 0; half < 2; ++half) {
        const int long_ = lane / 4, short_ = 2 * (lane % 4) + half;
        const int row = IsTransposed ? short_ : long_,
                  column = IsTransposed ? long_ : short_;
        EXPECT_EQ(all.words[lane][m][half], all.halves[8 * m + row][column])
            << lane << ", " << m << ", " << half;
      }
}

TEST(Tensor, AWarpLoadsMatrices) {
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 8; ++j)
      all.halves[i][j] = uint16_t(i * 100 + j);
  passes(load<false, true>);
  checkFragments<false>();
  passes(load<true, true>);
  checkFragments<true>();
}

TEST(Tensor, FindsLoadsOfWhatAnotherLaneMayStillWrite) {
  fails(load<false, false>, "no sync or barrier lies between");
  fails(load<true, false>, "no sync or barrier lies between");
}

TEST(Tensor, FindsRowsThatAreNotAligned) {
  fails(load<false, true, 8>, "not aligned");
}

TEST(Tensor, FindsRowsBeyondSharedMemory) {
  fails(
      [](void **) {
        uint32_t words[4];
        zge_fragment(4096 - 16 * zge_thread(), 0, words);
      },
      "no memory of the device");
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

TEST(Tensor, NumbersAreRoundedToTheNearest) {
  // bf16: halfway between 1 and 1 + 2^-7 rounds to even, a larger number up.
  EXPECT_EQ(zge_pack(ZGE_BF16, 1.00390625f, 1.01171875f), 0x3f823f80u);
  EXPECT_EQ(zge_pack(ZGE_BF16, 1.0039064f, -2.0f), 0xc0003f81u);
  EXPECT_EQ(zge_pack(ZGE_BF16, HUGE_VALF, NAN), 0x7fff7f80u);
  EXPECT_EQ(zge_pack(ZGE_BF16, 3.4e38f, 1e-40f), 0x00017f80u);
  // f16: same with 2^-10; the largest number, 65504; halfway to 2^16.
  EXPECT_EQ(zge_pack(ZGE_F16, 1.00048828125f, 1.00146484375f), 0x3c023c00u);
  EXPECT_EQ(zge_pack(ZGE_F16, 65519.0f, 65520.0f), 0x7c007bffu);
  // Subnormals: 2^-24, half of it to even, and slightly more.
  EXPECT_EQ(zge_pack(ZGE_F16, 0x1p-24f, 0x1p-25f), 0x00000001u);
  EXPECT_EQ(zge_pack(ZGE_F16, 0x1.1p-25f, -0x1p-14f), 0x84000001u);
  EXPECT_EQ(zge_pack(ZGE_F16, 0x1.ff8p-15f, 0x1.ffcp-15f), 0x040003ffu);
  EXPECT_EQ(zge_exp2(-3), 0.125f);
  EXPECT_EQ(zge_exp2(-HUGE_VALF), 0.0f);
}

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

/// Each thread copies a row, and reads the row that the next thread has copied.
template <bool Waits, bool HasBarrier, uint32_t Bytes = 16>
void copyRows(void **) {
  const uint32_t i = zge_thread();
  zge_copy(16 * i, all.global[i], Bytes);
  if (Waits)
    zge_wait_for_copies();
  if (HasBarrier)
    zge_barrier();
  const uint16_t *from = shared() + (i + 1) % 128 * 8;
  zge_read(from, 16);
  std::memcpy(all.halves[i % 64], from, 16);
  if (!Waits)
    zge_wait_for_copies();
}

TEST(Tensor, CopiesAreThereAfterAWaitAndABarrier) {
  for (int i = 0; i < 128; ++i)
    for (int j = 0; j < 8; ++j)
      all.global[i][j] = uint16_t(i * 8 + j);
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    ASSERT_EQ(find(copyRows<true, true>, seed, 64), "");
    for (int i = 0; i < 63; ++i)
      EXPECT_EQ(all.halves[i][5], (i + 1) * 8 + 5);
    ASSERT_EQ(find(copyRows<true, true, 0>, seed, 64), "");
    for (int i = 0; i < 63; ++i)
      EXPECT_EQ(all.halves[i][5], 0);
  }
}

TEST(Tensor, FindsReadsOfCopiesWithoutABarrier) {
  fails(copyRows<true, false>, "no sync or barrier lies between", 128);
}

TEST(Tensor, FindsReadsOfCopiesThatTheirThreadHasNotWaitedFor) {
  fails(copyRows<false, true>, "no sync or barrier lies between", 128);
}

TEST(Tensor, WhatACopyHasNotBroughtIsPoison) {
  passes([](void **) {
    const uint32_t i = zge_thread();
    zge_copy(16 * i, all.global[i], 16);
    zge_read(shared() + 8 * i, 16);
    std::memcpy(all.halves[i], shared() + 8 * i, 16);
    zge_wait_for_copies();
  });
  EXPECT_EQ(all.halves[3][0], 0xffff);
}

TEST(Tensor, OlderGroupsOfCopiesArriveFirst) {
  passes([](void **) {
    const uint32_t i = zge_thread();
    const auto copy = [&](uint32_t row) {
      zge_copy(16 * (4 * i + row), all.global[i], 16);
      zge_end_copies();
    };
    for (uint32_t row = 0; row < 4; ++row)
      copy(row);
    zge_wait_for_older_copies(2);
    zge_read(shared() + 32 * i, 64);
    for (uint32_t row = 0; row < 4; ++row)
      all.halves[i][row] = shared()[8 * (4 * i + row) + 1];
    zge_wait_for_older_copies(0);
  });
  for (uint16_t row : {0, 1})
    EXPECT_EQ(all.halves[3][row], all.global[3][1]);
  for (uint16_t row : {2, 3})
    EXPECT_EQ(all.halves[3][row], 0xffff);
  // A copy belongs to the group that ends next, and is not complete before.
  fails(
      [](void **) {
        zge_copy(16 * zge_thread(), all.global, 16);
        zge_wait_for_older_copies(0);
      },
      "it ends, and waits for none of 1 copies");
}

TEST(Tensor, FindsCopiesThatNobodyWaitsFor) {
  fails([](void **) { zge_copy(16 * zge_thread(), all.global, 16); },
        "it ends, and waits for none of 1 copies");
}

TEST(Tensor, FindsWrongCopies) {
  fails([](void **) { zge_copy(16 * zge_thread(), all.global, 17); },
        "it copies 17 bytes; at most 16 are possible");
  fails([](void **) { zge_copy(16 * zge_thread(), &all.global[0][4], 8); },
        "not aligned");
  fails([](void **) { zge_copy(16 * zge_thread(), &all.global[0][4], 16); },
        "not aligned");
  fails([](void **) { zge_copy(16 * zge_thread() + 8, all.global, 16); },
        "not aligned");
  fails([](void **) { zge_copy(4096 + 16 * zge_thread(), all.global, 16); },
        "no memory of the device");
  fails(
      [](void **) {
        zge_copy(0, all.global, 16);
        zge_wait_for_copies();
      },
      "no sync or barrier lies between");
}

} // namespace
