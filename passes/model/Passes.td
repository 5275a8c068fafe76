//===- Passes.td - What to compute ----------------------------*- tablegen -*-===//
#ifndef PASSES_MODEL
#define PASSES_MODEL

include "mlir/Pass/PassBase.td"

def DifferentiateLoss : Pass<"zero-differentiate-loss", "::mlir::ModuleOp"> {
  let summary = "Turns the loss into a step that also returns its gradients";
  let description = [{
    Reverse mode on tensors.  The public function with `zero.param` arguments
    becomes `@step`, with one gradient per parameter, in argument order, after
    the loss.

    ```mlir
    func.func @loss(%w: tensor<4xf32> {zero.param = "w"}, %x: tensor<4xf32> {zero.input = "x"}) -> tensor<f32> {
      %0 = linalg.dot ins(%w, %x) outs(%zero) ...
      return %0
    }
    // becomes
    func.func @step(%w: ..., %x: ...) -> (tensor<f32> {zero.output = "loss"}, tensor<4xf32> {zero.grad = "w"}) {
      %0 = linalg.generic ... ins(%w, %x) outs(%zero)
      %dw = linalg.generic ... ins(%one, %x)
      return %0, %dw
    }
    ```

    Contributions to one adjoint are added in a fixed order: against program
    order, operands of an operation first to last.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::nn::NNDialect", "::mlir::tensor::TensorDialect"];
}

def LowerNNToLinalg : Pass<"zero-lower-nn-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Replaces every nn operation by its linalg form";
  let description = [{
    For the reference path and for checks of derivatives; kernels are formed
    from the same forms, but with matrix products and attention kept whole.
  }];
  let options = [Option<"keepEmbedding", "keep-embedding", "bool", "false",
    "leave nn.embedding, whose form is a gather that has no derivative">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::nn::NNDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif
