// RUN: zero-gradcheck %s

// Repeated tokens: rows of the table gradient are sums.
func.func @loss(
    %table: tensor<7x5xf64> {zero.param = "table"},
    %ids: tensor<3x4xi32> {zero.input = "ids"}) -> tensor<3x4x5xf64> {
  %x = nn.embedding %ids, %table : tensor<3x4xi32>, tensor<7x5xf64> -> tensor<3x4x5xf64>
  return %x : tensor<3x4x5xf64>
}
