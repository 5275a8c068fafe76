// RUN: zero-opt %s -split-input-file --zero-assign-streams --zero-print-costs -o /dev/null | FileCheck %s --match-full-lines --strict-whitespace

// Of two ranks, each holds 528 of 1056 elements.  A product of 4x32 by 32x32 is
// 2 x 4 x 32 x 32 operations; the kernel has two for each of 128 elements; the
// sum over ranks has an addition and a factor.  Names of bytes cost nothing.

//      CHECK:@step
// CHECK-NEXT:  gather all_gather of @b0: slice -> whole; 0 flops read 2112 device write 4224 device receive 2112
// CHECK-NEXT:  compute matmul: members, members -> members; 8192 flops read 4608 device write 512 device
// CHECK-NEXT:  compute launch: members -> members; 256 flops read 512 device write 512 device
// CHECK-NEXT:  compute matmul: members, members -> members; 8192 flops read 1024 device write 4096 device
// CHECK-NEXT:  compute launch: members -> members; 0 flops read 512 device write 32 device
// CHECK-NEXT:  reduce reduce_scatter of @b0: whole -> slice; 1056 flops read 4224 device write 2112 device receive 2112
// CHECK-NEXT:  reduce sum_squares of @b0: slice -> members; 1056 flops read 2112 device write 16 device
// CHECK-NEXT:  reduce total: members -> scalar; 2 flops read 16 device write 8 device
// CHECK-NEXT:  reduce all_reduce: scalar -> scalar; 2 flops read 8 device write 8 device receive 8
// CHECK-NEXT:  compute clip: scalar -> scalar, scalar; 5 flops read 8 device write 8 device
// CHECK-NEXT:  compute update of @b0: slice, slice, scalar, scalar -> slice; 1056 flops read 4232 device write 2112 device
//  CHECK-NOT:{{.}}
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  zero.axis @dp size 2
  zero.bucket @b0 over @dp elements 1056 members [#zero.member<"w", 32x32 at 0, decay, init = #zero.normal<std = 0.02>>, #zero.member<"b", 8 at 1024, init = #zero.constant<0.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %lr: f32, %clip: f32) state [] scalars ["lr", "clip"] {
    %1 = arith.mulf %lr, %g : f32
    %2 = arith.subf %p, %1 : f32
    zero.yield %2 : f32
  }
  zero.kernel @affine(%x: tensor<4x32xf32>) -> tensor<4x32xf32> units rows [4] {
    %c = arith.constant 2.0 : f32
    %empty = tensor.empty() : tensor<4x32xf32>
    %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x32xf32>) outs(%empty : tensor<4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.mulf %in, %c : f32
      %1 = arith.addf %0, %c : f32
      linalg.yield %1 : f32
    } -> tensor<4x32xf32>
    zero.return %y : tensor<4x32xf32>
  }
  zero.kernel @bias(%x: tensor<4x32xf32>) -> tensor<8xf32>
  zero.program @step(%p: !zero.shard<1056 x f32 by 2> {zero.state = #zero.state<@b0, "param">},
                  %x: tensor<4x32xf32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<1056 x f32 by 2>, tensor<f32> {zero.output = "grad_norm"}) {
    %f = zero.all_gather %p of @b0 : !zero.shard<1056 x f32 by 2> -> tensor<1056xf32>
    %w = zero.view %f[@b0, "w"] : tensor<1056xf32> -> tensor<32x32xf32>
    %y = nn.matmul %x, %w : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
    %z = zero.launch @affine(%y) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %dw = nn.matmul %x, %z {transpose_a} : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<32x32xf32>
    %db = zero.launch @bias(%z) : (tensor<4x32xf32>) -> tensor<8xf32>
    %g = zero.flatten %dw, %db into @b0 : tensor<32x32xf32>, tensor<8xf32> -> tensor<1056xf32>
    %r = zero.reduce_scatter %g of @b0 {scale = 0.5 : f64} : tensor<1056xf32> -> !zero.shard<1056 x f32 by 2>
    %s = zero.sum_squares %r of @b0 : !zero.shard<1056 x f32 by 2> -> tensor<2xf64>
    %t = zero.total %s : tensor<2xf64> -> tensor<f64>
    %all = zero.all_reduce %t over @dp {scale = 1.0 : f64} : tensor<f64>
    %norm, %clip = zero.clip %all {max_norm = 1.0 : f64} : tensor<f64> -> tensor<f32>, tensor<f32>
    %p1 = zero.update @sgd of @b0 (%p, %r) scalars(%lr, %clip) {decay = 0.1 : f64} : (!zero.shard<1056 x f32 by 2>, !zero.shard<1056 x f32 by 2>), (tensor<f32>, tensor<f32>) -> !zero.shard<1056 x f32 by 2>
    zero.return %p1, %norm : !zero.shard<1056 x f32 by 2>, tensor<f32>
  }
}

