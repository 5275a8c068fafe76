//===- SplitBatches.h - One global batch, split in many ways ----*- C++ -*-===//
#pragma once

#include "train/state/io/SampleOrder.h"
#include "train/state/io/TokenData.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace zrt::test {

/// Expects steps of 24 sequences to read the same ones in the same order,
/// however ranks and micro-steps share them.  `order.at(p)` is the sample at
/// position p.
template <typename Order>
void expectSameForEverySplit(const Order &order) {
  constexpr uint64_t kSequences = 24, kSteps = 5;
  std::set<std::vector<uint64_t>> seen;
  int splits = 0;
  for (const uint64_t ranks : {1, 2, 3, 4, 6, 8})
    for (const uint64_t microSteps : {1, 2, 3}) {
      if (kSequences % (ranks * microSteps) != 0)
        continue;
      ++splits;
      const uint64_t batch = kSequences / (ranks * microSteps);
      std::vector<uint64_t> all;
      for (uint64_t step = 0; step < kSteps; ++step)
        for (uint64_t k = 0; k < microSteps; ++k)
          for (uint64_t rank = 0; rank < ranks; ++rank)
            for (uint64_t row = 0; row < batch; ++row)
              all.push_back(order.at(
                  BatchPlace{step, k, microSteps, rank, ranks}.position(
                      row, batch)));
      seen.insert(all);
    }
  EXPECT_GE(splits, 12);
  EXPECT_EQ(seen.size(), 1u);
}

} // namespace zrt::test
