//===- Options.cpp - The command line of zeroc ----------------------------===//
//
// Each option is declared once, in CommandLine below: its name and its value,
// what it accepts and where that goes (what is there is the default), its help,
// and the first output that it changes.  From that come
//
//   --help                        with defaults
//   "... must be ..., got ..."    for what is out of range or no such value
//   "... comes too late ..."      where the input is at that level already
//   "... changes nothing ..."     where --emit stops before it
//
//===----------------------------------------------------------------------===//

#include "tools/zeroc/Options.h"

#include "tools/tokenize/TokenWriter.h"
#include "tools/zeroc/DeepSpeedKeys.h"
#include "tools/zeroc/OptionConflicts.h"
#include "tools/zeroc/OptionValues.h"
#include "tools/zeroc/PassOptions.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <list>

using namespace mlir;
using namespace mlir::zero;
namespace cl = llvm::cl;

[[noreturn]] static void fail(const Twine &message) {
  llvm::errs() << "zeroc: error: " << message << "\n";
  exit(1);
}

//===----------------------------------------------------------------------===//
// An option
//===----------------------------------------------------------------------===//

namespace {

/// Where an option stands in --help, the first output that it changes, and the
/// command that has it.
struct Place {
  cl::OptionCategory &category;
  std::optional<Emit> changes = std::nullopt;
  cl::SubCommand &command = cl::SubCommand::getTopLevel();
};

/// An option of the name and value in `usage`, "eps=E"; one without a value is
/// a switch.
class Flag final : public cl::Option {
public:
  Flag(StringRef usage, Values accepted, StringRef help, const Place &place)
      : cl::Option(cl::Optional, cl::NotHidden), changes(place.changes),
        values(std::move(accepted)), text(help) {
    if (!values.otherwise.empty())
      text += " [" + values.otherwise + "]";
    auto [name, value] = usage.split('=');
    setArgStr(name);
    setValueStr(value);
    setValueExpectedFlag(value.empty() ? cl::ValueDisallowed
                                       : cl::ValueRequired);
    setDescription(text);
    addCategory(place.category);
    addSubCommand(place.command);
    addArgument();
  }

  std::string getName() const {
    return (ArgStr.size() == 1 ? "-" : "--") + ArgStr.str();
  }

  /// Takes what a --ds-config became.  What was typed may say the same.
  void takeFrom(const deepspeed::Config::Option &option, StringRef file) {
    if (getNumOccurrences()) {
      if (!deepspeed::isEqualValue(typed, option.value))
        fail(getName() + "=" + typed + " contradicts " + file + ", where " +
             option.source + " is " + getName() + "=" + option.value +
             "; drop one of them");
      return;
    }
    isFromFile = true;
    if (llvm::Error error = values.read(option.value))
      fail(file + ": " + option.source + ": " + getName() + " " +
           llvm::toString(std::move(error)));
  }
  bool isSet() const { return getNumOccurrences() || isFromFile; }
  StringRef getTyped() const { return typed; }

  const std::optional<Emit> changes;

private:
  bool handleOccurrence(unsigned, StringRef, StringRef value) override {
    if (getNumOccurrences() > 1)
      fail(getName() + " is given twice" +
           (value.empty() ? "" : ", and then as " + value));
    typed = value;
    if (llvm::Error error = values.read(value))
      fail(getName() + " " + llvm::toString(std::move(error)));
    return false;
  }
  size_t getOptionWidth() const override {
    return printer.getOptionWidth(*this);
  }
  void printOptionInfo(size_t width) const override {
    printer.printOptionInfo(*this, width);
  }
  void printOptionValue(size_t, bool) const override {}
  void setDefault() override {}

  Values values;
  std::string text, typed;
  bool isFromFile = false;
  struct Printer : cl::basic_parser_impl {
    explicit Printer(Flag &flag) : basic_parser_impl(flag), flag(flag) {}
    /// "" for a switch; the library then prints no value.
    StringRef getValueName() const override { return flag.ValueStr; }
    Flag &flag;
  } printer{*this};
};

//===----------------------------------------------------------------------===//
// The options
//===----------------------------------------------------------------------===//

/// As --emit has them.
SmallVector<StringRef> emitNames() {
  SmallVector<StringRef> names;
  for (int i = 0; i <= static_cast<int>(Level::Memory); ++i)
    names.push_back(stringifyLevel(static_cast<Level>(i)));
  names.append({"llvm", "obj", "exe"});
  return names;
}

class CommandLine {
public:
  CommandLine();

