// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// A third of the targets is ignored, then all of them.
// RUN: zero-gradcheck %s --ignored=0.34
// RUN: zero-gradcheck %s --ignored=0.34 --decompose-first
// RUN: zero-gradcheck %s --ignored=1

func.func @loss(
    %x: tensor<3x4x6xf64> {zero.param = "x"},
    %targets: tensor<3x4xi32> {zero.input = "targets"}) -> tensor<f64> {
  %loss = nn.cross_entropy %x, %targets : tensor<3x4x6xf64>, tensor<3x4xi32> -> tensor<f64>
  return %loss : tensor<f64>
}
