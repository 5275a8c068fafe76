// RUN: zero-opt %s --zero-assign-memory --zero-insert-events --zero-verify-plan=without-model | FileCheck %s
// RUN: zero-opt %s --zero-assign-memory --zero-insert-events --zero-print-certificate -o /dev/null | FileCheck %s --check-prefix=CERTIFICATE
// RUN: zero-opt %s --zero-assign-memory --zero-assign-memory | FileCheck %s --check-prefix=AGAIN

// Products of a device use bytes that no value has, from a multiple of 256 on.

// CHECK: module attributes {zero.arena = array<i64: 4352, 0, 0>, zero.exported = 4352 : i64, zero.live_peak = array<i64: 192, 0, 0>, zero.target = #zero.target<name = "cuda", workspace = 4096>, zero.workspace = #zero.bytes<device, 256 + 4096>}

// CERTIFICATE: activations 128 B
// CERTIFICATE: workspace 4,096 B
// CERTIFICATE: inputs and outputs 64 B
// CERTIFICATE: unused 64 B
// CERTIFICATE: device arena 4,352 B

// AGAIN: zero.workspace = #zero.bytes<device, 256 + 4096>}
module attributes {zero.target = #zero.target<name = "cuda", workspace = 4096>} {
zero.program @step(%x: tensor<16xf32> {zero.input = "x"}) {
  %a = zero.launch @f(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %c = zero.launch @g(%a, %x) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.return
}
zero.kernel @f(tensor<16xf32>) -> tensor<16xf32> units rows
zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> units rows
}
