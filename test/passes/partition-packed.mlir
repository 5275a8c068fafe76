// RUN: zeroc %s --lora=2 --base-storage=nf4 --stage=3 --world-size=2 --emit=partitioned | FileCheck %s
// RUN: zeroc %s --lora=2 --base-storage=int8 --emit=partitioned | FileCheck %s --check-prefix=WHOLE
// RUN: zeroc %s --lora=2 --base-storage=nf4 --stage=3 --world-size=2 --bucket-size=9KiB --emit=partitioned | FileCheck %s --check-prefix=PIECES
// RUN: zeroc %s --lora=2 --base-storage=nf4 --accumulate=2 --accumulate-order=block --emit=partitioned | FileCheck %s --check-prefix=BLOCK
// RUN: zeroc %s --lora=2 --base-storage=nf4 --lora-targets=h.0.up --emit=step | FileCheck %s --check-prefix=STEP
// RUN: not zero-opt %s --zero-add-adapters="rank=2 alpha=2 base-storage=fp4" 2>&1 | FileCheck %s --check-prefix=WORD

// A bucket of bytes, gathered packed and dequantised before each read: in the
// forward, and for @h.0.down again in the backward.  The adapters beside it are
// gathered as often, though they are read in turn.
// CHECK: zero.bucket @[[B:b[0-9]]] over @dp elements 33824 frozen packed <nf4> members [#zero.member<"h.0.up.weight", 512x64 at 0, {{.*}}#zero.member<"h.0.down.weight", 64x512 at 16912,
// CHECK-LABEL: zero.program @step(
// CHECK: %[[P:[^: ]*]]: !zero.shard<33824 x i8 by 2> {zero.state = #zero.state<@[[B]], "param">}
// CHECK: %[[F:[^ ]*]] = zero.all_gather %[[P]] of @[[B]] : !zero.shard<33824 x i8 by 2> -> tensor<33824xi8>
// CHECK-NEXT: %[[U:[^ ]*]] = zero.view %[[F]][@[[B]], "h.0.up.weight"] : tensor<33824xi8> -> tensor<16912xi8>
// CHECK-NEXT: %[[UP:[^ ]*]] = zero.unpack %[[U]] as <nf4> : tensor<16912xi8> -> tensor<512x64xf32>
// CHECK-NEXT: nn.matmul %{{.*}}, %[[UP]]
// CHECK: zero.all_gather %[[A:[^ ]*]] of @[[ADAPTERS:b[0-9]]]
// CHECK-NOT: zero.all_gather
// CHECK: zero.view %[[F]][@[[B]], "h.0.down.weight"]
// CHECK-NEXT: %[[DOWN:[^ ]*]] = zero.unpack
// CHECK-NEXT: nn.matmul %{{.*}}, %[[DOWN]]
// CHECK: zero.all_gather %{{.*}} of @[[HEAD:b[0-9]]]
// CHECK-NOT: zero.all_gather
// CHECK: zero.all_gather %[[A]] of @[[ADAPTERS]]
// CHECK-NOT: zero.all_gather
// CHECK: %[[AGAIN:[^ ]*]] = zero.all_gather %[[P]] of @[[B]]
// CHECK-NEXT: %[[D:[^ ]*]] = zero.view %[[AGAIN]][@[[B]], "h.0.down.weight"]
// CHECK-NEXT: zero.unpack %[[D]]
// CHECK-NOT: zero.{{dequantize|all_gather}}
// CHECK: zero.return %[[P]],

// Where it is whole, it is read where it lies.
// WHOLE: zero.bucket @[[B:b[0-9]]] over @dp elements 69632 frozen packed <int8> members [#zero.member<"h.0.up.weight", 512x64 at 0, {{.*}}#zero.member<"h.0.down.weight", 64x512 at 34816,
// WHOLE: %[[P:[^ ]*]]: !zero.shard<69632 x i8 by 1> {zero.state = #zero.state<@[[B]], "param">}
// WHOLE: zero.view %[[P]][@[[B]], "h.0.up.weight"]
// WHOLE-COUNT-3: zero.unpack
// WHOLE-NOT: zero.unpack

// Parameters of several groups are cut at groups.
// PIECES: zero.bucket @[[B0:b[0-9]]] over @dp elements 8480 frozen packed <nf4> members [#zero.member<"h.0.up.weight", 256x64 at 0, rows 0 of 512,
// PIECES: zero.bucket @[[B1:b[0-9]]] over @dp elements 8480 frozen packed <nf4> members [#zero.member<"h.0.up.weight", 256x64 at 0, rows 256 of 512,
// PIECES: zero.view %{{.*}}[@[[B0]], "h.0.up.weight"]
// PIECES-NEXT: %[[TOP:[^ ]*]] = zero.unpack
// PIECES: zero.view %{{.*}}[@[[B1]], "h.0.up.weight"]
// PIECES-NEXT: %[[LOW:[^ ]*]] = zero.unpack
// PIECES-NEXT: zero.join %[[TOP]], %[[LOW]] : tensor<256x64xf32>, tensor<256x64xf32> -> tensor<512x64xf32>

// Micro-steps of a block share a copy.
// BLOCK-COUNT-3: zero.unpack
// BLOCK-NOT: zero.unpack

// All linear layers but the head, whether they get an adapter or not.
// STEP: zero.packing = #zero.packing<nf4>, zero.param = "h.0.up.weight"
// STEP: zero.packing = #zero.packing<nf4>, zero.param = "h.0.down.weight"
// STEP-NOT: zero.packing
// STEP: zero.param = "head.weight"

// WORD: error: base-storage=fp4; use model, nf4 or int8
func.func @loss(
    %w: tensor<512x64xf32> {zero.param = "h.0.up.weight", zero.init = #zero.normal<std = 0.02>},
    %v: tensor<64x512xf32> {zero.param = "h.0.down.weight", zero.init = #zero.normal<std = 0.02>},
    %h: tensor<32x64xf32> {zero.param = "head.weight", zero.init = #zero.normal<std = 0.02>},
    %x: tensor<3x64xf32> {zero.input = "x"},
    %y: tensor<3xi32> {zero.input = "y"}) -> tensor<f32> {
  %0 = nn.linear %x, %w : tensor<3x64xf32>, tensor<512x64xf32> -> tensor<3x512xf32>
  %1 = nn.gelu %0 {tanh} : tensor<3x512xf32>
  %2 = nn.linear %1, %v : tensor<3x512xf32>, tensor<64x512xf32> -> tensor<3x64xf32>
  %3 = nn.linear %2, %h : tensor<3x64xf32>, tensor<32x64xf32> -> tensor<3x32xf32>
  %4 = nn.cross_entropy %3, %y : tensor<3x32xf32>, tensor<3xi32> -> tensor<f32>
  return %4 : tensor<f32>
}