  /// What was parsed, after what concerns several options.
  DriverOptions check();
  ImportOptions checkImport();
  ExportOptions checkExport();
  TokenizeOptions checkTokenize();
  GenerateOptions checkGenerate();
  PlotOptions checkPlot();

  cl::SubCommand import{"import",
                        "Writes the model that a Hugging Face config.json "
                        "describes, without dropout; models: gpt2"};

  cl::SubCommand exporting{
      "export", "Writes the weights of a checkpoint as Hugging Face does: to "
                "one file *.safetensors, or to a folder"};

  cl::SubCommand tokenizing{
      "tokenize", "Writes texts, and documents in lines of JSON, as a file of "
                  "tokens for --data"};
  cl::SubCommand generating{
      "generate",
      "Shows what a model with these weights goes on with; they are "
      "a checkpoint's, or safetensors"};
  cl::SubCommand plotting{
      "plot", "Draws the loss, gradient norm, learning rate and speed of runs "
              "from what train --metrics has written, as SVG"};

private:
  void add(StringRef usage, Values values, StringRef help, const Place &place) {
    flags.emplace_back(usage, std::move(values), help, place);
  }
  bool isGiven(StringRef name) const {
    return llvm::any_of(flags, [&](const Flag &flag) {
      return flag.getName() == name && flag.isSet();
    });
  }
  /// The text of an option that was typed.
  std::optional<std::string> getTyped(StringRef name) const {
    for (const Flag &flag : flags)
      if (flag.getName() == name && flag.getNumOccurrences())
        return flag.getTyped().str();
    return std::nullopt;
  }
  /// Reads --ds-config into the options that it becomes.
  void takeDeepSpeed();

  void offload(PipelineOptions &p, StringRef tier) const;
  void checkComparison();
  std::vector<Variant> listCompared() const;

  DriverOptions options;
  std::string offloadAll = "none", deepSpeedFile;
  std::string emit = emitNames()[static_cast<int>(options.emit)].str();
  ImportOptions importOptions;
  ExportOptions exportOptions;
  TokenizeOptions tokenizeOptions;
  GenerateOptions generateOptions;
  PlotOptions plotOptions;
  cl::OptionCategory training{"Training"}, loss{"Loss"}, ranks{"Ranks"},
      machine{"Machine"}, output{"Output"}, model{"Model"}, picture{"Picture"},
      passes{"Passes, as MLIR's tools have them"};
  cl::opt<std::string, true> input{cl::Positional, cl::location(options.input),
                                   cl::desc("MODEL.mlir")};
  cl::opt<std::string, true> config{cl::Positional,
                                    cl::location(importOptions.config),
                                    cl::desc("CONFIG.json"), cl::sub(import)};
  cl::opt<std::string, true> checkpoint{
      cl::Positional, cl::location(exportOptions.checkpoint),
      cl::desc("CHECKPOINT"), cl::sub(exporting)};
  cl::list<std::string> texts{cl::Positional, cl::desc("FILE..."),
                              cl::sub(tokenizing)};
  cl::opt<std::string, true> generated{
      cl::Positional, cl::location(generateOptions.model),
      cl::desc("MODEL.mlir"), cl::sub(generating)};
  cl::opt<std::string, true> weights{cl::Positional,
                                     cl::location(generateOptions.weights),
                                     cl::desc("WEIGHTS"), cl::sub(generating)};
  cl::list<std::string> runs{cl::Positional, cl::desc("RUN.jsonl..."),
                             cl::sub(plotting)};
  std::list<Flag> flags;
};

} // namespace

