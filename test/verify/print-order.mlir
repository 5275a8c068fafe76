// RUN: zero-opt %s --zero-print-order -o /dev/null | FileCheck %s
// What is over when an operation starts: of its own stream what came before,
// of others what it waited for, and what those had waited for.

// CHECK:      order of @step
// CHECK-NEXT:   compute 1: zero.launch @f{{$}}
// CHECK-NEXT:   gather 1: zero.launch @f, after compute 1
// CHECK-NEXT:   gather 2: zero.launch @f, after compute 1
// CHECK-NEXT:   reduce 1: zero.launch @f, after compute 1, gather 1
// CHECK-NEXT:   compute 2: zero.launch @f, after gather 1, reduce 1
module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    %a = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %e = zero.record on compute
    zero.wait %e on gather
    %b = zero.launch @f(%a) {zero.at = [#zero.bytes<device, 128 + 64>], zero.stream = #zero.stream<gather>} : (tensor<16xf32>) -> tensor<16xf32>
    %e1 = zero.record on gather
    %c = zero.launch @f(%a) {zero.at = [#zero.bytes<device, 192 + 64>], zero.stream = #zero.stream<gather>} : (tensor<16xf32>) -> tensor<16xf32>
    zero.wait %e1 on reduce
    %d = zero.launch @f(%b) {zero.at = [#zero.bytes<device, 256 + 64>], zero.stream = #zero.stream<reduce>} : (tensor<16xf32>) -> tensor<16xf32>
    %e2 = zero.record on reduce
    zero.wait %e2 on compute
    %f = zero.launch @f(%d) {zero.at = [#zero.bytes<device, 320 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}
