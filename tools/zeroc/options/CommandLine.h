//===- CommandLine.h - zeroc's options during parsing ---------------------===//
//
// Each option is declared once: its name and value, the accepted values and the
// variable that stores it (whose initial value is the default), its help, and
// the first output that it changes.  From this follow
//
//   --help, --help-all            with defaults
//   "... must be ..., got ..."    for a value out of range or of a wrong kind
//   "... comes too late ..."      if the input is already at that level
//   "... changes nothing ..."     if --emit stops before it
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/files/OwnFiles.h"
#include "tools/zeroc/options/OptionValues.h"
#include "tools/zeroc/options/Options.h"
#include "llvm/Support/CommandLine.h"

#include <list>
#include <optional>
#include <string>
#include <vector>

namespace mlir::zero {
namespace cl = llvm::cl;

/// Prints the message and exits with status 1.
[[noreturn]] void fail(const Twine &message);

constexpr const char *kForceHelp = "replace files that are there already, also "
                                   "those that\nzeroc did not write";

/// Compares files, not names: ./a.mlir, a.mlir and a link to it are one file.
bool isSameFile(StringRef a, StringRef b);

/// The section of an option in --help, the first output that it changes, and
/// its command.
struct Place {
  cl::OptionCategory &category;
  std::optional<Emit> changes = std::nullopt;
  cl::SubCommand &command = cl::SubCommand::getTopLevel();
};

/// An option with the name and value in `usage`, "eps=E"; an option without a
/// value is a switch.
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

  /// Takes a value from --ds-config.  Returns why it does not, or "": a typed
  /// value must be equal.
  std::string takeFrom(const deepspeed::Config::Option &option) {
    if (getNumOccurrences())
      return deepspeed::isEqualValue(typed, option.value)
                 ? ""
                 : option.contradict(getName() + "=" + typed);
    isFromFile = true;
    typed = option.value;
    if (llvm::Error error = values.read(option.value))
      return option.source + ": " + getName() + " " +
             llvm::toString(std::move(error));
    return "";
  }
  bool isSet() const { return getNumOccurrences() || isFromFile; }
  StringRef getTyped() const { return typed; }
  /// Whether the plan or its code depends on it.
  bool shapes(const cl::OptionCategory &output,
              const cl::OptionCategory &foreign) const {
    return llvm::is_contained(Categories, &foreign) ||
           (changes && !llvm::is_contained(Categories, &output));
  }

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

/// Declares MLIR's options of pass managers, in `category` of --help-hidden.
void declarePassOptions(cl::OptionCategory &category);

/// Whether `option` is one of them.
bool isPassOption(const cl::Option &option);

/// What is wrong with those that were given, all together.
llvm::Error checkPassOptions();

/// Returns the name of an argument that is an option of training binaries but
/// not of zeroc, such as --lr=1e-3; "" if there is none.
StringRef findOptionOfTrain(ArrayRef<char *> arguments);

/// Explains an option of other trainers: "--fp16 is --precision=fp16 here"; ""
/// for an unknown name.  `name` lacks the "--"; it was given to the compiler or
/// to another command.
std::string explainOptionOfOthers(StringRef name, bool isCompiler);

/// The names that --emit accepts.
inline SmallVector<StringRef> emitNames() {
  SmallVector<StringRef> names;
  for (int i = 0; i <= static_cast<int>(Level::Memory); ++i)
    names.push_back(stringifyLevel(static_cast<Level>(i)));
  names.append({"llvm", "obj", "exe"});
  return names;
}

class CommandLine {
public:
  CommandLine();

  /// Returns the parsed options, after checking combinations of options.
  DriverOptions check();
  /// Explains an option that does not belong to the given command; "" if it is
  /// unknown.
  std::string explainUnknown(StringRef name) const;
  /// LLVM also accepts the compiler's options after the name of a command.
  void checkOptionsOf(cl::SubCommand &command) const;

  /// --help lists the commands in groups (Commands.h), and LLVM lists none.
  struct OwnCommand : cl::SubCommand {
    using SubCommand::SubCommand;
    using SubCommand::unregisterSubCommand;
  };
  /// A command beside the compiler; `check` returns what it does.
  struct Subcommand {
    OwnCommand &command;
    Action (CommandLine::*check)();
  };
  ArrayRef<Subcommand> getSubcommands() const { return subcommands; }
  /// A line for each option of zeroc, without its commands, and of train:
  /// "compile --stage= layout", with "=" if it has a value, "layout" if it
  /// changes no value of an update, "steps" if a program without steps has no
  /// use for it, and "lora" if it is one of adapters; and one for each row of
  /// OtherTools.def, "other bf16,bfloat16 compile --precision=bf16".
  std::string listOptions() const;

