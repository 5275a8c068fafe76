//===- DropoutTest.cpp - The statistics of dropout ------------------------===//
#include "numerics/Dropout.h"
#include "train/schedule/RandomBits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace zrt;

namespace {

constexpr int kMaskElements = 1 << 18;

/// Whether an element is dropped, of a seed, a sequence of its run, and a place.
bool drops(double rate, uint64_t seed, uint64_t sequence, uint64_t place,
           uint32_t element) {
  return !Dropout(dropoutKey(seed, sequence), place, rate).keeps(element);
}

/// The number of standard deviations between the count of `event` among all
/// elements, and its mean for independent ones of probability `p`.
double sigmas(double p, const std::function<bool(uint32_t)> &event) {
  double count = 0;
  for (uint32_t i = 0; i < kMaskElements; ++i)
    count += event(i);
  return (count - p * kMaskElements) / std::sqrt(p * (1 - p) * kMaskElements);
}

TEST(Dropout, HasTheRate) {
  for (double rate : {0.01, 0.1, 0.5, 0.9})
    for (uint64_t place : {0, 1, 77})
      EXPECT_LT(
          std::abs(sigmas(
              rate, [&](uint32_t i) { return drops(rate, 1, 5, place, i); })),
          4)
          << rate << " at place " << place;
}

TEST(Dropout, IsIndependent) {
  constexpr double kRate = 0.3;
  const auto one = [](uint32_t i) { return drops(kRate, 1, 5, 3, i); };
  const auto expectIndependent =
      [&](const std::string &of, const std::function<bool(uint32_t)> &other) {
        EXPECT_LT(
            std::abs(sigmas(kRate * kRate,
                            [&](uint32_t i) { return one(i) && other(i); })),
            4)
            << of;
      };
  // Neighbours in rows and columns, and elements whose numbers share bits.
  for (uint32_t apart : {1, 2, 3, 16, 48, 64, 768, 1024, 65536})
    expectIndependent("elements that are " + std::to_string(apart) + " apart",
                      [&](uint32_t i) { return one(i + apart); });
  expectIndependent("sequences",
                    [](uint32_t i) { return drops(kRate, 1, 6, 3, i); });
  expectIndependent("places",
                    [](uint32_t i) { return drops(kRate, 1, 5, 4, i); });
  expectIndependent("seeds",
                    [](uint32_t i) { return drops(kRate, 2, 5, 3, i); });
}

} // namespace
