//===- Generate.cpp - A program that only generates text ------------------===//
#include "train/run/Train.h"

#include "runtime/Error.h"
#include "runtime/checkpoint/Reader.h"
#include "runtime/io/AtomicFile.h"
#include "runtime/world/Agree.h"
#include "train/data/HostAccess.h"
#include "train/data/SeededInputs.h"
#include "train/generate/PlanDecoder.h"
#include "train/generate/Serve.h"
#include "train/options/CommandLine.h"
#include "train/options/Options.h"
#include "train/report/Report.h"
#include "train/report/StandardStreams.h"
#include "train/run/PlanContext.h"
#include "train/run/SampleText.h"
#include "train/run/Sampling.h"
#include "train/run/Weights.h"

#include <memory>
#include <unistd.h>

using namespace zrt;

namespace {

struct GenerateOptions {
  TrainOptions common; ///< only of the machine, the seed and samples
  std::string logits;  ///< weights and adapter are those of `common`
  bool logitsInChunks = false, serves = false;
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
  line.addListed({"--prompt", "--prompt-ids", "--sample-tokens",
                  "--temperature", "--top-k", "--certificate", "--plan",
                  "--threads", "--nvme-path", "--verify-reads"});
  // These mean something else than in train, which has the others.
  line.add("--weights", "PATH", "Required",
           "A checkpoint, a folder of checkpoints or of a Hugging Face model, "
           "or a safetensors file");
  line.add("--adapter", "DIR", "Adapters",
           "A folder of adapters as PEFT writes it, of a program with --lora");
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
           "Compute these logits token by token (default: token), or in chunks "
           "of a prompt (chunk); the same bits");
  line.parse(argc, argv);
  common.help = line.help();
  if (!common.help.empty())
    return options;
  readListings(line, common);
  if (common.certificate || common.plan)
    return options;
  common.init = line.text("--weights");
  common.adapter = line.text("--adapter");
  options.logits = line.text("--logits");
  if (const std::string kind = line.text("--logits-by"); !kind.empty()) {
    if (options.logits.empty())
      usage("--logits-by={} needs --logits=FILE", kind);
    if (kind != "token" && kind != "chunk")
      usage("--logits-by must be token or chunk, got {}", kind);
    options.logitsInChunks = kind == "chunk";
  }
  common.nvmePath = line.text("--nvme-path");
  common.verifyReads = line.isOn("--verify-reads");
  if (common.init.empty())
    usage("--weights is missing; see {} --help", common.program);
  common.threads = static_cast<int32_t>(line.count("--threads", 4096));
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
         {"--prompt", "--prompt-ids", "--sample", "--sample-tokens",
          "--temperature", "--top-k", "--logits", "--seed"})
      if (line.given(other))
        usage("{} is part of a request with --serve; drop it", other);
    checkTierOptions(plan, common);
    return options;
  }
  if (!options.endIds.empty())
    usage("--end-ids needs --serve");
  common.sample.count = line.countFrom1("--sample", int64_t{1} << 24, 1);
  readPrompt(line, common.sample);
  common.seed = line.seed();
  checkTierOptions(plan, common);
  checkSampling(plan, common.sample);
  return options;
}

/// Writes `values` as a NumPy array with so many columns.
void writeNpy(const std::string &path, const std::vector<float> &values,
              uint64_t columns) {
  const std::string header =
      npyHeader(ZRT_F32, {int64_t(values.size() / columns), int64_t(columns)});
  AtomicFile file(path);
  file.write(header.data(), header.size());
  file.write(values.data(), values.size() * sizeof(float));
  file.commit();
}

class Generation {
public:
  Generation(const zrt_plan &plan, const GenerateOptions &options, World &world)
      : plan(plan), options(options), world(world), isFirst(world.rank() == 0),
        context(world) {}

  void run() {
    together(world, [&] { context.create(plan); });
    together(world, [&] { context.start(options.common); });
    const State state = findState(plan, world.rank());
    together(world, [&] { load(state); });
    const TrainOptions &common = options.common;
    if (options.serves) {
      PlanDecoder decoder(context.get(), plan);
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
          sampling.promptLogits(context.get(), options.logitsInChunks);
      together(world, [&] {
        if (isFirst)
          writeNpy(options.logits, logits,
                   logits.size() /
                       std::max<size_t>(sampling.prompt().size(), 1));
      });
      return;
    }
    const std::vector<Sample> samples = sampling.run(context.get(), world);
    if (isFirst)
      sayText(samplesText(common.sample, sampling.prompt(), samples, "",
                          positionsOf(plan)));
  }

private:
  void load(const State &state) {
    const ContextMemory memory(context.get());
    const std::vector<Parameter> &parameters = state.slots.front().parameters;
    const std::string &weights = options.common.init;
    if (!isCheckpoint(weights)) {
      Weights(plan, options.common, world, context.get(),
              /*delaysUpdates=*/false)
          .initialize();
    } else {
      if (!options.common.adapter.empty())
        fail("--adapter={}: the checkpoint {} has adapters of its own; drop it",
             options.common.adapter, weights);
      const CheckpointReader reader(findCheckpoint(weights));
      checkAdapters(reader);
      reader.checkFits(state);
      reader.verify(world.rank(), world.size(), zrt_threads(context.get()));
      reader.load(state, memory);
    }
    if (const std::string found = firstNonfinite(parameters, memory);
        !found.empty())
      fail("{}: {}", weights, found);
  }

  /// Throws if the run of the checkpoint trained adapters and the plan has
  /// none.
  void checkAdapters(const CheckpointReader &reader) const {
    if (plan.adapters && *plan.adapters)
      return;
    if (const ParameterRecord *adapter = reader.findAdapter())
      fail("{}: this run trained adapters; add its --lora={}:ALPHA, and its "
           "--lora-targets and --base-storage if it has them",
           reader.path(), adapter->shape.front());
  }

  const zrt_plan &plan;
  const GenerateOptions &options;
  World &world;
  const bool isFirst;
  PlanContext context;
};

} // namespace

bool zrt::generatesOnly(const zrt_plan &plan) {
  return plan.abi_version == ZRT_ABI_VERSION && !plan.programs[ZRT_STEP].ops &&
         canGenerate(plan);
}

int zrt::generateMain(const zrt_plan &plan, int argc, const char *const *argv) {
  constexpr int kFailed = 1;
  const GenerateOptions options = parse(plan, argc, argv);
  if (printListing(plan, options.common))
    return lostOutput().empty() ? 0 : kFailed;
  const std::unique_ptr<World> world = connectWorld(plan.world_size);
  Generation generation(plan, options, *world);
  try {
    generation.run();
    return lostOutput().empty() ? 0 : kFailed;
  } catch (const AgreedError &error) {
    if (!error.printedElsewhere)
      throw;
  } catch (const std::exception &error) {
    // Before the destructor of `generation`, whose streams may be waiting for
    // the other ranks.
    world->abort(error.what());
    throw;
  }
  return kFailed;
}