  /// The command is zeroc simulate or zeroc plan, which have all of these
  /// options.
  void predict(StringRef command) {
    options.isSimulated = command == "simulate";
    options.isPlanned = command == "plan";
    if (options.isPlanned)
      input.setDescription("MODEL.mlir|MODEL_DIR");
  }
  /// Takes what is not for the command out of --help.
  void hideOthers();

private:
  /// Fails if `output` is there and may not be replaced, or is an input.
  void checkOutput(const std::string &output, const zrt::FileKind &kind,
                   ArrayRef<std::string> inputs = {}) const;
  Action checkImport();
  void checkObjective();
  Action checkExport();

  OwnCommand import{"import"}, exporting{"export"};
  const Subcommand subcommands[2] = {{import, &CommandLine::checkImport},
                                     {exporting, &CommandLine::checkExport}};

  /// Prints what --help does, and the advanced options.
  [[noreturn]] void printAllHelp();
  void declareDriver();
  /// The flags of abi/PlanOptions.def.
  void declarePlanOptions();
  void declareOptimizer(const Place &place);
  void declareSubcommands();
  /// LLVM's libraries declare their own options; only --help, --version, and
  /// those of pass managers are kept.
  void dropAlienOptions();

  void add(StringRef usage, Values values, StringRef help, const Place &place) {
    flags.emplace_back(usage, std::move(values), help, place);
    if (&place.category == &advanced)
      flags.back().setHiddenFlag(cl::Hidden);
  }
  bool isGiven(StringRef name) const {
    return llvm::any_of(flags, [&](const Flag &flag) {
      return flag.getName() == name && flag.isSet();
    });
  }
  /// The text of an option, if it was typed.
  std::optional<std::string> getTyped(StringRef name) const {
    for (const Flag &flag : flags)
      if (flag.getName() == name && flag.getNumOccurrences())
        return flag.getTyped().str();
    return std::nullopt;
  }
  /// Reads --ds-config and sets the resulting options.
  void takeDeepSpeed();

  /// Numbers of an update rule other than the chosen one are errors.
  void checkOptimizer();
  void offload(PipelineOptions &p, Offload tier) const;
  /// One value, which `one` reads, or for zeroc plan several.
  Values several(StringRef usage, Values one,
                 std::function<std::function<void(PipelineOptions &)>()> take);
  template <typename T>
  Values several(StringRef usage, Emit level, Values one,
                 T PlanOptions::*field) {
    // Plans that are compared share their kernels.
    if (level != Emit::Partitioned)
      return one;
    return several(usage, std::move(one), [this, field] {
      // What is left is as without the option.
      return [field, value = std::exchange(options.pipeline.*field,
                                           PlanOptions().*field)](
                 PipelineOptions &p) { p.*field = value; };
    });
  }
  void takeCompared();
  void declarePrediction();
  Values mayBeAuto(StringRef usage, Values values);
  void takePrediction();
  void takeModelToPredict();
  void takeSearch();
  /// A folder or config.json is no MLIR.
  void checkInput() const;
  std::string listTyped(ArrayRef<std::string> without) const;
  /// Adapters that are multiplied by 0 would learn nothing.
  void checkFactor() const;
  void takeTarget();
  /// The options that the program depends on, with absolute paths.
  std::vector<std::string> listShaping() const;
  /// Several numbers of ranks are for programs, and share one global batch.
  void checkSizes();

  DriverOptions options;
  bool force = false; ///< replaces files that zeroc did not write
  int64_t jitterSeed = 1;
  Offload offloadAll = Offload::None;
  std::string deepSpeedFile;
  std::string target = "cpu", cudaArch = "sm_80";
  std::string emit = emitNames()[static_cast<int>(options.emit)].str();
  ImportOptions importOptions;
  ExportOptions exportOptions;
  cl::OptionCategory training{"Training"}, loss{"Loss"}, ranks{"Ranks"},
      advanced{"Ranks, advanced"}, foreign{"Module of another front end"},
      machine{"Machine"}, output{"Output"}, model{"Model"},
      passes{"Passes, as MLIR's tools have them"};
  cl::opt<bool> helpAll{
      "help-all",
      cl::desc("with advanced options, most of which plan and auto choose"),
      cl::ValueDisallowed,
      cl::callback([this](const bool &) { printAllHelp(); })};
  cl::opt<std::string, true> input{cl::Positional, cl::location(options.input),
                                   cl::desc("MODEL.mlir")};
  cl::opt<std::string, true> config{
      cl::Positional, cl::location(importOptions.config),
      cl::desc("DIR|CONFIG.json"), cl::sub(import)};
  cl::opt<std::string, true> checkpoint{
      cl::Positional, cl::location(exportOptions.checkpoint),
      cl::desc("CHECKPOINT"), cl::sub(exporting)};
  std::list<Flag> flags;
};

} // namespace mlir::zero
