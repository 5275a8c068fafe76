//===- Passes.td - Passes that form kernels ----------------*- tablegen -*-===//
#ifndef PASSES_KERNELS
#define PASSES_KERNELS

include "mlir/Pass/PassBase.td"

def LowerMatmuls : Pass<"zero-lower-matmuls", "::mlir::ModuleOp"> {
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

    If copies bring a sum of products into that form, and each of their elements
    takes part in eight products or more, the pass makes them: it lays out the
    windows of a convolution, and groups loops that are rows or columns.

    Any other contraction stays as it is and becomes a row kernel.
  }];
  let dependentDialects = ["::mlir::nn::NNDialect", "::mlir::tensor::TensorDialect"];
}

def ChunkLoss : Pass<"zero-chunk-loss", "::mlir::ModuleOp"> {
  let summary = "Computes a loss and its gradient by chunks of rows";
  let description = [{
    Logits are as wide as the vocabulary, yet only the loss and two products
    read them or their gradient.  If they have more than `chunk-bytes`, all of
    that is done for one chunk of rows after the other, so that neither exists
    whole.

    ```mlir
    %logits = nn.matmul %x, %w {transpose_b} : (tensor<64x8xf32>, tensor<50x8xf32>) -> tensor<64x50xf32>
    %loss, %lse = nn.cross_entropy %logits, %targets by %count : ...
    %d = nn.cross_entropy_backward %one, %logits, %targets, %lse by %count : ...
    %dx = nn.matmul %d, %w : ... -> tensor<64x8xf32>
    %dw = nn.matmul %d, %x {transpose_a} : ... -> tensor<50x8xf32>
    // becomes, with 32 rows in a chunk
    %x0 = zero.split %x from 0 : tensor<64x8xf32> -> tensor<32x8xf32>
    %l0 = nn.matmul %x0, %w {transpose_b} : ... -> tensor<32x50xf32>
    %t0 = zero.split %targets from 0 : tensor<64xi32> -> tensor<32xi32>
    %loss0, %lse0 = nn.cross_entropy %l0, %t0 by %count : ...
    %d0 = nn.cross_entropy_backward %one, %l0, %t0, %lse0 by %count : ...
    %dx0 = nn.matmul %d0, %w : ... -> tensor<32x8xf32>
    %dw0 = nn.matmul %d0, %x0 {transpose_a} : ... -> tensor<50x8xf32>
    ...
    %loss = arith.addf %loss0, %loss1 : tensor<f32>
    %dw = nn.matmul %d1, %x1 init(%dw0) {transpose_a} : ...
    %dx = zero.join %dx0, %dx1 : tensor<32x8xf32>, tensor<32x8xf32> -> tensor<64x8xf32>
    ```

    It is the same sum in another order: rows are independent of each other, and
    every chunk divides by the count of all rows.  Chunks have equal sizes,
    multiples of 16 rows, that depend on shapes alone.

    Elementwise operations between the product and the loss, such as a soft cap
    of logits, are part of a chunk.

    If the loss is that of each row, a second pass over the chunks computes the
    logits again, for a gradient that needs the losses of all rows; without a
    gradient there is no second pass.

    Logits or gradients with other readers stay whole; so does a mean whose
    adjoint depends on the loss.
  }];
  let options = [Option<"chunkBytes", "chunk-bytes", "int64_t", "64 << 20",
    "the most bytes of a chunk of logits; 0: any number">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::nn::NNDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::zero::ZeroDialect"];
}

def FuseLoss : Pass<"zero-fuse-loss", "::mlir::ModuleOp"> {
  let summary = "Computes a loss and its gradient in one trip over the logits";
  let description = [{
    `nn.cross_entropy` and its backward become operations that run
    for one row after the other, and compute each exponential once.

    ```mlir
    %loss, %lse = nn.cross_entropy %logits, %targets by %count : ...
    %d = nn.cross_entropy_backward %one, %logits, %targets, %lse by %count : ...
    // becomes
    %max = linalg.generic ... ins(%logits) outs(%low : tensor<64xf32>)
    %target = linalg.generic ... ins(%max, %targets)  // %logits[target] - %max
    %e = linalg.generic ... ins(%logits, %max) outs(%empty : tensor<64x50xf32>)
    %sum = linalg.generic ... ins(%e) outs(%zero : tensor<64xf32>)
    %d = linalg.generic ... ins(%sum, %targets, %one, %count) outs(%e : tensor<64x50xf32>)
    %total = linalg.generic ... ins(%sum, %target, %targets)
    %loss = linalg.generic ... ins(%total, %count)
    ```

    A loss whose adjoint depends on it stays as it is.
  }];
  let dependentDialects = ["::mlir::nn::NNDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def AddIntoMatmuls : Pass<"zero-add-into-matmuls", "::mlir::ModuleOp"> {
  let summary = "Lets short products add to longer ones in place";
  let description = [{
    If a product of at most 128 terms and a longer one are added, and nothing
    else reads either, the short one is computed into the bytes of the other, as
    for adapters of linear layers:

    ```mlir
    %y = nn.matmul %x, %w {transpose_b} : (tensor<64x256xf32>, tensor<512x256xf32>) -> tensor<64x512xf32>
    %more = nn.matmul %low, %up {transpose_b} : (tensor<64x16xf32>, tensor<512x16xf32>) -> tensor<64x512xf32>
    %sum = arith.addf %y, %more : tensor<64x512xf32>
    // becomes
    %y = nn.matmul %x, %w {transpose_b} : (tensor<64x256xf32>, tensor<512x256xf32>) -> tensor<64x512xf32>
    %sum = nn.matmul %low, %up init(%y) {transpose_b} : (tensor<64x16xf32>, tensor<512x16xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
    ```

    Results of f32 keep their bits.  With 16 bits the short product is not
    rounded before it is added.
  }];
  let dependentDialects = ["::mlir::nn::NNDialect", "::mlir::tensor::TensorDialect"];
}

def LowerToGenerics : Pass<"zero-lower-to-generics", "::mlir::ModuleOp"> {
  let summary = "Spells everything except products, attention and scatters as linalg.generic";
  let description = [{
    Takes the linalg form of `nn` operations, turns elementwise arith and math
    on tensors, pads and concatenations into linalg, and fuses elementwise
    chains.  Generics look through reshapes that add or drop ones at the end of
    a shape, so that they fit into one kernel with the reshaped value's
    producer:

    ```mlir
    %sums = tensor.expand_shape %sum [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
    %y = linalg.generic {maps = [(a, b), (a, 0)]} ins(%x, %sums) ...
    // becomes
    %y = linalg.generic {maps = [(a, b), (a)]} ins(%x, %sum) ...
    ```

    Views of f32 that 16 bits are widened to, and reshapes of f32 that is
    rounded, become those of the 16 bits (MoveConversions.h).  Functions of a value that is kept are computed again by
    each of their readers, and operations that read the same values are one
    (FuseSiblings.h), as in the backward of `silu(gate) * up`:

    ```mlir
    %dup = arith.mulf %dh, %silu : tensor<8x64xf32>
    %dx = nn.matmul %dup, %wu ...
    %dgate = ... %dh, %gate, %up
    // becomes
    %d:2 = linalg.generic ... ins(%dh, %gate, %up) ...
    %dx = nn.matmul %d#0, %wu ...
    ```

    `nn.matmul`, `nn.attention`, `nn.attention_backward` and
    `nn.embedding_backward` stay: they have kernels of their own.
  }];
  let dependentDialects = ["::mlir::nn::NNDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect"];
}

def CallAttention : Pass<"zero-call-attention", "::mlir::ModuleOp"> {
  let summary = "Gives attention to a library of the device";
  let description = [{
    For `--attention=cudnn`.  Every attention of training and evaluation is that
    of the library; one that the library does not have is an error, which says
    why.  The backward reads the result of the forward in place of its `delta`,
    the operation behind it.  Attention of generation stays as it is.

    ```mlir
    %o, %lse = nn.attention %q, %k, %v {causal, scale = 0.25 : f64} ...
    %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %lse, %delta ...
    // becomes
    %o, %lse, %room = nn.library_attention %q, %k, %v {causal, scale = 0.25 : f64} ...
    %dq, %dk, %dv, %room = nn.library_attention_backward %do, %q, %k, %v, %o, %lse {at_once = 2 : i64, ...} ...
    ```
  }];
  let dependentDialects = ["::mlir::nn::NNDialect"];
  let options = [Option<"width", "width", "int64_t", "256",
    "the widest heads that the device has a backward for">];
}

def FormKernels : Pass<"zero-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Outlines everything that is not a matmul into kernels";
  let description = [{
    Clusters operations that share an outer parallel dimension ("rows") and
    outlines each cluster as one function, a kernel, called by `zero.launch`.
    Inserts into one tensor are such a kernel, of the rows that all of them fill.
    Reshapes of its results stand after the launch.  Equal kernels are shared,
    so a deeper model has no more of them.

    ```mlir
    %0 = linalg.generic {maps = [(b, t, c), (b, t, c)]} ins(%x, %r) ...   // residual
    %1 = linalg.generic {maps = [(b, t, c), (b, t)]} ins(%0) ...          // row sum
    // becomes
    %0, %1 = zero.launch @kernel_0(%x, %r) : ...
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::zero::ZeroDialect"];
  let options = [Option<"whole", "whole", "bool", "false",
    "one serial kernel of the whole step (for --reference)">,
    Option<"room", "room", "bool", "false",
      "give kernels of GPUs the results in which they keep numbers between launches">];
}

def PadRows : Pass<"zero-pad-rows", "::mlir::ModuleOp"> {
  let summary = "Pads rows of matrices of products to aligned addresses";
  let description = [{
    For GPUs, which load vectors of 16 bytes.  Rows of a matrix that is an
    operand or the result of a product begin every 64 elements times n, if its
    rows are no multiples of 16 bytes, and if only products and kernels have
    values of its type:

    ```mlir
    %logits = nn.matmul %x, %w {transpose_b} : (tensor<640x768xbf16>, tensor<50257x768xbf16>) -> tensor<640x50257xbf16>
    // becomes
    %logits = nn.matmul %x, %w {transpose_b} : (tensor<640x768xbf16>, tensor<50257x768xbf16>) -> tensor<640x50257xbf16, #zero.pitch<50304>>
    ```

    Results keep their bits, except for products whose library chooses another
    algorithm.  Nothing reads the padding.  Logits that are not cut into chunks
    are reshaped, so they stay dense.
  }];
  let dependentDialects = ["::mlir::zero::ZeroDialect"];
}

#endif
