//===- DeltaRule.td - Layers with a state instead of a window *- tablegen -*-===//
//
// Linear attention keeps a matrix for each head in place of keys and values:
// Mamba-2's state space, and with `beta` the gated delta rule of Qwen 3.5.
//
//===----------------------------------------------------------------------===//
#ifndef NN_DELTA_RULE_TD
#define NN_DELTA_RULE_TD

def NN_CausalConvOp : NN_ModelOp<"causal_conv", [RoundsResult, IsLayer, AllTypesMatch<["x", "result"]>]> {
  let summary = "Each channel's convolution over the positions before it";
  let description = [{
    `result[b, t, c] = sum_j weight[c, K - 1 - j] x[b, t - j, c]` over the j
    below K with `t - j >= starts[b, t]`, or without `starts` `t - j >= 0`, the
    earliest position first.

    ```mlir
    %y = nn.causal_conv %x, %w : tensor<2x70x24xf32>, tensor<24x4xf32>
    %z = nn.causal_conv %x, %w from %starts : tensor<2x70x24xf32>, tensor<24x4xf32> from tensor<2x70xi32>
    ```

    Constraints:
    * (C1) x is `[B, T, C]`, and `weight` is `[C, K]`.
    * (C2) `starts` is `[B, T]`.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$weight, Optional<NN_StartsTensor>:$starts);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $weight (`from` $starts^)? attr-dict `:` type($x) `,` type($weight) (`from` type($starts)^)?
  }];
}

def NN_CachedCausalConvOp : NN_Op<"cached_causal_conv", [
    DeclareOpInterfaceMethods<NN_OwnKernelOpInterface, ["getOverwritten", "writesUnused"]>,
    AllTypesMatch<["x", "result"]>, AllTypesMatch<["inputs", "next_inputs"]>, AllTypesMatch<["begin", "count"]>]> {
  let summary = "A causal convolution of some positions, with kept inputs";
  let description = [{
    Each of S slots keeps the inputs of the last R positions of a sequence, that
    of position p in row `p mod R`.  Of its T positions in x, the first
    `count[s]` are those from `begin[s]` on: their inputs are put there.  Row i
    of the result is that of `nn.causal_conv` at position `begin[s] + i` of the
    whole sequence, with the same bits; with `starts`, where its positions are
    of a document that begins at `starts[s]`.  Results of the other positions
    are 0.

    ```mlir
    %y, %next = nn.cached_causal_conv %x, %w in %inputs at %begin, %count
      : tensor<4x1x24xf32>, tensor<24x4xf32>, tensor<4x67x24xf32>, tensor<4xi32>
    ```

    Constraints:
    * (C1) x is `[S, T, C]`, `weight` is `[C, K]`, and `inputs` is `[S, R, C]`,
      where R is at least T and K.
    * (C2) `begin`, `count` and `starts` are `[S]`.

    A sequence may go back by `R - K + 1` positions.  `begin[s]` is at least 0,
    and `count[s]` from 0 to T; otherwise results are undefined, but nothing is
    read or written outside of a tensor.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$weight, NN_Tensor:$inputs, NN_StartsTensor:$begin,
                       NN_StartsTensor:$count, Optional<NN_StartsTensor>:$starts);
  let results = (outs NN_Tensor:$result, NN_Tensor:$next_inputs);
  let assemblyFormat = [{
    $x `,` $weight `in` $inputs `at` $begin `,` $count (`from` $starts^)? attr-dict `:` type($x) `,` type($weight) `,`
    type($inputs) `,` type($begin) (`from` type($starts)^)?
  }];
}

def NN_GatedDeltaRuleOp : NN_ModelOp<"gated_delta_rule", [
    CountsWork, DeclareOpInterfaceMethods<NN_OwnKernelOpInterface>, IsLayer,
    AttrSizedOperandSegments, AllTypesMatch<["q", "k"]>, AllTypesMatch<["v", "result"]>],
    ["saveForBackward"]> {
  let summary = "A state that decays, and is corrected by what it predicts";
  let description = [{
    For each batch and head of `v`, with a matrix S that is 0 before position 0
    (Yang et al., "Gated Delta Networks", 2024):

        u_t = beta_t (v_t - e^{g_t} S_{t-1}^T k_t)
        S_t = e^{g_t} S_{t-1} + k_t u_t^T
        o_t = S_t^T q_t

    Without `beta`, `u_t = v_t`, which is Mamba-2's state space (Dao and Gu,
    2024).  q and k may have fewer heads, G of H: head h of v reads head
    `h / (H / G)`.  With `starts`, S is 0 before the first position t of a
    document, where `starts[b, t] = t` (`nn.document_starts`).

    Kernels compute chunks of 64 positions (numerics/DeltaRule.h).

    ```mlir
    %o = nn.gated_delta_rule %q, %k, %v gates %g beta %beta
      : tensor<2x70x2x8xf32>, tensor<2x70x4x16xf32>, tensor<2x70x4xf32>, tensor<2x70x4xf32>
    %p = nn.gated_delta_rule %q, %k, %v gates %g from %starts
      : tensor<2x70x2x8xf32>, tensor<2x70x4x16xf32>, tensor<2x70x4xf32> from tensor<2x70xi32>
    ```

    Statistics: `states`, S before each chunk, `[B, H, chunks, K, V]`.

    Constraints:
    * (C1) q and k are `[B, T, G, K]`; v is `[B, T, H, V]`, and H is a multiple
      of G.
    * (C2) `gates` and `beta` are `[B, T, H]`.
    * (C3) `starts` is `[B, T]`.
    * (C4) `states`, if there, is `[B, H, ceil(T / 64), K, V]`.
  }];
  let arguments = (ins NN_Tensor:$q, NN_Tensor:$k, NN_Tensor:$v, NN_Tensor:$gates, Optional<NN_Tensor>:$beta,
                       Optional<NN_StartsTensor>:$starts);
  let results = (outs NN_Tensor:$result, Optional<NN_Tensor>:$states);
  let assemblyFormat = [{
    $q `,` $k `,` $v `gates` $gates (`beta` $beta^)? (`from` $starts^)? attr-dict `:` type($q) `,` type($v) `,`
    type($gates) (`,` type($beta)^)? (`from` type($starts)^)? (`stats` type($states)^)?
  }];
}

