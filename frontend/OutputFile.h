//===- OutputFile.h - Writes files whole or not at all ----------*- C++ -*-===//
//
// The compiler writes all its outputs through this file.  The runtime has its
// own writer, runtime/files/AtomicFile.h, for files that grow for minutes and
// exceed memory: it reserves space, removes the remains of killed runs, and
// throws.  The compiler is built without exceptions, may make its files
// executable, and creates the target of a dangling link.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

namespace mlir::frontend {

/// Fails where `writeOutput` would: for a folder, or without write permission.
/// Called before the output is computed.
llvm::Error checkOutput(StringRef path);

/// Writes `content` to `path`, or to the standard output if it is "-".
///
/// Writes a regular file under another name and renames it when it is complete,
/// so that after a failure (a full disk, a signal) an older file is untouched
/// and nothing else remains.  The file gets the mode and the owner of an older
/// file, otherwise what umask leaves; an `executable` one may be run by whoever
/// may read it.  Symbolic links are followed and kept.  Pipes and devices are
/// written directly.
llvm::Error writeOutput(StringRef path, StringRef content,
                        bool executable = false);

} // namespace mlir::frontend
