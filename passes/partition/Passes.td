//===- Passes.td - Partitions and places state -------------*- tablegen -*-===//
#ifndef PASSES_PARTITION
#define PASSES_PARTITION

include "mlir/Pass/PassBase.td"

def KeepModel : Pass<"zero-keep-model", "::mlir::ModuleOp"> {
  let summary = "Keeps the model's step in the plan, for the judge";
  let description = [{
    Appends a copy of the module, `@step` and its kernels.  No pass changes it
    and no rank runs it: VerifyPlan compares the plan with it.

    ```mlir
    module {
      func.func private @f(...) attributes {zero.kernel = "rows"}
      func.func @step(...)
      module attributes {zero.level = "kernels"} {
        func.func private @f(...) attributes {zero.kernel = "rows"}
        func.func @step(...)
      }
    }
    ```
  }];
}

def RematerializeBlocks : Pass<"zero-rematerialize-blocks", "::mlir::ModuleOp"> {
  let summary = "Computes a block's activations again in the backward";
  let description = [{
    Values that the forward computes within a block of the model and the
    backward reads are computed again before the block's backward, by the same
    launches of the same kernels, so with the same bits.  Values that enter a
    block are kept.

    ```mlir
    %a = zero.launch @ln(%x, %w)            %a = zero.launch @ln(%x, %w)
    %b = nn.matmul %a, %w1                  %b = nn.matmul %a, %w1
    %c = zero.launch @gelu(%b)              %c = zero.launch @gelu(%b)
    %y = nn.matmul %c, %w2                  %y = nn.matmul %c, %w2
    ...                                =>   ...
                                            %a2 = zero.launch @ln(%x, %w)
                                            %b2 = nn.matmul %a2, %w1
                                            %c2 = zero.launch @gelu(%b2)
    %dw2 = nn.matmul %c, %dy                %dw2 = nn.matmul %c2, %dy
    ```

    Where the first launch of a block adds up values of the one before and
    computes more of the sum, as the norm of a residual block, the sum is kept
    instead of the values; the rest of the kernel becomes a kernel with the
    attribute `zero.rest_of`: the kernel, the result that is given, and those
    that are computed of it.

    ```mlir
    %x, %n = zero.launch @k(%before, %branch, %w)
    ...
    %n2 = zero.launch @k.rest(%x, %w)
    ```

    Blocks are the ones that share buckets (PartitionState), in the order in
    which the forward reads them.  The last one, with the loss, is kept, because
    its backward follows directly.  The results of an operation that reads
    parameters of two blocks are kept, too, because it belongs to neither.  Only
    matmuls, launches and reshapes of their results are computed again.

    With `what` kernels, products and operations with routines of their own,
    such as attention, are kept: they take most of the time, and what the other
    kernels compute from them, such as %a and %c above, much of the memory.  With
    a `ratio` below 1 only the first of the blocks, this part of them, are
    recomputed as `what` says, the others as kernels: the activations of the
    first wait longest.

    It is an error if a step has nothing to compute again.
  }];
  let options = [
    Option<"what", "what", "::mlir::zero::Remat", "::mlir::zero::Remat::Block",
           "block or kernels", "::mlir::zero::WordsOf<::mlir::zero::Remat>()">,
    Option<"ratio", "ratio", "double", "1.0", "the part of the blocks for which it holds">,
  ];
}

def StashActivations : Pass<"zero-stash-activations", "::mlir::ModuleOp"> {
  let summary = "Keeps activations in another tier until the backward";
  let description = [{
    Values of the forward that the backward reads are spilled where they are
    computed.  All activations of a block are fetched before the first operation
    of its backward that reads any of them.  Values that RematerializeBlocks
    computes again are not among them, but the values that it reads are.  The
    last block, with the loss, stays, because its backward follows directly.

    ```mlir
    %x = zero.launch @gelu(%a) : ... -> tensor<64x128xf32>
    %h = zero.spill %x : tensor<64x128xf32> -> !zero.stored<tensor<64x128xf32> on host>
    ...
    %x2 = zero.fetch %h : !zero.stored<tensor<64x128xf32> on host> -> tensor<64x128xf32>
    %dw = nn.matmul %x2, %dy {transpose_a} : ...
    ```

    It is an error if a step has nothing to stash.
  }];
  let dependentDialects = ["::mlir::zero::ZeroDialect"];
  let options = [Option<"tier", "tier", "::mlir::zero::Offload", "::mlir::zero::Offload::Cpu",
           "cpu or nvme", "::mlir::zero::WordsOf<::mlir::zero::Offload>()">];
}

