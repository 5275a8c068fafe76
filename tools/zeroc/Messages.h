//===- Messages.h - Where the compiler's messages say they are --*- C++ -*-===//
#pragma once

#include "mlir/IR/Diagnostics.h"

namespace mlir::zero {

/// Prints messages with the line that they are about:
///
///     mlp.mlir:46:8: error: ...
///       %y = math.tanh %x : tensor<8xf32>
///            ^
///
/// Where there is no line, it says the name instead, or the file alone:
///
///     gpt2.mlir: h.0.attn: error: ...
///     gpt2.mlir: error: ...
class Messages : public SourceMgrDiagnosticHandler {
public:
  /// `input` is what the command line calls the file.
  Messages(llvm::SourceMgr &sources, MLIRContext &context, StringRef input);

private:
  void emit(Diagnostic &diagnostic);
  void emitWithoutLine(Diagnostic &diagnostic);

  StringRef input;
};

} // namespace mlir::zero
