//===- TimelineTest.cpp - Work, schedules and simulated times -------------===//

#include "dialect/nn/NN.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "passes/time/StepTime.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Six launches, numbered 0 to 5:
///
///   compute   0        3   5         5 waits for 4, and reads it
///   host          1    4             4 waits for 0
///   (2 is a product on compute)
const char *const kTwoStreams = R"(
module attributes {zero.micro_steps = 1} {
  zero.kernel @f() -> tensor<f32>
  zero.kernel @g(tensor<f32>) -> tensor<f32>
  zero.program @step(%x: tensor<2x4xf32>, %y: tensor<4x3xf32>) -> (tensor<f32> {zero.output = "loss"}) {
    %0 = zero.launch @f() : () -> tensor<f32>
    %e0 = zero.record on compute
    %1 = zero.launch @f() {zero.stream = #zero.stream<host>} : () -> tensor<f32>
    %2 = nn.matmul %x, %y : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %3 = zero.launch @f() : () -> tensor<f32>
    zero.wait %e0 on host
    %4 = zero.launch @f() {zero.stream = #zero.stream<host>} : () -> tensor<f32>
    %e1 = zero.record on host
    zero.wait %e1 on compute
    %5 = zero.launch @g(%4) : (tensor<f32>) -> tensor<f32>
    zero.return %5 : tensor<f32>
  }
})";

class TimelineTest : public ::testing::Test {
protected:
  TimelineTest() {
    registry.insert<nn::NNDialect, ZeroDialect>();
    context.appendDialectRegistry(registry);
    // A launch takes a second, and a flop nothing.
    machine.cores = 2;
    layout.seconds = {{"*.call", 1}, {"matmul.call", 0}};
    for (const char *last : {"flop", "a", "b", "c", "memory", "cache"})
      layout.seconds["*." + std::string(last)] = 0;
  }

  ProgramOp parse(std::string text) {
    plan = parseSourceString<ModuleOp>(text, &context);
    return plan ? plan->lookupSymbol<ProgramOp>("step") : ProgramOp();
  }

  /// The ends of the tasks.
  std::vector<double> ends(ProgramOp program) {
    auto timeline = simulate(Schedule(program, 0), machine, layout);
    EXPECT_TRUE(bool(timeline));
    std::vector<double> all;
    for (const Span &span : timeline->spans)
      all.push_back(span.end);
    path = timeline->getCriticalPath();
    return all;
  }

  DialectRegistry registry;
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> plan;
  Machine machine;
  Machine::Layout layout;
  std::vector<unsigned> path;
};

std::string without(std::string text, const std::string &line) {
  const size_t at = text.find(line);
  EXPECT_NE(at, std::string::npos);
  return text.erase(at, line.size());
}

} // namespace

TEST_F(TimelineTest, StreamsRunBesideEachOtherAndWaitForEvents) {
  ProgramOp program = parse(kTwoStreams);
  ASSERT_TRUE(program);
  EXPECT_EQ(ends(program), (std::vector<double>{1, 1, 1, 2, 2, 3}));
  EXPECT_EQ(path, (std::vector<unsigned>{0, 2, 3, 5}));
}

TEST_F(TimelineTest, StreamsShareCores) {
  ProgramOp program = parse(kTwoStreams);
  ASSERT_TRUE(program);
  machine.cores = 1;
  // Two that run take twice as long, the last one is alone.
  EXPECT_EQ(ends(program), (std::vector<double>{2, 2, 2, 4, 4, 5}));
  // A team of two threads wants both cores.
  machine.cores = 2;
  layout.threads = 2;
  EXPECT_EQ(ends(program), (std::vector<double>{1.5, 1.5, 1.5, 3, 3, 4}));
  // A GPU's streams do not share them.
  machine.target = "cuda";
  EXPECT_EQ(ends(program), (std::vector<double>{1, 1, 1, 2, 2, 3}));
}

