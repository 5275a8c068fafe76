//===- NN.td - Model mathematics ---------------------------*- tablegen -*-===//
//
// Some twenty operations, each with a verifier, a derivative and a linalg
// form.  They are pure functions of tensors; f32 and f64 are both valid, the
// latter for checks of derivatives; embeddings, products and attention take 16
// bits too.
//
// Statistics.  Operations whose derivative needs a by-product of the forward
// pass (`cross_entropy`, `attention`, `layer_norm`, `rms_norm`) have optional
// trailing results for it.  Models are written without them; DifferentiateLoss
// adds them.
//
//===----------------------------------------------------------------------===//
#ifndef NN_TD
#define NN_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialect/nn/Interfaces.td"
include "dialect/zero/PlanInterfaces.td"

def NN_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::mlir::nn";
  let summary = "Model mathematics on tensors";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::zero::ZeroDialect"];
}

def NN_Float : AnyTypeOf<[F32, F64]>;
def NN_Tensor : StaticShapeTensorOf<[NN_Float]>;
/// For operations that add in f32 and round once, whatever type they read.
def NN_AnyTensor : StaticShapeTensorOf<[BF16, F16, F32, F64]>;
/// Or the bytes of a packed parameter.
def NN_Factor : StaticShapeTensorOf<[BF16, F16, F32, F64, I8]>;
def NN_IdTensor : StaticShapeTensorOf<[I32, I64]>;
def NN_StartsTensor : StaticShapeTensorOf<[I32]>;
def NN_KeysTensor : StaticShapeTensorOf<[I64]>;

class NN_Op<string mnemonic, list<Trait> traits = []> :
    Op<NN_Dialect, mnemonic, !listconcat([Pure,
      DeclareOpInterfaceMethods<NN_LinalgFormOpInterface>], traits)> {
  let hasVerifier = 1;
}

/// For operations with routines of their own.
defvar CountsWork = DeclareOpInterfaceMethods<Zero_FlopsOpInterface, ["addWork"]>;

/// Operations a model is written with; the others come from derivatives.
class NN_ModelOp<string mnemonic, list<Trait> traits = [], list<string> overridden = []> :
    NN_Op<mnemonic, !listconcat([
      DeclareOpInterfaceMethods<NN_DifferentiableOpInterface, overridden>], traits)>;

/// Operations on each element, or each row, of one tensor.
class NN_UnaryOp<string mnemonic, list<Trait> traits = []> :
    NN_ModelOp<mnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins NN_Tensor:$x);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def NN_EmbeddingOp : NN_ModelOp<"embedding", [MovesElements, ReadsOwnElement, IsLayer]> {
  let summary = "Looks up one table row per token";
  let description = [{
    `result[..., c] = table[tokens[...], c]`.

    ```mlir
    %x = nn.embedding %tokens, %wte : tensor<4x64xi32>, tensor<256x32xf32> -> tensor<4x64x32xf32>
    ```

    Tokens that are `padding` give their row no gradient, as with `padding_idx`
    of PyTorch.

    Constraints:
    * (C1) the result has the shape of `tokens` with the row length appended.
    * (C2) `padding`, if there, is a row of the table.

    Token ids outside of the table are undefined; the runtime rejects them
    before a step.
  }];
  let arguments = (ins NN_IdTensor:$tokens, NN_AnyTensor:$table, OptionalAttr<I64Attr>:$padding);
  let results = (outs NN_AnyTensor:$result);
  let assemblyFormat = "$tokens `,` $table attr-dict `:` type($tokens) `,` type($table) `->` type($result)";
}

