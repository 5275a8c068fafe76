//===- ComparedOptions.cpp - Options that several plans are made with -----===//
#include "abi/CompileOptions.h"
#include "tools/zeroc/options/CommandLine.h"

#include "dialect/zero/Origin.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <functional>

using namespace mlir;
using namespace mlir::zero;

/// What --offload=TIER means beside more particular options.
void CommandLine::offload(PipelineOptions &p, Offload tier) const {
  if (!isGiven("--offload-optimizer"))
    p.offloadOptimizer = tier;
  if (!isGiven("--offload-params") && mayOffloadParameters(p))
    p.offloadParams = tier;
}

Values CommandLine::several(
    StringRef usage, Values one,
    std::function<std::function<void(PipelineOptions &)>()> take) {
  auto read = [this, take = std::move(take), inner = std::move(one.read),
               option = "--" + getOptionName(usage).str()](
                  StringRef text) -> llvm::Error {
    if (!options.isPlanned || !text.contains(','))
      return inner(text);
    std::vector<NamedValue> values;
    for (StringRef part : llvm::split(text, ',')) {
      if (llvm::Error error = inner(part))
        return error;
      values.push_back({option + "=" + part.str(), take()});
    }
    options.plan.compared.push_back(std::move(values));
    return llvm::Error::success();
  };
  return {read, std::move(one.otherwise)};
}

/// Plans of several values are as given otherwise.
void CommandLine::takeCompared() {
  PlanRequest &plan = options.plan;
  if (plan.free.any())
    fail("several values of an option are compared, and auto is chosen; drop "
         "one of them");
  auto isTier = [](const std::vector<NamedValue> &values) {
    return StringRef(values.front().text).starts_with("--offload=");
  };
  // What it means depends on the stage.
  if (isGiven("--offload") && llvm::none_of(plan.compared, isTier))
    plan.compared.push_back(
        {{"", [this](PipelineOptions &p) { offload(p, offloadAll); }}});
  std::ranges::stable_partition(plan.compared, std::not_fn(isTier));
}

/// The typed options but `without`, as a shell reads them.
std::string CommandLine::listTyped(ArrayRef<std::string> without) const {
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
  SmallVector<StringRef> kept;
  for (const zrt::CompileOption &option : zrt::kCompileOptions)
    if (option.is(zrt::CompileOption::Printed))
      kept.push_back(StringRef(option.name).drop_front(2));
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
    llvm::SmallString<128> value(flag.getTyped());
    for (StringRef ending : {".mlir", ".json", ".safetensors"})
      if (value.ends_with(ending))
        // Without a current folder the name stays as it is.
        if (llvm::SmallString<128> path(value);
            !llvm::sys::fs::make_absolute(path))
          value = path;
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
