//===- Elastic.cpp - Goes on with other numbers of ranks ------------------===//
#include "train/run/Elastic.h"

#include "runtime/system/Clock.h"
#include "runtime/world/SocketWorld.h"
#include "train/report/StandardStreams.h"
#include "train/run/Mains.h"
#include "train/state/checkpoint/Folder.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

using namespace zrt;

namespace {

/// "4, 2 and 1 ranks"
std::string sizesText(const std::vector<uint32_t> &sizes) {
  return fmt::format("{}{}{} rank{}",
                     fmt::join(sizes.begin(), sizes.end() - 1, ", "),
                     sizes.size() > 1 ? " and " : "", sizes.back(),
                     sizes.front() > 1 ? "s" : "");
}

/// "step 150": where the next ranks begin.
std::string nextStep(const TrainOptions &options) {
  const std::string &folder = options.checkpoint.folder;
  std::vector<int64_t> steps;
  std::error_code error;
  if (std::filesystem::exists(folder, error)) // the first ranks make it
    steps = checkpointSteps(folder);
  return fmt::format("step {}", steps.empty() ? 0 : steps.back());
}

/// Lets connectWorld find the ranks, as it finds those of torchrun.
void setEnvironment(const Launch &launch) {
  setenv("RANK", std::to_string(launch.rank).c_str(), 1);
  setenv("WORLD_SIZE", std::to_string(launch.size).c_str(), 1);
  setenv("MASTER_PORT", launch.job.c_str(), 1);
  unsetenv("LOCAL_WORLD_SIZE");
}

} // namespace

uint32_t zrt::chooseRanks(const std::vector<uint32_t> &sizes,
                          const TrainOptions &options,
                          const std::optional<Launched> &launcher) {
  const auto has = [&](uint32_t ranks) {
    return std::find(sizes.begin(), sizes.end(), ranks) != sizes.end();
  };
  const auto asked = uint32_t(options.ranks);
  if (asked && !has(asked))
    usage("--ranks={}: this program has {} for {}; compile it with that number "
          "in --world-size, or give one of these",
          asked, sizes.size() > 1 ? "plans" : "a plan", sizesText(sizes));
  const uint32_t started = launcher ? launcher->ranks : 0;
  if (asked && started && asked != started)
    usage("--ranks={}, but the launcher has started {}; drop the option", asked,
          started);
  if (asked)
    return asked;
  if (sizes.size() == 1 || !launcher || has(started))
    return started && sizes.size() > 1 ? started : sizes.front();
  // Only rank 0 prints the message; the launcher ends it when another one ends.
  if (launcher->rank != 0) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    throw Error("");
  }
  if (!started)
    fail("the launcher does not say how many ranks it has started; add "
         "--ranks=N: this program has plans for {}",
         sizesText(sizes));
  fail("started with {} ranks, and this program has plans for {}; start one of "
       "these, or compile it with --world-size=...,{}",
       started, sizesText(sizes), started);
}

uint32_t zrt::startElastically(const std::vector<uint32_t> &sizes,
                               uint32_t ranks, TrainOptions &options) {
  const auto begun = Clock::now();
  int first = 0; // status of the first failure
  while (true) {
    const auto started =
        startElasticRanks(int(ranks), /*canGrow=*/ranks < sizes.front());
    if (const auto *launch = std::get_if<Launch>(&started)) {
      setEnvironment(*launch);
      options.startedRank = launch->rank;
      if (options.timeLimit > 0)
        options.timeLimit =
            std::max(options.timeLimit - secondsSince(begun), 1e-3);
      return ranks;
    }
    const RanksEnd &end = std::get<RanksEnd>(started);
    if (end.isAsked || (end.failed == 0 && !end.grows)) {
      if (!end.what.empty())
        printError(options.program, end.what);
      std::_Exit(end.status);
    }
    if (!first && end.failed > 0)
      first = end.status;
    const uint32_t left =
        end.grows ? sizes.front() : ranks - uint32_t(end.failed);
    const auto next = std::find_if(sizes.begin(), sizes.end(),
                                   [&](uint32_t one) { return one <= left; });
    const std::string why = end.failed > 0 ? end.what : "SIGUSR2 has come";
    if (next == sizes.end()) {
      printError(options.program,
                 fmt::format("{}; {} of {} ranks {} left, and this program has "
                             "plans for {}; start it again to go on from {}",
                             why, left, ranks, left == 1 ? "is" : "are",
                             sizesText(sizes), nextStep(options)));
      std::_Exit(first);
    }
    complain(fmt::format("{}: {}; going on with {} of {} ranks from {}",
                         options.program, why, *next, sizes.front(),
                         nextStep(options)));
    ranks = *next;
  }
}
