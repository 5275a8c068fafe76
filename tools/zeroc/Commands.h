//===- Commands.h - The commands of zeroc -----------------------*- C++ -*-===//
//
// Commands.def lists them.  zeroc data, finetune, generate and the like are the
// package python/zeroc, which runs in place of this process, in the python3 of
// PATH, or the one that ZEROC_PYTHON names.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::zero {

struct CommandEntry {
  StringLiteral name, summary; ///< the name is empty for the title of a group
  bool isPython;
};

/// Returns nullptr if there is no such command.
const CommandEntry *findCommand(StringRef name);

/// Explains a first word that is neither an option, a command nor a file, and a
/// command that is not the first word.
llvm::Error checkWords(ArrayRef<char *> argv);

/// What zeroc is, with a line for each command, by groups.
std::string describeCommands();

/// A line "command data Prepares ..." for each command.
std::string listCommands();

/// Whether zeroc import or zeroc plan is given the name of a hub's model, as in
/// Qwen/Qwen3-0.6B: Python gets its config, and runs the command with that.
bool readsFromHub(ArrayRef<char *> argv);

/// Before LLVM handles signals: those that are ignored, as by nohup, stay so in
/// commands in Python.
void noteIgnoredSignals();

/// Runs the command that `argv` names.  Returns only with an error.
llvm::Error runPythonCommand(ArrayRef<char *> argv);

} // namespace mlir::zero
