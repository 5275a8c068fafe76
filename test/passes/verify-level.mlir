// RUN: split-file %s %t

// Each level that zeroc prints holds its promises; an edit of it does not.

// RUN: zeroc %t/model.mlir --emit=step --sample -o %t/step.mlir
// RUN: zeroc %t/step.mlir --emit=kernels -o %t/kernels.mlir
// RUN: zeroc %t/kernels.mlir --emit=partitioned --stage=3 --world-size=2 -o %t/partitioned.mlir
// RUN: zeroc %t/partitioned.mlir --emit=scheduled -o %t/scheduled.mlir

// RUN: zero-opt %t/step.mlir --zero-verify-level=level=step -o /dev/null
// RUN: zero-opt %t/kernels.mlir --zero-verify-level=level=kernels -o /dev/null
// RUN: zero-opt %t/partitioned.mlir --zero-verify-level=level=partitioned -o /dev/null
// RUN: zero-opt %t/scheduled.mlir --zero-verify-level=level=scheduled -o /dev/null

// A level is not the one before it.
// RUN: not zero-opt %t/model.mlir --zero-verify-level=level=step 2>&1 | FileCheck %s --check-prefix=MODEL
// MODEL: has no function @step
// RUN: not zero-opt %t/step.mlir --zero-verify-level=level=kernels 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: 'nn.count_valid' op is left; functions launch kernels and multiply matrices (L3)
// RUN: not zero-opt %t/kernels.mlir --zero-verify-level=level=partitioned 2>&1 | FileCheck %s --check-prefix=KERNELS
// KERNELS: has no program, or no model to compare with (L4)
// RUN: not zero-opt %t/partitioned.mlir --zero-verify-level=level=scheduled 2>&1 | FileCheck %s --check-prefix=PARTITIONED
// PARTITIONED: 'zero.all_reduce' op is on stream compute; its kind runs on reduce (L7)
// RUN: not zero-opt %t/scheduled.mlir --zero-verify-level=level=partitioned 2>&1 | FileCheck %s --check-prefix=SCHEDULED
// SCHEDULED: 'zero.all_gather' op is on a stream before streams are chosen (L6)
// RUN: not zero-opt %t/model.mlir --zero-verify-level=level=memory 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: no level "memory" is checked; it is step, kernels, partitioned or scheduled

// (L1)
// RUN: sed 's/func.func private @decode/func.func private @other/' %t/step.mlir | not zero-opt --zero-verify-level=level=step 2>&1 | FileCheck %s --check-prefix=L1
// L1: is left, but functions are @step, @prefill, @decode and @score (L1)
// RUN: sed 's/zero.param = "b"/zero.frozen, zero.param = "b"/' %t/step.mlir | not zero-opt --zero-verify-level=level=step 2>&1 | FileCheck %s --check-prefix=L1-GRADIENTS
// L1-GRADIENTS: returns 3 values; a step returns a loss, and gradients of its 1 trained parameters
// RUN: not zero-opt %t/shape.mlir --zero-verify-level=level=step 2>&1 | FileCheck %s --check-prefix=L1-SHAPE
// L1-SHAPE: has a parameter 'tensor<4xf32>' with a gradient 'tensor<f32>'

// RUN: not zero-opt %t/scalar.mlir --zero-verify-level=level=step 2>&1 | FileCheck %s --check-prefix=L1-SCALAR
// RUN: not zero-opt %t/scalar.mlir --zero-partition-state 2>&1 | FileCheck %s --check-prefix=L1-SCALAR
// L1-SCALAR: has a parameter 'tensor<f32>' with a gradient 'f32'

// (L2)
// RUN: not zero-opt %t/call.mlir --zero-verify-level=level=step 2>&1 | FileCheck %s --check-prefix=L2
// L2: 'scf.if' op is left; a step computes with nn, linalg, tensor, arith and math (L2)
// RUN: not zero-opt %t/kernel.mlir --zero-verify-level=level=kernels 2>&1 | FileCheck %s --check-prefix=L2

