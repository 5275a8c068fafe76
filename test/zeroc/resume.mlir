// A printed level keeps the options that shaped it, with every digit; options
// that come too late are errors, and the model is never overwritten.
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir && cd %t
// RUN: zeroc m.mlir --emit=memory --optimizer=sgd --momentum=0.5 --weight-decay=0.001 --grad-clip=0.004 -o sgd.mlir
// RUN: zeroc sgd.mlir --emit=llvm --cpu=x86-64-v3 | FileCheck %s --check-prefix=KEPT
// RUN: not zeroc sgd.mlir --grad-clip=7 -o no 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: zeroc m.mlir --emit=kernels -o k.mlir
// RUN: not zeroc k.mlir --reference -o no 2>&1 | FileCheck %s --check-prefix=FORMED
// RUN: not zeroc k.mlir --loss-chunk=1 -o no 2>&1 | FileCheck %s --check-prefix=CHUNKED
// RUN: zeroc m.mlir --emit=kernels --loss-chunk=0 -o c.mlir
// RUN: zeroc c.mlir --emit=llvm --cpu=x86-64-v3 | FileCheck %s --check-prefix=CHUNKS
// RUN: zeroc m.mlir --emit=kernels --reference -o r.mlir
// RUN: zeroc r.mlir --emit=llvm --cpu=x86-64-v3 | FileCheck %s --check-prefix=REFERENCE
// RUN: not zeroc r.mlir --world-size=2 --accumulate=3 -o no 2>&1 | FileCheck %s --check-prefix=ONE-RANK
// RUN: not zeroc sgd.mlir --emit=step 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not zeroc ./m.mlir -o m.mlir 2>&1 | FileCheck %s --check-prefix=OVERWRITE
// RUN: not zeroc m.mlir -o - 2>&1 | FileCheck %s --check-prefix=NAMELESS
// RUN: zeroc m.mlir --stage=3 --world-size=2 --bucket-size=1KiB --reuse-distance=4096 --emit=partitioned -o p.mlir
// RUN: zeroc p.mlir --emit=llvm --cpu=x86-64-v3 | FileCheck %s --check-prefix=BUCKETS
// RUN: not zeroc p.mlir --world-size=4 -o no 2>&1 | FileCheck %s --check-prefix=RANKS
// RUN: not zeroc p.mlir --bucket-size=1KiB -o no 2>&1 | FileCheck %s --check-prefix=LAID
// RUN: not test -e no
// RUN: not test -e ./-

// KEPT: --optimizer=sgd --momentum=0.5 --weight-decay=0.001 --grad-clip=0.004 --stage=0 --world-size=1 --cpu=x86-64-v3\00
// LATE: zeroc: error: --grad-clip comes too late for sgd.mlir: at level memory its state and update are fixed as --optimizer=sgd {{.*}}; drop the option
// FORMED: zeroc: error: --reference comes too late for k.mlir: at level kernels its kernels are fixed; drop the option or start from level step or before
// CHUNKED: zeroc: error: --loss-chunk comes too late for k.mlir: at level kernels its kernels are fixed; drop the option or start from level step or before
// CHUNKS: --grad-clip=1 --loss-chunk=0 --stage=0 --world-size=1 --cpu=x86-64-v3\00
// REFERENCE: --optimizer=adamw --betas=0.9,0.95 --eps=1e-08 --weight-decay=0.1 --grad-clip=1 --reference --stage=0 --world-size=1 --cpu=x86-64-v3\00
// ONE-RANK: error: was compiled with --reference, which is one rank and one micro-step, got --world-size=2 --accumulate=3; drop them for the comparison
// BEYOND: error: is at level memory already, beyond step
// BEYOND-NOT: see current operation
// BUCKETS: --stage=3 --world-size=2 --bucket-size=1024 --reuse-distance=4096 --cpu=x86-64-v3\00
// RANKS: zeroc: error: --world-size comes too late for p.mlir: at level partitioned its state and update are fixed as --optimizer=adamw {{.*}}--stage=3 --world-size=2 --bucket-size=1024 --reuse-distance=4096; drop
// LAID: zeroc: error: --bucket-size comes too late for p.mlir: at level partitioned its state and update are fixed
// OVERWRITE: zeroc: error: the output m.mlir would overwrite ./m.mlir; name another file
// NAMELESS: zeroc: error: a program or an object needs a file; name it with -o OUT
func.func @loss(%wte: tensor<32x16xf32> {zero.param = "wte.weight"}, %w: tensor<32x16xf32> {zero.param = "head.weight"},
                %tokens: tensor<2x8xi32> {zero.input = "tokens", zero.vocab = 32 : i64},
                %targets: tensor<2x8xi32> {zero.input = "targets"}) -> tensor<f32> {
  %x = nn.embedding %tokens, %wte : tensor<2x8xi32>, tensor<32x16xf32> -> tensor<2x8x16xf32>
  %logits = nn.linear %x, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<2x8x32xf32>, tensor<2x8xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
