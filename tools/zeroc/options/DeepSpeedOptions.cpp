//===- DeepSpeedOptions.cpp - --ds-config beside what was typed -----------===//
#include "tools/zeroc/deepspeed/DeepSpeedKeys.h"
#include "tools/zeroc/options/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::zero;

void CommandLine::takeDeepSpeed() {
  if (deepSpeedFile == "keys") {
    llvm::outs() << deepspeed::printKeys();
    exit(0);
  }
  const PipelineOptions &p = options.pipeline;
  deepspeed::Given given{p.worldSize, p.context, std::nullopt,
                         getTyped("--precision")};
  if (getTyped("--accumulate"))
    given.accumulate = p.accumulate;
  given.choosesByTime = isGiven("--machine");
  llvm::Expected<deepspeed::Config> config =
      deepspeed::readConfig(deepSpeedFile, given);
  if (!config)
    fail(llvm::toString(config.takeError()));
  llvm::erase_if(config->options, [&](const auto &option) {
    return option.isDefault && getTyped(option.name);
  });
  std::optional<std::string> all = getTyped("--offload");
  for (const deepspeed::Config::Option &option : config->options) {
    std::string refusal;
    if (all && StringRef(option.name).starts_with("--offload-") &&
        option.name != "--offload-activations" && *all != option.value)
      refusal = option.contradict("--offload=" + *all);
    for (Flag &flag : flags)
      if (refusal.empty() && flag.changes && flag.getName() == option.name)
        refusal = flag.takeFrom(option);
    if (!refusal.empty())
      config->refusals.push_back(refusal);
  }
  if (!config->refusals.empty())
    fail(config->explainRefusals());
  options.pipeline.raisesLive = config->raisesLive && !getTyped("--max-live");
  options.deepSpeed = std::move(*config);
  // Without a model it says what the file becomes.
  if (options.input.empty() && options.certificate == "json") {
    llvm::outs() << options.deepSpeed->toJson();
    exit(0);
  }
  if (options.input.empty()) {
    llvm::outs() << options.deepSpeed->report();
    if (int64_t batch = options.deepSpeed->microBatch)
      llvm::outs() << "  import with: --batch=" << batch << "\n";
    exit(0);
  }
}
