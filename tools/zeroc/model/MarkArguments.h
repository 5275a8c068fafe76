//===- MarkArguments.h - Marks parameters and inputs ------------*- C++ -*-===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace mlir::zero {

/// The command line's description of a module without attributes of zeroc.
struct ArgumentMarks {
  /// The function's name; "" for the only public one.
  std::string function;
  /// "w:0,b:1" or "0..17", or a file *.json with the names of the first
  /// arguments.
  std::string params;
  /// Same, but no file; "" for all arguments that are not parameters.
  std::string inputs;
  /// The result that is the loss; -1 for the only one.
  int64_t loss = -1;
  /// The file for the values of constants that become parameters; "" for none.
  std::string constants;

  bool isGiven() const {
    return !function.empty() || !params.empty() || !inputs.empty() ||
           loss >= 0 || !constants.empty();
  }
};

/// Makes the function that `marks` name the model of `module`, which was read
/// from the file `input`: its arguments become parameters and inputs, and it
/// returns only the loss.
llvm::Error markArguments(ModuleOp module, const ArgumentMarks &marks,
                          llvm::StringRef input);

/// Converts the constants of `function` that hold f32 tensors of different
/// numbers to parameters, and writes their values to `path`, as safetensors.
llvm::Error takeConstants(func::FuncOp function, llvm::StringRef path);

} // namespace mlir::zero
