//===- Generate.cpp - A program that only generates text ------------------===//
#include "train/run/Generate.h"

#include "runtime/Error.h"
#include "runtime/checkpoint/Reader.h"
#include "runtime/io/AtomicFile.h"
#include "train/options/CertificateOption.h"
#include "train/options/CommandLine.h"
#include "train/data/HostAccess.h"
#include "train/options/OptionValues.h"
#include "train/run/PlanContext.h"
#include "train/report/PlanText.h"
#include "train/report/Report.h"
#include "train/options/SampleOptions.h"
#include "train/run/SampleText.h"
#include "train/run/Sampling.h"
#include "train/report/StandardStreams.h"
#include "train/options/TierOptions.h"
#include "train/options/TrainOptionList.h"
#include "runtime/world/Agree.h"

#include <CLI/CLI.hpp>
#include <memory>

using namespace zrt;

namespace {

struct GenerateOptions {
  TrainOptions
      common; ///< only the options of the machine, the seed and samples
  std::string weights, logits;
};

GenerateOptions parse(const zrt_plan &plan, int argc, const char *const *argv) {
  GenerateOptions options;
  TrainOptions &common = options.common;
  common.program = programName(argc > 0 ? argv[0] : nullptr);
  TypedSample typed;
  std::string count = "1", seed = "0", threads = "0", form;
  CLI::App app("Generates text with the model that this program was compiled "
               "from.",
               common.program);
  app.set_help_flag("");
  bool help = false;
  app.add_flag("-h,--help", help, "Print this text and end");
  const auto text = [&](const char *name, std::string &value, const char *type,
                        const char *group, const char *description) {
    app.add_option(name, value, description)->type_name(type)->group(group);
  };
  addPromptOptions(app, typed);
  addCertificateOption(app, form);
  addCommonOptions(app, threads, common);
  describeOptions(app);
  // These mean something else than in train, which has the others.
  text("--weights", options.weights, "PATH", "Required",
       "A checkpoint, a folder of checkpoints or of a Hugging Face model, or a "
       "safetensors file");
  text("--sample", count, "N", "Samples", "Number of texts (default 1)");
  text("--seed", seed, "N", "Samples", "Seed of sampling (default 0)");
  text("--logits", options.logits, "FILE", "Output",
       "Write the logits after each token of the prompt, as .npy of [tokens, "
       "classes]; generate no text");
  readLine(app, argc, argv);
  if (help) {
    common.help = app.help();
    return options;
  }
  judgeCertificateOption(form, common);
  if (common.certificate || common.plan)
    return options;
  if (options.weights.empty())
    usage("--weights is missing; see {} --help", common.program);
  common.sample.count = readCount("--sample", count, int64_t{1} << 24);
  if (common.sample.count == 0)
    usage("--sample must be 1 or more, got 0");
  judgePromptOptions(app, typed, common.sample);
  common.seed =
      number<uint64_t>("--seed", seed, "a whole number from 0 to 2^64-1");
  common.threads = static_cast<int32_t>(readCount("--threads", threads, 4096));
  checkTierOptions(plan, common);
  checkSampling(plan, common.sample);
  return options;
}

/// Writes `values` as a NumPy array with so many columns.
void writeNpy(const std::string &path, const std::vector<float> &values,
              uint64_t columns) {
  constexpr size_t kPrefix = 10, kAlignment = 64;
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, "
                  "{}), }}",
                  values.size() / columns, columns);
  header +=
      std::string(kAlignment - (kPrefix + header.size() + 1) % kAlignment, ' ');
  header += '\n';
  const std::string prefix = {'\x93',
                              'N',
                              'U',
                              'M',
                              'P',
                              'Y',
                              1,
                              0,
                              static_cast<char>(header.size() & 0xff),
                              static_cast<char>(header.size() >> 8)};
  AtomicFile file(path);
  file.write(prefix.data(), prefix.size());
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
  const TrainOptions &common = options.common;
  if (!common.help.empty() || common.certificate || common.plan) {
    sayText(!common.help.empty() ? common.help
            : common.plan        ? planText(plan)
                                 : certificate(plan, common.certificateJson));
    return lostOutput().empty() ? 0 : kFailed;
  }
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
