//===- Warp.cpp - Matmuls of a warp -------------------------------===//
//
// The PTX ISA defines the places of elements: "Matrix Fragments for
// mma.m16n8k16 with floating point type", and "ldmatrix".  A warp reads and
// multiplies together, but that does not order memory.
//
//===----------------------------------------------------------------------===//
#include "Grid.h"

#include <cstring>
#include <fmt/format.h>

using namespace zge;

namespace {

constexpr uint32_t kRows = 16, kColumns = 8, kDepth = 16;

struct Multiplication {
  const uint32_t *a, *b;
  float *sums;
};

/// Element `half` of a word.
float element(uint32_t type, uint32_t word, uint32_t half) {
  return widen16(type, uint16_t(word >> 16 * half));
}

void multiplyAll(uint32_t type,
                 const std::array<Multiplication *, kWarp> &lanes) {
  float a[kRows][kDepth], b[kDepth][kColumns], sums[kRows][kColumns];
  for (uint32_t lane = 0; lane < kWarp; ++lane) {
    const Multiplication &mine = *lanes[lane];
    const uint32_t group = lane / 4, pair = 2 * (lane % 4);
    for (uint32_t half = 0; half < 2; ++half) {
      for (uint32_t word = 0; word < 4; ++word)
        a[group + 8 * (word % 2)][pair + half + 8 * (word / 2)] =
            element(type, mine.a[word], half);
      for (uint32_t word = 0; word < 2; ++word) {
        b[pair + half + 8 * word][group] = element(type, mine.b[word], half);
        sums[group + 8 * word][pair + half] = mine.sums[2 * word + half];
      }
    }
  }
  for (uint32_t row = 0; row < kRows; ++row)
    for (uint32_t k = 0; k < kDepth; ++k)
      for (uint32_t column = 0; column < kColumns; ++column)
        sums[row][column] += a[row][k] * b[k][column];
  for (uint32_t lane = 0; lane < kWarp; ++lane)
    for (uint32_t i = 0; i < 4; ++i)
      lanes[lane]->sums[i] =
          sums[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2];
}

struct FragmentLoad {
  uint32_t at;
  bool isTransposed;
  uint32_t *words;
  /// The two halves that each word consists of.
  std::array<std::array<uint32_t, 2>, 4> halves;
};

void findHalves(const std::array<FragmentLoad *, kWarp> &lanes) {
  for (uint32_t lane = 0; lane < kWarp; ++lane)
    for (uint32_t matrix = 0; matrix < 4; ++matrix)
      for (uint32_t half = 0; half < 2; ++half) {
        uint32_t row = lane / 4, column = 2 * (lane % 4) + half;
        if (lanes[lane]->isTransposed)
          std::swap(row, column);
        lanes[lane]->halves[matrix][half] =
            lanes[8 * matrix + row]->at + 2 * column;
      }
}

} // namespace

void Grid::multiply(uint32_t type, const uint32_t *a, const uint32_t *b,
                    float *sums) {
  Multiplication mine{a, b, sums};
  inWarp(Wait::Multiply, "mma", type, mine,
         [&](const std::array<Multiplication *, kWarp> &lanes) {
           multiplyAll(type, lanes);
         });
}

void Grid::loadFragment(uint32_t at, bool isTransposed, uint32_t *words) {
  FragmentLoad mine{at, isTransposed, words, {}};
  // Counts as an access of the lane that gives the row and of those that
  // receive it.
  access(sharedAt(at), 16, /*writes=*/false);
  inWarp(Wait::Fragment, "ldmatrix", isTransposed, mine, findHalves);
  for (uint32_t matrix = 0; matrix < 4; ++matrix) {
    words[matrix] = 0;
    for (uint32_t half = 0; half < 2; ++half) {
      const char *from = sharedAt(mine.halves[matrix][half]);
      access(from, 2, /*writes=*/false);
      uint16_t bits;
      std::memcpy(&bits, from, 2);
      words[matrix] |= uint32_t(bits) << 16 * half;
    }
  }
}
