//===- GradientOps.td - Sums of gradients, and their norm --*- tablegen -*-===//
#ifndef ZERO_GRADIENT_OPS
#define ZERO_GRADIENT_OPS

include "dialect/zero/Types.td"

def Zero_AccumulateOp : Zero_PlanOp<"accumulate", ["getStorageTies"], [
    CountsFlops, AllTypesMatch<["sum", "result"]>]> {
  let summary = "Adds a micro-step's gradient of a parameter to those before it";
  let description = [{
    `sum + scale x more`, in the bytes of `sum`, which is a view of a bucket's
    sums.  Gradients of 16 bits may have a sum of f32; a sum of 16 bits is
    computed in f32 and rounded.  A gradient that is a product needs none: the
    sum is the product's `init`.

    ```mlir
    %s = zero.view %a[@b0, "h.0.fc.bias"] : !zero.shard<4144 x f32 by 1> -> tensor<32xf32>
    %s1 = zero.accumulate %s, %db {scale = 1.0 : f64} : tensor<32xf32>, tensor<32xf32>
    ```

    Constraints:
    * (C1) both have one shape.
  }];
  let arguments = (ins AnyStaticShapeTensor:$sum, AnyStaticShapeTensor:$more, F64Attr:$scale);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$sum `,` $more attr-dict `:` type($sum) `,` type($more)";
}

