//===- EvalOptions.cpp - --eval-data and what belongs to it ---------------===//
#include "train/options/EvalOptions.h"

#include "train/options/InputOptions.h"
#include "train/options/OptionValues.h"

using namespace zrt;

void zrt::addEvalOptions(CLI::App &app, TypedEval &typed) {
  addFilesOption(app, "--eval-data", typed.data);
  addInputOption(app, "--eval-input", typed.inputs);
  app.add_option("--eval-every", typed.every);
  app.add_option("--eval-batches", typed.batches);
}

void zrt::judgeEvalOptions(const CLI::App &app, const TypedEval &typed,
                           TrainOptions &options) {
  EvalOptions &eval = options.eval;
  const auto given = [&](const char *option) { return app.count(option) > 0; };
  eval.data = readFiles("--eval-data", typed.data);
  eval.inputs = readInputs("--eval-input", typed.inputs);
  constexpr int64_t kMost = int64_t{1} << 40;
  for (const auto &[option, text, value] :
       {std::tuple<const char *, const std::string &, int64_t &>{
            "--eval-every", typed.every, eval.every},
        {"--eval-batches", typed.batches, eval.batches}}) {
    if (!given(option))
      continue;
    if (!eval.isWanted())
      usage("{} needs --eval-data=FILE", option);
    value = readCount(option, text, kMost);
    if (value == 0)
      usage("{} must be 1 or more, got 0", option);
  }
}