def NN_EmbeddingBackwardOp : NN_Op<"embedding_backward", [
    DeclareOpInterfaceMethods<Zero_FlopsOpInterface, ["addWork", "getWrittenElements"]>,
    DeclareOpInterfaceMethods<NN_OwnKernelOpInterface, ["getKernelKind", "getOverwritten"]>,
    AllTypesMatch<["init", "result"]>]> {
  let summary = "Adds row gradients into a table gradient, in token order";
  let description = [{
    `result = init`, then for every token in row-major order
    `result[tokens[i], :] += grad[i, :]`.  The order is part of the meaning: it
    makes the sum of a repeated token the same on every run and machine.  Rows
    of 16 bits are added in f32, and rounded when the last token has been added.

    ```mlir
    %dwte = nn.embedding_backward %tokens, %dx into %init : tensor<4x64xi32>, tensor<4x64x32xf32>, tensor<256x32xf32>
    ```

    Constraints:
    * (C1) `grad` has the shape of `tokens` with the row length appended.
  }];
  let arguments = (ins NN_IdTensor:$tokens, NN_AnyTensor:$grad, NN_AnyTensor:$init);
  let results = (outs NN_AnyTensor:$result);
  let assemblyFormat = "$tokens `,` $grad `into` $init attr-dict `:` type($tokens) `,` type($grad) `,` type($init)";
}

def NN_LinearOp : NN_ModelOp<"linear", [RoundsFactors, ReadsOwnRow, IsLayer]> {
  let summary = "x W^T + bias, over the last dimension";
  let description = [{
    `y[..., o] = sum_i x[..., i] * weight[o, i] + bias[o]`; with `transposed`
    the weight is stored `[in, out]` (GPT-2's Conv1D) and read as
    `weight[i, o]`.

    ```mlir
    %y = nn.linear %x, %w, %b : tensor<4x64x32xf32>, tensor<96x32xf32>, tensor<96xf32> -> tensor<4x64x96xf32>
    %z = nn.linear %x, %v {transposed} : tensor<4x64x32xf32>, tensor<32x96xf32> -> tensor<4x64x96xf32>
    ```

    Constraints:
    * (C1) `weight` has two dimensions, and its `in` is the last of `x`.
    * (C2) `bias`, if there, has `out` elements.
    * (C3) the result is `x` with the last dimension replaced by `out`.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$weight, Optional<NN_Tensor>:$bias,
                       UnitAttr:$transposed);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $weight (`,` $bias^)? attr-dict `:` type($x) `,` type($weight) (`,` type($bias)^)? `->` type($result)
  }];
}

def NN_MatmulOp : NN_Op<"matmul", [
    DeclareOpInterfaceMethods<Zero_PlanOpInterface, ["getStorageTies"]>, CountsWork, AttrSizedOperandSegments,
    RoundsFactors, IsLayer]> {
  let summary = "A matmul with transposes, bias and accumulation folded in";
  let description = [{
    `c = [scale] op(a) op(b) [+ bias] [+ init]`, for each leading batch index.
    This is the form in which matmuls reach the plan: `nn.linear`, its
    derivatives and linalg contractions all become it, and each is one library
    call.  `init` shares its bytes with the result.  Products of 16 bits are
    added in f32, with bias and `init`, and rounded once if the result has 16
    bits.  A plan scales the products that add a micro-step's gradient to the
    sum of those before it.

    With `packed` b is the bytes of a packed parameter of a's element type, which
    the product dequantizes itself; MultiplyPacked makes such products.

    ```mlir
    %c = nn.matmul %a, %b bias(%d) {transpose_b} : (tensor<256x32xf32>, tensor<96x32xf32>, tensor<96xf32>) -> tensor<256x96xf32>
    %e = nn.matmul %a, %c init(%f) {scale = 2.500000e-01 : f64, transpose_a} : (tensor<256x32xf32>, tensor<256x96xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
    ```

    Constraints:
    * (C1) `a`, `b` and the result have the same rank of two or more, and equal
      batch dimensions.
    * (C2) the inner dimensions agree, and the result is m x n.
    * (C3) `bias`, if there, has n elements; `init`, if there, has the result's
      type.
    * (C4) a and b have one element type; bias, init and the result have it too,
      or f32 where it has 16 bits.
    * (C5) `packed` is nf4 or int8: then a and the result are matrices, b is the
      bytes of n x k elements, transpose_b is there, and transpose_a is not.
  }];
  let arguments = (ins NN_AnyTensor:$a, NN_Factor:$b, Optional<NN_AnyTensor>:$bias, Optional<NN_AnyTensor>:$init,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b, OptionalAttr<StrAttr>:$packed,
                       OptionalAttr<F64Attr>:$scale);
  let results = (outs NN_AnyTensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$a, "::mlir::Value":$b,
                                 "::mlir::Value":$bias, "::mlir::Value":$init, "bool":$transposeA, "bool":$transposeB),
                            [{ build($_builder, $_state, result, a, b, bias, init, transposeA, transposeB, {}, {}); }]>];
  let assemblyFormat = [{
    $a `,` $b (`bias` `(` $bias^ `)`)? (`init` `(` $init^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The packing of b, if it is packed.
    ::std::optional<::mlir::zero::Packing> getPacking();
    /// Sizes of op(a): m x k, and of the result: m x n, per batch index.
    int64_t getM(); int64_t getN(); int64_t getK(); int64_t getBatch();
    /// The scale, or 1.
    double getFactor();
  }];
}