def NN_GatedDeltaRuleBackwardOp : NN_Op<"gated_delta_rule_backward", [
    CountsWork, DeclareOpInterfaceMethods<NN_OwnKernelOpInterface, ["writesUnused", "addRoom"]>,
    AttrSizedOperandSegments, AttrSizedResultSegments, AllTypesMatch<["q", "k", "dq", "dk"]>, AllTypesMatch<["grad", "v", "dv"]>, AllTypesMatch<["gates", "dgates"]>]> {
  let summary = "Adjoints of the operands of gated_delta_rule";
  let description = [{
    From `grad`, the adjoint of the result, and the states before each chunk.
    The adjoints of a head of q and k are sums over the heads of v that read it,
    in their order.

    Kernels of GPUs keep the adjoint of S after each chunk, and with `beta` the
    chunk's u, in `room` between their two launches.  It is zero in the end.

    ```mlir
    %dq, %dk, %dv, %dg, %db = nn.gated_delta_rule_backward %do, %q, %k, %v gates %g states %s beta %beta
      : tensor<2x70x2x8xf32>, tensor<2x70x4x16xf32>, tensor<2x70x4xf32>, tensor<2x4x2x8x16xf32>, tensor<2x70x4xf32>
        to tensor<2x70x4xf32>
    ```

    Constraints, those of `nn.gated_delta_rule`:
    * (C1) `dbeta` has the type of `beta`, and is there with it.
    * (C2) `room`, if there, is `[B, H, ceil(T / 64), R, V]`, where R is K, or
      K + 64 with `beta`.
  }];
  let arguments = (ins NN_Tensor:$grad, NN_Tensor:$q, NN_Tensor:$k, NN_Tensor:$v, NN_Tensor:$gates,
                       NN_Tensor:$states, Optional<NN_Tensor>:$beta, Optional<NN_StartsTensor>:$starts);
  let results = (outs NN_Tensor:$dq, NN_Tensor:$dk, NN_Tensor:$dv, NN_Tensor:$dgates, Optional<NN_Tensor>:$dbeta,
                     Optional<NN_Tensor>:$room);
  let assemblyFormat = [{
    $grad `,` $q `,` $k `,` $v `gates` $gates `states` $states (`beta` $beta^)? (`from` $starts^)? attr-dict `:`
    type($q) `,` type($v) `,` type($gates) `,` type($states) (`,` type($beta)^)? (`from` type($starts)^)?
    (`to` type($dbeta)^)? (`room` type($room)^)?
  }];
}

