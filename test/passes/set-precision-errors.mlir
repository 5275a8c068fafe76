// RUN: zero-opt %s -split-input-file -verify-diagnostics -zero-set-precision=precision=bf16
// RUN: not zero-opt %s -zero-set-precision=precision=int8 2>&1 | FileCheck %s

// CHECK: for the --precision option: Cannot find option named 'int8'!

// expected-error @below {{parameter "w" is 'tensor<4xf64>'; --precision=bf16 rounds the parameters of a model of f32, so give it f32 here or drop the option}}
func.func @loss(%w: tensor<4xf64> {zero.param = "w"}) -> tensor<f64> {
  %0 = arith.constant dense<0.0> : tensor<f64>
  return %0 : tensor<f64>
}
