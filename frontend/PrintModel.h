//===- PrintModel.h - Prints a model as readable text -----------*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::frontend {

/// Returns a module of any level as MLIR that parses again.  Values keep their
/// names, each argument has its own line, and locations survive.  Operations
/// inside a kernel have the location of the kernel (inheritLocation), so the
/// text omits theirs.  The last line says who wrote it
/// (runtime/files/OwnFiles.h).
///
/// Removes the omitted locations from `module`.
std::string printModel(ModuleOp module);

} // namespace mlir::frontend
