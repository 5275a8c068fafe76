// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// The mask is a function of the keys, so it is the same in all differences.
func.func @loss(
    %x: tensor<6x5xf64> {zero.param = "x"},
    %keys: tensor<2xi64> {zero.input = "dropout"}) -> tensor<6x5xf64> {
  %0 = nn.dropout %x by %keys {rate = 0.3 : f64, place = 1 : i64} : tensor<6x5xf64>, tensor<2xi64>
  %1 = math.exp %0 : tensor<6x5xf64>
  return %1 : tensor<6x5xf64>
}