def NN_LayerNormOp : NN_ModelOp<"layer_norm", [
    AllTypesMatch<["x", "result"]>, AllTypesMatch<["weight", "bias"]>, AttrSizedResultSegments,
    RoundsResult, ReadsOwnRow, IsLayer],
    ["saveForBackward"]> {
  let summary = "Normalises rows to zero mean and unit variance";
  let description = [{
    Over the last dimension, with the biased variance:
    `y = (x - mean) * rstd * weight + bias`, `rstd = 1 / sqrt(var + eps)`.
    The variance is that of the centred values, in a second pass.

    ```mlir
    %y = nn.layer_norm %x, %w, %b {eps = 1.0e-5 : f64} : tensor<4x64x32xf32>, tensor<32xf32>
    ```

    Statistics: `mean` and `rstd`, one value per row.

    Constraints:
    * (C1) `weight` and `bias` have one dimension, the last of `x`.
    * (C2) `eps` is positive.
    * (C3) statistics, both or none, have the shape of `x` without its last
      dimension.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$weight, NN_Tensor:$bias, F64Attr:$eps);
  let results = (outs NN_Tensor:$result, Optional<NN_Tensor>:$mean, Optional<NN_Tensor>:$rstd);
  let assemblyFormat = [{
    $x `,` $weight `,` $bias attr-dict `:` type($x) `,` type($weight) (`stats` type($mean)^ `,` type($rstd))?
  }];
}

def NN_RmsNormOp : NN_ModelOp<"rms_norm", [
    AllTypesMatch<["x", "result"]>, RoundsResult, ReadsOwnRow, IsLayer], ["saveForBackward"]> {
  let summary = "Divides rows by their root mean square";
  let description = [{
    Over the last dimension: `y = x * rstd * weight`,
    `rstd = 1 / sqrt(mean(x^2) + eps)` (Zhang & Sennrich, 2019).  With
    `unit_offset` the factor is `1 + weight`, as in Gemma.

    ```mlir
    %y = nn.rms_norm %x, %w {eps = 1.0e-6 : f64} : tensor<4x64x32xf32>, tensor<32xf32>
    ```

    Statistics: `rstd`, one value per row.

    Constraints:
    * (C1) `weight` has one dimension, the last of `x`.
    * (C2) `eps` is positive.
    * (C3) `rstd`, if there, has the shape of `x` without its last dimension.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$weight, F64Attr:$eps, UnitAttr:$unit_offset);
  let results = (outs NN_Tensor:$result, Optional<NN_Tensor>:$rstd);
  let assemblyFormat = [{
    $x `,` $weight attr-dict `:` type($x) `,` type($weight) (`stats` type($rstd)^)?
  }];
}

def NN_SetMagnitudesOp : NN_ModelOp<"set_magnitudes", [
    AllTypesMatch<["x", "result"]>, AllTypesMatch<["magnitude", "norm"]>, RoundsResult, ReadsOwnRow]> {
  let summary = "Gives each column of a layer's result a magnitude";
  let description = [{
    `y[..., o] = x[..., o] * magnitude[o] / norm[o] + bias[o]`, for a layer
    whose weight has rows of these norms: then those of the weight times
    `magnitude / norm` have the norm `magnitude` (Liu et al., "DoRA", 2024).
    The derivative takes `norm` as a constant, as section 4.3 there proposes.

    ```mlir
    %y = nn.set_magnitudes %x, %m, %n, %b : tensor<4x64x32xf32>, tensor<32xf32>, tensor<32xf32>
    ```

    Constraints:
    * (C1) `magnitude`, `norm` and `bias` have one dimension, the last of `x`,
      and its element type.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$magnitude, NN_Tensor:$norm, Optional<NN_Tensor>:$bias);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $magnitude `,` $norm (`,` $bias^)? attr-dict `:` type($x) `,` type($magnitude) (`,` type($bias)^)?
  }];
}

def NN_DetachOp : NN_UnaryOp<"detach"> {
  let summary = "x, of which the loss does not learn";
  let description = [{
    The result is `x`, and passes no adjoint on to it.

    ```mlir
    %y = nn.detach %x : tensor<4x64xf32>
    ```
  }];
  let hasVerifier = 0;
}

def NN_SiluOp : NN_UnaryOp<"silu", [RoundsResult, ReadsOwnRow]> {
  let summary = "Sigmoid linear unit: x * sigmoid(x)";
  let description = [{
    `x / (1 + exp(-x))`, also called swish.  Elfwing et al. (2017).

    ```mlir
    %y = nn.silu %x : tensor<4x64xf32>
    ```
  }];
  let hasVerifier = 0;
}

def NN_RopeOp : NN_ModelOp<"rope", [AllTypesMatch<["x", "result"]>, RoundsResult]> {
  let summary = "Rotary position embedding";
  let description = [{
    `x` is `[batch, sequence, heads, head_dim]`.  Pair `d` of the elements of a
    head at position `t` is rotated by the angle `t * frequencies[d]` (Su et
    al., 2021).  Position t of the sequence is t, or `positions[b, t]`:

        y0 = factor * (x0 cos - x1 sin)        y1 = factor * (x1 cos + x0 sin)

    With R = 2 x the number of frequencies, a pair is elements `d` and
    `d + R/2`; with `interleaved` it is elements `2d` and `2d + 1`.  Elements
    from R on stay as they are.  `inverse` rotates the other way, which is the
    adjoint.  Angles are reduced to a turn in f64, so that they are as exact at
    position 100,000 as at 1.

    ```mlir
    %y = nn.rope %x {frequencies = array<f64: 1.0, 0.01>} : tensor<4x64x2x4xf32>
    %z = nn.rope %x at %positions {frequencies = array<f64: 1.0, 0.01>} : tensor<4x64x2x4xf32>, tensor<4x64xi32>
    ```

    Constraints:
    * (C1) `x` has four dimensions.
    * (C2) there is a frequency, and R is at most `head_dim`; all are finite.
    * (C3) `factor` is finite and not 0.
    * (C4) `positions`, if there, is `[batch, sequence]`.
  }];
  let arguments = (ins NN_Tensor:$x, Optional<NN_StartsTensor>:$positions, DenseF64ArrayAttr:$frequencies,
                       DefaultValuedAttr<F64Attr, "1.0">:$factor,
                       UnitAttr:$interleaved, UnitAttr:$inverse);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "$x (`at` $positions^)? attr-dict `:` type($x) (`,` type($positions)^)?";
}

def NN_GeluOp : NN_UnaryOp<"gelu", [RoundsResult, ReadsOwnRow]> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `x * Phi(x)`.  The exact form uses erf; with `tanh` it is GPT-2's
    approximation `0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))`, computed as
    `x * sigmoid(2u)`, which is the same function without its cancellation.
    Hendrycks & Gimpel (2016).

    ```mlir
    %y = nn.gelu %x {tanh} : tensor<4x64x32xf32>
    ```
  }];
  let arguments = (ins NN_Tensor:$x, UnitAttr:$tanh);
  let hasVerifier = 0;
}