def Zero_AddLeafOp : Zero_PlanOp<"add_leaf", ["getStorageTies"], [CountsFlops, UsesSymbols]> {
  let summary = "Adds a micro-step's gradients to a binary tree of sums";
  let description = [{
    The gradients of 2^n micro-steps are added up in a binary tree, neighbours
    first, with n sums: sum j is of 2^j micro-steps.  Micro-step `number`, from
    0 on, is added to sum 0, 1, ... as long as bit 0, 1, ... of the number is
    set, `sum j + gradients so far`; what this gives becomes the sum of the
    first bit that is not.  Other sums stay as they are.

    ```mlir
    %b0, %b1 = zero.add_leaf %flat of @b0 into(%a0, %a1) number %k : (tensor<4144xf32>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>, tensor<i64>) -> (!zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>)
    ```

    Constraints:
    * (C1) the gradients and the sums are the whole bucket, or all are the
      rank's slice.
    * (C2) there is a sum, and sums are f32; results have their types.
  }];
  let arguments = (ins Zero_Flat:$leaf, FlatSymbolRefAttr:$bucket, Variadic<Zero_Flat>:$sums,
                       0DTensorOf<[I64]>:$number);
  let results = (outs Variadic<Zero_Flat>:$next);
  let assemblyFormat = [{
    $leaf `of` $bucket `into` `(` $sums `)` `number` $number attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 0;
}

def Zero_SumLeavesOp : Zero_PlanOp<"sum_leaves", ["getStorageTies"], [CountsFlops, UsesSymbols]> {
  let summary = "The sum of a binary tree of gradients, with those of the last micro-step";
  let description = [{
    `scale x (sum n + ... (sum 1 + (sum 0 + gradients)))`, in the bytes of sum
    0: what zero.add_leaf would give for a number of ones only, times `scale`.

    ```mlir
    %g = zero.sum_leaves %flat of @b0 and(%b0, %b1) {scale = 0.25 : f64} : (tensor<4144xf32>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>) -> !zero.shard<4144 x f32 by 1>
    ```

    Constraints:
    * (C1) the gradients and the sums are the whole bucket, or all are the
      rank's slice.
    * (C2) there is a sum, and sums are f32; the result has their type.
  }];
  let arguments = (ins Zero_Flat:$leaf, FlatSymbolRefAttr:$bucket, Variadic<Zero_Flat>:$sums, F64Attr:$scale);
  let results = (outs Zero_Flat:$result);
  let assemblyFormat = [{
    $leaf `of` $bucket `and` `(` $sums `)` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 0;
}

def Zero_ClearOp : Zero_PlanOp<"clear", ["getStorageTies", "getExtent"], [SameOperandsAndResultType]> {
  let summary = "Zeros, for the next step's gradients";
  let description = [{
    Overwrites the operand, padding included.

    ```mlir
    %a0 = zero.clear %a1 of @b0 : !zero.shard<4144 x f32 by 1>
    ```
  }];
  let arguments = (ins Zero_Flat:$value, FlatSymbolRefAttr:$bucket);
  let results = (outs Zero_Flat:$result);
  let assemblyFormat = "$value `of` $bucket attr-dict `:` type($value)";
  let hasVerifier = 0;
}

def Zero_ZerosOp : Zero_PlanOp<"zeros", ["getBytesUse"], [UsesSymbols]> {
  let summary = "Zeros, to start a sum of gradients";
  let description = [{
    In bytes of its own, padding included.

    ```mlir
    %a0 = zero.zeros of @b0 : !zero.shard<4144 x f32 by 1>
    ```

    Constraints:
    * (C1) the result is the bucket's slice by the ranks of its axis, or whole.
  }];
  let arguments = (ins FlatSymbolRefAttr:$bucket);
  let results = (outs Zero_Flat:$result);
  let assemblyFormat = "`of` $bucket attr-dict `:` type($result)";
  let hasVerifier = 0;
}

def Zero_SumSquaresOp : Zero_PlanOp<"sum_squares", ["getExtent", "getPreferredStream"], [
    CountsFlops, UsesSymbols, Pure]> {
  let hasVerifier = 0;
  let summary = "Sums of squares of the rank's slice of a bucket's gradients";
  let description = [{
    In f64, one partial sum per 16,384 elements of each member's part of the
    slice, in order; padding is not read.  On one rank the slice is the bucket.
    Ranks may have different numbers of blocks; unused partial sums are zero.

    ```mlir
    %s = zero.sum_squares %g of @b0 : !zero.shard<4160 x f32 by 2> -> tensor<2xf64>
    ```

    With `segments` the slice is cut into so many, and each has blocks of its
    own, as if it were a rank's slice.

    Constraints:
    * (C1) the operand is the bucket's slice by the ranks of its axis, or whole.
    * (C2) the result has one element per started block of each member's part,
      on the rank that has the most; and so for each segment.
  }];
  let arguments = (ins Zero_Flat:$flat, FlatSymbolRefAttr:$bucket,
                       DefaultValuedAttr<I64Attr, "1">:$segments);
  let results = (outs AnyStaticShapeTensor:$partials);
  let assemblyFormat = "$flat `of` $bucket attr-dict `:` type($flat) `->` type($partials)";
  let extraClassDeclaration = [{
    static constexpr int64_t kBlock = 16384;
    /// Partial sums of a slice of `bucket`, on the rank of `ranks` that has the
    /// most.
    static int64_t getNumBlocks(BucketOp bucket, int64_t ranks);
    static int64_t getNumBlocks(::llvm::ArrayRef<MemberAttr> members, int64_t elements,
                                int64_t ranks);
  }];
}

def Zero_TotalOp : Zero_PlanOp<"total", ["getPreferredStream"], [CountsFlops, Pure]> {
  let summary = "Partial sums added up, in order";
  let description = [{
    In f64, operands in order and elements in order.

    ```mlir
    %t = zero.total %s0, %s1 : tensor<2xf64>, tensor<1xf64> -> tensor<f64>
    ```

    Constraints:
    * (C1) operands are tensors of f64 of at most one dimension, at least one;
      the result is `tensor<f64>`.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$partials);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$partials attr-dict `:` type($partials) `->` type($result)";
}

def Zero_ClipOp : Zero_PlanOp<"clip", [], [CountsFlops, Pure, AttrSizedOperandSegments]> {
  let summary = "The gradient norm, and the factor that limits it";
  let description = [{
    `norm = sqrt(sum of all partials)`, summed in f64 in operand order and
    rounded once; `factor = min(1, max_norm / (norm + 1e-6))`, as PyTorch's
    `clip_grad_norm_`.  Without `max_norm` the factor is 1, and an optimizer
    whose factor is always 1 does not take it.

    ```mlir
    %norm, %factor = zero.clip %s0, %s1 {max_norm = 1.0 : f64} : tensor<2xf64>, tensor<1xf64> -> tensor<f32>, tensor<f32>
    ```

    If gradients are `scale` times the true ones, the norm and the factor are
    divided by it; nothing else removes a loss scale.

    A step that may be skipped has operands `within`: the limit of the norm, the
    limit of the sum of all losses of the program, and then these losses, summed
    in f32 in operand order.  The factor is NaN unless the norm and the sum are
    finite and at most their limits.  The largest finite number as a limit
    rejects only what is not finite.

    ```mlir
    %norm, %factor = zero.clip %s0 scale(%s : tensor<f32>) within(%norm_limit, %loss_limit, %loss : tensor<f32>, tensor<f32>, tensor<f32>) : tensor<2xf64> -> tensor<f32>, tensor<f32>
    ```

    Constraints:
    * (C1) partials are tensors of f64 of at most one dimension, at least one.
    * (C2) `max_norm` is positive.
    * (C3) `within` has two limits, or is left out.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$partials, Optional<0DTensorOf<[F32]>>:$scale,
                       Variadic<0DTensorOf<[F32]>>:$within, OptionalAttr<F64Attr>:$max_norm);
  let results = (outs 0DTensorOf<[F32]>:$norm, 0DTensorOf<[F32]>:$factor);
  let assemblyFormat = [{
    $partials (`scale` `(` $scale^ `:` type($scale) `)`)? (`within` `(` $within^ `:` type($within) `)`)? attr-dict `:` type($partials) `->` type($norm) `,` type($factor)
  }];
  let extraClassDeclaration = [{
    static constexpr double kEpsilon = 1e-6;
    /// Whether the factor may be NaN, so that updates skip the step.
    bool maySkip() { return !getWithin().empty(); }
  }];
}

#endif