CommandLine::CommandLine() {
  PipelineOptions &p = options.pipeline;
  Place update{training, Emit::Partitioned}, state{ranks, Emit::Partitioned};
  Values rule = text(p.optimizer, {"adamw", "sgd"});
  rule.read = [this, known = rule.read](StringRef given) -> llvm::Error {
    options.optimizerFile = given.ends_with(".mlir") ? given.str() : "";
    if (!options.optimizerFile.empty())
      return llvm::Error::success();
    if (llvm::Error error = known(given)) {
      llvm::consumeError(std::move(error));
      return llvm::createStringError(
          "must be adamw, sgd or a file *.mlir with a rule, got " + given);
    }
    return llvm::Error::success();
  };
  add("optimizer=adamw|sgd|FILE", rule,
      "the update rule: as PyTorch defines it, or the\n"
      "zero.optimizer of a file *.mlir",
      update);
  add("optimizer-numbers=N=X,...", text(options.optimizerNumbers),
      "numbers of that rule, in place of its defaults", update);
  add("betas=B1,B2", decays(p.beta1, p.beta2),
      "AdamW's decay of its two moments", update);
  add("eps=E", number(p.eps, 1e-30, 1, "above 0 and at most 1"),
      "AdamW's epsilon", update);
  add("momentum=M", number(p.momentum, 0, 0.9999999, "from 0 to below 1"),
      "SGD's momentum", update);
  add("weight-decay=D", number(p.weightDecay, 0, 1e3, "0 or more"),
      "decay; not applied to 1-D parameters", update);
  add("grad-clip=N", number(p.gradClip, 0, 1e30, "0 (none) or more"),
      "maximum gradient norm; 0 disables clipping", update);

  Values skips = text(p.skipNonfinite, {"on", "off"});
  skips.otherwise = "on with 16 bits";
  add("skip-nonfinite=on|off", skips,
      "a step whose gradients are not finite changes\n"
      "nothing",
      update);
  add("state-dtype=f32|bf16", text(p.stateDtype, {"f32", "bf16"}),
      "what the optimizer keeps its moments in", update);
  add("master=f32|none", text(p.master, {"f32", "none"}),
      "with bf16: none keeps no copy of parameters in f32,\n"
      "updates round them by chance",
      update);
  add("precision=TYPE", text(p.precision, {"fp32", "bf16", "fp16"}),
      "fp32, bf16 or fp16: what parameters, activations and\n"
      "products are; sums, norms and the loss are fp32",
      {loss, Emit::Step});
  Values gradients = text(p.gradDtype, {"f32", "bf16", "fp16"});
  gradients.otherwise = "as parameters, sums f32";
  add("grad-dtype=TYPE", gradients,
      "f32, or the type of parameters: of gradients, and of\n"
      "sums of them",
      {loss, Emit::Step});
  add("loss-chunk=BYTES", bytes(p.lossChunk, 0),
      "logits are computed by chunks of rows of so many\n"
      "bytes, with the loss and its gradient; 0 for no\n"
      "chunks",
      {loss, Emit::Kernels});

  add("world-size=N",
      count(p.worldSize, 1, 65536, "a number of ranks from 1 to 65536"),
      "ranks that train together, started by mpirun", state);
  add("stage=0|1|2|3", count(p.stage, 0, 3, "0, 1, 2 or 3"),
      "what is sharded over them. 0: nothing, 1: optimizer\n"
      "state, 2: + gradients, 3: + parameters",
      state);
  add("accumulate=K",
      count(p.accumulate, 1, 1 << 20,
            "a number of micro-steps from 1 to 1048576"),
      "micro-steps whose gradients make one step", state);
  add("accumulate-order=batch|block",
      text(p.accumulateOrder, {"batch", "block"}),
      "block: all micro-steps of a block of the model before\n"
      "its next block, so that parameters are gathered or\n"
      "fetched once for all of them",
      state);
  add("bucket-size=BYTES", bytes(p.bucketSize, 1, "one bucket a block"),
      "parameters that are exchanged together; 64KiB, 25MiB\n"
      "and the like are understood",
      state);
  add("reuse-distance=BYTES", bytes(p.reuseDistance, 0),
      "stage 3: keep parameters between two uses with at\n"
      "most that many bytes of others between them",
      state);
  add("persist-below=BYTES", bytes(p.persistBelow, 0),
      "stage 3: parameters that are smaller stay whole", state);

  SmallVector<StringRef> places = {"none", "cpu", "nvme"};
  Values offload = text(offloadAll, places),
         optimizer = text(p.offloadOptimizer, places),
         parameters = text(p.offloadParams, places);
  add("offload=TIER", offload,
      "both, none, cpu or nvme; on several ranks below\n"
      "stage 3 the optimizer's state",
      state);
  add("offload-optimizer=TIER", optimizer,
      "where the optimizer's state lies: none (on the\n"
      "device), cpu or nvme",
      state);
  add("offload-params=TIER", parameters,
      "the same of parameters, of stage 3 or on one rank", state);
  add("offload-activations=TIER", text(p.offloadActivations, places),
      "where activations wait for the backward: none (on the\n"
      "device), cpu or nvme",
      state);
  add("remat=none|block", text(p.remat, {"none", "block"}),
      "block: what the forward computes within a block is\n"
      "computed again in the backward, not kept",
      state);
  add("overlap-update", given(p.overlapUpdate),
      "updates in host memory run beside the forward of the\n"
      "next step",
      state);
  add("delayed-update", given(p.delayedUpdate),
      "updates in host memory run beside all of the next\n"
      "step, which computes with the parameters before: one\n"
      "update late",
      state);

  Values config = text(deepSpeedFile);
  config.otherwise = "";
  add("ds-config=FILE", config,
      "a config of DeepSpeed, whose keys become options\n"
      "here and of the program; keys: what becomes of each",
      {training});

  add("eval", given(p.eval),
      "a program for train --eval-data: the loss of other\n"
      "data, between steps",
      update);
  add("sample", given(p.sample, "on"),
      "a program for train --sample: text that the model goes\n"
      "on with, between steps",
      {training, Emit::Step});
  add("sample-only", given(p.sample, "only"),
      "that program and no other: nothing is trained, and\n"
      "there is no state but parameters",
      {training, Emit::Step});

  add("cpu=NAME", text(options.cpu),
      "x86-64-v3, x86-64-v4, znver4, or another name of LLVM's",
      {machine, Emit::LLVM});
  add("device-memory=BYTES", bytes(p.deviceMemory, 0, "no limit"),
      "the most that the plan of a rank may take; a plan\n"
      "that needs more is an error",
      {machine, Emit::Scheduled});
  add("host-memory=BYTES", bytes(p.hostMemory, 0, "no limit"),
      "the same of host memory", {machine, Emit::Scheduled});

  add("o=OUT", text(options.output),
      "the file to write; by default the model's name\n"
      "without .mlir for a program, the terminal for text",
      {output});
  add("emit=LEVEL", text(emit, emitNames()),
      "stop at a level and print it: model, step, kernels,\n"
      "partitioned, scheduled, memory, llvm; or write obj,\n"
      "exe",
      {output});
  add("certificate=text|json", text(options.certificate, {"text", "json"}),
      "how the memory certificate is printed; an object of\n"
      "JSON is alone on the standard output",
      {output, Emit::Object});
  add("compare", given(options.compare),
      "print what plans of all stages need, or on one rank\n"
      "of all tiers, and write nothing",
      {output, Emit::Partitioned});
  add("reference", given(p.reference),
      "compile through plain scalar loops on one thread:\n"
      "slow, for comparison",
      {output, Emit::Kernels});
  add("timing", given(options.timing), "print where compile time goes",
      {output});

  Place imported{model, std::nullopt, import};
  // Sizes of a tensor of 32-bit ids.
  Values batch = count(importOptions.batch, 1, INT32_MAX,
                       "an integer from 1 to " + Twine(INT32_MAX)),
         sequence = count(importOptions.sequence, 1, INT32_MAX,
                          "an integer from 1 to " + Twine(INT32_MAX));
  Values file = text(importOptions.output);
  // What is needed has no default.
  batch.otherwise = sequence.otherwise = file.otherwise = "";
  add("batch=B", batch, "sequences of one micro-batch of one rank", imported);
  add("seq=T", sequence, "tokens of a sequence, at most n_positions", imported);
  add("o=MODEL.mlir", file, "the file to write; the standard output without it",
      imported);

  Place exported{model, std::nullopt, exporting};
  Values folder = text(exportOptions.output),
         described = text(exportOptions.config);
  folder.otherwise = described.otherwise = "";
  add("o=OUT", folder, "FILE.safetensors, or a folder, which is made",
      exported);
  add("dtype=TYPE", text(exportOptions.dtype, {"f32", "bf16", "f16"}),
      "of elements: f32, bf16 or f16", exported);
  add("max-shard-size=BYTES", bytes(exportOptions.maxShardBytes, 1),
      "of tensors in one file of a folder; more are split,\n"
      "with an index",
      exported);
  add("config=CONFIG.json", described,
      "of the model, to be put into the folder", exported);

  Place tokenized{model, std::nullopt, tokenizing};
  Values tokens = text(tokenizeOptions.output),
         tokenizer = text(tokenizeOptions.tokenizer),
         separator = text(tokenizeOptions.separator),
         field = text(tokenizeOptions.field);
  tokens.otherwise = tokenizer.otherwise = separator.otherwise = "";
  field.otherwise = "text, of files *.jsonl";
  add("o=TOKENS", tokens,
      "NAME.bin, with a header; or NAME.u16 or NAME.u32,\n"
      "which are ids alone",
      tokenized);
  add("tokenizer=TOKENIZER.json", tokenizer,
      "of Hugging Face; needs python3 with tokenizers", tokenized);
  add("bytes", given(tokenizeOptions.bytes), "each byte is a token", tokenized);
  add("separator=TOKEN", separator,
      "what ends each document: an id, or a token of the\n"
      "tokenizer",
      tokenized);
  add("field=NAME", field,
      "files have a document in each line, an object of\n"
      "JSON, and this is its text",
      tokenized);
  Place drawn{model, std::nullopt, generating},
      built{machine, std::nullopt, generating};
  auto passOn = [](std::vector<std::pair<std::string, std::string>> &to,
                   StringRef usage, const char *otherwise = "") -> Values {
    std::string name = ("--" + usage.split('=').first).str();
    return {[&to, name](StringRef value) {
              to.emplace_back(name, value.str());
              return llvm::Error::success();
            },
            otherwise};
  };
  for (auto [usage, help, otherwise, place] :
       {std::tuple<const char *, const char *, const char *, Place &>{
            "prompt=TEXT", "what it goes on with, where tokens are bytes", "",
            drawn},
        {"prompt-ids=ID,...", "the same, as tokens", "", drawn},
        {"sample=N", "how many texts", "1", drawn},
        {"sample-tokens=M", "tokens of each, after the prompt", "100", drawn},
        {"temperature=X",
         "what logits are divided by; 0 takes the likeliest\ntoken", "0.8",
         drawn},
        {"top-k=K", "draw from the K likeliest tokens", "all", drawn},
        {"seed=N", "of what is drawn", "0", drawn},
        {"logits=FILE.npy",
         "draw nothing: write the logits after each token of the\nprompt", "",
         drawn},
        {"threads=N", "that compute", "all", built}})
    add(usage, passOn(generateOptions.run, usage, otherwise), help, place);
  for (auto [usage, help, otherwise] :
       {std::tuple{"precision=TYPE", "fp32, bf16 or fp16", "fp32"},
        {"cpu=NAME", "as of zeroc MODEL.mlir", "native"}})
    add(usage, passOn(generateOptions.compiled, usage, otherwise), help, built);
  Values svg = text(plotOptions.output);
  svg.otherwise = "";
  add("o=RUN.svg", svg, "the file to write; the standard output without it",
      {picture, std::nullopt, plotting});

  // LLVM's libraries declare options of their own; of these are left --help,
  // and those of pass managers.
  declarePassOptions(passes);
  for (cl::SubCommand *command :
       {&cl::SubCommand::getTopLevel(), &import, &exporting, &tokenizing,
        &generating, &plotting}) {
    auto &known = cl::getRegisteredOptions(*command);
    for (auto [name, option] : llvm::make_early_inc_range(known))
      if (name == "help")
        option->setDescription("this text");
      else if (name == "version")
        option->setDescription("the versions of zeroc and of LLVM");
      else if (name != "h" && name != "help-hidden" && !isPassOption(*option) &&
               llvm::none_of(flags,
                             [&](const Flag &flag) { return &flag == option; }))
        known.erase(name);
  }
}

