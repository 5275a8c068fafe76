//===- LibraryFile.h - Finds files beside the compiler ----------*- C++ -*-===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::zero {

/// Returns the path of `name` in ../lib/zeroc or ../lib of the program `argv0`,
/// or in ZRT_LIB_DIR.
llvm::Expected<std::string> findLibraryFile(llvm::StringRef argv0,
                                            llvm::StringRef name);

/// Returns the file of a machine: `name`, if it is there; else that of
/// machines/, for "h100" and "machines/h100.json".
std::string findMachineFile(llvm::StringRef name);

} // namespace mlir::zero
