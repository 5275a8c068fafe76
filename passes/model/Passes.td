//===- Passes.td - What to compute ----------------------------*- tablegen -*-===//
#ifndef PASSES_MODEL
#define PASSES_MODEL

include "mlir/Pass/PassBase.td"

def NormalizeModel : Pass<"zero-normalize-model", "::mlir::ModuleOp"> {
  let summary = "Brings what other front ends print into the form that has derivatives";
  let description = [{
    Differentiation knows one block of operations on tensors, whose operands are
    all that they read.  This pass rewrites what front ends print beyond that, in
    this order:

    * Calls of functions of the module are inlined; functions without callers are
      dropped.
    * `cf.assert` is dropped, with a remark.
    * Results of `linalg.generic` that nobody reads are dropped, with the part of
      the body that only they need.
    * `math.fpowi` with a constant exponent becomes products, in the order in
      which the run-time library's powi multiplies.
    * Slices get their constant offsets and sizes as attributes.
    * A `linalg.generic` that computes integers is fused into those that compute
      integers of them, or read tensors at positions that they make.

    ```mlir
    %0:2 = linalg.generic ... ins(%x) outs(%lowest, %first) {
    ^bb0(%in: f32, %max: f32, %position: i64):
      %j = linalg.index 1 : index
      %here = arith.index_cast %j : index to i64
      %value = arith.maximumf %in, %max : f32
      %more = arith.cmpf ogt, %in, %max : f32
      %at = arith.select %more, %here, %position : i64
      linalg.yield %value, %at : f32, i64
    }
    %1 = call @cube(%0#0) : (tensor<4xf32>) -> tensor<4xf32>
    // becomes, if nobody reads %0#1,
    %0 = linalg.generic ... ins(%x) outs(%lowest) {
    ^bb0(%in: f32, %max: f32):
      %value = arith.maximumf %in, %max : f32
      linalg.yield %value : f32
    }
    %1 = arith.mulf %0, %0 : tensor<4xf32>
    %2 = arith.mulf %0, %1 : tensor<4xf32>
    ```

    The loss keeps every bit.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::nn::NNDialect", "::mlir::tensor::TensorDialect"];
}

def LowerGathers : Pass<"zero-lower-gathers", "::mlir::ModuleOp"> {
  let summary = "Makes operands of tensors that bodies read by position";
  let description = [{
    A float tensor that the body of a `linalg.generic` reads by `tensor.extract`
    becomes an operand: directly where the indices are loops, else by rows,
    through `nn.embedding`.

    ```mlir
    %0 = linalg.generic ... ins(%x, %ids) {
    ^bb0(%in: f32, %id: i32, %out: f32):
      %i = arith.index_cast %id : i32 to index
      %j = linalg.index 1 : index
      %t = tensor.extract %table[%i, %j] : tensor<16x8xf32>
      ...
    }
    // becomes
    %rows = linalg.generic ... ins(%ids) : tensor<4xi32>
    %read = nn.embedding %rows, %table : tensor<4xi32>, tensor<16x8xf32> -> tensor<4x8xf32>
    %0 = linalg.generic ... ins(%x, %ids, %read) { ... }
    ```

    The loss keeps every bit.  An index that may lie outside of its tensor, which
    is undefined, reads NaN.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::nn::NNDialect", "::mlir::tensor::TensorDialect"];
}

def BoundInputs : Pass<"zero-bound-inputs", "::mlir::ModuleOp"> {
  let summary = "Says what the inputs of a model may hold";
  let description = [{
    An input of integers that selects rows of a table, or one of so many classes,
    gets `zero.vocab`, the fewest that it selects from, and targets
    `zero.ignored`.  The training program compares every value that it feeds
    with them.  A `zero.vocab` that says less stays; one that says more is an
    error, and so is an input that the training program cannot feed.

    ```mlir
    func.func @loss(%w: tensor<256x64xf32> {zero.param = "w"}, %x: tensor<4x8xi32> {zero.input = "x"}) -> tensor<f32> {
      %0 = nn.embedding %x, %w ...
    // becomes
    func.func @loss(%w: ..., %x: tensor<4x8xi32> {zero.input = "x", zero.vocab = 256 : i64}) -> tensor<f32> {
      %0 = nn.embedding %x, %w ...
    ```
  }];
}

def SetInitialValues : Pass<"zero-set-initial-values", "::mlir::ModuleOp"> {
  let summary = "Says how each parameter begins";
  let description = [{
    A parameter without `zero.init` begins as 1 if it is the weight of an
    `nn.layer_norm`.  Any other begins as a normal distribution of deviation 0.02
    if it has two or more dimensions, else as 0, and a warning says so.

    ```mlir
    func.func @loss(%g: tensor<8xf32> {zero.param = "g"}, %b: tensor<8xf32> {zero.param = "b"}, ...)
      %0 = nn.layer_norm %x, %g, %b ...
    // becomes
    func.func @loss(%g: tensor<8xf32> {zero.init = #zero.constant<1.0>, zero.param = "g"},
                    %b: tensor<8xf32> {zero.init = #zero.constant<0.0>, zero.param = "b"}, ...)
    ```
  }];
}

def SinkScalars : Pass<"zero-sink-scalars", "::mlir::ModuleOp"> {
  let summary = "Computes scalars in the bodies that read them";
  let description = [{
    A step is made of tensors.  What is computed from elements of tensors outside
    of any `linalg.generic` is computed again in the body of each that reads it;
    a tensor that is made of one such scalar becomes a generic.

    ```mlir
    %n = tensor.extract %lengths[%c0] : tensor<2xi32>
    %m = arith.sitofp %n : i32 to f32
    %y = linalg.generic ... { arith.mulf %in, %m }
    // becomes
    %y = linalg.generic ... {
      %n = tensor.extract %lengths[%c0] : tensor<2xi32>
      %m = arith.sitofp %n : i32 to f32
      arith.mulf %in, %m
    }
    ```

    It is the same arithmetic, so no bit of the loss changes.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

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
