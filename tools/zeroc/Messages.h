//===- Messages.h - Prints diagnostics with their place ---------*- C++ -*-===//
#pragma once

#include "mlir/IR/Diagnostics.h"

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

} // namespace mlir::zero
