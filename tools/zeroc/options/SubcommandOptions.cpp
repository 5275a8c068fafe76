//===- SubcommandOptions.cpp - Options of import, export and the like -----===//
#include "frontend/families/HuggingFace.h"
#include "tools/zeroc/options/CommandLine.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cfloat>

using namespace mlir;
using namespace mlir::zero;

/// "dpo, kto": the objectives that have an option.
static std::string thoseWith(StringRef option) {
  SmallVector<StringRef> names;
  for (const frontend::ObjectiveFacts &one : frontend::kObjectives)
    if (llvm::is_contained(llvm::split(one.options, ' '), option))
      names.push_back(one.name);
  return llvm::join(names, ", ");
}

void CommandLine::declareSubcommands() {
  Place imported{model, std::nullopt, import};
  // Sizes of a tensor of 32-bit ids.  What is needed has no default.
  const std::string size = "an integer from 1 to " + std::to_string(INT32_MAX);
  add("batch=B", count(importOptions.batch, 1, INT32_MAX, size).showing(""),
      "sequences of one micro-batch of one rank", imported);
  add("seq=T", count(importOptions.sequence, 1, INT32_MAX, size).showing(""),
      "tokens per sequence, at most the model's positions", imported);
  add("document-separator=ID",
      count(importOptions.separator, 0, INT32_MAX,
            "a token, an integer from 0 to " + Twine(INT32_MAX))
          .showing(""),
      "token that ends a document; a token attends only to its\n"
      "own document. Give train this option, too: the loss then\n"
      "ignores the target after it",
      imported);
  add("packed", given(importOptions.packed),
      "sequences hold several samples, within which attention\nstays: the "
      "model reads where they begin, as zeroc data\nwrites it",
      imported);
  add("label-smoothing=E",
      number(importOptions.loss.labelSmoothing, 0, 1, "a number from 0 to 1"),
      "spread this share of each target's probability over the\nvocabulary, as "
      "PyTorch's cross_entropy does",
      imported);
  add("z-loss=C",
      number(importOptions.loss.zLoss, 0, FLT_MAX, "a number, 0 or more"),
      "add C times the mean of logsumexp(logits)^2 to the loss", imported);
  add("token-weights", given(importOptions.loss.weighted),
      "the model reads a weight for each target; the loss is\nthe weighted "
      "mean",
      imported);
  const SmallVector<StringRef> objectives =
      llvm::map_to_vector(frontend::kObjectives,
                          [](const auto &one) { return StringRef(one.name); });
  add("objective=NAME", text(importOptions.objective, objectives),
      "what to train for: " + llvm::join(objectives, ", ") +
          "\n(docs/preferences.md)",
      imported);
  frontend::TextLoss &loss = importOptions.loss;
  add("samples=S",
      count(loss.samples, 1, 1 << 16, "an integer from 1 to 65536").showing(""),
      thoseWith("--samples") + ": the most samples of a sequence", imported);
  add("labels=L",
      count(loss.labels, 2, INT32_MAX,
            "an integer from 2 to " + Twine(INT32_MAX))
          .showing(""),
      thoseWith("--labels") + ": the number of labels", imported);
  add("beta=B",
      number(loss.beta, 0, FLT_MAX, "a number, 0 or more")
          .showing("0.1, of grpo 0"),
      thoseWith("--beta") +
          ": strength of the KL penalty towards the\nreference model",
      imported);
  add("epsilon=E", number(loss.epsilon, 0, 1, "a number from 0 to 1"),
      thoseWith("--epsilon") +
          ": how far below and above 1 a ratio of\nprobabilities has effect",
      imported);
  add("epsilon-high=E",
      number(loss.epsilonHigh, 0, FLT_MAX, "a number, 0 or more")
          .showing("as --epsilon"),
      thoseWith("--epsilon-high") + ": how far above 1 it has", imported);
  add("importance=OF",
      choice(
          {"token", "sequence"},
          [&loss](StringRef of) { loss.bySequence = of == "sequence"; },
          "token"),
      thoseWith("--importance") + ": of what ratios are: token or sequence",
      imported);
  add("desirable-weight=W",
      number(loss.desirable, 0, FLT_MAX, "a number, 0 or more"),
      thoseWith("--desirable-weight") +
          ": the weight of an answer that is desirable",
      imported);
  add("undesirable-weight=W",
      number(loss.undesirable, 0, FLT_MAX, "a number, 0 or more"),
      thoseWith("--undesirable-weight") + ": the weight of one that is not",
      imported);
  add("margins", given(loss.margins),
      thoseWith("--margins") +
          ": the model reads by how much the rewards of a pair\nshall differ",
      imported);
  add("dropout", given(importOptions.dropout),
      "trains with the config's dropout; without this option\nit is off, and a "
      "note says so",
      imported);
  for (cl::SubCommand *command : {&import, &exporting})
    add("force", given(force), kForceHelp, {model, std::nullopt, *command});
  add("o=MODEL.mlir", text(importOptions.output).showing(""),
      "the file to write; default: standard output", imported);

  Place exported{model, std::nullopt, exporting};
  add("o=OUT", text(exportOptions.output).showing(""),
      "FILE.safetensors, or a folder, which is created", exported);
  add("dtype=TYPE", text(exportOptions.dtype, {"f32", "bf16", "f16"}),
      "element type: f32, bf16 or f16", exported);
  add("max-shard-size=BYTES", bytes(exportOptions.maxShardBytes, 1),
      "largest size of one file in a folder; more is split\n"
      "into several, with an index",
      exported);
  add("config=CONFIG.json", text(exportOptions.config).showing(""),
      "config of the model, to copy into the folder", exported);
  add("others=DIR", text(exportOptions.others).showing(""),
      "folder of the model before training: its other parts are "
      "copied,\nand f32 beside 16 bits stays f32 [that of --config]",
      exported);
  add("base=DIR", text(exportOptions.base).showing(""),
      "where the base of a checkpoint that does not hold its\n"
      "frozen parameters is now, if it was moved",
      exported);
  add("merge", given(exportOptions.merge),
      "add the adapters of a run with --lora to their weights", exported);
  add("best", given(exportOptions.best),
      "of a folder, the checkpoint of the best evaluation (train --keep-best), "
      "not the newest",
      exported);
}