//===----------------------------------------------------------------------===//
// Options together
//===----------------------------------------------------------------------===//

/// Not by name alone: ./a.mlir, a.mlir and a link to it are one file.
static bool isSameFile(StringRef a, StringRef b) {
  return a != "-" && (a == b || llvm::sys::fs::equivalent(a, b));
}

void CommandLine::takeDeepSpeed() {
  if (deepSpeedFile == "keys") {
    llvm::outs() << deepspeed::printKeys();
    exit(0);
  }
  const PipelineOptions &p = options.pipeline;
  deepspeed::Given given{p.worldSize, std::nullopt, getTyped("--precision")};
  if (getTyped("--accumulate"))
    given.accumulate = p.accumulate;
  llvm::Expected<deepspeed::Config> config =
      deepspeed::readConfig(deepSpeedFile, given);
  if (!config)
    fail(llvm::toString(config.takeError()));
  llvm::erase_if(config->options, [&](const auto &option) {
    return option.isDefault && getTyped(option.name);
  });
  std::optional<std::string> all = getTyped("--offload");
  for (const deepspeed::Config::Option &option : config->options) {
    if (all && StringRef(option.name).starts_with("--offload-") &&
        option.name != "--offload-activations" && *all != option.value)
      fail("--offload=" + *all + " contradicts " + deepSpeedFile + ", where " +
           option.source + " is " + option.name + "=" + option.value +
           "; drop one of them");
    for (Flag &flag : flags)
      if (flag.changes && flag.getName() == option.name)
        flag.takeFrom(option, deepSpeedFile);
  }
  options.deepSpeed = std::move(*config);
}