def NN_DropoutOp : NN_ModelOp<"dropout", [AllTypesMatch<["x", "result"]>, IsPlain]> {
  let summary = "Sets elements to 0 at random, and scales the others";
  let description = [{
    Each element is 0 with probability `rate`, and else `x / (1 - rate)`
    (Srivastava et al., 2014).  Which elements are 0 is a function of the key of
    their sequence, of `place`, and of their number among the elements of the
    sequence (numerics/Dropout.h).  A sequence whose key is 0 stays as it is.
    The keys are the input `dropout`, which training programs fill.

    ```mlir
    %y = nn.dropout %x by %keys {rate = 0.1 : f64, place = 3 : i64} : tensor<4x64x32xf32>, tensor<4xi64>
    ```

    Operations of one place and one shape have one mask.

    Constraints:
    * (C1) `keys` is `[B]`, and the first dimension of `x` is a multiple of B:
      the rows of the first sequence come first.
    * (C2) `rate` is above 0 and below 1.
  }];
  let arguments = (ins NN_Tensor:$x, NN_KeysTensor:$keys, F64Attr:$rate, I64Attr:$place);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "$x `by` $keys attr-dict `:` type($x) `,` type($keys)";
}

def NN_SoftmaxOp : NN_UnaryOp<"softmax", [ReadsOwnRow]> {
  let summary = "exp(x) over its row sum, over the last dimension";
  let description = [{
    Computed after subtracting the row's maximum.

    ```mlir
    %p = nn.softmax %x : tensor<4x64xf32>
    ```

    Constraints:
    * (C1) `x` has at least one dimension.
  }];
}

