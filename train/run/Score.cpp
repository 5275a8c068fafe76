//===- Score.cpp - A program that only scores samples ---------------------===//
#include "train/run/Mains.h"

#include "abi/Counts.h"
#include "runtime/files/OwnFiles.h"
#include "runtime/text/Error.h"
#include "runtime/world/Agree.h"
#include "train/data/Feed.h"
#include "train/options/CommandLine.h"
#include "train/report/Report.h"
#include "train/report/StandardStreams.h"
#include "train/run/ForwardProgram.h"
#include "train/run/Scoring.h"

#include <memory>

using namespace zrt;

namespace {

struct ScoreOptions {
  TrainOptions common; ///< only of weights, data and the machine
  std::string output;
};

ScoreOptions parseScoring(const zrt_plan &plan, int argc,
                          const char *const *argv) {
  ScoreOptions options;
  TrainOptions &common = options.common;
  common.program = programName(argc > 0 ? argv[0] : nullptr);
  CommandLine line(common.program,
                   "Writes what the model that this program was compiled from "
                   "says of each sample: its values.",
                   "Print this text and end");
  line.addListed({"--data", "--data-format", "--document-separator", "--input",
                  "--certificate", "--plan", "--threads", "--nvme-path",
                  "--verify-reads", "--memory-check", "--force"});
  addWeights(line);
  line.add("--out", "FILE.npy", "Required",
           "The file to write: f32, a row for each sample, in their order");
  if (!parseForward(plan, line, argc, argv, common))
    return options;
  readData(line, common);
  options.output = line.text("--out");
  if (!options.output.ends_with(".npy"))
    usage("--out must name a file *.npy, got \"{}\"", options.output);
  checkReplaced(options.output, kRawFile, line.isOn("--force"));
  checkGiven(plan, common);
  return options;
}

void score(const zrt_plan &plan, const ScoreOptions &options, World &world,
           zrt_context *ctx) {
  std::unique_ptr<Feed> feed;
  together(world, [&] { feed = std::make_unique<Feed>(plan, options.common); });
  const std::vector<float> values =
      scoreAll(plan, *feed, feed->samples(), world, ctx);
  together(world, [&] {
    if (world.rank() == 0)
      writeNpy(options.output, values, values.size() / feed->samples());
  });
  if (world.rank() == 0)
    sayText(fmt::format("wrote {}: {}, {} values each\n", options.output,
                        plural(feed->samples(), "sample"),
                        withCommas(values.size() / feed->samples())));
}

} // namespace

bool zrt::scoresOnly(const zrt_plan &plan) {
  return plan.abi_version == ZRT_ABI_VERSION && plan.programs[ZRT_SCORE].ops &&
         !plan.programs[ZRT_STEP].ops;
}

int zrt::scoreMain(const zrt_plan &plan, int argc, const char *const *argv) {
  const ScoreOptions options = parseScoring(plan, argc, argv);
  return runForward(plan, options.common, [&](World &world, zrt_context *ctx) {
    score(plan, options, world, ctx);
  });
}
