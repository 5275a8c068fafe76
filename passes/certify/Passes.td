//===- Passes.td - The memory certificate of a plan -----------------------===//
//
// What a plan needs of each memory, link and wire, counted from its text after
// the judge has accepted it.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CERTIFY
#define PASSES_CERTIFY

include "mlir/Pass/PassBase.td"

def PrintCertificate : Pass<"zero-print-certificate", "::mlir::ModuleOp"> {
  let summary = "Prints the memory certificate of a finished plan";
  let description = [{
    Prints the exact bytes by category at the point where the most bytes are
    alive, and the values that are alive there.
  }];
}

#endif // PASSES_CERTIFY
