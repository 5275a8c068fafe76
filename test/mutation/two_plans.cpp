//===- two_plans.cpp - Runs another plan on one rank ----------------------===//
//
// Ranks that run different programs are refused at their start.  This program,
// with two plans attached, runs own.so on the rank that MUTANT_RANK names, and
// plan.so on the others.
//
//   MUTANT_RANK=1 MUTANT_RANKS=2 two_plans ...
//
//===----------------------------------------------------------------------===//
#include "runtime/program/Attachments.h"
#include "runtime/world/SocketWorld.h"
#include "train/run/Mains.h"

#include <cstdlib>
#include <string>

int main(int argc, char **argv) {
  const zrt::Launch launch =
      zrt::startRanks(std::atoi(std::getenv("MUTANT_RANKS")));
  setenv("RANK", std::to_string(launch.rank).c_str(), 1);
  setenv("WORLD_SIZE", std::to_string(launch.size).c_str(), 1);
  setenv("MASTER_PORT", launch.job.c_str(), 1);
  const bool mine = launch.rank == std::atoi(std::getenv("MUTANT_RANK"));
  zrt::loadAttachment(mine ? "own.so" : zrt::kPlanAttachment);
  const auto *plan =
      static_cast<const zrt_plan *>(zrt::findSymbol("zrt_compiled_plan"));
  return zrt::trainMain(*plan, argc, argv);
}
