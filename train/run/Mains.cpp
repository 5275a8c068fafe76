//===- Mains.cpp - The main functions of programs -------------------------===//
#include "train/run/Mains.h"

#include "runtime/text/Error.h"
#include "runtime/world/SocketWorld.h"
#include "train/data/Feed.h"
#include "train/options/Options.h"
#include "train/report/Report.h"
#include "train/report/StandardStreams.h"
#include "train/run/DeviceCheck.h"
#include "train/run/MatmulAlgorithms.h"
#include "train/run/Training.h"

#include <new>

using namespace zrt;

void zrt::printError(const std::string &who, const std::string &message) {
  if (!message.empty())
    complain(fmt::format("{}: error: {}", who, message));
}

namespace {

std::string messageOf(const std::exception &error) {
  return dynamic_cast<const std::bad_alloc *>(&error) ? "out of memory"
                                                      : error.what();
}

/// Trains with the ranks of `world`.  Returns the exit status.
int trainWith(World &world, const zrt_plan &plan, const TrainOptions &options) {
  const std::string who =
      world.size() > 1
          ? fmt::format("{}: rank {}", options.program, world.rank())
          : options.program;
  Training training(plan, options, world, who);
  bool isLost = false; // the failure is another rank's
  try {
    return training.train();
  } catch (const AgreedError &error) {
    // Every rank ends with its own AgreedError.
    if (!error.printedElsewhere)
      printError(who, error.what());
  } catch (const std::exception &error) {
    // Inform the other ranks before the destructor of `training`, whose streams
    // may be waiting for them.
    const std::string message = messageOf(error);
    isLost = options.elastic && world.hasLostPeer();
    if (isLost)
      complain(fmt::format("{}: note: {}", who, message));
    else
      printError(who, message);
    world.abort(message);
  }
  if (isLost)
    return options.startedRank >= 0 ? kPeerLost : int(kTryAgain);
  return kFailed;
}

} // namespace

int zrt::trainMain(const zrt_plan &plan, const TrainOptions &options) {
  // --help, --certificate and --plan need no other rank and no launcher.
  if (printListing(plan, options))
    return lostOutput().empty() ? 0 : kFailed;
  if (options.metrics == "-" || options.drives)
    sayOnStandardError();
  if (options.deviceCheck) {
    checkDeviceCheck(plan, options);
    const std::unique_ptr<World> world = connectWorld(plan.world_size);
    return deviceCheck(plan, options, *world);
  }
  // The tables of another version cannot be read; checkPlan reports that.
  if (plan.abi_version == ZRT_ABI_VERSION) {
    if (!options.drives)
      checkGiven(plan, options);
    else if (fedInputs(plan).empty())
      usage("--drive: requests give samples, and this model reads none");
    checkEvaluation(plan, options);
    checkSampling(plan, options.sample);
    checkTierOptions(plan, options);
    checkMatmulOptions(plan, options);
  }
  std::unique_ptr<World> world;
  try {
    world = connectWorld(plan.world_size);
  } catch (const Error &error) {
    // All ranks of one starter could connect, but for one that has failed.
    if (options.startedRank < 0)
      throw;
    complain(fmt::format("{}: rank {}: note: {}", options.program,
                         options.startedRank, error.what()));
    return kPeerLost;
  }
  return trainWith(*world, plan, options);
}

int zrt::trainMain(const zrt_plan &plan, int argc, const char *const *argv) {
  openStandardStreams();
  return guarded(programName(argc > 0 ? argv[0] : nullptr), [&] {
    if (generatesOnly(plan))
      return generateMain(plan, argc, argv);
    if (scoresOnly(plan))
      return scoreMain(plan, argc, argv);
    return trainMain(plan, parseOptions(argc, argv));
  });
}

int zrt::guarded(const std::string &program,
                 const std::function<int()> &action) {
  try {
    return action();
  } catch (const UsageError &error) {
    printError(program, error.what());
    return kMisused;
  } catch (const std::exception &error) {
    printError(program, messageOf(error));
    return kFailed;
  }
}
