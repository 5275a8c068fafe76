//===- RunTool.h - Programs that zeroc needs --------------------*- C++ -*-===//
#pragma once

#include "tools/zeroc/TemporaryFolder.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace mlir::zero {

/// Runs the program args[0]; what it prints becomes part of the error, if it fails.
/// Its standard output goes to the file `output`, if there is one.
llvm::Error runTool(llvm::ArrayRef<llvm::StringRef> args,
                    const TemporaryFolder &folder, llvm::StringRef output = "");

/// What a program has written.
llvm::Expected<std::string> readFile(llvm::StringRef path);

/// What links: lld, or what ZERO_LINKER says.
llvm::StringRef getLinker();

} // namespace mlir::zero
