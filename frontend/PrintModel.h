//===- PrintModel.h - A model as text for people ----------------*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::frontend {

/// A module of any level as MLIR that parses again: values are called by their
/// names, one argument stands on each line, and locations survive.  What is
/// inside of a kernel has the location of the kernel (inheritLocation), and it
/// does not have another one in the text.
///
/// Takes locations out of `module` that the text shall not have.
std::string printModel(ModuleOp module);

} // namespace mlir::frontend
