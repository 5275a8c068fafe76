// Every level prints, says its name, and holds what it stands for.
// RUN: zeroc %s --emit=model | FileCheck %s --check-prefix=MODEL
// RUN: zeroc %s --emit=step | FileCheck %s --check-prefix=STEP
// RUN: zeroc %s --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: zeroc %s --emit=partitioned | FileCheck %s --check-prefix=PARTITIONED
// RUN: zeroc %s --emit=scheduled | FileCheck %s --check-prefix=SCHEDULED
// RUN: zeroc %s --emit=memory | FileCheck %s --check-prefix=MEMORY
// RUN: zeroc %s --emit=llvm --cpu=x86-64-v3 | FileCheck %s --check-prefix=LLVM

// MODEL: func.func @loss
// MODEL: nn.cross_entropy
// STEP: module attributes {{.*}}zero.level = "step"}
// STEP: func.func @step
// STEP: zero.output = "loss"
// STEP: zero.grad = "head.weight"
// KERNELS: zero.level = "kernels"
// KERNELS: units rows
// KERNELS: zero.launch
// KERNELS: nn.matmul
// PARTITIONED: zero.level = "partitioned"
// PARTITIONED: zero.bucket @b0
// PARTITIONED: zero.update @adamw
// SCHEDULED: zero.level = "scheduled"
// MEMORY: zero.arena = array<i64:
// MEMORY-SAME: zero.level = "memory"
// MEMORY: zero.at = [#zero.bytes<device,
// LLVM: define void @{{"?}}zk.
// LLVM: @launch = private constant %zrt_launch_desc { ptr @str{{.*}}, ptr @zk.
// LLVM: x %zrt_op] [%zrt_op { i32 0, i32 0, ptr @launch }
// LLVM: @zrt_compiled_plan = constant %zrt_plan { i32 {{[0-9]+}}, i32 1,
// LLVM-NOT: call i32
func.func @loss(%wte: tensor<32x16xf32> {zero.param = "wte.weight"}, %w: tensor<32x16xf32> {zero.param = "head.weight"},
                %tokens: tensor<2x8xi32> {zero.input = "tokens", zero.vocab = 32 : i64},
                %targets: tensor<2x8xi32> {zero.input = "targets"}) -> tensor<f32> {
  %x = nn.embedding %tokens, %wte : tensor<2x8xi32>, tensor<32x16xf32> -> tensor<2x8x16xf32>
  %h = nn.gelu %x {tanh} : tensor<2x8x16xf32>
  %logits = nn.linear %h, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<2x8x32xf32>, tensor<2x8xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
