//===- Interfaces.td - Derivative and linalg form ----------*- tablegen -*-===//
#ifndef NN_INTERFACES
#define NN_INTERFACES

include "mlir/IR/OpBase.td"

def NN_DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let description = [{
    Reverse-mode derivative of an operation on tensors.  `nn` operations
    implement it themselves; operations of `arith`, `math`, `tensor` and
    `linalg` get it from models that DifferentiateLoss registers.

    Given the adjoint of each result (a null value where nothing depends on
    it), the operation emits the adjoint of each operand that `needed` asks
    for.  An adjoint has the type of its value.
  }];
  let cppNamespace = "::mlir::nn";
  let methods = [
    InterfaceMethod<
      "Emits the operand adjoints; fails with an error at the operation.",
      "::llvm::LogicalResult", "differentiate",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$resultAdjoints,
           "::llvm::ArrayRef<bool>":$needed,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$operandAdjoints)>,
    InterfaceMethod<[{
        Rewrites the operation into the form whose derivative is cheap, by
        adding the statistics that the backward reads (the row's log-sum-exp,
        a norm's mean and reciprocal deviation).  Called once, before the
        backward is built; by default nothing changes.
      }],
      "void", "saveForBackward", (ins "::mlir::RewriterBase &":$rewriter),
      /*methodBody=*/"", /*defaultImplementation=*/"(void)rewriter;">
  ];
}

def NN_LinalgFormOpInterface : OpInterface<"LinalgFormOpInterface"> {
  let description = [{
    The meaning of an operation, spelled in `linalg`, `tensor`, `arith` and
    `math`.  Row kernels are generated from it, and `--reference` runs it
    through upstream loops.
  }];
  let cppNamespace = "::mlir::nn";
  let methods = [
    InterfaceMethod<
      "Emits the linalg form and returns one value per result.",
      "::llvm::SmallVector<::mlir::Value>", "emitLinalgForm",
      (ins "::mlir::OpBuilder &":$builder)>
  ];
}

#endif
