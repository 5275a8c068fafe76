//===- MarkArguments.h - What the arguments of a module are -----*- C++ -*-===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace mlir::zero {

/// What the command line says of a module that has no attributes of zeroc.
struct ArgumentMarks {
  /// Its name; "" for the only public one.
  std::string function;
  /// "w:0,b:1" or "0..17", or a file *.json with the names of the first ones.
  std::string params;
  /// The same without a file; "" for all that are no parameters.
  std::string inputs;
  /// The result that is the loss; -1 for the only one.
  int64_t loss = -1;
  /// Where values of constants go that become parameters; "" for none.
  std::string constants;

  bool isGiven() const {
    return !function.empty() || !params.empty() || !inputs.empty() ||
           loss >= 0 || !constants.empty();
  }
};

/// Makes the function that `marks` name the model of `module`, which was read
/// from the file `input`: its arguments are parameters and inputs, and it
/// returns the loss alone.
llvm::Error markArguments(ModuleOp module, const ArgumentMarks &marks,
                          llvm::StringRef input);

/// Makes parameters of the constants of `function` that hold f32 tensors of
/// different numbers, and writes those to `path`, as safetensors.
llvm::Error takeConstants(func::FuncOp function, llvm::StringRef path);

} // namespace mlir::zero
