//===- Train.cpp - The training loop --------------------------------------===//
//
// Whatever can be refused is refused before the first step: the command line,
// the plan, the data, initial weights, files that cannot be written, and ranks
// that were given different things.  What can fail on one rank alone is a phase
// that all ranks vote on (runtime/world/Agree.h).  A metrics file is emptied
// last, when nothing else can fail any more.
//
// Every rank runs the loop; rank 0 alone prints and writes.
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
#include "runtime/main/Fingerprint.h"
#include "runtime/main/Metrics.h"
#include "runtime/main/Options.h"
#include "runtime/main/Progress.h"
#include "runtime/main/Report.h"
#include "runtime/main/StepRunner.h"
#include "runtime/main/StopSignal.h"
#include "runtime/world/Agree.h"

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

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Training {
public:
  Training(const zrt_plan &plan, const TrainOptions &options, World &world)
      : plan(plan), options(options), world(world), handle{world},
        isFirst(world.rank() == 0), quiet(options.quiet || !isFirst) {}

  int run() {
    openFiles();
    // Its ranks talk to each other, and fail together.
    together(world, [&] { createContext(); });
    together(world, [&] { setInitialValues(); });
    together(world, [&] {
      if (isFirst && !options.metrics.empty())
        metricsFile.open(options.metrics);
      catchStopSignals();
    });
    if (!quiet) {
      fmt::print("{}", startBlock(plan, context.get(), options.data, *data,
                                  context->threads()));
      if (const std::string note = context->transportNote(); !note.empty())
        fmt::print("note      {}\n", note);
      std::fflush(stdout);
    }
    loop();
    if (const std::string wrong = context->wire().difference(); !wrong.empty())
      fail("{}; please report this", wrong);
    if (!options.save.empty())
      saveParameters(parameters, options.save, world);
    if (isFirst)
      report();
    return stoppedBy ? 128 + stoppedBy : 0;
  }

private:
  void openFiles() {
    Fingerprint fingerprint;
    together(world, [&] {
      checkPlan(plan);
      data = std::make_unique<TokenData>(options.data, options.format, plan.seq,
                                         plan.vocab);
      runner = std::make_unique<StepRunner>(plan, *data, world.rank());
      if (data->fileBytes() <= kScanBytes)
        data->checkAll();
      if (isFirst && !options.save.empty())
        checkWritable(options.save);
      if (world.size() > 1)
        fingerprint = fingerprintOf(options);
    });
    if (world.size() > 1)
      compareFingerprints(world, fingerprint);
  }

  void createContext() {
    zrt_context *created = nullptr;
    if (zrt_create(&plan, options.threads, &handle, &created) != 0)
      throw Error(zrt_error_message(nullptr));
    context.reset(created);
  }

  void setInitialValues() {
    zrt_context *ctx = context.get();
    parameters = findParameters(plan, world.rank(), [ctx](const zrt_ref &ref) {
      return static_cast<std::byte *>(zrt_address(ctx, &ref));
    });
    if (options.init.empty()) {
      initializeParameters(parameters, options.seed, context->threads());
      return;
    }
    const std::string warning = loadParameters(parameters, options.init);
    if (isFirst && !warning.empty())
      fmt::print(stderr, "{}: warning: {}\n", options.program, warning);
  }

  void loop() {
    Progress progress(options.schedule.steps, quiet);
    while (true) {
      stoppedBy = stopSignal(world);
      if (stoppedBy || done == options.schedule.steps)
        break;
      // The first step also touches the arenas.
      if (options.profile && isFirst && done <= 1) {
        context->profile.start();
        context->wire().start();
      }
      metrics = runStep(done);
      if (done > 0)
        laterSeconds += metrics.milliseconds * 1e-3;
      if (!std::isfinite(metrics.loss) && firstNonfinite < 0)
        firstNonfinite = done;
      if (metricsFile.isOpen())
        metricsFile.write(metrics);
      progress.show(metrics);
      ++done;
    }
    progress.finish();
    metricsFile.close();
  }

  StepMetrics runStep(int64_t step) {
    zrt_context *ctx = context.get();
    const auto start = Clock::now();
    const auto lr = static_cast<float>(options.schedule.at(step));
    const StepRunner::Result outputs = runner->run(ctx, step, lr);
    const double seconds = secondsSince(start);
    StepMetrics result;
    result.step = step;
    result.loss = outputs.loss;
    result.gradNorm = outputs.gradNorm;
    result.lr = lr;
    result.tokensPerSecond = tokensPerStep() / seconds;
    result.milliseconds = seconds * 1e3;
    return result;
  }

  void report() {
    if (!quiet)
      printEnd();
    if (options.profile)
      printProfile();
    if (firstNonfinite >= 0)
      fmt::print(stderr,
                 "{}: warning: the loss was not finite from step {} on; try a "
                 "lower --lr or a --warmup\n",
                 options.program, firstNonfinite);
    if (std::fflush(stdout) != 0)
      fail("cannot write to standard output: {}", errnoText());
  }

  /// Of rank 0.
  void printProfile() {
    fmt::print("{}", context->profile.table());
    fmt::print("{}", context->wire().table());
  }

  void printEnd() {
    if (stoppedBy)
      fmt::print("stopped by {} after {} of {} steps\n",
                 stoppedBy == SIGINT ? "Ctrl-C" : "SIGTERM", done,
                 options.schedule.steps);
    if (done > 0)
      fmt::print("final loss {:.6f} (step {})\n", metrics.loss, metrics.step);
    // The first step pays for page faults and kernel generation.
    if (done > 1)
      fmt::print("{:.0f} tokens/s\n",
                 tokensPerStep() * double(done - 1) / laterSeconds);
    fmt::print("peak memory{} {} (arenas {})\n",
               world.size() > 1 ? " of rank 0" : "",
               withUnit(peakResidentBytes()), withUnit(arenaBytes()));
    if (!options.save.empty())
      fmt::print("weights saved to {}\n", options.save);
  }

  /// Of all ranks.
  double tokensPerStep() const {
    return double(plan.batch) * double(plan.seq) * double(plan.accumulate) *
           double(plan.world_size);
  }

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
  World &world;
  zrt_world handle;
  const bool isFirst; ///< rank 0, which prints and writes
  const bool quiet;
  std::unique_ptr<const TokenData> data;
  std::unique_ptr<const StepRunner> runner;
  std::unique_ptr<zrt_context, Destroy> context;
  std::vector<Parameter> parameters;
  MetricsFile metricsFile;
  StepMetrics metrics; ///< of the last step
  int64_t done = 0;    ///< steps
  int stoppedBy = 0;   ///< signal
  int64_t firstNonfinite = -1;
  double laterSeconds = 0; ///< of all steps but the first
};

