//===- RunTool.h - Runs other programs --------------------------*- C++ -*-===//
#pragma once

#include "targets/TemporaryFolder.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mlir::zero {

/// Runs the program args[0]; if it fails, its messages become part of the
/// error.  Its standard output goes to the file `output`, if given.
llvm::Error runTool(llvm::ArrayRef<llvm::StringRef> args,
                    const TemporaryFolder &folder, llvm::StringRef output = "");

/// Returns the contents of a file that a program has written.
llvm::Expected<std::string> readFile(llvm::StringRef path);

/// Returns the words that begin a linker's command: lld, which zeroc contains,
/// or the program in ZERO_LINKER.
std::vector<std::string> getLinker();

} // namespace mlir::zero
