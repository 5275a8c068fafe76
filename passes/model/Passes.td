//===- Passes.td - Passes on models ------------------------*- tablegen -*-===//
#ifndef PASSES_MODEL
#define PASSES_MODEL

include "mlir/Pass/PassBase.td"

def NormalizeModel : Pass<"zero-normalize-model", "::mlir::ModuleOp"> {
  let summary = "Brings what other front ends print into the form that has derivatives";
  let description = [{
    Differentiation knows one block of operations on tensors, whose operands are
    all that they read.  This pass rewrites what front ends print beyond that,
    in this order:

    * Calls of functions of the module are inlined; functions without callers
      are dropped.
    * `cf.assert` is dropped, with a remark.
    * `tm_tensor.scan`, torch-mlir's cumulative sums, becomes a `linalg.generic`
      over windows.
    * Results of `linalg.generic` that nobody reads are dropped, with the part
      of the body that only they need.
    * `math.fpowi` with a constant exponent becomes products, in the order in
      which the run-time library's powi multiplies.
    * Slices get their constant offsets and sizes as attributes.
    * A tensor that only gives a window its shape, and holds nothing, becomes
      zeros.
    * A `linalg.generic` that computes integers is fused into those that compute
      integers from them, or read tensors at positions that they give.

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

    The loss keeps every bit.  An index that may lie outside of its tensor,
    which is undefined, reads NaN.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::nn::NNDialect", "::mlir::tensor::TensorDialect"];
}

def BoundInputs : Pass<"zero-bound-inputs", "::mlir::ModuleOp"> {
  let summary = "Says what the inputs of a model may hold";
  let description = [{
    An input of integers that selects rows of tables, or classes, gets
    `zero.vocab`, the smallest number of rows or classes that it selects from;
    targets also get `zero.ignored`.  The training program compares every value
    that it feeds with them.  A `zero.vocab` that is smaller stays; a larger one
    is an error, and so is an input that the training program cannot feed.

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
    `nn.layer_norm` or `nn.rms_norm`; as 0 if that has `unit_offset`.  Any other
    begins as a normal distribution of deviation 0.02 if it has two or more
    dimensions, else as 0, and a warning says so.

    ```mlir
    func.func @loss(%g: tensor<8xf32> {zero.param = "g"}, %b: tensor<8xf32> {zero.param = "b"}, ...)
      %0 = nn.layer_norm %x, %g, %b ...
    // becomes
    func.func @loss(%g: tensor<8xf32> {zero.init = #zero.constant<1.0>, zero.param = "g"},
                    %b: tensor<8xf32> {zero.init = #zero.constant<0.0>, zero.param = "b"}, ...)
    ```
  }];
  let dependentDialects = ["::mlir::zero::ZeroDialect"];
}

def SinkScalars : Pass<"zero-sink-scalars", "::mlir::ModuleOp"> {
  let summary = "Computes scalars in the bodies that read them";
  let description = [{
    A step is made of tensors.  A scalar that is computed from elements of
    tensors outside of any `linalg.generic` is computed again in the body of
    each generic that reads it; a tensor that is made of one such scalar becomes
    a generic.

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

def SetPrecision : Pass<"zero-set-precision", "::mlir::ModuleOp"> {
  let summary = "Says which tensors of a model have 16 bits";
  let description = [{
    A model of f32 becomes one whose parameters and activations have 16 bits,
    and whose arithmetic is still f32.  Casts show which tensors have 16 bits:

    ```mlir
    func.func @loss(%w: tensor<8x4xf32> {zero.param = "w"}, ...)
      %0 = nn.linear %x, %w : tensor<2x4xf32>, tensor<8x4xf32> -> tensor<2x8xf32>
    // becomes
    func.func @loss(%w: tensor<8x4xbf16> {zero.param = "w"}, ...)
      %a = arith.extf %w : tensor<8x4xbf16> to tensor<8x4xf32>
      %b = nn.linear %x, %a : tensor<2x4xf32>, tensor<8x4xf32> -> tensor<2x8xf32>
      %0 = arith.truncf %b : tensor<2x8xf32> to tensor<2x8xbf16>
    ```

    So there is one meaning of every rounding, each is in the text, and all
    derivatives are those of f32.  docs/precision.md has what each operation
    reads and gives; those of `nn` say it by a trait (dialect/nn/Interfaces.td).
  }];
  let options = [Option<"precision", "precision", "::mlir::zero::Precision", "::mlir::zero::Precision::FP32",
           "fp32 (changes nothing), bf16 or fp16", "::mlir::zero::WordsOf<::mlir::zero::Precision>()">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def AddAdapters : Pass<"zero-add-adapters", "::mlir::ModuleOp"> {
  let summary = "Freezes the model and adds low-rank adapters to linear layers";
  let description = [{
    LoRA (Hu et al., 2021): all parameters of the model are frozen, and the
    layers that are chosen get two small ones, with the names that PEFT gives
    them:

    ```mlir
    %y = nn.linear %x, %w : tensor<4x64x32xf32>, tensor<96x32xf32> -> tensor<4x64x96xf32>
    // becomes, with rank = 8 and alpha = 16,
    %y = nn.linear %x, %w : tensor<4x64x32xf32>, tensor<96x32xf32> -> tensor<4x64x96xf32>
    %a = nn.linear %x, %A : tensor<4x64x32xf32>, tensor<8x32xf32> -> tensor<4x64x8xf32>
    %b = arith.mulf %a, dense<2.0>
    %c = nn.linear %b, %B : tensor<4x64x8xf32>, tensor<96x8xf32> -> tensor<4x64x96xf32>
    %z = arith.addf %y, %c
    ```

    `lora_A` begins uniform within 1 / sqrt(inputs), as a linear layer of
    PyTorch does, and `lora_B` as 0, so that the model begins as it was.
    `targets` is a regular expression that matches the whole name of a layer,
    which is that of its weight without ".weight"; without it all linear layers
    are chosen but the head, whose result a loss reads.  A frozen parameter
    (`zero.frozen`) has no gradient, and the part of the backward that only it
    needed is dropped.

    Parameters of modules that `modules-to-save` matches are not frozen, as with
    PEFT's `modules_to_save`.

    With `magnitudes` the rows of the sum of weight and adapter have norms that
    are trained (Liu et al., "DoRA", 2024), as with PEFT's `use_dora`:

    ```mlir
    %z = nn.set_magnitudes %y, %m, %norm, %bias : ...
    ```

    for a layer without its bias, and with the norms of the rows of
    `W + 2.0 B A`, which are computed without that product.

    With `dropout` the input of each `lora_A` has dropout (`nn.dropout`), with a
    mask of its own, as with PEFT's `lora_dropout`.

    With `base-storage` the weights of experts and of all linear layers but the
    head, with an adapter or without, are packed (`zero.packing`): as frozen
    parameters of 4 or 8 bits (Dettmers et al., "QLoRA", 2023).  The model reads
    the unpacked values.  A parameter that something else reads, too, such as an
    embedding, stays as it is.
  }];
  let options = [
    Option<"rank", "rank", "int64_t", "0", "inner size of an adapter">,
    Option<"alpha", "alpha", "double", "0", "its factor is alpha / rank">,
    Option<"rankStabilized", "rank-stabilized", "bool", "false",
           "its factor is alpha / sqrt(rank) (Kalajdzievski, 2023)">,
    Option<"dropout", "dropout", "double", "0", "rate of dropout of the inputs of adapters">,
    Option<"targets", "targets", "std::string", "\"\"", "the names of layers; all but the head if empty">,
    Option<"modulesToSave", "modules-to-save", "std::string", "\"\"",
           "the names of modules that are trained whole; none if empty">,
    Option<"baseStorage", "base-storage", "std::string", "\"model\"",
           "how weights of linear layers and experts are kept: model (as all others), nf4 or int8">,
    Option<"magnitudes", "magnitudes", "bool", "false",
           "train the norms of the rows of weights, too (Liu et al., 2024)">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::nn::NNDialect",
                           "::mlir::tensor::TensorDialect"];
}

def AddDecoding : Pass<"zero-add-decoding", "::mlir::ModuleOp"> {
  let summary = "Adds functions that continue sequences";
  let description = [{
    For generation.  `@prefill` and `@decode` compute the next C positions of
    each slot, 64 and 1, and return the logits of the last of them.  A slot is a
    sequence of up to T positions, whose keys and values the functions keep:

    ```mlir
    func.func @loss(%w: ..., %tokens: tensor<4x64xi32> {zero.input = "tokens"}, %targets: ...) -> tensor<f32> {
      ...
      %o = nn.attention %q, %k, %v {causal, scale = 0.25 : f64} : tensor<4x64x2x16xf32>, tensor<4x64x2x16xf32>
      ...
      %logits = nn.linear %x, %w : tensor<4x64x32xf32>, tensor<256x32xf32> -> tensor<4x64x256xf32>
      %loss = nn.cross_entropy %logits, %targets
    // beside it
    func.func private @decode(..., %begin: tensor<4xi32> {zero.input = "begin", zero.vocab = 64}, %count: ...,
        %prompt: ..., %token: tensor<4x1xi32> {zero.input = "token"},
        %keys: tensor<4x2x64x16xf32> {zero.cache = "0.keys"}, %values: ...)
        -> (tensor<4x256xf32> {zero.output = "logits"}, tensor<4x2x64x16xf32>, ...) {
      ...
      %o, %k1, %v1 = nn.cached_attention %q, %k, %v in %keys, %values at %begin, %count ...
      ...
      %row = nn.embedding %rows, %flat : tensor<4xi32>, tensor<4x32xf32> -> tensor<4x32xf32>
      %logits = nn.linear %row, %w : tensor<4x32xf32>, tensor<256x32xf32> -> tensor<4x256xf32>
    ```

    A row is selected before the product that makes the logits, and before
    operations on its result that work row by row.

    The model must have one `nn.cross_entropy`, whose targets are an input of
    the shape of the input `tokens`: then rows of logits are positions of
    `tokens`.  Positions may read each other only by `nn.attention`, `causal`,
    by `nn.causal_conv` and by `nn.gated_delta_rule`; a slot is one document.
    `@loss` also takes the new inputs, and does not read them.

    Convolutions and delta rules keep a state, whose size does not depend on T.
    Then `begin` has `zero.kept_every = 64`: a slot that has read n positions may
    go back to the last multiple of 64 up to n, or to position 0.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::nn::NNDialect", "::mlir::tensor::TensorDialect"];
}

def SplitContext : Pass<"zero-split-context", "::mlir::ModuleOp"> {
  let summary = "Lets ranks share each sequence";
  let description = [{
    Rewrites the loss, before it is differentiated, for `context` ranks that
    share each sequence.  Every rank gets whole inputs and takes a part of their
    positions (`nn.part`).  Attention needs all positions, and gets those of a
    part of the heads (`nn.reshard`).  The loss of a rank is the sum over its
    positions by the number that all ranks count, so the mean over ranks is as it
    was.

    ```mlir
    %x = nn.embedding %tokens, %w : tensor<1x8xi32>, tensor<16x12xf32> -> tensor<1x8x12xf32>
    // becomes
    %t = nn.part %tokens dim 1 at %part : tensor<1x8xi32>, tensor<i64> -> tensor<1x4xi32>
    %x = nn.embedding %t, %w : tensor<1x4xi32>, tensor<16x12xf32> -> tensor<1x4x12xf32>
    ```

    The module `@context` keeps the function as it was, `@whole`, and as it is
    then, `@split`, for the judge.
  }];
  let options = [
    Option<"context", "context", "int64_t", "1", "ranks that share a sequence; 1: none">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::nn::NNDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::zero::ZeroDialect"];
}

def AddScoring : Pass<"zero-add-scoring", "::mlir::ModuleOp"> {
  let summary = "Adds a function that returns values of samples";
  let description = [{
    A model may return a second result beside its loss: values of the samples of
    its batch, [batch, ...], such as log probabilities, rewards or scores.  The
    loss keeps one result; with `score` a function `@score` returns the values,
    without dropout.  With `eval` it does so if `zero.function` has an
    objective, of which the host measures more than the loss.

    ```mlir
    func.func @loss(%w: ..., %tokens: ...) -> (tensor<f32>, tensor<4x2xf32>)
    // becomes
    func.func @loss(%w: ..., %tokens: ...) -> tensor<f32>
    func.func private @score(%w: ..., %tokens: ...) -> (tensor<4x2xf32> {zero.output = "values"})
    ```
  }];
  let options = [
    Option<"score", "score", "bool", "false", "add the function">,
    Option<"eval", "eval", "bool", "false",
           "add the function for evaluations, if the model has an objective">
  ];
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

    Contributions to one adjoint are added in a fixed order: in reverse program
    order, and within an operation from the first operand to the last.
    Contributions to a value of 16 bits are added in f32, and their sum is
    rounded once.

    With `scales-loss` the adjoint of the loss is not 1 but an argument of the
    step, the scalar "loss_scale", and gradients are larger by that factor, so
    that small ones are not lost in f16.

    A gradient has the type of its parameter.  With `grad-dtype=f32` gradients
    of 16-bit parameters are f32: their sums are not rounded.
  }];
  let options = [
    Option<"scalesLoss", "scales-loss", "bool", "false",
      "take the adjoint of the loss as the scalar loss_scale">,
    Option<"gradDtype", "grad-dtype", "::mlir::zero::GradDtype", "::mlir::zero::GradDtype::OfParameters",
           "what gradients are: f32, or the type of the parameters", "::mlir::zero::WordsOf<::mlir::zero::GradDtype>()">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::nn::NNDialect", "::mlir::tensor::TensorDialect"];
}

def LowerNNToLinalg : Pass<"zero-lower-nn-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Replaces every nn operation by its linalg form";
  let description = [{
    For the reference path and for checks of derivatives; kernels are formed
    from the same forms, but with matmuls and attention kept whole.
  }];
  let options = [Option<"keepEmbedding", "keep-embedding", "bool", "false",
    "leave nn.embedding, whose form is a gather that has no derivative">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::nn::NNDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif
