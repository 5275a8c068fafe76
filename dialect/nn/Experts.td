//===- Experts.td - Mixtures of experts --------------------*- tablegen -*-===//
//
// A layer of E experts gives each of N tokens to K of them.  No token is
// dropped or padded: there are always N K pairs of a token and an expert, so
// every size is static.
//
//   %p = nn.softmax %logits                              [N, E]
//   %v, %e = nn.top_k %p                                 [N, K] each
//   %rows, %places, %offsets = nn.group_by_expert %e     [N K], [N, K], [E + 1]
//   %x1 = nn.gather_rows %x by %rows, %places            [N K, in]
//   %y1 = nn.grouped_matmul %x1 by %offsets (%w...)      [N K, out]
//   %y = nn.combine_rows %y1 weights %v by %rows, %places  [N, out]
//
// Pair (n, k) has the number n K + k.  Pairs are sorted stably by expert:
//
//   experts     [[2, 0], [0, 1], [2, 1]]      N = 3, K = 2, E = 3
//   rows        [1, 2, 3, 5, 0, 4]            the pair at each place
//   places      [[4, 0], [1, 2], [5, 3]]      the place of each pair
//   offsets     [0, 2, 4, 6]                  the first place of each expert
//
// The order of every sum depends only on N, K and the sizes of rows; that of a
// weight's gradient also on the number of rows of its expert.
//
//===----------------------------------------------------------------------===//
#ifndef NN_EXPERTS_TD
#define NN_EXPERTS_TD

def NN_I32Tensor : StaticShapeTensorOf<[I32]>;

def NN_TopKOp : NN_ModelOp<"top_k", [ReadsOwnRow]> {
  let summary = "The k largest values of each row, and their columns";
  let description = [{
    `values[n, 0] >= values[n, 1] >= ...` are the largest of `probs[n, :]`, and
    `experts[n, j]` is the column of the j-th.  Of equal values the first counts
    as the larger.  The derivative of `values` goes to the columns that were
    chosen; the choice itself has no derivative.

    ```mlir
    %values, %experts = nn.top_k %probs : tensor<6x8xf32> -> tensor<6x2xf32>, tensor<6x2xi32>
    ```

    Constraints:
    * (C1) `probs` has two dimensions, rows and columns.
    * (C2) `values` and `experts` are `[rows, k]`, with k from 1 to the number
      of columns, and `values` has the element type of `probs`.
  }];
  let arguments = (ins NN_Tensor:$probs);
  let results = (outs NN_Tensor:$values, NN_I32Tensor:$experts);
  let assemblyFormat = "$probs attr-dict `:` type($probs) `->` type($values) `,` type($experts)";
}

def NN_GroupByExpertOp : NN_Op<"group_by_expert"> {
  let summary = "Sorts pairs of a token and an expert by their expert";
  let description = [{
    Pair `p = n K + k` belongs to `experts[n, k]`.  `rows` lists the pairs
    sorted by expert, and by p within an expert.  `places` is its inverse:
    `rows[places[n, k]]` is the pair of n and k.  The places of expert e are
    `offsets[e]` to `offsets[e + 1] - 1`.

    ```mlir
    %rows, %places, %offsets = nn.group_by_expert %experts
      : tensor<6x2xi32> -> tensor<12xi32>, tensor<6x2xi32>, tensor<9xi32>
    ```

    Constraints:
    * (C1) `experts` is `[N, K]`, `places` too, and `rows` has N K elements.
    * (C2) `offsets` has two elements or more, one more than there are experts.

    Results for an expert below 0, or from E on, are undefined, but nothing is
    read outside of its tensor.
  }];
  let arguments = (ins NN_I32Tensor:$experts);
  let results = (outs NN_I32Tensor:$rows, NN_I32Tensor:$places, NN_I32Tensor:$offsets);
  let assemblyFormat = [{
    $experts attr-dict `:` type($experts) `->` type($rows) `,` type($places) `,` type($offsets)
  }];
}

def NN_GatherRowsOp : NN_ModelOp<"gather_rows", [MovesElements, ReadsOwnTokens]> {
  let summary = "The token's row for each pair, sorted by expert";
  let description = [{
    `result[i, :] = x[rows[i] / K, :]`: each row appears K times.  Its
    derivative adds up the K rows of a token, found by `places`, in the order of
    k, without a scatter.

    ```mlir
    %y = nn.gather_rows %x by %rows, %places : tensor<6x32xf32>, tensor<12xi32>, tensor<6x2xi32> -> tensor<12x32xf32>
    ```

    Constraints:
    * (C1) `x` is `[N, columns]`, `places` is `[N, K]`, `rows` has N K elements.
    * (C2) the result is `[N K, columns]`, of the element type of `x`.

    `rows` and `places` are inverse to each other, as `nn.group_by_expert`
    returns them; otherwise the derivative is undefined.
  }];
  let arguments = (ins NN_AnyTensor:$x, NN_I32Tensor:$rows, NN_I32Tensor:$places);
  let results = (outs NN_AnyTensor:$result);
  let assemblyFormat = [{
    $x `by` $rows `,` $places attr-dict `:` type($x) `,` type($rows) `,` type($places) `->` type($result)
  }];
}

