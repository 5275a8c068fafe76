//===- OutputFile.h - Files that appear whole or not at all -----*- C++ -*-===//
//
// All that the compiler writes for its user goes through here.  The runtime has
// a writer of its own, runtime/io/AtomicFile.h, for files that grow for minutes
// and are larger than memory: it reserves room, removes what killed runs have
// left, and throws.  The compiler is built without exceptions, may make its
// files executable, and creates what a link names.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

namespace mlir::frontend {

/// Fails where `writeOutput` would: for a folder, or where nothing may be
/// written.  Called before the work that leads to the output.
llvm::Error checkOutput(StringRef path);

/// Writes `content` to `path`, or to the standard output if it is "-".
///
/// A regular file is written beside its name and renamed when it is complete,
/// so that after a failure (a full disk, a signal) an older file is untouched
/// and nothing else remains.  It keeps the mode and the owner of an older file,
/// else it has what umask leaves; an `executable` one may be run by whoever may
/// read it.  Symbolic links are followed and stay.  Pipes and devices are
/// written through.
llvm::Error writeOutput(StringRef path, StringRef content,
                        bool executable = false);

} // namespace mlir::frontend
