//===- Passes.td - The check of a level --------------------*- tablegen -*-===//
#ifndef ZERO_PIPELINE_PASSES
#define ZERO_PIPELINE_PASSES

include "mlir/Pass/PassBase.td"

def VerifyLevel : Pass<"zero-verify-level", "::mlir::ModuleOp"> {
  let summary = "Checks what a level of the pipeline promises";
  let description = [{
    Fails at the first operation that a level may not hold, so that a defect of
    a pass is found at its level.  Each level of the pipeline ends in this pass;
    level memory ends in zero-verify-plan, which relies on none of it.

    * step: (L1) the functions are @step, which returns a loss and a gradient
      for each parameter that is trained, and at most @predict; (L2) they have
      one block, of the operations that later passes know.
    * kernels: as step, and (L3) functions only name bytes, launch kernels and
      multiply matrices; all else is in kernels, which hold (L2).
    * partitioned: (L4) there are programs, the model that they are compared
      with, and no function beside it; (L5) a program only names bytes, and
      runs operations of a plan; (L6) nothing has a place yet: no stream but
      the host's, no bytes, no event.
    * scheduled: as partitioned, but (L7) exchanges and transfers are on the
      streams of their kind, and all else on compute or host.
  }];
  let options = [Option<"level", "level", "std::string", "",
    "step, kernels, partitioned or scheduled">];
}

#endif