// (L4), (L5), (L6)
// RUN: sed 's/^  zero.axis/  func.func private @f()\n  zero.axis/' %t/partitioned.mlir | not zero-opt --zero-verify-level=level=partitioned 2>&1 | FileCheck %s --check-prefix=L4
// L4: is left beside the programs (L4)
// RUN: sed '0,/%[a-z_0-9.]* = zero.all_gather/ s/%[a-z_0-9.]* = zero.all_gather/%loose = tensor.empty() : tensor<4xf32>\n    &/' %t/partitioned.mlir | not zero-opt --zero-verify-level=level=partitioned 2>&1 | FileCheck %s --check-prefix=L5
// L5: 'tensor.empty' op is left; programs run operations of a plan (L5)
// RUN: sed '0,/%[a-z_0-9.]* = zero.all_gather/ s/%[a-z_0-9.]* = zero.all_gather/%event = zero.record on reduce\n    &/' %t/partitioned.mlir | not zero-opt --zero-verify-level=level=partitioned 2>&1 | FileCheck %s --check-prefix=L6
// L6: has bytes or an event, which level memory chooses (L6)

//--- model.mlir
func.func @loss(%w: tensor<64x24xf32> {zero.param = "w"}, %b: tensor<64xf32> {zero.param = "b"},
    %tokens: tensor<2x8xi32> {zero.input = "tokens", zero.vocab = 64 : i64},
    %targets: tensor<2x8xi32> {zero.input = "targets", zero.vocab = 64 : i64}) -> tensor<f32> {
  %x = nn.embedding %tokens, %w : tensor<2x8xi32>, tensor<64x24xf32> -> tensor<2x8x24xf32>
  %y = nn.linear %x, %w, %b : tensor<2x8x24xf32>, tensor<64x24xf32>, tensor<64xf32> -> tensor<2x8x64xf32>
  %loss = nn.cross_entropy %y, %targets : tensor<2x8x64xf32>, tensor<2x8xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

//--- shape.mlir
func.func @step(%w: tensor<4xf32> {zero.param = "w"}, %l: tensor<f32> {zero.input = "l"}) -> (tensor<f32>, tensor<f32>) {
  return %l, %l : tensor<f32>, tensor<f32>
}

//--- scalar.mlir
func.func @step(%w: tensor<f32> {zero.param = "w"}, %l: tensor<f32> {zero.input = "l"}, %g: f32 {zero.input = "g"}) -> (tensor<f32>, f32) {
  return %l, %g : tensor<f32>, f32
}

//--- call.mlir
func.func @step(%w: tensor<f32> {zero.param = "w"}, %c: tensor<i1> {zero.input = "c"}) -> (tensor<f32>, tensor<f32>) {
  %bit = tensor.extract %c[] : tensor<i1>
  %r = scf.if %bit -> tensor<f32> {
    scf.yield %w : tensor<f32>
  } else {
    scf.yield %w : tensor<f32>
  }
  return %r, %r : tensor<f32>, tensor<f32>
}

//--- kernel.mlir
zero.kernel @k(%c: tensor<i1>, %w: tensor<f32>) -> tensor<f32> units serial {
  %bit = tensor.extract %c[] : tensor<i1>
  %r = scf.if %bit -> tensor<f32> {
    scf.yield %w : tensor<f32>
  } else {
    scf.yield %w : tensor<f32>
  }
  zero.return %r : tensor<f32>
}
func.func @step(%w: tensor<f32> {zero.param = "w"}, %c: tensor<i1> {zero.input = "c"}) -> (tensor<f32>, tensor<f32>) {
  %r = zero.launch @k(%c, %w) : (tensor<i1>, tensor<f32>) -> tensor<f32>
  return %r, %r : tensor<f32>, tensor<f32>
}
