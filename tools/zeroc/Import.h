//===- Import.h - The command `zeroc import` --------------------*- C++ -*-===//
#ifndef TOOLS_ZEROC_IMPORT_H
#define TOOLS_ZEROC_IMPORT_H

#include "llvm/Support/LogicalResult.h"

namespace mlir::zero {

/// `zeroc import CONFIG.json --batch=B --seq=T [-o MODEL.mlir]`.  `argv[0]` is
/// the word `import`.  Errors are printed as `zeroc: error: ...`; the driver
/// then exits with 1.
llvm::LogicalResult runImport(int argc, char **argv);

} // namespace mlir::zero

#endif // TOOLS_ZEROC_IMPORT_H
