//===- CollectiveOps.td - Collectives between ranks ----------*- tablegen -*-===//
//
// None of them is Pure: two gathers of one shard are two collectives, and ranks
// hang when they do not issue the same ones in the same order.  Sums are added
// in rank order by the owner of a slice, in the value's own type, and scaled
// once.
//
//===----------------------------------------------------------------------===//
#ifndef ZERO_COLLECTIVE_OPS
#define ZERO_COLLECTIVE_OPS

include "dialect/zero/Types.td"

def Zero_AllGatherOp : Zero_CollectiveOp<"all_gather", [
    "getStorageTies", "getExtent", "bringsState", "getBytesUse"], [], [UsesSymbols]> {
  let hasVerifier = 0;
  let summary = "Every rank's slice of a bucket, on every rank";
  let description = [{
    ```mlir
    %flat = zero.all_gather %p of @b0 : !zero.shard<4160 x f32 by 2> -> tensor<4160xf32>
    ```

    With an operand that is the whole bucket the gather is in place: rank r's
    slice r of the operand is its contribution, the result has the operand's
    bytes.

    ```mlir
    %p2 = zero.all_gather %p1 of @b0 : !zero.shard<4160 x f32 by 1> -> !zero.shard<4160 x f32 by 1>
    ```

    Where ranks are in groups, a gather is `over groups`: of the slices of a part,
    between its ranks in all groups, or `over members`: of the parts, between the
    members of a group.  In place, the rank's slice or part of the operand is its
    contribution, and the rest of the part, or of the bucket, is received.

    ```mlir
    %a = zero.all_gather %p of @g0 over groups : !zero.shard<4224 x f32 by 8> -> !zero.shard<4224 x f32 by 4 of 8>
    %b = zero.all_gather %a of @g0 over members : !zero.shard<4224 x f32 by 4 of 8> -> tensor<4224xf32>
    ```

    Constraints:
    * (C1) the operand is the bucket's shard by the ranks of its axis, or whole; its
      elements may be quantized (`zero.quantize`).
    * (C2) the result is the whole bucket; in place it has the operand's type.
    * (C3) there is `over` exactly if the axis has groups.  Over members the
      operand is the bucket's part instead of a shard by all ranks; over groups
      the result is.
  }];
  let arguments = (ins Zero_Flat:$source, FlatSymbolRefAttr:$bucket, OptionalAttr<Zero_OverAttr>:$over);
  let results = (outs Zero_Flat:$result);
  let assemblyFormat = "$source `of` $bucket (`over` `` $over^)? attr-dict `:` type($source) `->` type($result)";
  let extraClassDeclaration = [{
    bool isInPlace() { return getSource().getType() == getResult().getType(); }
  }];
}

def Zero_ReduceScatterOp : Zero_CollectiveOp<"reduce_scatter", [
    "getStorageTies", "getExtent", "getBytesUse"], [], [
    CountsFlops, UsesSymbols]> {
  let summary = "Each rank's slice of the sum of all ranks' buckets";
  let description = [{
    `scale x (rank 0's + rank 1's + ...)`; with `into`, added to that value.
    Elements of 16 bits are added in f32, `into` last; the result is rounded to
    16 bits, once, or is f32.

    ```mlir
    %g = zero.reduce_scatter %flat of @b0 {scale = 0.5 : f64} : tensor<4160xf32> -> !zero.shard<4160 x f32 by 2>
    %a1 = zero.reduce_scatter %flat of @b0 into %a {scale = 0.5 : f64} : tensor<4160xf32>, !zero.shard<4160 x f32 by 2> -> !zero.shard<4160 x f32 by 2>
    ```

    With a result that is the whole bucket it is in place: rank r's slice r of
    the result is the sum, the rest keeps the rank's own values.

    With `tree` neighbours are added first: `scale x ((rank 0's + rank 1's) +
    (rank 2's + rank 3's))` of four ranks.

    Where ranks are in groups, the members of each group add up its gradients
    first, and then the groups those sums, in the order of the groups.

    ```mlir
    %s = zero.reduce_scatter %flat of @g0 over members {scale = 0.25 : f64} : tensor<4224xf32> -> !zero.shard<4224 x f32 by 4 of 8>
    %g = zero.reduce_scatter %s of @g0 over groups {scale = 0.5 : f64} : !zero.shard<4224 x f32 by 4 of 8> -> !zero.shard<4224 x f32 by 8>
    ```

    Constraints:
    * (C1) the operand is the whole bucket.
    * (C2) the result is the bucket's shard by the ranks of its axis, or of the
      operand's type.
    * (C3) `into` has the result's type, a shard.
    * (C4) the elements are those of the operand, or f32; of blocks (`zero.quantize`)
      they are f32, bf16 or f16.
    * (C5) there is `over` exactly if the axis has groups.  Over members the
      result is the bucket's part instead of a shard by all ranks; over groups
      the operand may be, too, instead of the whole bucket.
    * (C6) with `tree`, a power of two of ranks, no `into`, and no blocks.
  }];
  let arguments = (ins Zero_Flat:$source, FlatSymbolRefAttr:$bucket, Optional<Zero_ShardType>:$into,
                       OptionalAttr<Zero_OverAttr>:$over, F64Attr:$scale, UnitAttr:$tree);
  let results = (outs Zero_Flat:$result);
  let assemblyFormat = [{
    $source `of` $bucket (`over` `` $over^)? (`into` $into^)? attr-dict `:` type($source) (`,` type($into)^)? `->` type($result)
  }];
  let extraClassDeclaration = [{
    bool isInPlace() { return getSource().getType() == getResult().getType(); }
  }];
}

