//===- Passes.td - The judge of a finished plan ------------*- tablegen -*-===//
//
// See docs/verify.md.
//
//===----------------------------------------------------------------------===//
#ifndef ZERO_VERIFY_PASSES
#define ZERO_VERIFY_PASSES

include "mlir/Pass/PassBase.td"

def VerifyPlan : Pass<"zero-verify-plan", "::mlir::ModuleOp"> {
  let summary = "Judges a plan from its streams, events and byte ranges";
  let description = [{
    Fails at the first operation that breaks a rule of docs/verify.md.  The pass
    shares no code with the passes that it judges, and changes nothing.

    The plan is compared with its model (V14): the module at level kernels that
    zero-keep-model put into it, or the one in the file `model`.  A plan without
    a model is refused, unless `without-model` asks for the other rules only.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let options = [
    Option<"model", "model", "std::string", "",
           "A file at level kernels to compare with, instead of the plan's own model">,
    Option<"withoutModel", "without-model", "bool", "false",
           "Leave V14 out">];
}

def VerifyPositions : Pass<"zero-verify-positions", "::mlir::ModuleOp"> {
  let summary = "Judges indices that are computed from inputs";
  let description = [{
    Checks only (S8) of docs/verify.md, which needs no plan: on a model the
    error comes early, and at the line that the user wrote.
  }];
}

def PrintOrder : Pass<"zero-print-order", "::mlir::ModuleOp"> {
  let summary = "Prints the order of the operations of a plan";
  let description = [{
    Prints one line per operation that runs, in program order: its stream, its
    number there, and how many operations of other streams are over when it
    starts, whatever the streams' speeds.

    ```
    order of @step
      gather 1: zero.all_gather of @b0
      compute 1: zero.launch @embedding, after gather 1
    ```
  }];
}

#endif
