//===- TMTensor.td - Operations beside linalg --------------*- tablegen -*-===//
//
// torch-mlir's own dialect for computations that linalg cannot express.  Only
// cumulative sums are supported here; zero-normalize-model turns them into
// linalg.
//
//===----------------------------------------------------------------------===//
#ifndef TM_TENSOR
#define TM_TENSOR

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TMTensor_Dialect : Dialect {
  let name = "tm_tensor";
  let cppNamespace = "::mlir::tm_tensor";
  let summary = "Operations of torch-mlir's dialect of this name";
}

class TMTensor_Op<string mnemonic, list<Trait> traits = []> : Op<TMTensor_Dialect, mnemonic, traits>;

def TMTensor_ScanOp : TMTensor_Op<"scan", [AttrSizedOperandSegments]> {
  let summary = "Cumulative sums along a dimension, as torch-mlir prints them";
  let description = [{
    `x` is the input, `+` the region's operation, and i an index along
    `dimension`:

    ```
    inclusive(true)     y[..., i] = x[..., 0] + ... + x[..., i]
    ```

    The second output and result hold the sum of all.

    ```mlir
    %y:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<3x5xf32>)
        outs(%begin, %total : tensor<3x5xf32>, tensor<3xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tm_tensor.yield %c : f32
    } -> tensor<3x5xf32>, tensor<3xf32>
    ```
  }];
  let arguments = (ins I64Attr:$dimension, BoolAttr:$inclusive,
                       Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    `dimension` `(` $dimension `)` `inclusive` `(` $inclusive `)` attr-dict
    `ins` `(` $inputs `:` type($inputs) `)` `outs` `(` $outputs `:` type($outputs) `)`
    $region `->` type($results)
  }];
  let hasVerifier = 1;
}

def TMTensor_YieldOp : TMTensor_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "Yields the result of an operation's region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif // TM_TENSOR
