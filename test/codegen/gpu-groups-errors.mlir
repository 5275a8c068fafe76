// Products of groups that GPUs have no kernel for.

// RUN: not zero-kernels %s --ptx=sm_90 2>&1 | FileCheck %s

zero.axis @dp size 1
zero.program @step(%x: tensor<16x4xf64> {zero.input = "x"}, %o: tensor<3xi32> {zero.input = "o"},
                   %w: tensor<8x4xf64> {zero.input = "w"}) -> (tensor<16x8xf64> {zero.output = "y"}) {
  // CHECK: "-":[[@LINE+1]]:{{[0-9]+}}): error: multiplies groups of rows of f64, which GPUs do not; drop --target=cuda
  %y = nn.grouped_matmul %x by %o (%w, %w) : tensor<16x4xf64>, tensor<3xi32>, tensor<8x4xf64> -> tensor<16x8xf64>
  zero.return %y : tensor<16x8xf64>
}
