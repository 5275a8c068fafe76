//===- RopeFrequenciesTest.cpp - Compares with transformers ---------------===//
//
// The expected numbers were computed in float64 by modeling_rope_utils.py of
// transformers 5.23.
//
//===----------------------------------------------------------------------===//
#include "frontend/RopeFrequencies.h"

#include "llvm/ADT/ArrayRef.h"
#include "gtest/gtest.h"

using namespace mlir::frontend;

namespace {

void expectRope(const Rope &rope, double factor,
                llvm::ArrayRef<double> frequencies) {
  EXPECT_NEAR(rope.factor, factor, 1e-12);
  ASSERT_EQ(rope.frequencies.size(), frequencies.size());
  for (size_t i = 0; i < frequencies.size(); ++i)
    EXPECT_NEAR(rope.frequencies[i] / frequencies[i], 1, 1e-11) << i;
}

TEST(RopeFrequencies, Default) {
  expectRope(computeRope(10000, 8), 1, {1, 0.1, 0.01, 0.001});
}

TEST(RopeFrequencies, Linear) {
  expectRope(
      computeRope(10000, 6, {.type = RopeScaling::Linear, .factor = 2.5}), 1,
      {0.4, 0.0185663553345, 0.000861773876013});
}

TEST(RopeFrequencies, Llama3) {
  RopeScaling s = {.type = RopeScaling::Llama3,
                   .factor = 8,
                   .originalPositions = 8192,
                   .lowFrequencyFactor = 1,
                   .highFrequencyFactor = 4};
  expectRope(computeRope(500000, 16, s), 1,
             {1.0, 0.193922744749, 0.0376060309309, 0.00729266473722,
              0.000524846160993, 3.42810219595e-05, 6.64786987118e-06,
              1.28917317215e-06});
}

TEST(RopeFrequencies, Yarn) {
  RopeScaling s = {
      .type = RopeScaling::Yarn, .factor = 4, .originalPositions = 32768};
  expectRope(computeRope(10000, 16, s), 1.138629436111989,
             {1.0, 0.316227766017, 0.1, 0.0316227766017, 0.01, 0.00256935059889,
              0.000625, 0.000138349647632});
}

TEST(RopeFrequencies, YarnWithAllNumbers) {
  RopeScaling s = {.type = RopeScaling::Yarn,
                   .factor = 16,
                   .originalPositions = 256,
                   .betaFast = 16,
                   .betaSlow = 2,
                   .mscale = 0.7,
                   .mscaleAllDim = 1.3,
                   .truncate = false};
  expectRope(computeRope(1000, 12, s), 0.8777191591153677,
             {1.0, 0.285350083606, 0.0383304929888, 0.00197642353761, 0.000625,
              0.000197642353761});
}

TEST(RopeFrequencies, YarnWithAFactorOfItsOwn) {
  RopeScaling s = {.type = RopeScaling::Yarn,
                   .factor = 2,
                   .originalPositions = 32,
                   .attentionFactor = 1.25};
  expectRope(computeRope(10000, 4, s), 1.25, {1.0, 0.005});
}

TEST(RopeFrequencies, LongRope) {
  RopeScaling s = {.type = RopeScaling::Long,
                   .factor = 16,
                   .originalPositions = 256,
                   .factors = {1, 2, 4}};
  expectRope(computeRope(1000, 6, s), 1.224744871391589, {1.0, 0.05, 0.0025});
  s.attentionFactor = 1.5;
  expectRope(computeRope(1000, 6, s), 1.5, {1.0, 0.05, 0.0025});
  s.attentionFactor = {};
  s.factor = 0.5;
  expectRope(computeRope(1000, 6, s), 1, {1.0, 0.05, 0.0025});
}

} // namespace
