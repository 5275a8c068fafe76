//===- ComparedOptions.cpp - Options that several plans are made with -----===//
#include "tools/zeroc/options/CommandLine.h"

#include "dialect/zero/Origin.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::zero;

/// What --offload=TIER means beside more particular options.
void CommandLine::offload(PipelineOptions &p, Offload tier) const {
  if (!isGiven("--offload-optimizer"))
    p.offloadOptimizer = tier;
  if (!isGiven("--offload-params") && mayOffloadParameters(p))
    p.offloadParams = tier;
}

/// It chooses what is compared, and stops where a plan is made.
void CommandLine::checkComparison() {
  for (StringRef name : {"-o", "--emit"})
    if (isGiven(name))
      fail("--compare writes nothing but its table, so " + name +
           " changes nothing; drop one of them");
  // A file's is one of them.
  if (getTyped("--stage"))
    fail("--compare compares all stages, and --stage takes one; drop one of "
         "them");
  for (StringRef name :
       {"--offload", "--offload-optimizer", "--offload-params"})
    if (options.pipeline.worldSize == 1 && isGiven(name))
      fail("--compare on one rank compares all tiers, and " +
           (getTyped(name) ? "" : deepSpeedFile + "'s ") + name +
           " takes one; drop one of them, or add --world-size=N to compare "
           "stages");
  options.emit = Emit::Memory;
  if (options.pipeline.worldSize > 1)
    options.pipeline.stage = 3; // has all of their options
}

/// The typed options but `without`, as a shell reads them.
std::string CommandLine::listTyped(ArrayRef<StringRef> without) const {
  std::string text;
  for (const Flag &flag : flags) {
    if (!flag.getNumOccurrences() ||
        !flag.Subs.contains(&cl::SubCommand::getTopLevel()) ||
        llvm::is_contained(without, flag.getName()) ||
        flag.getTyped() == "auto")
      continue;
    text += " " + flag.getName();
    if (!flag.getTyped().empty())
      text += "=" + quoteWord(flag.getTyped());
  }
  return text;
}

std::vector<std::string> CommandLine::listShaping() const {
  // Those of #zero.options, or that stand for them.
  SmallVector<StringRef> kept = {"offload",  "betas",       "eps",
                                 "momentum", "sample-only", "score-only"};
  visitOptions(options.pipeline,
               [&](StringRef name, auto, auto) { kept.push_back(name); });
  if (options.optimizerFile.empty())
    kept.push_back("optimizer");
  std::vector<std::string> words;
  for (const Flag &flag : flags) {
    if (!flag.isSet() || !flag.shapes(output, foreign) ||
        !flag.Subs.contains(&cl::SubCommand::getTopLevel()) ||
        llvm::is_contained(kept, flag.ArgStr))
      continue;
    SmallString<128> value(flag.getTyped());
    for (StringRef ending : {".mlir", ".json", ".safetensors"})
      if (value.ends_with(ending))
        // Without a current folder the name stays as it is.
        (void)llvm::sys::fs::make_absolute(value);
    words.push_back(flag.getName() + (value.empty() ? "" : "=") +
                    value.str().str());
  }
  return words;
}

bool DriverOptions::isFolder() const {
  return llvm::sys::fs::is_directory(input) ||
         StringRef(input).ends_with(".json");
}

void CommandLine::checkInput() const {
  const bool isFolder = options.isFolder();
  for (StringRef name : {"--batch", "--seq"})
    if (isGiven(name) && !(isFolder && options.isPlanned))
      fail(name + " is for zeroc plan MODEL_DIR; drop it, or see zeroc import "
                  "--help");
  if (isFolder && !options.isPlanned)
    fail(options.input +
         " is no MLIR; the model of a folder comes from zeroc import " +
         options.input + " --batch=B --seq=T -o model.mlir; zeroc plan " +
         options.input + " shows which plans of it fit");
}

/// All stages of several ranks, all tiers of one.
std::vector<Variant> CommandLine::listCompared() const {
  std::vector<Variant> variants;
  const PipelineOptions &p = options.pipeline;
  if (p.worldSize == 1)
    for (Offload tier : {Offload::None, Offload::Cpu, Offload::Nvme}) {
      variants.push_back({stringify(tier).str(), p});
      offload(variants.back().options, tier);
    }
  for (int stage = 0; stage <= 3 && p.worldSize > 1; ++stage) {
    variants.push_back({std::to_string(stage), p});
    PipelineOptions &of = variants.back().options;
    of.stage = stage;
    if (stage < 3)
      of.persistBelow = of.reuseDistance = 0;
    if (isGiven("--offload"))
      offload(of, offloadAll);
  }
  return variants;
}