def NN_CachedDeltaRuleOp : NN_Op<"cached_delta_rule", [
    DeclareOpInterfaceMethods<NN_OwnKernelOpInterface, ["getOverwritten", "writesUnused"]>,
    AttrSizedOperandSegments, AllTypesMatch<["q", "k"]>, AllTypesMatch<["v", "result"]>,
    AllTypesMatch<["state", "next_state"]>, AllTypesMatch<["keys", "next_keys"]>,
    AllTypesMatch<["updates", "next_updates"]>, AllTypesMatch<["decays", "next_decays"]>,
    AllTypesMatch<["begin", "count"]>]> {
  let summary = "A delta rule of some positions, with a kept state";
  let description = [{
    Each of S slots keeps what `nn.gated_delta_rule` needs of a sequence that
    has been read up to position p: `state` before the chunk of p, and of the
    `p mod 64` positions of this chunk that were read k, u and the decays `e^g`.
    Of its T positions in q, k and v, the first `count[s]` are those from
    `begin[s]` on.  If `begin[s]` is 0, the state is 0, whatever is kept.
    Results of the other positions are 0.

    The arithmetic of a position is that of `nn.gated_delta_rule` over the whole
    sequence, in the same order, so results have the same bits, whatever T is.
    With `starts`, the positions are of a document that begins at `starts[s]`.

    ```mlir
    %o, %ns, %nk, %nu, %nd = nn.cached_delta_rule %q, %k, %v gates %g beta %beta in %s, %keys, %us, %ds at %begin, %count
      : tensor<3x1x2x8xf32>, tensor<3x1x4x16xf32>, tensor<3x1x4xf32>, tensor<3x4x8x16xf32>, tensor<3x2x64x8xf32>,
        tensor<3x4x64x16xf32>, tensor<3x4x64xf32>, tensor<3xi32> beta tensor<3x1x4xf32>
    ```

    Constraints:
    * (C1) q and k are `[S, T, G, K]`; v is `[S, T, H, V]`, and H is a multiple
      of G.
    * (C2) `gates` and `beta` are `[S, T, H]`.
    * (C3) `state` is `[S, H, K, V]`, `keys` `[S, G, 64, K]`, `updates`
      `[S, H, 64, V]`, and `decays` `[S, H, 64]`.
    * (C4) `begin`, `count` and `starts` are `[S]`.

    A sequence may go back to any position of its last chunk.  `begin[s]` is at
    least 0, and `count[s]` from 0 to T; otherwise results are undefined, but
    nothing is read or written outside of a tensor.
  }];
  let arguments = (ins NN_Tensor:$q, NN_Tensor:$k, NN_Tensor:$v, NN_Tensor:$gates, NN_Tensor:$state,
                       NN_Tensor:$keys, NN_Tensor:$updates, NN_Tensor:$decays, NN_StartsTensor:$begin,
                       NN_StartsTensor:$count, Optional<NN_Tensor>:$beta, Optional<NN_StartsTensor>:$starts);
  let results = (outs NN_Tensor:$result, NN_Tensor:$next_state, NN_Tensor:$next_keys, NN_Tensor:$next_updates,
                      NN_Tensor:$next_decays);
  let assemblyFormat = [{
    $q `,` $k `,` $v `gates` $gates (`beta` $beta^)? `in` $state `,` $keys `,` $updates `,` $decays `at` $begin `,`
    $count (`from` $starts^)? attr-dict `:` type($q) `,` type($v) `,` type($gates) `,` type($state) `,` type($keys) `,`
    type($updates) `,` type($decays) `,` type($begin) (`beta` type($beta)^)? (`from` type($starts)^)?
  }];
}

#endif
