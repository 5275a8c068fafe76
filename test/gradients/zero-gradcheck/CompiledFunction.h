//===- CompiledFunction.h - A function on tensors, ready to call ----------===//
//
// Compiles a module by plain upstream loops (ReferenceLowering.h) and calls one
// of its functions in this process, on arrays in row-major order.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::zero {

class CompiledFunction {
public:
  /// Compiles `module` for calls of `name`; consumes the module.  An error is
  /// reported at the operation that could not be lowered.
  static FailureOr<CompiledFunction> compile(OwningOpRef<ModuleOp> module,
                                             StringRef name);

  /// Calls the function.  `arguments` and `results` point to the elements of
  /// its tensor arguments and results, in order.
  llvm::Error call(ArrayRef<const void *> arguments, ArrayRef<void *> results);

private:
  std::unique_ptr<ExecutionEngine> engine;
  std::string entry;
  SmallVector<RankedTensorType> types; // arguments, then results
};

} // namespace mlir::zero