def NN_AttentionOp : NN_ModelOp<"attention", [
    CountsWork, DeclareOpInterfaceMethods<NN_OwnKernelOpInterface>, RoundsAll, IsLayer,
    AttrSizedOperandSegments, AllTypesMatch<["q", "result"]>, AllTypesMatch<["k", "v"]>],
    ["saveForBackward"]> {
  let summary = "softmax(scale q k^T) v, per batch and head";
  let description = [{
    Operands are `[batch, sequence, heads, head_dim]` and may be slices of one
    wider tensor: kernels read them where they lie.  With 16 bits the scores,
    probabilities and sums are f32 all the same, and so are the statistics.  No
    T x S matrix is held in memory.

    Keys and values may have fewer heads, G of H (grouped-query attention,
    Ainslie et al., 2023): query head h reads head `h / (H / G)`.  With
    `soft_cap` c, the scores are `c tanh(scale q k^T / c)`.

    With `causal`, position i of T sees positions `j <= last(i) = i + (S - T)`
    of S; with `window` W, of these `j > last(i) - W`; with `starts`, of these
    `j >= starts[b, i]`, and `last(i)` in any case.  If documents are packed
    into one sequence, `starts` gives the start of the document of i
    (`nn.document_starts`).

    With `keys`, the probabilities have dropout, as `nn.dropout` of `rate` and
    `place`; the element of head h, query i and key j has the number
    `(h T + i) S + j`.

    ```mlir
    %o = nn.attention %q, %k, %v {causal, scale = 0.25 : f64} : tensor<4x64x4x16xf32>, tensor<4x64x2x16xf32>
    %p = nn.attention %q, %k, %v from %starts {causal, scale = 0.25 : f64, window = 32 : i64}
      : tensor<4x64x4x16xf32>, tensor<4x64x2x16xf32>, tensor<4x64xi32>
    %r = nn.attention %q, %k, %v by %keys {causal, scale = 0.25 : f64, rate = 0.1 : f64, place = 3 : i64}
      : tensor<4x64x4x16xf32>, tensor<4x64x2x16xf32> by tensor<4xi64>
    ```

    Statistics: `lse`, the log of each row's sum of exponentials,
    `[batch, heads, T]`.

    Constraints:
    * (C1) q is `[B, T, H, D]`; k and v are `[B, S, G, D]`, and H is a multiple
      of G.
    * (C2) with `causal`, S is at least T, so that every row sees a position.
    * (C3) `lse`, if there, is `[B, H, T]`.
    * (C4) `window` is positive, and comes with `causal`.
    * (C5) `soft_cap` is positive and finite.
    * (C6) `starts` is `[B, T]`, and comes with `causal`.
    * (C7) `keys` is `[B]`, and comes with `rate` and `place`; `rate` is above 0
      and below 1.
  }];
  let arguments = (ins NN_AnyTensor:$q, NN_AnyTensor:$k, NN_AnyTensor:$v, Optional<NN_StartsTensor>:$starts,
                       Optional<NN_KeysTensor>:$keys, F64Attr:$scale, UnitAttr:$causal,
                       OptionalAttr<I64Attr>:$window, OptionalAttr<F64Attr>:$soft_cap,
                       OptionalAttr<F64Attr>:$rate, OptionalAttr<I64Attr>:$place);
  let results = (outs NN_AnyTensor:$result, Optional<NN_Tensor>:$lse);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`from` $starts^)? (`by` $keys^)? attr-dict `:` type($q) `,` type($k) (`,` type($starts)^)?
    (`by` type($keys)^)? (`stats` type($lse)^)?
  }];
}

