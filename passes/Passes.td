//===- Passes.td - The check of a level --------------------*- tablegen -*-===//
#ifndef ZERO_PIPELINE_PASSES
#define ZERO_PIPELINE_PASSES

include "mlir/Pass/PassBase.td"

def VerifyLevel : Pass<"zero-verify-level", "::mlir::ModuleOp"> {
  let summary = "Checks what a level of the pipeline promises";
  let description = [{
    Fails at the first operation that a level may not hold, so that a defect of
    a pass is found at its level.  Each level after the model ends in this pass;
    level memory ends in zero-verify-plan, which relies on none of it.

    * step: (L1) the functions are @step, which returns a loss and a gradient
      for each parameter that is trained, and at most @prefill and @decode; (L2)
      they hold operations of nn, linalg, tensor, arith and math.
    * kernels: (L1), and (L3) functions only name bytes, launch kernels and
      multiply matrices; all else is in kernels, which hold (L2).
    * partitioned: (L4) there are programs, the model that they are compared
      with, and no function beside it; (L5) a program names bytes, and runs
      operations of a plan; (L6) nothing has a place yet: no stream, no bytes,
      no event.
    * scheduled: (L4), (L5), no bytes and no event, and (L7) each operation is
      on the stream of its kind.
  }];
  let options = [Option<"level", "level", "std::string", "",
    "step, kernels, partitioned or scheduled">];
}

#endif
