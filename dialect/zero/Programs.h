//===- Programs.h - The programs of a plan --------------------------------===//
#ifndef DIALECT_ZERO_PROGRAMS_H
#define DIALECT_ZERO_PROGRAMS_H

#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// The programs that `module` has, in the order in which they run.
inline SmallVector<func::FuncOp> findPrograms(ModuleOp module) {
  SmallVector<func::FuncOp> programs;
  for (StringRef name : kPrograms)
    if (auto program = module.lookupSymbol<func::FuncOp>(name);
        program && !program.isExternal())
      programs.push_back(program);
  return programs;
}

} // namespace mlir::zero

#endif // DIALECT_ZERO_PROGRAMS_H