TEST_F(TimelineTest, WithoutEventsTasksWaitForTheirOperands) {
  std::string text = kTwoStreams;
  for (const char *line :
       {"    zero.wait %e0 on host\n", "    zero.wait %e1 on compute\n",
        "    %e0 = zero.record on compute\n",
        "    %e1 = zero.record on host\n"})
    text = without(text, line);
  ProgramOp program = parse(text);
  ASSERT_TRUE(program);
  EXPECT_TRUE(succeeded(Schedule(program, 0).verify()));
  EXPECT_EQ(ends(program).back(), 3);
}

TEST_F(TimelineTest, AnInputThatNothingOrdersIsAnError) {
  ProgramOp program = parse(kTwoStreams);
  ASSERT_TRUE(program);
  EXPECT_TRUE(succeeded(Schedule(program, 0).verify()));
  program = parse(without(kTwoStreams, "    zero.wait %e1 on compute\n"));
  ASSERT_TRUE(program);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(Schedule(program, 0).verify()));
  EXPECT_EQ(message, "'zero.launch' op reads what stream host makes, and does "
                     "not wait for it");
}

TEST_F(TimelineTest, AnEventPassesOnWhatItsStreamWaitsFor) {
  // compute knows that host is done only by way of d2h, which runs nothing.
  std::string text = kTwoStreams;
  const std::string wait = "    zero.wait %e1 on compute\n";
  text.replace(text.find(wait), wait.size(),
               "    zero.wait %e1 on d2h\n    %e2 = zero.record on d2h\n"
               "    zero.wait %e2 on compute\n");
  ProgramOp program = parse(text);
  ASSERT_TRUE(program);
  EXPECT_TRUE(succeeded(Schedule(program, 0).verify()));
  EXPECT_EQ(ends(program).back(), 3);
}

TEST_F(TimelineTest, WorkIsCountedFromTypes) {
  ProgramOp program = parse(kTwoStreams);
  ASSERT_TRUE(program);
  SymbolTableCollection symbols;
  for (auto op : program.front().getOps<nn::MatmulOp>()) {
    Work work = countWork(cast<PlanOpInterface>(*op), symbols);
    EXPECT_EQ(work["matmul.f32.flop"], 2 * 2 * 3 * 4);
    EXPECT_EQ(work["matmul.f32.a"], 2 * 4 * 4);
    EXPECT_EQ(work["matmul.f32.b"], 4 * 3 * 4);
    EXPECT_EQ(work["matmul.f32.c"], 2 * 3 * 4);
    EXPECT_EQ(work["matmul.call"], 1);
  }
}

TEST_F(TimelineTest, AKindWithoutATimeIsAnError) {
  ProgramOp program = parse(kTwoStreams);
  ASSERT_TRUE(program);
  layout.seconds.erase("*.flop");
  machine.file = "m.json";
  auto timeline = simulate(Schedule(program, 0), machine, layout);
  ASSERT_FALSE(bool(timeline));
  EXPECT_EQ(llvm::toString(timeline.takeError()),
            "m.json has no time of matmul.f32.flop; measure it with zeroc "
            "calibrate, or add it");
}

TEST_F(TimelineTest, RanksThatAreNotEquallyFast) {
  ProgramOp program = parse(kTwoStreams);
  ASSERT_TRUE(program);
  Schedule schedule(program, 0);
  auto timeline = simulate(schedule, machine, layout);
  ASSERT_TRUE(bool(timeline));
  EXPECT_EQ(simulateRanks(schedule, *timeline, 3, {}), timeline->seconds);
  EXPECT_EQ(simulateRanks(schedule, *timeline, 3, {.straggler = 2}),
            2 * timeline->seconds);
  const double once = simulateRanks(schedule, *timeline, 100, {.mean = 0.1});
  EXPECT_GT(once, 1.1 * timeline->seconds);
  EXPECT_EQ(simulateRanks(schedule, *timeline, 100, {.mean = 0.1}), once);
  for (uint64_t seed : {uint64_t(0), uint64_t(2), uint64_t(65537)})
    EXPECT_NE(
        simulateRanks(schedule, *timeline, 100, {.mean = 0.1, .seed = seed}),
        once);
  EXPECT_NE(simulateRanks(schedule, *timeline, 100, {.mean = 0.1}, 1), once);
}