/// The same values of a bucket in other elements.
class Zero_ElementsOp<string mnemonic, list<string> says> : Zero_PlanOp<mnemonic, says, [
    CountsFlops, UsesSymbols]> {
  let hasVerifier = 0;
  let arguments = (ins Zero_Flat:$source, FlatSymbolRefAttr:$bucket);
  let results = (outs Zero_Flat:$result);
  let assemblyFormat = "$source `of` $bucket attr-dict `:` type($source) `->` type($result)";
}

def Zero_QuantizeOp : Zero_ElementsOp<"quantize", ["getPreferredStream", "changesFormat", "bringsState"]> {
  let summary = "A bucket's values in fewer bits, as ranks exchange them";
  let description = [{
    Quantizes: each 256 elements of the bucket become one of !zero.quantized_block, or each
    is rounded to bf16.  The scale of a block is the largest absolute value by
    the largest code; a code is the value by the scale, rounded to nearest, ties
    to even.  A block with an infinity or a NaN becomes NaNs.  Padding counts as
    zeros.

    ```mlir
    %r = zero.quantize %flat of @w0 : tensor<1024xf32> -> tensor<4x!zero.quantized_block<8>>
    %g = zero.reduce_scatter %r of @w0 {scale = 0.5 : f64} : tensor<4x!zero.quantized_block<8>> -> !zero.shard<1024 x f32 by 2>
    ```

    The reduction adds up what the blocks say, in f32.

    Constraints:
    * (C1) the operand is the whole bucket, a slice or a part of it, of f32, bf16 or
      f16.
    * (C2) the result is as much of it, in blocks or bf16, which takes fewer bits.
  }];
}

def Zero_DequantizeOp : Zero_ElementsOp<"dequantize", ["changesFormat"]> {
  let summary = "The values that quantized elements stand for";
  let description = [{
    Dequantizes: each number of a block is its code times the scale, in f32,
    rounded once to the elements of the result.

    ```mlir
    %q = zero.quantize %p of @w0 : !zero.shard<1024 x f32 by 2> -> !zero.shard<4 x !zero.quantized_block<4> by 2>
    %all = zero.all_gather %q of @w0 : !zero.shard<4 x !zero.quantized_block<4> by 2> -> tensor<4x!zero.quantized_block<4>>
    %wide = zero.dequantize %all of @w0 : tensor<4x!zero.quantized_block<4>> -> tensor<1024xf32>
    ```

    Constraints:
    * (C1) the operand is the whole bucket, a slice or a part of it, in blocks or bf16.
    * (C2) the result is as much of it, of f32, bf16 or f16, in more bits.
  }];
}

def Zero_AllReduceOp : Zero_CollectiveOp<"all_reduce", [], ["getAxisRef", "getWireBytes", "getExportedOperands"], [
    CountsFlops, UsesSymbols, SameOperandsAndResultType]> {
  let summary = "The sum of a few values over all ranks, on every rank";
  let description = [{
    `scale x (rank 0's + rank 1's + ...)`.  For the loss, its count and the
    norm; gradients are reduce_scatter and all_gather.

    ```mlir
    %mean = zero.all_reduce %loss over @dp {scale = 0.25 : f64} : tensor<f32>
    ```

    With `tree` neighbours are added first, as zero.reduce_scatter does; with
    `by_slice` ranks are in the order of their slices, which is another one
    where they are in groups.

    Constraints:
    * (C1) at most 64 bytes of f32 or f64.
    * (C2) with `tree`, a power of two of ranks; `by_slice` only with `tree`.
  }];
  let arguments = (ins AnyStaticShapeTensor:$value, FlatSymbolRefAttr:$axis, F64Attr:$scale,
                       UnitAttr:$tree, UnitAttr:$by_slice);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$value `over` $axis attr-dict `:` type($value)";
  let extraClassDeclaration = [{ static constexpr int64_t kMaxBytes = 64; }];
}

def Zero_AllToAllOp : Zero_CollectiveOp<"all_to_all", ["getBytesUse"], ["getAxisRef", "getRanksOver"], [
    UsesSymbols, AllTypesMatch<["source", "result"]>]> {
  let summary = "What each rank of a context has for this one";
  let description = [{
    The operand is cut along its first dimension, a piece for each of the ranks
    that share a sequence (`zero.axis`); piece p of the result is that of rank p
    for this one.

      rank 0      rank 1           rank 0      rank 1
    +----+----+ +----+----+      +----+----+ +----+----+
    | a0 | a1 | | b0 | b1 |  ->  | a0 | b0 | | a1 | b1 |
    +----+----+ +----+----+      +----+----+ +----+----+

    ```mlir
    %r = zero.all_to_all %s over context : tensor<2x4x12xf32>
    ```

    Constraints:
    * (C1) the first dimension has the size of the axis' context, at least 2.
      In a step that is no plan yet there is no axis.
  }];
  let arguments = (ins AnyStaticShapeTensor:$source);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source `over` `context` attr-dict `:` type($source)";
}

#endif
