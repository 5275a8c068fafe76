//===- Generate.cpp - A program that only generates text ------------------===//
#include "train/run/Train.h"

#include "runtime/Error.h"
#include "runtime/checkpoint/Reader.h"
#include "runtime/io/AtomicFile.h"
#include "runtime/world/Agree.h"
#include "train/data/HostAccess.h"
#include "train/data/SeededInputs.h"
#include "train/options/CommandLine.h"
#include "train/options/Options.h"
#include "train/report/Report.h"
#include "train/report/StandardStreams.h"
#include "train/run/PlanContext.h"
#include "train/run/SampleText.h"
#include "train/run/Sampling.h"

#include <memory>

using namespace zrt;

namespace {

struct GenerateOptions {
  TrainOptions common; ///< only of the machine, the seed and samples
  std::string weights, logits;
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
  line.add("--sample", "N", "Samples", "Number of texts (default 1)");
  line.add("--seed", "N", "Samples", "Seed of sampling (default 0)");
  line.add("--logits", "FILE", "Output",
           "Write the logits after each token of the prompt, as .npy of "
           "[tokens, classes]; generate no text");
  line.parse(argc, argv);
  common.help = line.help();
  if (!common.help.empty())
    return options;
  readListings(line, common);
  if (common.certificate || common.plan)
    return options;
  options.weights = line.text("--weights");
  options.logits = line.text("--logits");
  common.nvmePath = line.text("--nvme-path");
  common.verifyReads = line.isOn("--verify-reads");
  if (options.weights.empty())
    usage("--weights is missing; see {} --help", common.program);
  common.sample.count = line.countFrom1("--sample", int64_t{1} << 24, 1);
  readPrompt(line, common.sample);
  common.seed = line.seed();
  common.threads = static_cast<int32_t>(line.count("--threads", 4096));
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
    const Sampling sampling(plan, common.sample, common.seed, world.rank());
    if (!options.logits.empty()) {
      const std::vector<float> logits = sampling.promptLogits(context.get());
      together(world, [&] {
        if (isFirst)
          writeNpy(options.logits, logits, sampling.classes());
      });
      return;
    }
    const std::vector<Sample> samples = sampling.run(context.get(), world);
    if (isFirst)
      sayText(samplesText(common.sample, sampling.prompt(), samples, ""));
  }

private:
  void load(const State &state) {
    const ContextMemory memory(context.get());
    const std::vector<Parameter> &parameters = state.slots.front().parameters;
    if (!isCheckpoint(options.weights)) {
      const std::string warning =
          loadParameters(parameters, options.weights, memory);
      if (isFirst && !warning.empty())
        complain(
            fmt::format("{}: warning: {}", options.common.program, warning));
    } else {
      const CheckpointReader reader(findCheckpoint(options.weights));
      checkAdapters(reader);
      reader.checkFits(state);
      reader.verify(world.rank(), world.size(), zrt_threads(context.get()));
      reader.load(state, memory);
    }
    if (const std::string found = firstNonfinite(parameters, memory);
        !found.empty())
      fail("{}: {}", options.weights, found);
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
         plan.programs[ZRT_PREDICT].ops;
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