def PartitionState : Pass<"zero-partition-state", "::mlir::ModuleOp"> {
  let summary = "Turns parameters into state and appends the update";
  let description = [{
    Before this pass, the step is a function of parameters that returns the loss
    and gradients.  The pass turns it into the body of the training loop:
    parameters lie in buckets, with their optimizer state; gradients are packed,
    their norm is computed and limited, and each bucket is updated.

    ```mlir
    func.func @step(%b: tensor<32xf32> {zero.param = "h.0.bias"},
                    %w: tensor<64x32xf32> {zero.param = "h.0.weight"}, ...)
        -> (tensor<f32>, tensor<32xf32>, tensor<64x32xf32>)
    // becomes
    zero.bucket @b0 over @dp elements 2080 members [#zero.member<"h.0.weight", 64x32 at 0, decay, init = ...>,
        #zero.member<"h.0.bias", 32 at 2048, init = ...>]
    func.func @step(%p: !zero.shard<2080 x f32 by 1>, %m: ..., %v: ..., %lr: tensor<f32>, ...) {
      %b = zero.view %p[@b0, "h.0.bias"]
      %w = zero.view %p[@b0, "h.0.weight"]
      ...
      %flat = zero.flatten %dw, %db into @b0
      %s = zero.sum_squares %flat of @b0
      %norm, %clip = zero.clip %s {max_norm = 1.0}
      %p1, %m1, %v1 = zero.update @adamw of @b0(%p, %flat, %m, %v) scalars(%lr, %clip, %step)
    ```

    A bucket is exchanged as a whole, with its members one after the other.
    Nothing is copied in or out: members are views of it, and gradients are
    computed inside the flat gradient.  Members end at multiples of 16 elements, and
    those with weight decay come first, so that for the update a slice without
    gaps consists of two runs.

    By default the parameters of a block share a bucket.  The model names the
    block of a parameter (`zero.block = "h.0"`); otherwise it is the name up to
    the first number ("h.0.attn.c_fc.weight": "h.0"), or without a number up to
    the last dot.  With `bucket-size`, adjacent parameters share a bucket of at
    most that many bytes, and a larger sharded parameter is cut by rows: each
    piece is a bucket of as many rows as fit, rounded so that slices need no
    padding.  Pieces are gathered into one run of bytes, and their gradients are
    reduced without a copy.

    ```mlir
    %f0 = zero.all_gather %p0 of @b0 : !zero.shard<32768 x f32 by 2> -> tensor<32768xf32>
    %f1 = zero.all_gather %p1 of @b1 : !zero.shard<32768 x f32 by 2> -> tensor<32768xf32>
    %w0 = zero.view %f0[@b0, "w"] : tensor<32768xf32> -> tensor<512x64xf32>
    %w1 = zero.view %f1[@b1, "w"] : tensor<32768xf32> -> tensor<512x64xf32>
    %w = zero.join %w0, %w1 : tensor<512x64xf32>, tensor<512x64xf32> -> tensor<1024x64xf32>
    ```

    On several ranks the stage determines what is sharded and which collectives
    that needs; on one rank all stages are the same.

    | stage | parameters | gradients | optimizer state |
    |---|---|---|---|
    | 0 | whole | whole: reduce_scatter and all_gather | whole |
    | 1 | whole, all_gather after the update | whole until the reduce_scatter | shard |
    | 2 | whole, all_gather after the update | shard: reduce_scatter as they are finished | shard |
    | 3 | shard, all_gather before use | as 2 | shard |

    In stage 3, parameters of fewer than `persist-below` bytes are kept as in
    stage 2; they share no bucket with sharded parameters.

    With `accumulate=K` a step consists of K - 1 runs of `@micro` and one of
    `@step`.  Stages 0 and 1 add whole gradients on each rank and reduce them
    once; stages 2 and 3 reduce the gradients of each micro-step.  Before that,
    K runs of `@count` compute the values that the loss is averaged over.

    With `accumulate-order=block` each program has all K micro-steps, and runs
    once.  Inputs, outputs and flattened gradients name their micro-step.  All micro-steps of
    a stretch of operations that read the same buckets stand before the next
    stretch, so each bucket is gathered or fetched as often as with one
    micro-step.

    ```mlir
    %y0 = nn.matmul %x0, %w0       // micro-step 0
    %y1 = nn.matmul %x1, %w0       // micro-step 1
    %z0 = nn.matmul %y0, %w1
    %z1 = nn.matmul %y1, %w1
    ...
    %sum = zero.zeros of @b0
    %flat0 = zero.flatten %dw0 into @b0 {zero.micro = 0}
    %sum0 = zero.accumulate %sum, %flat0 of @b0
    %flat1 = zero.flatten %dw1 into @b0 {zero.micro = 1}
    %sum1 = zero.accumulate %sum0, %flat1 of @b0
    ```

    With `eval` there is a program `@eval`, which has only the forward.  It
    changes no state, and returns the loss and the values that it is averaged
    over, as means over ranks.

    With `sample` there are programs `@prefill` and `@decode`, made from the
    functions of these names: they return the rank's own rows of logits.

    Weight decay applies to parameters of two or more dimensions.

    Parameters of 16 bits have a slot `master` of f32.  With `master=none`
    updates round them stochastically, by the bits of the scalar `rounding`.

    ```mlir
    func.func @step(%w: tensor<64x32xbf16> {zero.param = "w"}, ...)
        -> (tensor<f32>, tensor<64x32xbf16>)
    // becomes, with master=none
    func.func @step(%p: !zero.shard<2048 x bf16 by 1>, %m: ..., %v: ..., %bits: tensor<i64>, ...) {
      ...
      %p1, %m1, %v1 = zero.update @adamw of @b0(%p, %flat, %m, %v) scalars(%lr, %clip, %step)
          rounding(%bits : tensor<i64>)
    ```
  }];
  let dependentDialects = ["::mlir::zero::ZeroDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  // Besides these it has the options of abi/PlanOptions.def.
  let options = [
    Option<"sample", "sample", "::mlir::zero::Sample", "::mlir::zero::Sample::Off",
           "on: there are programs @prefill and @decode, of the functions of these names; "
           "only: and no other, and no state but parameters; score: the same with @score",
           "::mlir::zero::WordsOf<::mlir::zero::Sample>()">,
    Option<"optimizer", "optimizer", "std::string", "\"adamw\"", "adamw, lion or sgd">,
    Option<"beta1", "beta1", "double", "OptimizerNumbers().beta1",
           "AdamW's decay of the first moment, Lion's of momentum in the update">,
    Option<"beta2", "beta2", "double", "OptimizerNumbers().beta2",
           "AdamW's decay of the second moment, Lion's of momentum that is kept">,
    Option<"eps", "eps", "double", "OptimizerNumbers().eps", "AdamW's epsilon">,
    Option<"momentum", "momentum", "double", "OptimizerNumbers().momentum", "SGD's momentum">,
    Option<"skipNonfinite", "skip-nonfinite", "std::string", "\"auto\"",
      "whether a step whose gradients are not finite changes nothing: on, off, or auto, on with 16 bits">,
    Option<"fetched", "fetched", "bool", "false",
           "on one rank: parameters are fetched from another tier, and cut as if they were gathered">,
    Option<"masters", "masters", "bool", "false",
           "updates work on masters of f32, also where parameters are f32">];
}

def PlaceTiers : Pass<"zero-place-tiers", "::mlir::ModuleOp"> {
  let summary = "Places state in host memory or on NVMe";
  let description = [{
    Parameters (`offload-params`) and the optimizer's state with the masters
    (`offload-optimizer`) each lie on the device (none), in host memory (cpu) or
    on NVMe (nvme), and are moved to where they are used: forward, backward, the
    norm and collectives run on the device; updates run on the host if any of
    their state is not on the device; nothing computes on NVMe.  A transfer
    connects neighbouring tiers.

    ```mlir
    // offload-params=cpu: before the first use in the forward
    %here = zero.fetch %p of @b0 : !zero.shard<4160 x bf16 by 2 on host> -> !zero.shard<4160 x bf16 by 2>
    %f = zero.all_gather %here of @b0

    // offload-optimizer=nvme: the gradient where it is finished, then the update
    %h = zero.spill %g of @b0 : !zero.shard<4160 x bf16 by 2> -> !zero.shard<4160 x bf16 by 2 on host>
    %m1 = zero.fetch %m0 of @b0 : !zero.shard<4160 x f32 by 2 on nvme> -> !zero.shard<4160 x f32 by 2 on host>
    %p1, %m2, ... = zero.update @adamw of @b0 (%p, %h, %m1, ...) ...
    %m3 = zero.spill %m2 of @b0 into %m0 : ...
    ```

    If parameters stay on the device and updates run on the host, the updates
    work on the masters (PartitionState's `masters`), which are f32 and lie on
    the host.

    Parameters that several ranks hold whole stay on the device.

    Sums of gradients over micro-steps (`offload-gradients`) are fetched before a
    gradient is added to them, and spilled back.

    With an `offload-ratio` below 1 the optimizer's state of the first trained
    buckets, with at most the other part of all elements, lies one tier nearer
    to the device, and is updated there.
  }];
  let dependentDialects = ["::mlir::zero::ZeroDialect"];
  let options = [
    Option<"offloadParams", "offload-params", "::mlir::zero::Offload", "::mlir::zero::Offload::None",
           "where parameters lie: none, cpu or nvme", "::mlir::zero::WordsOf<::mlir::zero::Offload>()">,
    Option<"offloadOptimizer", "offload-optimizer", "::mlir::zero::Offload", "::mlir::zero::Offload::None",
           "where the optimizer's state lies: none, cpu or nvme", "::mlir::zero::WordsOf<::mlir::zero::Offload>()">,
    Option<"offloadRatio", "offload-ratio", "double", "1.0", "the part of the optimizer's state that lies there">,
    Option<"offloadGradients", "offload-gradients", "::mlir::zero::Offload", "::mlir::zero::Offload::None",
           "where sums of gradients over micro-steps lie: none, cpu or nvme", "::mlir::zero::WordsOf<::mlir::zero::Offload>()">];
}

def MultiplyPacked : Pass<"zero-multiply-packed", "::mlir::ModuleOp"> {
  let summary = "Products of few rows read packed parameters";
  let description = [{
    Of a packed parameter that products of few rows read, as in the generation of
    text, memory should give its packed bytes only.  So such a product
    dequantizes it itself, a part that stays in the cache at a time: this needs a
    transposed `b` whose rows are whole blocks of elements.  The bits are those of
    the dequantized tensor.  Products of many rows reuse what they read, and GPUs
    have a library's products; for these nothing changes.

    ```mlir
    %w = zero.unpack %b as <nf4> : tensor<2120xi8> -> tensor<64x64xbf16>
    %y = nn.matmul %x, %w {transpose_b} : (tensor<1x64xbf16>, tensor<64x64xbf16>) -> tensor<1x64xbf16>
    // becomes
    %y = nn.matmul %x, %b {transpose_b, packed = "nf4"} : (tensor<1x64xbf16>, tensor<2120xi8>) -> tensor<1x64xbf16>
    ```
  }];
  let dependentDialects = ["::mlir::zero::ZeroDialect"];
}

def RegatherParameters : Pass<"zero-regather-parameters", "::mlir::ModuleOp"> {
  let summary = "Regathers parameters for distant uses";
  let description = [{
    A parameter that is gathered in the forward and needed again in the backward
    would be held in between.  If gathered parameters of more than
    `reuse-distance` bytes are used between two uses, the later use gets its own
    gather, and the bytes are free in between.  Another bucket of the same block
    does not count if only one of the two is frozen, or packed.  Parameters that
    are fetched from host memory, with or without a gather, are treated alike; a
    parameter on NVMe is fetched to the host once.

    ```mlir
    %f = zero.all_gather %p of @b0
    %w = zero.view %f[@b0, "w"]
    %y = nn.matmul %x, %w          // forward
    ...                            // other buckets
    %dx = nn.matmul %dy, %w        // backward
    // becomes
    %f = zero.all_gather %p of @b0
    %w = zero.view %f[@b0, "w"]
    %y = nn.matmul %x, %w
    ...
    %f2 = zero.all_gather %p of @b0
    %w2 = zero.view %f2[@b0, "w"]
    %dx = nn.matmul %dy, %w2
    ```
  }];
  let dependentDialects = ["::mlir::zero::ZeroDialect"];
  let options = [Option<"reuseDistance", "reuse-distance", "int64_t", "0",
                        "bytes of other parameters between uses that one gather serves">,
                 Option<"keepParts", "keep-parts", "bool", "false",
                        "whether what is gathered over groups is kept for later uses">];
}

#endif
