// RUN: zero-opt %s -split-input-file --zero-insert-events | FileCheck %s
// RUN: zero-opt %s -split-input-file --zero-insert-events --zero-verify-plan=without-model -o /dev/null
// RUN: zero-opt %s -split-input-file --zero-insert-events --zero-insert-events | FileCheck %s

// A value from another stream: record behind its producer, wait before its user.
// The second user on that stream needs no wait of its own, a user on a third
// stream shares the event.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  // CHECK-LABEL: zero.program @step
  // CHECK-NEXT: %[[A:.*]] = zero.launch @f(%arg0) {{.*}}<reduce>
  // CHECK-NEXT: %[[E:.*]] = zero.record on reduce
  // CHECK-NEXT: zero.launch @f(%arg0) {{.*}}<reduce>
  // CHECK-NEXT: zero.wait %[[E]] on compute
  // CHECK-NEXT: zero.launch @f(%[[A]])
  // CHECK-NEXT: zero.launch @f(%[[A]])
  // CHECK-NEXT: zero.wait %[[E]] on gather
  // CHECK-NEXT: zero.launch @f(%[[A]]) {{.*}}<gather>
  // CHECK-NEXT: return
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    %a = zero.launch @f(%x) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %b = zero.launch @f(%x) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 128 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %c = zero.launch @f(%a) {zero.at = [#zero.bytes<device, 192 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %d = zero.launch @f(%a) {zero.at = [#zero.bytes<device, 256 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %e = zero.launch @f(%a) {zero.stream = #zero.stream<gather>, zero.at = [#zero.bytes<device, 320 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// Bytes are used again: %b overwrites %a, which stream reduce still reads, and
// %c overwrites %y, which stream reduce wrote.

module attributes {zero.arena = array<i64: 256, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  // CHECK-LABEL: zero.program @step
  // CHECK-NEXT: %[[A:.*]] = zero.launch @f(%arg0)
  // CHECK-NEXT: %[[E0:.*]] = zero.record on compute
  // CHECK-NEXT: zero.wait %[[E0]] on reduce
  // CHECK-NEXT: zero.launch @f(%[[A]]) {{.*}}<reduce>
  // CHECK-NEXT: %[[E1:.*]] = zero.record on reduce
  // CHECK-NEXT: zero.wait %[[E1]] on compute
  // CHECK-NEXT: zero.launch @f(%arg0) {zero.at = [#zero.bytes<device, 64 + 64>]}
  // CHECK-NEXT: zero.launch @f(%arg0) {zero.at = [#zero.bytes<device, 128 + 64>]}
  // CHECK-NEXT: return
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    %a = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %y = zero.launch @f(%a) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 128 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %b = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %c = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 128 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// What another wait implies needs no event: %b is made after %a, so the last
// launch waits for %b alone.

module attributes {zero.arena = array<i64: 256, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  // CHECK-LABEL: zero.program @step
  // CHECK-NEXT: %[[A:.*]] = zero.launch @f(%arg0) {{.*}}<gather>
  // CHECK-NEXT: %[[E0:.*]] = zero.record on gather
  // CHECK-NEXT: zero.wait %[[E0]] on reduce
  // CHECK-NEXT: %[[B:.*]] = zero.launch @f(%[[A]]) {{.*}}<reduce>
  // CHECK-NEXT: %[[E1:.*]] = zero.record on reduce
  // CHECK-NEXT: zero.wait %[[E1]] on compute
  // CHECK-NEXT: zero.launch @g(%[[A]], %[[B]])
  // CHECK-NEXT: return
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    %a = zero.launch @f(%x) {zero.stream = #zero.stream<gather>, zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %b = zero.launch @f(%a) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 128 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %c = zero.launch @g(%a, %b) {zero.at = [#zero.bytes<device, 192 + 64>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// Through flattens and views: the reader of the flat gradient waits for the producers of its
// members, and for nobody who used the padding (%z); a view of one member waits
// for that member's.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @b0 over @dp elements 48 members [#zero.member<"u", 16 at 0, init = #zero.constant<1.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<1.0>>]
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  // CHECK-LABEL: zero.program @step
  // CHECK-NEXT: zero.launch @f(%arg0) {{.*}}<gather_groups>
  // CHECK-NEXT: %[[U:.*]] = zero.launch @f(%arg0) {{.*}}<gather>
  // CHECK-NEXT: %[[EU:.*]] = zero.record on gather
  // CHECK-NEXT: %[[V:.*]] = zero.launch @f(%arg0) {{.*}}<reduce>
  // CHECK-NEXT: %[[EV:.*]] = zero.record on reduce
  // CHECK-NEXT: %[[P:.*]] = zero.flatten %[[U]], %[[V]]
  // CHECK-NEXT: %[[W:.*]] = zero.view %[[P]][@b0, "v"]
  // CHECK-NEXT: zero.wait %[[EV]] on reduce_groups
  // CHECK-NEXT: zero.launch @f(%[[W]]) {{.*}}<reduce_groups>
  // CHECK-NEXT: zero.wait %[[EV]] on compute
  // CHECK-NEXT: zero.wait %[[EU]] on compute
  // CHECK-NEXT: zero.sum_squares %[[P]]
  // CHECK-NEXT: return
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    %z = zero.launch @f(%x) {zero.stream = #zero.stream<gather_groups>, zero.at = [#zero.bytes<device, 192 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %u = zero.launch @f(%x) {zero.stream = #zero.stream<gather>, zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %v = zero.launch @f(%x) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 128 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %p = zero.flatten %u, %v into @b0 {zero.at = [#zero.bytes<device, 64 + 192>]} : tensor<16xf32>, tensor<16xf32> -> tensor<48xf32>
    %w = zero.view %p[@b0, "v"] {zero.at = [#zero.bytes<device, 128 + 64>]} : tensor<48xf32> -> tensor<16xf32>
    %y = zero.launch @f(%w) {zero.stream = #zero.stream<reduce_groups>, zero.at = [#zero.bytes<device, 320 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %s = zero.sum_squares %p of @b0 {zero.at = [#zero.bytes<device, 256 + 16>]} : tensor<48xf32> -> tensor<2xf64>
    zero.return
  }
}

// -----

// Left alone: one stream, or streams that share bytes only to read them.

module attributes {zero.arena = array<i64: 256, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  // CHECK-LABEL: zero.program @step
  // CHECK-NOT: zero.record
  // CHECK-NOT: zero.wait
  // CHECK: return
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    %a = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %b = zero.launch @f(%a) {zero.at = [#zero.bytes<device, 128 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %c = zero.launch @f(%x) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 192 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}
