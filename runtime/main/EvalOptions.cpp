//===- EvalOptions.cpp - --eval-data and what belongs to it ---------------===//
#include "runtime/main/EvalOptions.h"

#include "runtime/main/InputOptions.h"
#include "runtime/main/OptionValues.h"

using namespace zrt;

void zrt::addEvalOptions(CLI::App &app, TypedEval &typed) {
  const auto text = [&](const char *name, std::string &value, const char *type,
                        const char *description) {
    app.add_option(name, value, description)
        ->type_name(type)
        ->group("Evaluation");
  };
  addFilesOption(
      app, "--eval-data", typed.data, "Evaluation",
      "Token files to evaluate on, after the last step (needs zeroc --eval)");
  addInputOption(app, "--eval-input", typed.inputs, "Evaluation",
                 "Samples to evaluate on, as for --input");
  text("--eval-every", typed.every, "N", "Evaluate after every N steps, too");
  text("--eval-batches", typed.batches, "M",
       "Number of batches to evaluate, each as large as zeroc import --batch; "
       "all ranks together read them (default: all)");
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
