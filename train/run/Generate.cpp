//===- Generate.cpp - A program that only generates text ------------------===//
#include "train/run/Mains.h"

#include "runtime/text/Error.h"
#include "runtime/world/Agree.h"
#include "train/generate/PlanDecoder.h"
#include "train/generate/Serve.h"
#include "train/options/CommandLine.h"
#include "train/options/Options.h"
#include "train/report/SampleText.h"
#include "train/report/StandardStreams.h"
#include "train/run/ForwardProgram.h"
#include "train/run/Sampling.h"

#include <algorithm>
#include <unistd.h>
#include <vector>

using namespace zrt;

namespace {

struct GenerateOptions {
  TrainOptions common; ///< only of the machine, the seed and samples
  std::string logits;  ///< weights and adapter are those of `common`
  size_t logitsBy = 0; ///< tokens of a run; 0: one, by the program decode
  bool serves = false;
  std::vector<int32_t> endIds;
};

GenerateOptions parse(const zrt_plan &plan, int argc, const char *const *argv) {
  GenerateOptions options;
  TrainOptions &common = options.common;
  common.program = programName(argc > 0 ? argv[0] : nullptr);
  CommandLine line(common.program,
                   "Generates text with the model that this program was "
                   "compiled from.",
                   "Print this text and end");
  line.addListed({"--prompt", "--prompt-ids", "--pieces", "--sample-tokens",
                  "--temperature", "--top-k", "--certificate", "--plan",
                  "--threads", "--nvme-path", "--verify-reads",
                  "--memory-check"});
  // These mean something else than in train, which has the others.
  addWeights(line);
  line.addFlag("--serve", "Requests",
               "Answer requests on standard input (docs/generate.md)");
  line.add("--end-ids", "ID,...", "Requests",
           "The tokens that end an answer (default: none)");
  line.add("--sample", "N", "Samples", "Number of texts (default 1)");
  line.add("--seed", "N", "Samples", "Seed of sampling (default 0)");
  line.add("--logits", "FILE", "Output",
           "Write the logits after each token of the prompt, as .npy of "
           "[tokens, classes]; generate no text");
  line.add("--logits-by", "KIND", "Output",
           "Compute these logits token by token (default: token), in chunks of "
           "a prompt (chunk), or in runs of a number of tokens; the same bits");
  if (!parseForward(plan, line, argc, argv, common))
    return options;
  options.logits = line.text("--logits");
  if (const std::string kind = line.text("--logits-by"); !kind.empty()) {
    if (options.logits.empty())
      usage("--logits-by={} needs --logits=FILE", kind);
    const size_t chunk = chunkOf(plan);
    if (kind == "chunk")
      options.logitsBy = chunk;
    else if (kind.find_first_not_of("0123456789") == std::string::npos)
      options.logitsBy =
          size_t(line.countFrom1("--logits-by", int64_t(chunk), 1));
    else if (kind != "token")
      usage("--logits-by must be token, chunk or a number of tokens up to {}, "
            "got {}",
            chunk, kind);
  }
  options.serves = line.isOn("--serve");
  for (const int64_t id : readIds(line, "--end-ids")) {
    if (id < 0 || id > INT32_MAX)
      usage("--end-ids has the token {}, and tokens are 0 to {}", id,
            INT32_MAX);
    options.endIds.push_back(int32_t(id));
  }
  if (options.serves) {
    if (plan.world_size > 1)
      usage("--serve is for programs of one rank, and this one has {}; compile "
            "with --world-size=1",
            plan.world_size);
    for (const char *other :
         {"--prompt", "--prompt-ids", "--pieces", "--sample", "--sample-tokens",
          "--temperature", "--top-k", "--logits", "--seed"})
      if (line.given(other))
        usage("{} is part of a request with --serve; drop it", other);
    return options;
  }
  if (!options.endIds.empty())
    usage("--end-ids needs --serve");
  common.sample.count = line.countFrom1("--sample", int64_t{1} << 24, 1);
  readPrompt(line, common.sample);
  common.seed = line.seed();
  checkSampling(plan, common.sample);
  return options;
}

void generate(const zrt_plan &plan, const GenerateOptions &options,
              World &world, zrt_context *ctx) {
  const TrainOptions &common = options.common;
  if (options.serves) {
    PlanDecoder decoder(ctx, plan);
    DescriptorLines lines(STDIN_FILENO, longestRequest(decoder.positions()));
    serve(decoder, options.endIds, lines, [](const std::string &text) {
      printText(text);
      return lostOutput().empty();
    });
    return;
  }
  const Sampling sampling(plan, common.sample, common.seed, world.rank());
  if (!options.logits.empty()) {
    const std::vector<float> logits =
        sampling.promptLogits(ctx, options.logitsBy);
    together(world, [&] {
      if (world.rank() == 0)
        writeNpy(options.logits, logits,
                 logits.size() / std::max<size_t>(sampling.prompt().size(), 1));
    });
    return;
  }
  const std::vector<Sample> samples = sampling.run(ctx, world);
  if (world.rank() == 0)
    sayText(samplesText(common.sample, sampling.prompt(), samples, "",
                        positionsOf(plan)));
}

} // namespace

bool zrt::generatesOnly(const zrt_plan &plan) {
  return plan.abi_version == ZRT_ABI_VERSION && !plan.programs[ZRT_STEP].ops &&
         canGenerate(plan);
}

int zrt::generateMain(const zrt_plan &plan, int argc, const char *const *argv) {
  const GenerateOptions options = parse(plan, argc, argv);
  return runForward(plan, options.common, [&](World &world, zrt_context *ctx) {
    generate(plan, options, world, ctx);
  });
}
