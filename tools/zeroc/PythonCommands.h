//===- PythonCommands.h - Commands that are written in Python ---*- C++ -*-===//
//
// zeroc data, finetune, generate and the like read chats and texts with
// Python's packages.  They are the package python/zeroc, which runs in place of
// this process, in the python3 of PATH, or the one that ZEROC_PYTHON names.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::zero {

bool isPythonCommand(StringRef name);

/// Runs the command that `argv` names.  `options` has a line for each option of
/// zeroc and train (python/zeroc/options.py).  Returns only with an error.
llvm::Error runPythonCommand(ArrayRef<char *> argv, const std::string &options);

} // namespace mlir::zero