def NN_CachedAttentionOp : NN_Op<"cached_attention", [
    DeclareOpInterfaceMethods<NN_OwnKernelOpInterface, ["getOverwritten", "writesUnused"]>,
    AllTypesMatch<["q", "result"]>, AllTypesMatch<["k", "v"]>,
    AllTypesMatch<["keys", "values", "next_keys", "next_values"]>, AllTypesMatch<["begin", "count"]>]> {
  let summary = "Attention of some positions, with kept keys and values";
  let description = [{
    Each of S slots holds the keys and values of a sequence of up to T
    positions.  Of its C positions in q, k and v, the first `count[s]` are those
    from `begin[s]` on: their keys and values are put there, and query i reads
    the keys up to `begin[s] + i`; with `window` W the last W of these; with
    `starts` those from `starts[s]` on.  Results of the other positions are 0.

    The arithmetic of a query is that of `nn.attention`, `causal`, over T
    positions, in the same order, so results have the same bits, whatever C is.
    `scale` and `soft_cap` are those of `nn.attention`.

    ```mlir
    %o, %nk, %nv = nn.cached_attention %q, %k, %v in %keys, %values at %begin, %count {scale = 0.25 : f64}
      : tensor<4x1x4x16xf32>, tensor<4x1x2x16xf32>, tensor<4x2x64x16xf32>, tensor<4xi32>
    ```

    Constraints:
    * (C1) q is `[S, C, H, D]`; k and v are `[S, C, G, D]`, and H is a multiple
      of G; `keys` and `values` are `[S, G, T, D]`, of the element type of k.
    * (C2) `begin`, `count` and `starts` are `[S]`.
    * (C3) `window` is positive; `soft_cap` is positive and finite.

    `begin[s]` is at least 0, and `begin[s] + count[s]` at most T; otherwise
    results are undefined, but nothing is read or written outside of a tensor.
  }];
  let arguments = (ins NN_AnyTensor:$q, NN_AnyTensor:$k, NN_AnyTensor:$v, NN_AnyTensor:$keys, NN_AnyTensor:$values,
                       NN_StartsTensor:$begin, NN_StartsTensor:$count, Optional<NN_StartsTensor>:$starts,
                       F64Attr:$scale, OptionalAttr<I64Attr>:$window, OptionalAttr<F64Attr>:$soft_cap);
  let results = (outs NN_AnyTensor:$result, NN_AnyTensor:$next_keys, NN_AnyTensor:$next_values);
  let assemblyFormat = [{
    $q `,` $k `,` $v `in` $keys `,` $values `at` $begin `,` $count (`from` $starts^)? attr-dict `:` type($q) `,`
    type($k) `,` type($keys) `,` type($begin) (`from` type($starts)^)?
  }];
}

