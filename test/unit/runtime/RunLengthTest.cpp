//===- RunLengthTest.cpp - The steps of epochs ----------------------------===//
#include "train/options/RunLength.h"

#include "TestFiles.h"

using namespace zrt;

namespace {

RunPosition after(int64_t step, uint64_t sequences) {
  RunPosition run;
  run.step = step;
  run.sequences = sequences;
  return run;
}

} // namespace

TEST(EpochLength, EndsWithTheLastStepThatSamplesFill) {
  EXPECT_EQ((EpochLength{1, 12, 4}.steps()), 3);
  EXPECT_EQ((EpochLength{1, 15, 4}.steps()), 3);
  // The remainders of epochs form additional steps.
  EXPECT_EQ((EpochLength{4, 15, 4}.steps()), 15);
  EXPECT_EQ((EpochLength{3, 5, 7}.steps()), 2);
  EXPECT_EQ((EpochLength{1, 12, 4}.text()), "1 of 12 samples: 3 steps of 4");
  EXPECT_EQ((EpochLength{2, 1500, 7}.text()),
            "2 of 1,500 samples: 428 steps of 7; the last 4 of the last epoch "
            "are left out");
  EXPECT_EQ((EpochLength{1, 5, 4}.text()),
            "1 of 5 samples: 1 step of 4; the last 1 of the last epoch is "
            "left out");
}

TEST(EpochLength, IsTheSameFromWhereverARunGoesOn) {
  for (uint64_t step = 0; step <= 10; ++step)
    EXPECT_EQ((EpochLength{3, 14, 4}.steps(after(int64_t(step), 4 * step))),
              10);
  // Steps of another size, and the rest that another size left.
  EXPECT_EQ((EpochLength{3, 14, 7}.steps(after(3, 12))), 3 + 30 / 7);
  EXPECT_EQ((EpochLength{3, 14, 100}.steps(after(3, 12))), 3);
}

TEST(EpochLength, RefusesWhatIsNoRun) {
  EXPECT_ERROR("--epochs=2 of 1 sample fill no step, which reads 4; give it "
               "more",
               (EpochLength{2, 1, 4}.steps()));
  EXPECT_ERROR("the checkpoint has read 1,001 samples, and --epochs=2 ends "
               "after 1,000; give it more",
               (EpochLength{2, 500, 1}.steps(after(7, 1001))));
  EXPECT_EQ((EpochLength{1 << 24, 3, 3}.steps()), 1 << 24);
  EXPECT_ERROR("are more than 16777216 steps of 3",
               (EpochLength{(1 << 24) + 1, 3, 3}.steps()));
  EXPECT_ERROR("are too many to count",
               (EpochLength{int64_t{1} << 40, uint64_t{1} << 24, 3}.steps()));
}
