//===- PrintModel.h - A model as text for people ----------------*- C++ -*-===//
#ifndef FRONTEND_PRINTMODEL_H
#define FRONTEND_PRINTMODEL_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::frontend {

/// The module as MLIR that parses again: values are called by their names, one
/// argument stands on each line, and names survive as locations.
std::string printModel(ModuleOp module);

} // namespace mlir::frontend

#endif // FRONTEND_PRINTMODEL_H
