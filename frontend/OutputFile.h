//===- OutputFile.h - Text that appears whole or not at all -----*- C++ -*-===//
#ifndef FRONTEND_OUTPUTFILE_H
#define FRONTEND_OUTPUTFILE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

namespace mlir::frontend {

/// Writes `text` to `path`, or to the standard output if it is "-".  A regular
/// file is written beside its name and renamed when it is complete, so that
/// after a failure (a full disk, a signal) an older file is untouched and
/// nothing else remains.
llvm::Error writeOutput(StringRef path, StringRef text);

} // namespace mlir::frontend

#endif // FRONTEND_OUTPUTFILE_H
