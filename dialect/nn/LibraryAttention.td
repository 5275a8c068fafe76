//===- LibraryAttention.td - Attention by a device's library *- tablegen -*-===//
//
// With --attention=cudnn, cuDNN computes attention on GPUs (zero-call-attention).
// It reads the result in the backward, where kernels read `delta`, and needs
// memory of its own, which is a result here, so that a plan has a place for it.
//
//===----------------------------------------------------------------------===//
#ifndef NN_LIBRARY_ATTENTION_TD
#define NN_LIBRARY_ATTENTION_TD

def NN_LibraryAttentionOp : NN_Op<"library_attention", [
    CountsWork, DeclareOpInterfaceMethods<NN_OwnKernelOpInterface, ["writesUnused"]>,
    AllTypesMatch<["q", "result"]>, AllTypesMatch<["k", "v"]>]> {
  let summary = "nn.attention, by a library of the device";
  let description = [{
    `result` and `lse` are those of `nn.attention`.  The contents of `room` are
    undefined.

    ```mlir
    %o, %lse, %room = nn.library_attention %q, %k, %v {causal, scale = 0.25 : f64}
      : tensor<4x64x4x16xbf16>, tensor<4x64x2x16xbf16> stats tensor<4x4x64xf32> room tensor<1024xf32>
    ```

    Constraints, those of `nn.attention`:
    * (C1) operands are of bf16 or f16, and heads have a multiple of 8 columns,
      at most 256.
    * (C2) `room` has as many elements as the library needs.
  }];
  let arguments = (ins NN_AnyTensor:$q, NN_AnyTensor:$k, NN_AnyTensor:$v, F64Attr:$scale, UnitAttr:$causal,
                       OptionalAttr<I64Attr>:$window);
  let results = (outs NN_AnyTensor:$result, Optional<NN_Tensor>:$lse, NN_Tensor:$room);
  let assemblyFormat = [{
    $q `,` $k `,` $v attr-dict `:` type($q) `,` type($k) (`stats` type($lse)^)? `room` type($room)
  }];
}

def NN_LibraryAttentionBackwardOp : NN_Op<"library_attention_backward", [
    CountsWork, DeclareOpInterfaceMethods<NN_OwnKernelOpInterface, ["writesUnused", "writesIntoInserts"]>,
    AllTypesMatch<["grad", "q", "out", "dq"]>, AllTypesMatch<["k", "v", "dk", "dv"]>]> {
  let summary = "nn.attention_backward, by a library of the device";
  let description = [{
    As `nn.attention_backward`, whose `delta` it computes from `out`, the result
    of the forward.  It works on `at_once` batches at a time, since `room`,
    whose contents are undefined, has a number for each pair of a query and a
    key.

    ```mlir
    %dq, %dk, %dv, %room = nn.library_attention_backward %do, %q, %k, %v, %o, %lse {at_once = 2 : i64, causal, scale = 0.25 : f64}
      : tensor<4x64x4x16xbf16>, tensor<4x64x2x16xbf16>, tensor<4x4x64xf32> room tensor<43008xf32>
    ```

    Constraints, those of `nn.library_attention`:
    * (C3) `at_once` divides the batch.
  }];
  let arguments = (ins NN_AnyTensor:$grad, NN_AnyTensor:$q, NN_AnyTensor:$k, NN_AnyTensor:$v, NN_AnyTensor:$out,
                       NN_Tensor:$lse, I64Attr:$at_once, F64Attr:$scale, UnitAttr:$causal,
                       OptionalAttr<I64Attr>:$window);
  let results = (outs NN_AnyTensor:$dq, NN_AnyTensor:$dk, NN_AnyTensor:$dv, NN_Tensor:$room);
  let assemblyFormat = [{
    $grad `,` $q `,` $k `,` $v `,` $out `,` $lse attr-dict `:` type($q) `,` type($k) `,` type($lse) `room` type($room)
  }];
}

#endif