// -----

// Two operations for each element that is rounded to fewer bits or added, one for each that
// is widened; of a tree there is one for each leaf, and at its end a factor.

//      CHECK:@step
// CHECK-NEXT:  compute quantize of @w0: whole -> whole; 2048 flops read 4096 device write 1040 device
// CHECK-NEXT:  compute dequantize of @w0: whole -> whole; 1024 flops read 1040 device write 4096 device
// CHECK-NEXT:  compute accumulate: members, members -> members; 2048 flops read 8192 device write 4096 device
// CHECK-NEXT:  compute add_leaf of @w0: slice, slice, slice, scalar -> slice, slice; 1024 flops read 6152 device write 4096 device
// CHECK-NEXT:  compute sum_leaves of @w0: slice, slice, slice -> slice; 1536 flops read 6144 device write 2048 device
// CHECK-NEXT:  compute unpack: members -> members; 4096 flops read 2120 device write 8192 device
zero.axis @dp size 2
zero.bucket @w0 over @dp elements 1024 members [#zero.member<"h.0.fc.weight", 31x32 at 0, init = #zero.constant<0.0>>]
zero.bucket @p0 over @dp elements 2144 frozen packed <nf4> members [#zero.member<"h.2.fc.weight", 64x64 at 0, init = #zero.normal<std = 0.02>>]
zero.program @step(%flat: tensor<1024xf32>, %a: !zero.shard<1024 x f32 by 2>, %b: !zero.shard<1024 x f32 by 2>, %k: tensor<i64>, %packed: tensor<2144xi8>) {
  %r = zero.quantize %flat of @w0 : tensor<1024xf32> -> tensor<4x!zero.quantized_block<8>>
  %wide = zero.dequantize %r of @w0 : tensor<4x!zero.quantized_block<8>> -> tensor<1024xf32>
  %s = zero.accumulate %flat, %flat {scale = 1.0 : f64} : tensor<1024xf32>, tensor<1024xf32>
  %b0, %b1 = zero.add_leaf %a of @w0 into(%a, %b) number %k : (!zero.shard<1024 x f32 by 2>, !zero.shard<1024 x f32 by 2>, !zero.shard<1024 x f32 by 2>, tensor<i64>) -> (!zero.shard<1024 x f32 by 2>, !zero.shard<1024 x f32 by 2>)
  %g = zero.sum_leaves %a of @w0 and(%b0, %b1) {scale = 0.25 : f64} : (!zero.shard<1024 x f32 by 2>, !zero.shard<1024 x f32 by 2>, !zero.shard<1024 x f32 by 2>) -> !zero.shard<1024 x f32 by 2>
  %v = zero.view %packed[@p0, "h.2.fc.weight"] : tensor<2144xi8> -> tensor<2120xi8>
  %w = zero.unpack %v as <nf4> : tensor<2120xi8> -> tensor<64x64xbf16>
  zero.return
}
