//===- Passes.td - What runs as one launch --------------------*- tablegen -*-===//
#ifndef PASSES_KERNELS
#define PASSES_KERNELS

include "mlir/Pass/PassBase.td"

def LowerProducts : Pass<"zero-lower-products", "::mlir::ModuleOp"> {
  let summary = "Turns every contraction into nn.matmul";
  let description = [{
    `nn.linear` and each `linalg.generic` that multiplies and adds become one
    `nn.matmul`, with transposes read off the indexing maps.  Loops that move
    together are collapsed into one dimension.

    ```mlir
    %y = nn.linear %x, %w, %b : tensor<4x8x32xf32>, tensor<96x32xf32>, tensor<96xf32> -> tensor<4x8x96xf32>
    // becomes
    %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x8x32xf32> into tensor<32x32xf32>
    %1 = nn.matmul %0, %w bias(%b) {transpose_b} : ... -> tensor<32x96xf32>
    %y = tensor.expand_shape %1 [[0, 1], [2]] output_shape [4, 8, 96] : ...
    ```

    A contraction whose maps fit no matrix product stays as it is and becomes a
    row kernel.
  }];
  let dependentDialects = ["::mlir::nn::NNDialect", "::mlir::tensor::TensorDialect"];
}

def LowerToGenerics : Pass<"zero-lower-to-generics", "::mlir::ModuleOp"> {
  let summary = "Spells everything but products, attention and scatters as linalg.generic";
  let description = [{
    Takes the linalg form of `nn` operations, turns elementwise arith and math on
    tensors, pads and concatenations into linalg, and fuses elementwise chains.
    What stays: `nn.matmul`, `nn.attention`, `nn.attention_backward` and
    `nn.embedding_backward`, which have kernels of their own.
  }];
  let dependentDialects = ["::mlir::nn::NNDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect"];
}

def FormKernels : Pass<"zero-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Outlines everything that is not a matrix product into kernels";
  let description = [{
    Clusters operations that share an outer parallel dimension ("rows") and
    outlines each cluster as one function, a kernel, called by `zero.launch`.
    Equal kernels are shared, so a deeper model has no more of them.

    ```mlir
    %0 = linalg.generic {maps = [(b, t, c), (b, t, c)]} ins(%x, %r) ...   // residual
    %1 = linalg.generic {maps = [(b, t, c), (b, t)]} ins(%0) ...          // row sum
    // becomes
    %0, %1 = zero.launch @kernel_0(%x, %r) : ...
    ```

    Attributes of a kernel: `zero.kernel` is its shape of parallelism ("rows",
    "columns", "serial", "attention" ...), `zero.space` the sizes of its
    parallel loops; `zero.in_place` on a result lists operands it may overwrite.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::zero::ZeroDialect"];
  let options = [Option<"whole", "whole", "bool", "false",
    "one serial kernel of the whole step (for --reference)">];
}

#endif
