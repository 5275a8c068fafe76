//===- Parts.td - Sequences that ranks share ---------------*- tablegen -*-===//
//
// Operations of a model that C ranks compute together, each with a part of
// every sequence (passes/model/SplitContext.cpp).  A tensor that is cut along a
// dimension is on each rank its part of it, in the order of the ranks.
//
//===----------------------------------------------------------------------===//
#ifndef NN_PARTS
#define NN_PARTS

def NN_CutTensor : StaticShapeTensorOf<[BF16, F16, F32, F64, I32, I64]>;
/// The number of a rank among those that share a sequence.
def NN_PartNumber : 0DTensorOf<[I64]>;

def NN_PartOp : NN_ModelOp<"part", [MovesElements]> {
  let summary = "This rank's part of a tensor that all have whole";
  let description = [{
    Part `number` of `x`, cut into equal parts along `dim`.

    ```mlir
    %t = nn.part %tokens dim 1 at %part : tensor<4x64xi32>, tensor<i64> -> tensor<4x32xi32>
    ```

    Constraints:
    * (C1) `dim` is a dimension of `x`, and the result's divides it; all others
      are equal.

    A `number` that is no part is undefined; it is the scalar `context`, which
    the host writes.
  }];
  let arguments = (ins NN_CutTensor:$x, I64Attr:$dim, NN_PartNumber:$number);
  let results = (outs NN_CutTensor:$result);
  let assemblyFormat = "$x `dim` $dim `at` $number attr-dict `:` type($x) `,` type($number) `->` type($result)";
}

def NN_PlaceOp : NN_Op<"place"> {
  let summary = "Adjoint of part: zeros, and a part of them";
  let description = [{
    Zeros, but part `number` along `dim` is `x`.

    ```mlir
    %dt = nn.place %d dim 1 at %part : tensor<4x32x8xf32>, tensor<i64> -> tensor<4x64x8xf32>
    ```

    Constraints:
    * (C1) `dim` is a dimension of `x`, which divides the result's; all others
      are equal.
  }];
  let arguments = (ins NN_AnyTensor:$x, I64Attr:$dim, NN_PartNumber:$number);
  let results = (outs NN_AnyTensor:$result);
  let assemblyFormat = "$x `dim` $dim `at` $number attr-dict `:` type($x) `,` type($number) `->` type($result)";
}

def NN_ReshardOp : NN_ModelOp<"reshard", [MovesElements]> {
  let summary = "A tensor that ranks have cut along one dimension, cut along another";
  let description = [{
    `x` is cut along `from`, and the result along `to`: from parts of a sequence
    with all heads to all positions of some heads, or back.

    ```mlir
    %q1 = nn.reshard %q from 1 to 2 : tensor<4x32x4x16xf32> -> tensor<4x64x2x16xf32>
    ```

    With `copies` m each index of `to` is on m ranks next to each other, as if it
    stood there m times: heads of keys that are fewer than the ranks.  With
    `sums` m the indices of `from` are so many copies, which are added in order:
    the adjoint.

    ```mlir
    %k1 = nn.reshard %k from 1 to 2 {copies = 2 : i64} : tensor<4x16x2x8xf32> -> tensor<4x64x1x8xf32>
    %dk = nn.reshard %d from 2 to 1 {sums = 2 : i64} : tensor<4x64x1x8xf32> -> tensor<4x16x2x8xf32>
    ```

    It is lowered to a `zero.all_to_all` between two kernels.

    Constraints:
    * (C1) `from` and `to` are two dimensions of `x`, and the result has as many.
    * (C2) there are C ranks, 2 or more: along `to` x has C parts of the result's
      size, or the result is one and C is `copies` times those of x; along `from`
      the result has C parts of x's size, or x has one and C is `sums` times those
      of the result; all other dimensions are equal.
    * (C3) `copies` and `sums` are 2 or more, and not both there.
  }];
  let arguments = (ins NN_AnyTensor:$x, I64Attr:$from, I64Attr:$to, OptionalAttr<I64Attr>:$copies,
                       OptionalAttr<I64Attr>:$sums);
  let results = (outs NN_AnyTensor:$result);
  let assemblyFormat = "$x `from` $from `to` $to attr-dict `:` type($x) `->` type($result)";
  let extraClassDeclaration = [{
    /// The ranks that exchange.
    int64_t getParts() {
      return getResult().getType().getDimSize(getFrom()) * int64_t(getSums().value_or(1)) /
             getX().getType().getDimSize(getFrom());
    }
  }];
}

#endif
