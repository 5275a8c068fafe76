// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-verify-plan=without-model
// A join is read as a whole, again and again.

// Sound: read twice, on two streams, and written behind both.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.kernel @f() -> tensor<2x4xf32>
  zero.kernel @g(tensor<4x4xf32>) -> tensor<f32>
  zero.program @step() -> (tensor<f32> {zero.output = "a"}, tensor<f32> {zero.output = "b"}) {
    %x = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 32>]} : () -> tensor<2x4xf32>
    %y = zero.launch @f() {zero.at = [#zero.bytes<device, 32 + 32>]} : () -> tensor<2x4xf32>
    %w = zero.join %x, %y {zero.at = [#zero.bytes<device, 0 + 64>]} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
    %a = zero.launch @g(%w) {zero.at = [#zero.bytes<device, 64 + 4>]} : (tensor<4x4xf32>) -> tensor<f32>
    %e = zero.record on compute
    zero.wait %e on reduce
    %b = zero.launch @g(%w) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 128 + 4>]} : (tensor<4x4xf32>) -> tensor<f32>
    %d = zero.record on reduce
    zero.wait %d on compute
    %z = zero.launch @f() {zero.at = [#zero.bytes<device, 32 + 32>]} : () -> tensor<2x4xf32>
    zero.return %a, %b : tensor<f32>, tensor<f32>
  }
}

// -----

// The second reader does not wait for what was joined.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.kernel @f() -> tensor<2x4xf32>
  zero.kernel @g(tensor<4x4xf32>) -> tensor<f32>
  zero.program @step() -> (tensor<f32> {zero.output = "a"}, tensor<f32> {zero.output = "b"}) {
    // expected-note @below {{defined by 'zero.launch @f', operation 1 of its stream; reduce has waited for none there}}
    %x = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 32>]} : () -> tensor<2x4xf32>
    %y = zero.launch @f() {zero.at = [#zero.bytes<device, 32 + 32>]} : () -> tensor<2x4xf32>
    %w = zero.join %x, %y {zero.at = [#zero.bytes<device, 0 + 64>]} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
    %a = zero.launch @g(%w) {zero.at = [#zero.bytes<device, 64 + 4>]} : (tensor<4x4xf32>) -> tensor<f32>
    // expected-error @below {{but nothing orders it after their definition on stream compute (V1)}}
    %b = zero.launch @g(%w) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 128 + 4>]} : (tensor<4x4xf32>) -> tensor<f32>
    zero.return %a, %b : tensor<f32>, tensor<f32>
  }
}

// -----

// A part of it is written while the second reader may be at it.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.kernel @f() -> tensor<2x4xf32>
  zero.kernel @g(tensor<4x4xf32>) -> tensor<f32>
  zero.program @step() -> (tensor<f32> {zero.output = "a"}, tensor<f32> {zero.output = "b"}) {
    %x = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 32>]} : () -> tensor<2x4xf32>
    %y = zero.launch @f() {zero.at = [#zero.bytes<device, 32 + 32>]} : () -> tensor<2x4xf32>
    %w = zero.join %x, %y {zero.at = [#zero.bytes<device, 0 + 64>]} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
    %a = zero.launch @g(%w) {zero.at = [#zero.bytes<device, 64 + 4>]} : (tensor<4x4xf32>) -> tensor<f32>
    %e = zero.record on compute
    zero.wait %e on reduce
    // expected-note @below {{earlier read by 'zero.launch @g', operation 1 of its stream}}
    %b = zero.launch @g(%w) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 128 + 4>]} : (tensor<4x4xf32>) -> tensor<f32>
    // expected-error @below {{to device bytes [32, 64) on stream compute, but nothing orders it after their earlier read on stream reduce (V2)}}
    %z = zero.launch @f() {zero.at = [#zero.bytes<device, 32 + 32>]} : () -> tensor<2x4xf32>
    zero.return %a, %b : tensor<f32>, tensor<f32>
  }
}

// -----

// A part of it is written before it is read again.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.kernel @f() -> tensor<2x4xf32>
  zero.kernel @g(tensor<4x4xf32>) -> tensor<f32>
  zero.program @step() -> (tensor<f32> {zero.output = "a"}, tensor<f32> {zero.output = "b"}) {
    %x = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 32>]} : () -> tensor<2x4xf32>
    %y = zero.launch @f() {zero.at = [#zero.bytes<device, 32 + 32>]} : () -> tensor<2x4xf32>
    %w = zero.join %x, %y {zero.at = [#zero.bytes<device, 0 + 64>]} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
    %a = zero.launch @g(%w) {zero.at = [#zero.bytes<device, 64 + 4>]} : (tensor<4x4xf32>) -> tensor<f32>
    // expected-note @below {{overwritten by 'zero.launch @f' on stream compute}}
    %z = zero.launch @f() {zero.at = [#zero.bytes<device, 32 + 32>]} : () -> tensor<2x4xf32>
    // expected-error @below {{reads device bytes [32, 64)}}
    %b = zero.launch @g(%w) {zero.at = [#zero.bytes<device, 128 + 4>]} : (tensor<4x4xf32>) -> tensor<f32>
    zero.return %a, %b : tensor<f32>, tensor<f32>
  }
}