def NN_CombineRowsOp : NN_ModelOp<"combine_rows", [RoundsResult, ReadsOwnTokens]> {
  let summary = "The sum of each token's rows, times weights";
  let description = [{
    `result[n, :] = sum_k weights[n, k] * y[places[n, k], :]`, in the order of
    k; absent weights count as 1.

    ```mlir
    %x = nn.combine_rows %y weights %w by %rows, %places
      : tensor<12x32xf32>, tensor<12xi32>, tensor<6x2xi32>, tensor<6x2xf32> -> tensor<6x32xf32>
    ```

    Constraints:
    * (C1) `y` is `[N K, columns]`, `places` is `[N, K]`, `rows` has N K
      elements.
    * (C2) `weights`, if there, is `[N, K]`, of the element type of `y`.
    * (C3) the result is `[N, columns]`, of the element type of `y`.

    `rows` and `places` are inverse to each other, as `nn.group_by_expert`
    returns them; otherwise the derivative is undefined.
  }];
  let arguments = (ins NN_Tensor:$y, NN_I32Tensor:$rows, NN_I32Tensor:$places, Optional<NN_Tensor>:$weights);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = [{
    $y (`weights` $weights^)? `by` $rows `,` $places attr-dict `:`
    type($y) `,` type($rows) `,` type($places) (`,` type($weights)^)? `->` type($result)
  }];
}

def NN_GroupedMatmulOp : NN_ModelOp<"grouped_matmul", [
    DeclareOpInterfaceMethods<Zero_PlanOpInterface>, CountsWork, RoundsAll, ReadsOwnTokens, IsLayer]> {
  let summary = "x W^T, where each group of rows has a W of its own";
  let description = [{
    `result[r, o] = sum_i x[r, i] * weights[g][o, i]` for the rows r of group g,
    from `offsets[g]` to `offsets[g + 1] - 1`; with `transposed`, weights are
    stored `[in, out]` and read as `weights[g][i, o]`.  Each weight is an
    operand of its own, so that each is a parameter.  A row of the result has
    the same bits as with `nn.linear`.  Products of 16 bits are added in f32 and
    rounded once.

    Its derivative with respect to x is the same operation with the opposite
    `transposed`; with respect to weights, it is `nn.grouped_matmul_backward`.

    ```mlir
    %y = nn.grouped_matmul %x by %offsets (%w0, %w1) : tensor<12x32xf32>, tensor<3xi32>, tensor<96x32xf32> -> tensor<12x96xf32>
    ```

    Constraints:
    * (C1) there are as many weights as groups, one less than `offsets` has
      elements.
    * (C2) weights have one type, of two dimensions, and their `in` is the last
      of x, `[rows, in]`.
    * (C3) the result is `[rows, out]`; all element types are the same.

    Offsets rise from 0 to the number of rows, as `nn.group_by_expert` returns
    them; otherwise results are undefined, but nothing is read or written
    outside of a tensor.
  }];
  let arguments = (ins NN_AnyTensor:$x, NN_I32Tensor:$offsets, Variadic<NN_AnyTensor>:$weights,
                       UnitAttr:$transposed);
  let results = (outs NN_AnyTensor:$result);
  let assemblyFormat = [{
    $x `by` $offsets `(` $weights `)` attr-dict `:` type($x) `,` type($offsets) `,`
    custom<OneType>(type($weights), ref($weights)) `->` type($result)
  }];
}

def NN_GroupedMatmulBackwardOp : NN_Op<"grouped_matmul_backward", [
    DeclareOpInterfaceMethods<Zero_PlanOpInterface>, CountsWork]> {
  let summary = "Adjoints of the weights of a grouped product";
  let description = [{
    `results[g][i, j] = sum_r a[r, i] * b[r, j]` over the rows r of group g, in
    their order; zeros for a group without rows.  For `nn.grouped_matmul`, a is
    the adjoint of the result and b is x; with `transposed`, a is x and b the
    adjoint.

    ```mlir
    %dw:2 = nn.grouped_matmul_backward %dy, %x by %offsets
      : tensor<12x96xf32>, tensor<12x32xf32>, tensor<3xi32> -> tensor<96x32xf32>, tensor<96x32xf32>
    ```

    Constraints:
    * (C1) there are as many results as groups, one less than `offsets` has
      elements.
    * (C2) a is `[rows, m]`, b is `[rows, n]`, of one element type.
    * (C3) results are `[m, n]`, of that element type, or of f32 where it has 16
      bits.
  }];
  let arguments = (ins NN_AnyTensor:$a, NN_AnyTensor:$b, NN_I32Tensor:$offsets);
  let results = (outs Variadic<NN_AnyTensor>:$products);
  let assemblyFormat = [{
    $a `,` $b `by` $offsets attr-dict `:` type($a) `,` type($b) `,` type($offsets) `->` type($products)
  }];
}

def NN_LogSumExpOp : NN_ModelOp<"log_sum_exp", [ReadsOwnRow]> {
  let summary = "log of the sum of exp(x), over the last dimension";
  let description = [{
    Computed after subtracting the row's maximum.  The router z-loss is the mean
    of its square (Zoph et al., "ST-MoE", 2022).

    ```mlir
    %z = nn.log_sum_exp %logits : tensor<6x8xf32> -> tensor<6xf32>
    ```

    Constraints:
    * (C1) the result has the element type of `x`, and its shape without the
      last dimension.
  }];
  let arguments = (ins NN_Tensor:$x);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
}

#endif
