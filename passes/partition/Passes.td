//===- Passes.td - Where state lives --------------------------*- tablegen -*-===//
#ifndef PASSES_PARTITION
#define PASSES_PARTITION

include "mlir/Pass/PassBase.td"

def PartitionState : Pass<"zero-partition-state", "::mlir::ModuleOp"> {
  let summary = "Turns parameters into state and appends the update";
  let description = [{
    The step until here is a function of parameters that returns the loss and
    gradients.  This pass makes it the body of the training loop: every
    parameter becomes a bucket with its optimizer state, gradients are packed,
    their norm is taken and limited, and each bucket is updated.

    ```mlir
    func.func @step(%w: tensor<64x32xf32> {zero.param = "w"}, ...) -> (tensor<f32>, tensor<64x32xf32>)
    // becomes
    zero.bucket @b0 over @dp elements 2048 members [#zero.member<"w", 64x32 at 0, decay, init = ...>]
    func.func @step(%p: !zero.shard<2048 x f32 by 1>, %m: ..., %v: ..., %lr: tensor<f32>, ...) {
      %w = zero.view %p[@b0, "w"]
      ...
      %flat = zero.pack %dw into @b0
      %s = zero.sum_squares %flat of @b0
      %norm, %clip = zero.clip %s {max_norm = 1.0}
      %p1, %m1, %v1 = zero.update @adamw of @b0(%p, %flat, %m, %v) scalars(%lr, %clip, %step)
    ```

    One rank: stage 0, where every rank holds everything.  Weight decay applies
    to parameters of two or more dimensions.
  }];
  let dependentDialects = ["::mlir::zero::ZeroDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  let options = [
    Option<"worldSize", "world-size", "int64_t", "1", "number of ranks; only 1 for now">,
    Option<"optimizer", "optimizer", "std::string", "\"adamw\"", "adamw or sgd">,
    Option<"beta1", "beta1", "double", "0.9", "AdamW's decay of the first moment">,
    Option<"beta2", "beta2", "double", "0.95", "AdamW's decay of the second moment">,
    Option<"eps", "eps", "double", "1e-8", "AdamW's epsilon">,
    Option<"momentum", "momentum", "double", "0.9", "SGD's momentum">,
    Option<"weightDecay", "weight-decay", "double", "0.1", "weight decay">,
    Option<"gradClip", "grad-clip", "double", "1.0", "limit of the gradient norm; 0: none">];
}

#endif