/// Output that came before must not follow it in a log.  No message: another
/// rank says it.
void printError(const std::string &who, const std::string &message) {
  if (message.empty())
    return;
  std::fflush(stdout);
  fmt::print(stderr, "{}: error: {}\n", who, message);
}

std::string messageOf(const std::exception &error) {
  return dynamic_cast<const std::bad_alloc *>(&error) ? "out of memory"
                                                      : error.what();
}

/// Trains with the ranks of `world`; the exit status.
int trainWith(World &world, const zrt_plan &plan, const TrainOptions &options) {
  const std::string who =
      world.size() > 1
          ? fmt::format("{}: rank {}", options.program, world.rank())
          : options.program;
  Training training(plan, options, world);
  try {
    return training.run();
  } catch (const AgreedError &error) {
    // Every rank is on its way out with an error of its own.
    if (!error.printedElsewhere)
      printError(who, error.what());
  } catch (const std::exception &error) {
    // The others do not know yet.  They are told before `training` goes: its
    // streams may be waiting for them.
    const std::string message = messageOf(error);
    printError(who, message);
    world.abort(message);
  }
  return 1;
}

} // namespace

int zrt::trainMain(const zrt_plan &plan, int argc, const char *const *argv) {
  const std::string program = programName(argc > 0 ? argv[0] : nullptr);
  try {
    const TrainOptions options = parseOptions(argc, argv);
    // These two need no other rank, and no launcher.
    if (!options.help.empty()) {
      fmt::print("{}", options.help);
      return 0;
    }
    if (options.certificate) {
      fmt::print("{}", certificate(plan));
      return 0;
    }
    const std::unique_ptr<World> world = connectWorld(plan.world_size);
    return trainWith(*world, plan, options);
  } catch (const UsageError &error) {
    printError(program, error.what());
    return 2;
  } catch (const std::exception &error) {
    printError(program, messageOf(error));
    return 1;
  }
}
