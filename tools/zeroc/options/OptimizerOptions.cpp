//===- OptimizerOptions.cpp - The update rule and its numbers -------------===//
#include "tools/zeroc/options/CommandLine.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::zero;

void CommandLine::declareOptimizer(const Place &place) {
  PipelineOptions &p = options.pipeline;
  Values rule = text(p.optimizer, {"adamw", "lion", "sgd"});
  rule.read = [this, known = rule.read](StringRef given) -> llvm::Error {
    // As a program prints it, the name and a hash of the rule follow.
    auto [file, hash] = given.rsplit('#');
    if (hash.size() == 8 &&
        (file.starts_with("@") || file.ends_with(".mlir"))) {
      options.optimizerHash = ("#" + hash).str();
      given = file;
    }
    if (given.starts_with("@") && !options.optimizerHash.empty())
      return llvm::Error::success(); // the model brings it
    options.optimizerFile = given.ends_with(".mlir") ? given.str() : "";
    if (!options.optimizerFile.empty())
      return llvm::Error::success();
    if (llvm::Error error = known(given)) {
      llvm::consumeError(std::move(error));
      return llvm::createStringError(
          "must be adamw, lion, sgd or a file *.mlir with a rule, got " +
          given);
    }
    return llvm::Error::success();
  };
  add("optimizer=RULE", rule,
      "update rule: adamw, lion, sgd, or FILE.mlir with a rule\n"
      "of your own (zero.optimizer)",
      place);
  add("optimizer-numbers=N=X,...", text(options.optimizerNumbers),
      "values for the scalars of a rule from a file, instead of\n"
      "its defaults",
      place);
  Values betas = decays(p.beta1, p.beta2);
  add("betas=B1,B2", betas.showing(betas.otherwise + "; lion: 0.9,0.99"),
      "decay rates of AdamW's two moments, or of Lion's\n"
      "momentum",
      place);
  add("eps=E", number(p.eps, 1e-30, 1, "above 0 and at most 1"),
      "AdamW's epsilon", place);
  add("momentum=M", number(p.momentum, 0, 0.9999999, "from 0 to below 1"),
      "SGD's momentum", place);
}

void CommandLine::checkOptimizer() {
  PipelineOptions &p = options.pipeline;
  StringRef used = options.optimizerFile.empty()
                       ? StringRef(p.optimizer)
                       : StringRef(options.optimizerFile);
  for (auto [name, owners] : {std::pair<StringRef, SmallVector<StringRef>>{
                                  "--betas", {"adamw", "lion"}},
                              {"--eps", {"adamw"}},
                              {"--momentum", {"sgd"}}})
    if (isGiven(name) && !llvm::is_contained(owners, used))
      fail(name + " needs --optimizer=" + llvm::join(owners, " or ") +
           ", got --optimizer=" + used + "; drop one of them");
  if (isGiven("--optimizer-numbers") && options.optimizerFile.empty())
    fail("--optimizer-numbers needs --optimizer=FILE.mlir, got --optimizer=" +
         used + "; drop one of them");
  // As in the paper; what is there is AdamW's.
  if (used == "lion" && !isGiven("--betas"))
    p.beta2 = 0.99;
}