/// What --offload=TIER means beside more particular options.
void CommandLine::offload(PipelineOptions &p, StringRef tier) const {
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

/// All stages of several ranks, all tiers of one.
std::vector<Variant> CommandLine::listCompared() const {
  std::vector<Variant> variants;
  const PipelineOptions &p = options.pipeline;
  if (p.worldSize == 1)
    for (StringRef tier : {"none", "cpu", "nvme"}) {
      variants.push_back({tier.str(), p});
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

DriverOptions CommandLine::check() {
  if (!deepSpeedFile.empty())
    takeDeepSpeed();
  if (options.input.empty())
    fail("no model given; usage: zeroc MODEL.mlir -o OUT (see zeroc --help)");
  SmallVector<StringRef> names = emitNames();
  options.emit = static_cast<Emit>(llvm::find(names, emit) - names.begin());
  if (options.compare)
    checkComparison();
  for (const Flag &flag : flags) {
    if (!flag.changes || !flag.isSet())
      continue;
    // A file is for all levels.
    if (options.emit < *flag.changes && flag.getNumOccurrences())
      fail(flag.getName() + " changes nothing before --emit=" +
           names[static_cast<int>(*flag.changes)] + ", and --" +
           (options.compare ? "compare" : "emit=" + emit) +
           " stops before that; drop one of them");
    std::string owner = flag.getNumOccurrences() ? "" : deepSpeedFile + "'s ";
    options.given.emplace_back(owner + flag.getName(), *flag.changes);
  }

  const PipelineOptions &p = options.pipeline;
  for (StringRef name : {"--betas", "--eps", "--momentum"}) {
    StringRef owner = name == "--momentum" ? "sgd" : "adamw";
    StringRef used = options.optimizerFile.empty()
                         ? StringRef(p.optimizer)
                         : StringRef(options.optimizerFile);
    if (isGiven(name) && used != owner)
      fail(name + " needs --optimizer=" + owner + ", got --optimizer=" + used +
           "; drop one of them");
  }
  if (isGiven("--optimizer-numbers") && options.optimizerFile.empty())
    fail("--optimizer-numbers needs --optimizer=FILE.mlir, got --optimizer=" +
         p.optimizer + "; drop one of them");
  if (isGiven("--sample") && isGiven("--sample-only"))
    fail("--sample-only has the program of --sample and no other; drop one of "
         "them");
  if (options.compare)
    options.compared = listCompared();
  if (isGiven("--offload"))
    offload(options.pipeline, offloadAll);
  if (std::string conflict = findConflict(p);
      !conflict.empty() && !options.compare)
    fail(conflict);
  if (p.stage > 0 && p.worldSize == 1 && !options.compare)
    llvm::errs() << "zeroc: warning: "
                 << (getTyped("--stage") ? "" : deepSpeedFile + "'s ")
                 << "--stage=" << p.stage
                 << " shards nothing on one rank; add --world-size=N for N "
                    "ranks, or drop it\n";
  if (p.reference && isGiven("--loss-chunk"))
    fail("--reference computes the loss whole; drop --loss-chunk");

  if (llvm::Error error = checkPassOptions())
    fail(llvm::toString(std::move(error)));

  bool isPrinted = options.emit <= Emit::LLVM;
  if (!isPrinted && options.output == "-")
    fail("a program or an object needs a file; name it with -o OUT");
  if (options.output.empty() && isPrinted)
    options.output = "-";
  if (options.output.empty())
    options.output =
        (options.input == "-" ? StringRef("train")
                              : llvm::sys::path::stem(options.input))
            .str() +
        (options.emit == Emit::Object ? ".o" : "");
  if (isSameFile(options.output, options.input))
    fail("the output " + options.output +
         " would overwrite the model; choose another name with -o");
  return options;
}

ImportOptions CommandLine::checkImport() {
  if (importOptions.config.empty())
    fail("import needs a config.json; see zeroc import --help");
  if (!importOptions.batch)
    fail("--batch is missing; give the sequences of a micro-batch, for example "
         "--batch=8");
  if (!importOptions.sequence)
    fail("--seq is missing; give the tokens of a sequence, for example "
         "--seq=64");
  if (isSameFile(importOptions.output, importOptions.config))
    fail("-o " + importOptions.output +
         " would overwrite the config; name another file");
  return importOptions;
}

ExportOptions CommandLine::checkExport() {
  if (exportOptions.checkpoint.empty())
    fail("export needs a checkpoint, or a folder of them; see zeroc export "
         "--help");
  if (exportOptions.output.empty())
    fail("-o is missing; name a file *.safetensors, or a folder");
  return exportOptions;
}

TokenizeOptions CommandLine::checkTokenize() {
  TokenizeOptions &o = tokenizeOptions;
  o.files.assign(texts.begin(), texts.end());
  if (o.files.empty())
    fail("tokenize needs files; see zeroc tokenize --help");
  if (o.output.empty())
    fail("-o is missing; name a file *.bin, *.u16 or *.u32");
  if (!zrt::isTokenFileName(o.output))
    fail("-o " + o.output +
         " does not say what it holds; name it *.bin, *.u16 or *.u32");
  if (o.bytes == !o.tokenizer.empty())
    fail(o.bytes ? "--bytes and --tokenizer exclude each other; drop one"
                 : "--tokenizer is missing; name a tokenizer.json, or say "
                   "--bytes");
  return o;
}

GenerateOptions CommandLine::checkGenerate() {
  if (generateOptions.model.empty() || generateOptions.weights.empty())
    fail("generate needs a model and its weights, as in zeroc generate "
         "model.mlir model.safetensors --prompt=TEXT");
  return generateOptions;
}

PlotOptions CommandLine::checkPlot() {
  plotOptions.runs.assign(runs.begin(), runs.end());
  if (plotOptions.runs.empty())
    fail("plot needs a file that train --metrics has written; see zeroc plot "
         "--help");
  for (const std::string &run : plotOptions.runs)
    if (isSameFile(plotOptions.output, run))
      fail("-o " + plotOptions.output +
           " would overwrite the metrics; name another file");
  return plotOptions;
}

Command zero::parseCommandLine(int argc, char **argv) {
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "zeroc " ZEROC_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
  });
  // Not freed: the library keeps pointers to options until the process ends.
  CommandLine &line = *new CommandLine;
  std::string text;
  llvm::raw_string_ostream errors(text);
  bool isRight = cl::ParseCommandLineOptions(
      argc, argv,
      "zeroc compiles a model into a program that trains it.\n\n"
      "  zeroc import config.json --batch=4 --seq=64 -o gpt2.mlir\n"
      "  zeroc gpt2.mlir --stage=3 --world-size=2 -o train\n"
      "  mpirun -n 2 ./train --data tokens.bin --steps 1000 --lr 3e-4\n\n"
      "A printed level is valid input again and goes on from there.\n",
      &errors, /*VFS=*/nullptr, /*EnvVar=*/nullptr,
      /*LongOptionsUseDoubleDash=*/true);
  // What an option says of itself is printed before.
  StringRef wrong = text;
  wrong.consume_front("zeroc: ");
  if (!isRight)
    fail(wrong.empty() ? "an option is wrong; see zeroc --help" : wrong.trim());
  if (line.import)
    return line.checkImport();
  if (line.exporting)
    return line.checkExport();
  if (line.tokenizing)
    return line.checkTokenize();
  if (line.generating)
    return line.checkGenerate();
  if (line.plotting)
    return line.checkPlot();
  return line.check();
}
