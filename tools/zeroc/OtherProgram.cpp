//===- OtherProgram.cpp - Options of the training binary ------------------===//
//
// What is given to the wrong program.  test/e2e/test_mistakes.py compares the list
// with train --help.
//
//===----------------------------------------------------------------------===//

#include "tools/zeroc/OtherProgram.h"

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
                                                   "warmup"};

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
