//===- OtherProgram.cpp - Explains options of other programs --------------===//
//
// Recognizes options that were given to the wrong program.
// test/e2e/test_mistakes.py compares the list with train --help.
//
//===----------------------------------------------------------------------===//

#include "tools/zeroc/OtherProgram.h"

#include "runtime/main/OtherTools.h"

#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

static constexpr llvm::StringLiteral kOptions[] = {"adapter",
                                                   "checkpoint",
                                                   "checkpoint-memory",
                                                   "cooldown",
                                                   "data",
                                                   "data-format",
                                                   "data-weights",
                                                   "device-check",
                                                   "epochs",
                                                   "document-separator",
                                                   "eval-batches",
                                                   "eval-data",
                                                   "eval-every",
                                                   "eval-input",
                                                   "host-threads",
                                                   "init",
                                                   "input",
                                                   "keep",
                                                   "loss-scale",
                                                   "lr",
                                                   "metrics",
                                                   "min-lr",
                                                   "nvme-endurance",
                                                   "nvme-path",
                                                   "on-checkpoint-error",
                                                   "plan",
                                                   "profile",
                                                   "progress",
                                                   "prompt",
                                                   "prompt-ids",
                                                   "quiet",
                                                   "resume",
                                                   "sample-every",
                                                   "sample-tokens",
                                                   "save",
                                                   "save-at-exit",
                                                   "save-dtype",
                                                   "save-every",
                                                   "schedule",
                                                   "seed",
                                                   "shuffle",
                                                   "spike-guard",
                                                   "spike-window",
                                                   "steps",
                                                   "temperature",
                                                   "tensorboard",
                                                   "threads",
                                                   "time-limit",
                                                   "top-k",
                                                   "utilization",
                                                   "verify-reads",
                                                   "warmup",
                                                   "warmup-shape"};

StringRef mlir::zero::findOptionOfTrain(llvm::ArrayRef<char *> arguments) {
  for (StringRef argument : arguments) {
    if (!argument.consume_front("--"))
      continue;
    StringRef name = argument.split('=').first;
    if (llvm::is_contained(kOptions, name))
      return name;
  }
  return "";
}

std::string mlir::zero::explainOptionOfOthers(StringRef unknown) {
  using Program = zrt::OtherTool::Program;
  const zrt::OtherTool *other = zrt::findOtherTool(unknown.str());
  if (!other)
    return "";
  StringRef here = other->here;
  std::string text = ("--" + unknown + " is " + here).str();
  switch (other->program) {
  case Program::Compile:
    return text + " here; see zeroc --help";
  case Program::Import:
    return text + " of zeroc import, and part of the model that it writes";
  case Program::Train:
    return text + " of the program that zeroc makes: ./train " + here.str();
  case Program::Tokenize:
    return text + " of zeroc tokenize, which makes the file for train --data";
  }
  llvm_unreachable("no such program");
}
