//===- Import.h - The command `zeroc import` --------------------*- C++ -*-===//
#ifndef FRONTEND_IMPORT_H
#define FRONTEND_IMPORT_H

#include "llvm/Support/LogicalResult.h"

namespace mlir::frontend {

/// `zeroc import CONFIG.json --batch=B --seq=T [-o MODEL.mlir]`.  `argv[0]` is
/// the word `import`.  Errors are printed as `zeroc: error: ...`; a driver
/// then exits with 1.
llvm::LogicalResult runImport(int argc, char **argv);

} // namespace mlir::frontend

#endif // FRONTEND_IMPORT_H
