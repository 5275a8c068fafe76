// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-insert-events

module {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    // expected-error @below {{insert-events-errors.mlir:7 has no bytes; run zero-assign-memory first}}
    %a = zero.launch @f(%x) : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}
