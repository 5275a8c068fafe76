//===- EmitExecutable.h - Objects and the training binary -----------------===//
#pragma once

#include "passes/certify/Certificate.h"
#include "tools/zeroc/options/Options.h"
#include "llvm/Support/Error.h"

namespace mlir::zero {

/// The LLVM IR, object or shared object of a plan, as options.emit says.
struct GeneratedPlan {
  std::string code;
  Certificate certificate;
};

/// Generates code for a plan at level memory.
llvm::Expected<GeneratedPlan> generatePlan(ModuleOp plan,
                                           const DriverOptions &options,
                                           PassManagerSetup setup);

/// Writes the output that options.emit names: LLVM IR, an object, or a linked
/// training program, which alone may have several plans, the one of the most
/// ranks first.  Files appear whole or not at all.
llvm::Error writePlans(ArrayRef<GeneratedPlan> plans,
                       const DriverOptions &options, StringRef argv0);

} // namespace mlir::zero
