// RUN: zero-gradcheck %s

// Only the columns that are chosen have a derivative.
func.func @loss(%x: tensor<7x5xf64> {zero.param = "x"}) -> tensor<7x3xf64> {
  %values, %experts = nn.top_k %x : tensor<7x5xf64> -> tensor<7x3xf64>, tensor<7x3xi32>
  return %values : tensor<7x3xf64>
}
