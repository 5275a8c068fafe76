//===- ValueOps.td - Whole tensors -------------------------*- tablegen -*-===//
#ifndef ZERO_VALUE_OPS
#define ZERO_VALUE_OPS

include "dialect/zero/Types.td"

def Zero_LaunchOp : Zero_PlanOp<"launch", ["getStorageTies"], [CountsFlops, Pure, UsesSymbols]> {
  let summary = "Runs one kernel";
  let description = [{
    Operands and results are whole tensors.  The kernel says which operands a
    result may or must overwrite.

    ```mlir
    %y = zero.launch @gelu(%x) : (tensor<256x64xf32>) -> tensor<256x64xf32>
    ```

    Constraints:
    * (C1) the callee is a kernel of the operand and result types.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyStaticShapeTensor>:$operands);
  let results = (outs Variadic<AnyStaticShapeTensor>:$outputs);
  let assemblyFormat = "$kernel `(` $operands `)` attr-dict `:` functional-type($operands, $outputs)";
  let hasVerifier = 0;
}

def Zero_UnpackOp : Zero_PlanOp<"unpack", ["changesFormat"], [CountsFlops]> {
  let summary = "A packed parameter, as a tensor to compute with";
  let description = [{
    Each element is its code's number times the scale of its block, in f32,
    rounded once to the elements of the result.  Not pure, because merging two
    of them would keep the forward's tensor until the backward reads it.

    ```mlir
    %b = zero.view %flat[@b2, "h.2.fc.weight"] : tensor<2128xi8> -> tensor<2120xi8>
    %w = zero.unpack %b as <nf4> : tensor<2120xi8> -> tensor<64x64xbf16>
    ```

    Constraints:
    * (C1) the result is of f32, bf16 or f16.
    * (C2) the operand is the bytes of its packed form, i8.
  }];
  let arguments = (ins AnyStaticShapeTensor:$bytes, Zero_PackingAttr:$packing);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$bytes `as` $packing attr-dict `:` type($bytes) `->` type($result)";
}

def Zero_CopyOp : Zero_PlanOp<"copy", [], [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "The same value in other bytes";
  let description = [{
    AssignMemory inserts it where two values would have to share bytes and
    cannot.

    ```mlir
    %1 = zero.copy %0 : tensor<64x64xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$source);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasVerifier = 0;
}

def Zero_JoinOp : Zero_NameOp<"join"> {
  let summary = "Joins rows that were computed separately into one tensor";
  let description = [{
    The rows of a parameter that is split over buckets, or of a gradient that is
    computed by chunks, in order.  No bytes move: memory is assigned so that the
    pieces are produced one after the other, inside the result.

    ```mlir
    %w = zero.join %top, %bottom : tensor<512x64xf32>, tensor<88x64xf32> -> tensor<600x64xf32>
    ```

    Constraints:
    * (C1) the rows of the operands add up to those of the result; all other
      dimensions are equal.
    * (C2) there is an operand.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$pieces);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$pieces attr-dict `:` type($pieces) `->` type($result)";
}

def Zero_SplitOp : Zero_NameOp<"split"> {
  let summary = "Some rows of a tensor";
  let description = [{
    Takes rows of a gradient whose parameter is split over buckets, or of an
    operand of a chunk of the loss.  No bytes move: the result lies inside the
    operand.

    ```mlir
    %top = zero.split %dw from 512 : tensor<600x64xf32> -> tensor<88x64xf32>
    ```

    Constraints:
    * (C1) the rows, at least one, lie inside the operand; all other dimensions
      are equal.
  }];
  let arguments = (ins AnyStaticShapeTensor:$whole, I64Attr:$row);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$whole `from` $row attr-dict `:` type($whole) `->` type($result)";
}

def Zero_AverageOp : Zero_Op<"average", [Pure, SameOperandsAndResultType]> {
  let summary = "A scalar's mean over all ranks and micro-steps";
  let description = [{
    The divisor of a loss, the number of valid targets, goes through it: every
    rank and micro-step then divides by the mean count, and the mean of their
    losses is the sum over all valid targets by their number.  PartitionState
    turns it into a collective, or into the value itself if there is one rank and
    one micro-step.

    ```mlir
    %all = zero.average %n : tensor<f32>
    ```

    Constraints:
    * (C1) the value has no dimensions.
  }];
  let arguments = (ins AnyStaticShapeTensor:$value);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif
