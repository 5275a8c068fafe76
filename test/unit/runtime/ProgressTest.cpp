//===- ProgressTest.cpp - What is shown of steps and micro-batches --------===//
#include "train/report/Progress.h"

#include "TestFiles.h"

#include <string>

using namespace zrt;
using std::chrono::seconds;

namespace {

/// A run of steps of four micro-batches of 100 tokens, with a clock that it
/// sets.
class ShownRun {
public:
  explicit ShownRun(ProgressKind kind, int64_t steps = 3)
      : progress(0, steps, kind, [this] { return time; }) {}

  /// What is printed when so many micro-batches of `step` are done.
  std::string microStep(int64_t step, int64_t done, int64_t all = 4) {
    testing::internal::CaptureStdout();
    progress.beforeMicroStep({step, done, all, 400, "tokens"});
    return testing::internal::GetCapturedStdout();
  }
  std::string step(int64_t number) {
    StepMetrics metrics;
    metrics.step = number;
    metrics.loss = 2.5;
    metrics.lr = 0.001;
    metrics.perSecond = 10;
    testing::internal::CaptureStdout();
    progress.afterStep(metrics);
    return testing::internal::GetCapturedStdout();
  }
  void wait(int64_t many) { time += seconds(many); }

private:
  Progress::Clock::time_point time{seconds(1000)};
  Progress progress;
};

} // namespace

TEST(Progress, HasALineAfterTheFirstMicroBatchAndThenSeldom) {
  ShownRun run(ProgressKind::Lines);
  EXPECT_EQ(run.microStep(0, 0), "");
  run.wait(10);
  EXPECT_EQ(run.microStep(0, 1),
            "step 0/3  micro-batch 2/4  10 tok/s  1:50 left\n");
  run.wait(10);
  EXPECT_EQ(run.microStep(0, 2), "");
  run.wait(20);
  EXPECT_EQ(run.microStep(0, 3),
            "step 0/3  micro-batch 4/4  8 tok/s  2:00 left\n");
  run.wait(20);
  EXPECT_HAS(run.step(0), "step 0/3  loss 2.500000  lr 1.000e-03  10 tok/s");
  EXPECT_EQ(run.microStep(1, 0), "");
  run.wait(29);
  EXPECT_EQ(run.microStep(1, 1), "");
  run.wait(1);
  EXPECT_HAS(run.microStep(1, 2), "step 1/3  micro-batch 3/4  7 tok/s");
}

TEST(Progress, IsSilentWithinFastSteps) {
  ShownRun run(ProgressKind::Lines);
  EXPECT_EQ(run.microStep(0, 0), "");
  run.wait(2);
  EXPECT_EQ(run.microStep(0, 1), "");
}

TEST(Progress, HasABarFromTheBeginning) {
  ShownRun run(ProgressKind::Bar);
  EXPECT_EQ(run.microStep(0, 0), "\r[..........] 0/3  micro-batch 1/4");
  run.wait(10);
  EXPECT_HAS(run.microStep(0, 1), "] 0/3  micro-batch 2/4  10 tok/s  ETA 1:50");
  run.wait(30);
  EXPECT_HAS(run.step(0),
             "] 1/3  loss 2.500000  lr 1.000e-03  10 tok/s  ETA 1:20");
  EXPECT_EQ(run.microStep(1, 0), "");
  run.wait(20);
  // What a narrow terminal has no room for is of the step before.
  EXPECT_HAS(run.microStep(1, 2),
             "] 1/3  micro-batch 3/4  10 tok/s  ETA 1:00  loss 2.500000");
}

TEST(Progress, HasNoMicroBatchOfStepsThatAreOneProgram) {
  ShownRun run(ProgressKind::Bar);
  EXPECT_EQ(run.microStep(0, 0, 1), "\r[..........] 0/3");
}

TEST(Progress, LeavesOutWhatANarrowTerminalHasNoRoomFor) {
  ShownRun run(ProgressKind::Bar, 1234567890);
  run.wait(10);
  // 80 columns, as no terminal is known: no number is cut.
  EXPECT_EQ(run.step(0), "\r[..........] 1/1234567890  loss 2.500000  "
                         "lr 1.000e-03  10 tok/s");
}