def NN_AttentionBackwardOp : NN_Op<"attention_backward", [
    CountsWork, DeclareOpInterfaceMethods<NN_OwnKernelOpInterface, ["writesUnused", "writesIntoInserts"]>,
    AttrSizedOperandSegments, AllTypesMatch<["grad", "q", "dq"]>,
    AllTypesMatch<["k", "v", "dk", "dv"]>, AllTypesMatch<["lse", "delta"]>]> {
  let summary = "Adjoints of attention's q, k and v";
  let description = [{
    Recomputes the probabilities from `lse`, as in FlashAttention (Dao et al.,
    2022): `dP = dO v^T`, `dS = P * (dP - delta)`, `dq = scale dS k`,
    `dk = scale dS^T q`, `dv = P^T dO`; with `soft_cap` c and capped scores s,
    dS has the factor `1 - (s / c)^2`.  With dropout, dP and the P of dv have
    its factors.  The adjoints of a head of keys and values are sums over the
    query heads that read it, in their order.

    `delta` is `rowsum(dO * O)` of attention's result O.  Without rounding that
    is `rowsum(P * dP)`, also with dropout and cap.  The rounding of O, by up to
    u |O| where u is half a unit in the last place, changes it by up to
    `u rowsum(|dO * O|)`.

    ```mlir
    %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %lse, %delta {causal, scale = 0.25 : f64}
      : tensor<4x64x4x16xf32>, tensor<4x64x4x16xf32>, tensor<4x4x64xf32>
    ```

    Constraints, those of `nn.attention`:
    * (C1) q and `grad` are `[B, T, H, D]`; k and v are `[B, S, G, D]`; `lse`
      and `delta` are `[B, H, T]`.
  }];
  let arguments = (ins NN_AnyTensor:$grad, NN_AnyTensor:$q, NN_AnyTensor:$k, NN_AnyTensor:$v, NN_Tensor:$lse,
                       NN_Tensor:$delta, Optional<NN_StartsTensor>:$starts, Optional<NN_KeysTensor>:$keys,
                       F64Attr:$scale, UnitAttr:$causal, OptionalAttr<I64Attr>:$window, OptionalAttr<F64Attr>:$soft_cap,
                       OptionalAttr<F64Attr>:$rate, OptionalAttr<I64Attr>:$place);
  let results = (outs NN_AnyTensor:$dq, NN_AnyTensor:$dk, NN_AnyTensor:$dv);
  let assemblyFormat = [{
    $grad `,` $q `,` $k `,` $v `,` $lse `,` $delta (`from` $starts^)? (`by` $keys^)? attr-dict `:` type($q) `,` type($k) `,`
    type($lse) (`,` type($starts)^)? (`by` type($keys)^)?
  }];
}

def NN_DocumentStartsOp : NN_Op<"document_starts"> {
  let summary = "Start of the document of each position";
  let description = [{
    For documents that are packed into one sequence, each ended by the token
    `separator`: `starts[b, i]` is 1 + the last position before i that holds it,
    or 0.

    ```mlir
    %starts = nn.document_starts %tokens {separator = 0 : i64} : tensor<4x64xi32> -> tensor<4x64xi32>
    ```

    Constraints:
    * (C1) `tokens` and the result have the same two dimensions.
  }];
  let arguments = (ins NN_IdTensor:$tokens, I64Attr:$separator);
  let results = (outs NN_StartsTensor:$result);
  let assemblyFormat = "$tokens attr-dict `:` type($tokens) `->` type($result)";
}

def NN_CountValidOp : NN_Op<"count_valid"> {
  let summary = "Number of targets that are not ignored";
  let description = [{
    It may be 0; a loss then divides by 1, so that a batch without targets has
    loss 0 and no NaN.  With `weights`, it is the sum of their weights.

    ```mlir
    %n = nn.count_valid %targets {ignore_index = -100 : i32} : tensor<4x64xi32> -> tensor<f32>
    ```

    It stands apart from the loss because ranks and micro-steps add their counts
    before the backward begins.

    Constraints:
    * (C1) the result has no dimensions.
    * (C2) `weights` has the shape of `targets` and the element type of the
      result.
  }];
  let arguments = (ins NN_IdTensor:$targets, Optional<NN_Tensor>:$weights, I32Attr:$ignore_index);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = [{
    $targets (`weights` `(` $weights^ `:` type($weights) `)`)? attr-dict `:` type($targets) `->` type($result)
  }];
}

