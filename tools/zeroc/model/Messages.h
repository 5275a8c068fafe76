//===- Messages.h - Diagnostics for authors of models -----------*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::zero {

/// Prints diagnostics with the line of the file:
///
///     mlp.mlir:46:8: error: ...
///       %y = math.tanh %x : tensor<8xf32>
///            ^
///
/// Without a line, it prints the name instead, or only the file:
///
///     gpt2.mlir: h.0.attn: error: ...
///     gpt2.mlir: error: ...
class Messages : public SourceMgrDiagnosticHandler {
public:
  /// `input` is the file's name on the command line.
  Messages(llvm::SourceMgr &sources, MLIRContext &context, StringRef input);

private:
  void emit(Diagnostic &diagnostic);
  void emitWithoutLine(Diagnostic &diagnostic);

  StringRef input;
};

/// During its lifetime, adds notes to errors of MLIR: explanations that authors
/// of models need, and, for an unknown operation of a dialect, the ones with
/// similar names, or all of a small dialect.
class ExplainErrors : public ScopedDiagnosticHandler {
public:
  explicit ExplainErrors(MLIRContext &context);
};

/// Completes the locations of a module that was parsed from `text`.
///
/// An operation without a location in the text gets its line and the name of
/// its first result, unless that is a number; arguments of functions likewise:
///
///     %y = math.tanh %x : tensor<8xf32>      at loc("y"("mlp.mlir":46:8))
///
/// The module has no line.  Operations inside a kernel, or inside an optimizer
/// that is part of a plan, have the location of that.
void readNames(ModuleOp module, const llvm::MemoryBuffer &text);

} // namespace mlir::zero
