//===- ForwardProgram.cpp - Programs that do not train --------------------===//
#include "train/run/ForwardProgram.h"

#include "runtime/files/AtomicFile.h"
#include "runtime/text/Error.h"
#include "runtime/world/Agree.h"
#include "train/data/HostAccess.h"
#include "train/data/SeededInputs.h"
#include "train/report/Report.h"
#include "train/report/StandardStreams.h"
#include "train/run/Mains.h"
#include "train/run/PlanContext.h"
#include "train/run/Weights.h"
#include "train/state/checkpoint/Reader.h"

#include <memory>

using namespace zrt;

void zrt::addWeights(CommandLine &line) {
  line.add("--weights", "PATH", "Required",
           "A checkpoint, a folder of checkpoints or of a Hugging Face model, "
           "or a safetensors file");
  line.add("--base", "DIR", "Adapters",
           "Where the base of a checkpoint that does not hold its frozen "
           "parameters is now, if it was moved");
  line.add("--adapter", "DIR", "Adapters",
           "A folder of adapters as PEFT writes it, of a program with --lora");
}

bool zrt::parseForward(const zrt_plan &plan, CommandLine &line, int argc,
                       const char *const *argv, TrainOptions &options) {
  line.parse(argc, argv);
  options.help = line.help();
  if (!options.help.empty())
    return false;
  readListings(line, options);
  if (options.certificate || options.plan)
    return false;
  options.init = line.text("--weights");
  options.adapter = line.text("--adapter");
  options.checkpoint.base = line.text("--base");
  options.nvmePath = line.text("--nvme-path");
  options.verifyReads = line.isOn("--verify-reads");
  options.threads = static_cast<int32_t>(line.count("--threads", 4096));
  options.checksMemory = readMemoryCheck(line);
  if (options.init.empty())
    usage("--weights is missing; see {} --help", options.program);
  checkTierOptions(plan, options);
  return true;
}

/// Throws if the run of the checkpoint trained adapters and the plan has none.
static void checkAdapters(const zrt_plan &plan,
                          const CheckpointReader &reader) {
  if (plan.adapters && *plan.adapters)
    return;
  if (const ParameterRecord *adapter = reader.findAdapter())
    fail("{}: this run trained adapters; add its --lora={}:ALPHA, and its "
         "--lora-targets and --base-storage if it has them",
         reader.path(), adapter->shape.front());
}

static void load(const zrt_plan &plan, const TrainOptions &options,
                 World &world, zrt_context *ctx, const State &state,
                 const BlockShare &ofHost) {
  const ContextMemory memory(ctx);
  const std::string &base = options.checkpoint.base;
  if (!isCheckpoint(options.init)) {
    if (!base.empty())
      fail("--base={} is for a checkpoint, and {} is none; drop it", base,
           options.init);
    Weights(plan, options, world, ctx, /*delaysUpdates=*/false).initialize();
  } else {
    if (!options.adapter.empty())
      fail("--adapter={}: the checkpoint {} has adapters of its own; drop it",
           options.adapter, options.init);
    CheckpointReader reader(findCheckpoint(options.init));
    checkAdapters(plan, reader);
    reader.checkFits(state);
    reader.verify(world.rank(), world.size(), zrt_threads(ctx));
    reader.openBase(base);
    reader.verifyBase(ofHost);
    reader.load(state, memory);
  }
  if (const std::string found =
          firstNonfinite(state.slots.front().parameters, memory);
      !found.empty())
    fail("{}: {}", options.init, found);
}

int zrt::runForward(const zrt_plan &plan, const TrainOptions &options,
                    const std::function<void(World &, zrt_context *)> &work) {
  const auto printed = [] { return lostOutput().empty() ? 0 : kFailed; };
  if (printListing(plan, options))
    return printed();
  const std::unique_ptr<World> world = connectWorld(plan.world_size);
  PlanContext context(*world);
  try {
    together(*world, [&] { context.create(plan); });
    together(*world, [&] { context.start(options); });
    const State state = findState(plan, world->rank());
    const BlockShare ofHost = shareOfHost(*world, zrt_threads(context.get()));
    together(*world, [&] {
      load(plan, options, *world, context.get(), state, ofHost);
    });
    work(*world, context.get());
    return printed();
  } catch (const AgreedError &error) {
    if (!error.printedElsewhere)
      throw;
  } catch (const std::exception &error) {
    // Before destructors, whose streams may be waiting for the other ranks.
    world->abort(error.what());
    throw;
  }
  return kFailed;
}

void zrt::writeNpy(const std::string &path, const std::vector<float> &values,
                   uint64_t columns) {
  const std::string header =
      npyHeader(ZRT_F32, {int64_t(values.size() / columns), int64_t(columns)});
  AtomicFile file(path);
  file.write(header.data(), header.size());
  file.write(values.data(), values.size() * sizeof(float));
  file.commit();
}