def NN_CrossEntropyOp : NN_ModelOp<"cross_entropy", [AttrSizedOperandSegments], ["saveForBackward"]> {
  let summary = "Mean negative log-likelihood of the targets";
  let description = [{
    `sum over valid rows of (logsumexp(logits) - logits[target]) / count`.  Rows
    whose target is `ignore_index` (default -100) add nothing, whatever their
    logits are; the logit of any other target that is no class counts as zero.
    `count` is the number of valid rows unless the operand gives it.

    `label_smoothing` e takes `(1 - e) logits[target] + e mean(logits)` instead
    of `logits[target]`, and `z_loss` z adds `z logsumexp(logits)^2` to a row.
    `weights` multiply the rows, and `count` is then the sum of the weights of
    valid rows.

    If the result has the shape of `targets`, it is the loss of each row, which
    is not averaged; that of an ignored row is 0.

    ```mlir
    %loss = nn.cross_entropy %logits, %targets : tensor<4x64x256xf32>, tensor<4x64xi32> -> tensor<f32>
    %mean = nn.cross_entropy %logits, %targets weights(%w : tensor<4x64xf32>) {label_smoothing = 0.1 : f64}
      : tensor<4x64x256xf32>, tensor<4x64xi32> -> tensor<f32>
    ```

    Statistics: `lse`, one value per row.

    Constraints:
    * (C1) `targets` has the shape of `logits` without its last dimension.
    * (C2) the loss and `count` have no dimensions and the element type of
      `logits`; or the loss is as (C3) says, and there is no `count`.
    * (C3) `lse` and `weights`, if there, have the shape of `targets` and the
      element type of `logits`.
    * (C4) `label_smoothing` is from 0 to 1, and `z_loss` is finite and not
      negative.
  }];
  let arguments = (ins NN_Tensor:$logits, NN_IdTensor:$targets, Optional<NN_Tensor>:$weights,
                       Optional<NN_Tensor>:$count, DefaultValuedAttr<I32Attr, "-100">:$ignore_index,
                       DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing,
                       DefaultValuedAttr<F64Attr, "0.0">:$z_loss);
  let results = (outs NN_Tensor:$loss, Optional<NN_Tensor>:$lse);
  let assemblyFormat = [{
    $logits `,` $targets (`weights` `(` $weights^ `:` type($weights) `)`)? (`by` $count^)? attr-dict
    `:` type($logits) `,` type($targets) (`,` type($count)^)?
    `->` type($loss) (`stats` type($lse)^)?
  }];
  let extraClassDeclaration = [{
    /// Whether the loss is that of each row, and no mean.
    bool isOfRows() { return getLoss().getType().getRank() > 0; }
    /// The adjoint of the logits of a mean, if nothing else reads `lse`; else
    /// null.
    CrossEntropyBackwardOp getBackward();
  }];
}

def NN_CrossEntropyBackwardOp : NN_Op<"cross_entropy_backward", [
    AllTypesMatch<["logits", "dlogits"]>, AllTypesMatch<["grad", "count"]>]> {
  let summary = "Adjoint of cross_entropy's logits";
  let description = [{
    `dlogits[r, c] = (exp(logits[r, c] - lse[r]) - [c = targets[r]]) *
    grad / count` for each row r and class c, where `grad` is the loss's
    adjoint.  Rows whose target is `ignore_index` are zero; a `count` of zero
    divides as one does.  With `label_smoothing` e, `z_loss` z and `weights` it
    is `((1 + 2 z lse[r]) exp(logits[r, c] - lse[r]) - (1 - e) [c = targets[r]]
    - e / classes) * weights[r] * grad / count`.

    ```mlir
    %dlogits = nn.cross_entropy_backward %dloss, %logits, %targets, %lse by %n
      : tensor<4x64x256xf32>, tensor<4x64xi32>, tensor<4x64xf32>, tensor<f32>
    ```

    Constraints:
    * (C1) `targets` has the shape of `logits` without its last dimension.
    * (C2) `grad` and `count` have no dimensions and the element type of
      `logits`.
    * (C3) `lse` and `weights`, if there, have the shape of `targets` and the
      element type of `logits`.
  }];
  let arguments = (ins NN_Tensor:$grad, NN_Tensor:$logits, NN_IdTensor:$targets, NN_Tensor:$lse,
                       Optional<NN_Tensor>:$weights, NN_Tensor:$count,
                       DefaultValuedAttr<I32Attr, "-100">:$ignore_index,
                       DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing,
                       DefaultValuedAttr<F64Attr, "0.0">:$z_loss);
  let results = (outs NN_Tensor:$dlogits);
  let assemblyFormat = [{
    $grad `,` $logits `,` $targets `,` $lse (`weights` `(` $weights^ `:` type($weights) `)`)? `by` $count attr-dict
    `:` type($logits) `,` type($targets) `,` type($lse) `,` type($count)
  }];
}

include "dialect/nn/DeltaRule.td"
include "dialect/nn/Experts.td"
include "dialect/nn/LibraryAttention.td"
include "dialect/nn/Parts.td"

#endif
