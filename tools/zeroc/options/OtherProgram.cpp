//===- OtherProgram.cpp - Explains options of other programs --------------===//
//
// Recognizes options that were given to the wrong program.
//
//===----------------------------------------------------------------------===//

#include "tools/zeroc/options/CommandLine.h"

#include "abi/CompileOptions.h"
#include "abi/OtherTools.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::zero;
using llvm::StringRef;

static constexpr llvm::StringLiteral kOptions[] = {
#define TRAIN_OPTION(NAME, VALUE, GROUP, SCOPE, HELP) NAME,
#include "abi/TrainOptions.def"
};

/// Whether an option of plans changes no value that an update computes.
static bool changesLayout(StringRef option) {
  enum Effect { Layout, Update };
  static constexpr std::pair<llvm::StringLiteral, Effect> effects[] = {
#define ZERO_OPTION(TYPE, FIELD, GETTER, USAGE, DEFAULT, EFFECT)               \
  {USAGE, EFFECT},
#include "abi/PlanOptions.def"
  };
  return llvm::any_of(effects, [&](const auto &each) {
    return getOptionName(each.first) == option && each.second == Layout;
  });
}

/// Whether a program that does not train is made without the option: (C9).
static bool isOfSteps(StringRef name) {
  const zrt::CompileOption *option = zrt::findCompileOption(name.str());
  if (option &&
      option->is(zrt::CompileOption::Update | zrt::CompileOption::Training |
                 zrt::CompileOption::Choice))
    return true;
  name.consume_front("--");
#define ZERO_NEEDS(CONSTRAINT, GIVEN, NEEDS, TEXT)                             \
  if (StringRef(#CONSTRAINT) == "C9" &&                                        \
      StringRef(GIVEN).contains((" " + name + "=").str()))                     \
    return true;
#define ZERO_EXCLUDES(CONSTRAINT, GIVEN, EXCLUDED, TEXT)                       \
  if (StringRef(#CONSTRAINT) == "C9" &&                                        \
      llvm::is_contained(llvm::split(EXCLUDED, ' '), name))                    \
    return true;
#include "abi/PlanRules.def"
  return false;
}

std::string CommandLine::listOptions() const {
  std::string list;
  for (const Flag &flag : flags) {
    if (!flag.Subs.contains(&cl::SubCommand::getTopLevel()))
      continue;
    const std::string name = flag.getName();
    const zrt::CompileOption *option = zrt::findCompileOption(name);
    list += "compile " + name + (flag.ValueStr.empty() ? "" : "=") +
            (changesLayout(flag.ArgStr) ? " layout" : "") +
            (isOfSteps(name) ? " steps" : "") +
            (option && !option->ofLora.empty() ? " lora" : "") + "\n";
  }
#define TRAIN_OPTION(NAME, VALUE, GROUP, SCOPE, HELP)                          \
  list += StringRef(VALUE).empty() ? "train " NAME "\n" : "train " NAME "=\n";
#include "abi/TrainOptions.def"
  for (const zrt::OtherTool &one : zrt::kOtherTools) {
    static constexpr const char *programs[] = {"compile",  "import",   "train",
                                               "tokenize", "finetune", "none"};
    std::string names(one.names);
    llvm::replace(names, ' ', ',');
    list += "other " + names + " " + programs[int(one.program)] + " " +
            std::string(one.here) + "\n";
  }
  return list;
}

StringRef mlir::zero::findOptionOfTrain(llvm::ArrayRef<char *> arguments) {
  for (StringRef argument : arguments) {
    StringRef name = argument.split('=').first;
    // zeroc has two of these names itself.
    if (name != "--sample" && name != "--certificate" &&
        llvm::is_contained(kOptions, name))
      return name.drop_front(2);
  }
  return "";
}

std::string mlir::zero::explainOptionOfOthers(StringRef unknown,
                                              bool isCompiler) {
  using Program = zrt::OtherTool::Program;
  const zrt::OtherTool *other = zrt::findOtherTool(unknown.str());
  if (!other)
    return "";
  StringRef here = other->here;
  std::string text = ("--" + unknown + " is " + here).str();
  switch (other->program) {
  case Program::Compile:
    return text + (isCompiler ? " here" : " of zeroc") + "; see zeroc --help";
  case Program::Import:
    return text + " of zeroc import, and part of the model that it writes";
  case Program::Train:
    return text + " of the program that zeroc makes: ./train " + here.str();
  case Program::Tokenize:
    return text + " of zeroc tokenize, which makes the file for train --data";
  case Program::Finetune:
    return text + " of zeroc finetune";
  case Program::None:
    return ("--" + unknown + " is not supported, because " + here).str();
  }
  llvm_unreachable("no such program");
}
