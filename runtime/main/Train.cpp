//===- Train.cpp - The training loop --------------------------------------===//
//
// Whatever can be refused is refused before the first step: the command line,
// the plan, the data, initial weights, and files that cannot be written.  A
// metrics file is emptied last, when nothing else can fail any more.
//
//===----------------------------------------------------------------------===//
#include "runtime/main/Train.h"

#include "runtime/Error.h"
#include "runtime/cpu/Context.h"
#include "runtime/cpu/MemoryUse.h"
#include "runtime/cpu/PlanChecks.h"
#include "runtime/init/Initialize.h"
#include "runtime/io/AtomicFile.h"
#include "runtime/io/Parameters.h"
#include "runtime/main/Metrics.h"
#include "runtime/main/Options.h"
#include "runtime/main/PlanInputs.h"
#include "runtime/main/Progress.h"
#include "runtime/main/Report.h"

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <memory>

using namespace zrt;
using Clock = std::chrono::steady_clock;

namespace {

/// Files up to this size are checked whole before training.
constexpr uint64_t kScanBytes = uint64_t{256} << 20;

volatile std::sig_atomic_t stopSignal = 0;

/// Ctrl-C (and a batch system's SIGTERM) lets the step finish; a second one
/// meets the default action.
void catchStopSignals() {
  struct sigaction action = {};
  action.sa_handler = [](int signal) { stopSignal = signal; };
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  stopSignal = 0;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A write beyond the file size limit then fails like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
}

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Training {
public:
  Training(const zrt_plan &plan, const TrainOptions &options)
      : plan(plan), options(options), inputs((checkPlan(plan), plan)),
        data(options.data, options.format, plan.seq, plan.vocab) {}

  int run() {
    if (data.fileBytes() <= kScanBytes)
      data.checkAll();
    if (!options.save.empty())
      checkWritable(options.save);
    zrt_context *created = nullptr;
    if (zrt_create(&plan, options.threads, &created) != 0)
      throw Error(zrt_error_message(nullptr));
    context.reset(created);
    parameters = findParameters(plan, created);
    setInitialValues();
    if (!options.metrics.empty())
      metricsFile.open(options.metrics);
    if (!options.quiet) {
      fmt::print("{}", startBlock(plan, created, options.data, data,
                                  created->threads()));
      std::fflush(stdout);
    }
    catchStopSignals();
    loop();
    return finish();
  }

private:
  void setInitialValues() {
    if (options.init.empty()) {
      initializeParameters(parameters, options.seed, context->threads());
      return;
    }
    const std::string warning = loadParameters(parameters, options.init);
    if (!warning.empty())
      fmt::print(stderr, "{}: warning: {}\n", options.program, warning);
  }

  void loop() {
    Progress progress(options.schedule.steps, options.quiet);
    for (int64_t step = 0; step < options.schedule.steps && !stopSignal;
         ++step) {
      // The first step also makes oneDNN's kernels and touches the arenas.
      if (options.profile && (step == 0 || step == 1))
        context->profile.start();
      metrics = runStep(step);
      if (step > 0)
        laterSeconds += metrics.milliseconds * 1e-3;
      if (!std::isfinite(metrics.loss) && firstNonfinite < 0)
        firstNonfinite = step;
      if (metricsFile.isOpen())
        metricsFile.write(metrics);
      progress.show(metrics);
      done = step + 1;
    }
    progress.finish();
    metricsFile.close();
  }

  StepMetrics runStep(int64_t step) {
    zrt_context *ctx = context.get();
    const auto start = Clock::now();
    data.readBatch({.step = static_cast<uint64_t>(step)}, plan.batch,
                   inputs.tokens(ctx), inputs.targets(ctx));
    const auto lr = static_cast<float>(options.schedule.at(step));
    inputs.writeScalars(ctx, lr, step);
    if (zrt_run_step(ctx) != 0)
      fail("step {}: {}", step, zrt_error_message(ctx));
    const double seconds = secondsSince(start);
    StepMetrics result;
    result.step = step;
    result.loss = inputs.loss(ctx);
    result.gradNorm = inputs.gradNorm(ctx);
    result.lr = lr;
    result.tokensPerSecond = tokensPerStep() / seconds;
    result.milliseconds = seconds * 1e3;
    return result;
  }

  int finish() {
    const int signal = stopSignal;
    if (!options.save.empty())
      saveParameters(parameters, options.save);
    if (!options.quiet)
      printEnd(signal);
    if (options.profile)
      fmt::print("{}", context->profile.table());
    if (firstNonfinite >= 0)
      fmt::print(stderr,
                 "{}: warning: the loss was not finite from step {} on; try a "
                 "lower --lr or a --warmup\n",
                 options.program, firstNonfinite);
    if (std::fflush(stdout) != 0)
      fail("cannot write to standard output: {}", errnoText());
    return signal ? 128 + signal : 0;
  }

  void printEnd(int signal) {
    if (signal)
      fmt::print("stopped by {} after {} of {} steps\n",
                 signal == SIGINT ? "Ctrl-C" : "SIGTERM", done,
                 options.schedule.steps);
    if (done > 0)
      fmt::print("final loss {:.6f} (step {})\n", metrics.loss, metrics.step);
    // The first step pays for page faults and kernel generation.
    if (done > 1)
      fmt::print("{:.0f} tokens/s\n",
                 tokensPerStep() * double(done - 1) / laterSeconds);
    fmt::print("peak memory {} (arenas {})\n", withUnit(peakResidentBytes()),
               withUnit(arenaBytes()));
    if (!options.save.empty())
      fmt::print("weights saved to {}\n", options.save);
  }

  double tokensPerStep() const { return double(plan.batch) * double(plan.seq); }

  uint64_t arenaBytes() const {
    uint64_t bytes = 0;
    for (uint32_t tier = 0; tier < ZRT_TIER_COUNT; ++tier)
      bytes += zrt_arena_bytes(context.get(), tier);
    return bytes;
  }

  struct Destroy {
    void operator()(zrt_context *ctx) const { zrt_destroy(ctx); }
  };

  const zrt_plan &plan;
  const TrainOptions &options;
  const PlanInputs inputs;
  const TokenData data;
  std::unique_ptr<zrt_context, Destroy> context;
  std::vector<Parameter> parameters;
  MetricsFile metricsFile;
  StepMetrics metrics; ///< of the last step
  int64_t done = 0;
  int64_t firstNonfinite = -1;
  double laterSeconds = 0; ///< of all steps but the first
};

} // namespace

int zrt::trainMain(const zrt_plan &plan, int argc, const char *const *argv) {
  const std::string program = programName(argc > 0 ? argv[0] : nullptr);
  int status = 1;
  std::string message;
  try {
    const TrainOptions options = parseOptions(argc, argv);
    if (!options.help.empty()) {
      fmt::print("{}", options.help);
      return 0;
    }
    if (options.certificate) {
      fmt::print("{}", certificate(plan));
      return 0;
    }
    return Training(plan, options).run();
  } catch (const UsageError &error) {
    status = 2;
    message = error.what();
  } catch (const std::bad_alloc &) {
    message = "out of memory";
  } catch (const std::exception &error) {
    message = error.what();
  }
  std::fflush(stdout);
  fmt::print(stderr, "{}: error: {}\n", program, message);
  return status;
}