/// Sets the objective by its name.  Fails for an option of another one.
void CommandLine::checkObjective() {
  frontend::TextLoss &loss = importOptions.loss;
  const StringRef name = importOptions.objective;
  const frontend::ObjectiveFacts *facts = llvm::find_if(
      frontend::kObjectives, [&](const auto &one) { return name == one.name; });
  loss.objective = frontend::Objective(facts - frontend::kObjectives);
  const auto known = llvm::split(facts->options, ' ');
  for (const frontend::ObjectiveFacts &one : frontend::kObjectives)
    for (StringRef option : llvm::split(one.options, ' '))
      if (isGiven(option) && !llvm::is_contained(known, option))
        fail("--objective=" + name + " has no " + option + "; drop it");
  if (!isGiven("--beta"))
    loss.beta = facts->beta;
  else if (loss.beta == 0 && facts->beta > 0)
    fail("--beta must be above 0 with --objective=" + name +
         ", got 0: nothing else ties the model to its reference");
  if (!isGiven("--epsilon-high"))
    loss.epsilonHigh = loss.epsilon;
  if (loss.bySequence && importOptions.packed)
    fail("--importance=sequence has one ratio for each sequence, and with "
         "--packed a sequence holds several samples; drop one");
  const bool ofSamples = llvm::is_contained(known, "--samples");
  if (ofSamples && loss.samples == 0)
    fail("--objective=" + name +
         " needs --samples=S, the most samples of a sequence, as zeroc data "
         "prints it");
  if (facts->ofPairs && loss.samples % 2)
    fail("--samples=" + Twine(loss.samples) +
         " must be even: --objective=" + name + " compares pairs");
  if (llvm::is_contained(known, "--labels") && loss.labels == 0)
    fail("--objective=" + name + " needs --labels=L, the number of labels");
  if (ofSamples && !importOptions.packed)
    fail("--objective=" + name +
         " needs --packed: a sequence holds several "
         "samples");
  if (facts->ofPairs && loss.labelSmoothing >= 0.5)
    fail(
        "--label-smoothing=" + llvm::formatv("{0}", loss.labelSmoothing).str() +
        " must be below 0.5 with --objective=" + name +
        ": it is the chance that a pair is the wrong way round");
}

void CommandLine::checkOptionsOf(cl::SubCommand &command) const {
  for (const Flag &flag : flags)
    if (flag.getNumOccurrences() && !flag.Subs.contains(&command))
      fail(flag.getName() + " is an option of the compiler, and zeroc " +
           command.getName() + " does not take it; drop it, or see zeroc " +
           command.getName() + " --help");
}

Action CommandLine::checkImport() {
  if (importOptions.config.empty())
    fail("import needs a config.json, or the folder of a model; see zeroc "
         "import --help");
  importOptions.config = frontend::findConfig(importOptions.config);
  if (!importOptions.batch)
    fail("--batch is missing; give the sequences of a micro-batch, for example "
         "--batch=8");
  if (!importOptions.sequence)
    fail("--seq is missing; give the tokens of a sequence, for example "
         "--seq=64");
  if (importOptions.packed && importOptions.separator >= 0)
    fail("--packed and --document-separator both say where documents begin; "
         "drop one");
  checkObjective();
  checkOutput(importOptions.output, zrt::kModelFile, importOptions.config);
  return [this] { return runImport(importOptions); };
}

Action CommandLine::checkExport() {
  if (exportOptions.checkpoint.empty())
    fail("export needs a checkpoint, or a folder of them; see zeroc export "
         "--help");
  if (exportOptions.output.empty())
    fail("-o is missing; name a file *.safetensors, or a folder");
  exportOptions.force = force;
  return [this] { return runExport(exportOptions); };
}
