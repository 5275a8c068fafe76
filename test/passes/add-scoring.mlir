// RUN: zero-opt %s --zero-add-scoring | FileCheck %s
// RUN: zero-opt %s --zero-add-scoring=score | FileCheck %s --check-prefix=SCORE
// RUN: zeroc %s --score-only --world-size=2 --stage=3 --emit=partitioned | FileCheck %s --check-prefix=PLAN
// RUN: zeroc %s --emit=partitioned | FileCheck %s --check-prefix=STEP
// RUN: sed 's/^func.func/module attributes {zero.function = {"--objective" = "classify"}} {\nfunc.func/; $a}' %s > %t.mlir
// RUN: zeroc %t.mlir --eval --emit=partitioned | FileCheck %s --check-prefix=EVAL
// RUN: zeroc %s --eval --emit=partitioned | FileCheck %s --check-prefix=OTHERS
// RUN: not zeroc %s --score-only --eval 2>&1 | FileCheck %s --check-prefix=TRAINS

// Values of samples are a program of their own, which reads what they depend
// on; the loss keeps one result.

// CHECK: func.func @loss
// CHECK-SAME: -> tensor<f32>
// CHECK: return %{{.*}} : tensor<f32>
// CHECK-NOT: @score

// SCORE: func.func @loss
// SCORE-SAME: -> tensor<f32>
// SCORE: func.func private @score
// SCORE-SAME: -> (tensor<4x2xf32> {zero.output = "values"})
// SCORE-NOT: nn.cross_entropy
// SCORE: return %{{.*}} : tensor<4x2xf32>

// PLAN: zero.program @score(
// PLAN: zero.input = "x"
// PLAN-NOT: zero.input = "labels"
// PLAN: zero.all_gather
// PLAN-NOT: zero.reduce_scatter
// PLAN-NOT: zero.program @step

// STEP-NOT: @score
// STEP: zero.program @step

// Evaluations of a model with an objective measure the values, too; all programs
// have the same inputs.

// EVAL-LABEL: zero.program @eval(
// EVAL-LABEL: zero.program @step(
// EVAL-LABEL: zero.program @score(
// EVAL: zero.input = "x"
// EVAL: zero.input = "labels"
// EVAL: -> {{.*}}tensor<4x2xf32> {zero.output = "values"}

// OTHERS-NOT: zero.program @score

// TRAINS: --score-only is for a program that does not train; drop {{.*}}--eval

func.func @loss(%w: tensor<2x8xf32> {zero.param = "w"},
    %x: tensor<4x8xf32> {zero.input = "x"},
    %labels: tensor<4xi32> {zero.input = "labels"}) -> (tensor<f32>, tensor<4x2xf32>) {
  %logits = nn.linear %x, %w : tensor<4x8xf32>, tensor<2x8xf32> -> tensor<4x2xf32>
  %loss = nn.cross_entropy %logits, %labels : tensor<4x2xf32>, tensor<4xi32> -> tensor<f32>
  return %loss, %logits : tensor<f32>, tensor<4x2xf32>
}
