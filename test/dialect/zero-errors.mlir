// RUN: zero-opt %s -split-input-file -verify-diagnostics
// One failing case per constraint of Zero.td.

// expected-error @+1 {{size must be positive, got 0}}
zero.axis @dp size 0

// -----

// expected-error @+1 {{10 elements are not a positive multiple of 4 ranks}}
func.func private @shard_c1(!zero.shard<10 x f32 by 4>)

// -----

// expected-error @+1 {{std must not be negative}}
#bad = #zero.normal<std = -1.0>

// -----

zero.axis @dp size 1
// expected-error @+1 {{member "b" at 16 of 32 elements overlaps the member before it or leaves the 64 elements of the bucket}}
zero.bucket @c1 over @dp elements 64 members [#zero.member<"a", 32 at 0, init = #zero.constant<0.0>>, #zero.member<"b", 32 at 16, init = #zero.constant<0.0>>]

// -----

zero.axis @dp size 1
// expected-error @+1 {{member "a" starts at 8, which is no multiple of 16}}
zero.bucket @c2 over @dp elements 64 members [#zero.member<"a", 32 at 8, init = #zero.constant<0.0>>]

// -----

zero.axis @dp size 4
// expected-error @+1 {{96 elements are no multiple of 4 ranks x 16}}
zero.bucket @c3 over @dp elements 96 members [#zero.member<"a", 32 at 0, init = #zero.constant<0.0>>]

// -----

zero.axis @dp size 1
// expected-error @+1 {{has two members called "a"}}
zero.bucket @c4 over @dp elements 64 members [#zero.member<"a", 32 at 0, init = #zero.constant<0.0>>, #zero.member<"a", 32 at 32, init = #zero.constant<0.0>>]

// -----

// expected-error @+1 {{refers to @nowhere, which is no zero.axis of this module}}
zero.bucket @axis over @nowhere elements 16 members []

// -----

// expected-error @+1 {{takes 5 arguments of type f32: the parameter, the gradient, 1 state slots and 2 scalars}}
zero.optimizer @c1(%p: f32, %g: f32) state ["m"] scalars ["lr", "decay"] {
  zero.yield %p, %g : f32, f32
}

// -----

// expected-error @+1 {{yields the parameter and 1 state slots}}
zero.optimizer @c2(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
  zero.yield %p : f32
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members [#zero.member<"a", 32 at 0, init = #zero.constant<0.0>>]
func.func @view_c1(%p: !zero.shard<64 x f32 by 2>) {
  // expected-error @+1 {{needs the whole bucket: a flat tensor or a shard by 1}}
  %0 = zero.view %p[@b, "a"] : !zero.shard<64 x f32 by 2> -> tensor<32xf32>
  return
}

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 64 members [#zero.member<"a", 32 at 0, init = #zero.constant<0.0>>]
func.func @view_c2(%p: tensor<64xf32>) {
  // expected-error @+1 {{@b has no member "c"}}
  %0 = zero.view %p[@b, "c"] : tensor<64xf32> -> tensor<32xf32>
  return
}

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 64 members [#zero.member<"a", 32 at 0, init = #zero.constant<0.0>>]
func.func @pack_c1(%a: tensor<31xf32>) {
  // expected-error @+1 {{is not of the shape of}}
  %0 = zero.pack %a into @b : tensor<31xf32> -> tensor<64xf32>
  return
}

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 64 members [#zero.member<"a", 32 at 0, init = #zero.constant<0.0>>]
func.func @pack_c2(%a: tensor<32xf32>) {
  // expected-error @+1 {{result must have the 64 elements of @b}}
  %0 = zero.pack %a into @b : tensor<32xf32> -> tensor<48xf32>
  return
}

// -----

func.func private @k(tensor<4xf32>) -> tensor<4xf32>
func.func @launch_c1(%a: tensor<4xf32>) {
  // expected-error @+1 {{refers to @k, which is no zero.kernel of this module}}
  %0 = zero.launch @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

zero.kernel @k(tensor<4xf32>) -> tensor<4xf32>
func.func @launch_c1_type(%a: tensor<8xf32>) {
  // expected-error @+1 {{@k must be a kernel of type '(tensor<8xf32>) -> tensor<8xf32>', it is '(tensor<4xf32>) -> tensor<4xf32>'}}
  %0 = zero.launch @k(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// expected-error @+1 {{has argument 1, which is more than one of state, input and scalar}}
zero.program @program_c1(%a: tensor<f32>, %b: tensor<f32> {zero.input = "x", zero.scalar = "x"}) {
  zero.return
}

// -----

// expected-error @+1 {{says for one rank alone which program and which rank}}
zero.program @program_c2() attributes {rank = 1 : i64} {
  zero.return
}

// -----

zero.program @return_c1() -> tensor<f32> {
  // expected-error @+1 {{returns () from what has results ('tensor<f32>')}}
  zero.return
}

// -----

// expected-error @+1 {{has a body and does not say its units}}
zero.kernel @kernel_c1() {
  zero.return
}

// -----

// expected-error @+1 {{is cut into units of attention, which have two sizes, got [4]}}
zero.kernel @kernel_c1_attention() units attention [4] {
  zero.return
}

// -----

// expected-error @+1 {{is cut into units of serial, which have no sizes, got [4]}}
zero.kernel @kernel_c1_serial() units serial [4] {
  zero.return
}

// -----

// expected-error @+1 {{names operand 1 in zero.must_alias of result 0, and has 1}}
zero.kernel @kernel_c2(tensor<4xf32>) -> (tensor<4xf32> {zero.must_alias = 1 : i64})

// -----

// expected-error @+1 {{a kernel is on tensors, or on memrefs without results}}
zero.kernel @kernel_c3(memref<4xf32>) -> tensor<4xf32>

// -----

// expected-error @+1 {{units are columns [?] where memrefs of one dimension are of unknown size, and only there}}
zero.kernel @kernel_c5_tensor(%x: tensor<?xf32>) units columns [?] {
  zero.return
}

// -----

// expected-error @+1 {{units are columns [?] where memrefs of one dimension are of unknown size, and only there}}
zero.kernel @kernel_c5_rows(%x: memref<?xf32>) units rows [?] {
  zero.return
}

// -----

// expected-error @+1 {{units are columns [?] where memrefs of one dimension are of unknown size, and only there}}
zero.kernel @kernel_c5_known(%x: memref<?xf32>) units columns [4] {
  zero.return
}

// -----

// expected-error @+1 {{units are columns [?] where memrefs of one dimension are of unknown size, and only there}}
zero.kernel @kernel_c5_flat(%x: memref<?x4xf32>) units columns [?] {
  zero.return
}

// -----

// expected-error @+1 {{has zero.kernels = [1]; it is an array of symbols}}
zero.kernel @kernels() attributes {zero.kernels = [1]}

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 64 members [#zero.member<"a", 32 at 0, init = #zero.constant<0.0>>]
func.func @sum_squares_c1(%a: tensor<32xf32>) {
  // expected-error @+1 {{operand must be the 64 elements of @b, or their shard by 1, got 'tensor<32xf32>'}}
  %0 = zero.sum_squares %a of @b : tensor<32xf32> -> tensor<1xf64>
  return
}

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 64 members [#zero.member<"a", 32 at 0, init = #zero.constant<0.0>>]
func.func @sum_squares_c2(%a: tensor<64xf32>) {
  // expected-error @+1 {{result must be 'tensor<1xf64>', got 'tensor<2xf64>'}}
  %0 = zero.sum_squares %a of @b : tensor<64xf32> -> tensor<2xf64>
  return
}

// -----

func.func @clip_c1(%a: tensor<2xf32>) {
  // expected-error @+1 {{operands are tensors of f64 of at most one dimension, got 'tensor<2xf32>'}}
  %n, %f = zero.clip %a : tensor<2xf32> -> tensor<f32>, tensor<f32>
  return
}

// -----

func.func @clip_c2(%a: tensor<2xf64>) {
  // expected-error @+1 {{max_norm must be positive}}
  %n, %f = zero.clip %a {max_norm = -1.0} : tensor<2xf64> -> tensor<f32>, tensor<f32>
  return
}

// -----

func.func @clip_c3(%a: tensor<2xf64>, %l: tensor<f32>) {
  // expected-error @+1 {{is within one limit; there are two, of the norm and of the loss}}
  %n, %f = zero.clip %a within(%l : tensor<f32>) : tensor<2xf64> -> tensor<f32>, tensor<f32>
  return
}

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 16 members []
zero.optimizer @o(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
  zero.yield %p, %m : f32, f32
}
func.func @update_c1(%p: tensor<16xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{@o has 1 state slots, got 0}}
  %0 = zero.update @o of @b (%p, %p) scalars(%lr) {decay = 0.0} : (tensor<16xf32>, tensor<16xf32>), (tensor<f32>) -> tensor<16xf32>
  return
}

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 16 members []
zero.optimizer @o(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
  zero.yield %p : f32
}
func.func @update_c2(%p: tensor<16xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{@o takes 1 scalars besides the decay, got 2}}
  %0 = zero.update @o of @b (%p, %p) scalars(%lr, %lr) {decay = 0.0} : (tensor<16xf32>, tensor<16xf32>), (tensor<f32>, tensor<f32>) -> tensor<16xf32>
  return
}

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 32 members []
zero.optimizer @o(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
  zero.yield %p : f32
}
func.func @update_c3(%p: tensor<16xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{parameter, gradient and state must be the 32 elements of @b, or their shard by 1, got 'tensor<16xf32>'}}
  %0 = zero.update @o of @b (%p, %p) scalars(%lr) {decay = 0.0} : (tensor<16xf32>, tensor<16xf32>), (tensor<f32>) -> tensor<16xf32>
  return
}

// -----

func.func @average_c1(%a: tensor<2xf32>) {
  // expected-error @+1 {{takes a scalar, got 'tensor<2xf32>'}}
  %0 = zero.average %a : tensor<2xf32>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members []
func.func @all_gather_c1(%a: !zero.shard<64 x f32 by 4>) {
  // expected-error @+1 {{operand must be the 64 elements of @b, or their shard by 2, got '!zero.shard<64 x f32 by 4>'}}
  %0 = zero.all_gather %a of @b : !zero.shard<64 x f32 by 4> -> tensor<64xf32>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members []
func.func @all_gather_c2(%a: !zero.shard<64 x f32 by 2>) {
  // expected-error @+1 {{result must be the whole bucket, got 'tensor<32xf32>'}}
  %0 = zero.all_gather %a of @b : !zero.shard<64 x f32 by 2> -> tensor<32xf32>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members []
func.func @all_gather_in_place_c2(%a: tensor<64xf32>) {
  // expected-error @+1 {{result must be the whole bucket, of the operand's type, got '!zero.shard<64 x f32 by 1>'}}
  %0 = zero.all_gather %a of @b : tensor<64xf32> -> !zero.shard<64 x f32 by 1>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members []
func.func @reduce_scatter_c1(%a: !zero.shard<64 x f32 by 2>) {
  // expected-error @+1 {{operand must be the whole bucket of 64 elements, got '!zero.shard<64 x f32 by 2>'}}
  %0 = zero.reduce_scatter %a of @b {scale = 1.0} : !zero.shard<64 x f32 by 2> -> !zero.shard<64 x f32 by 2>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members []
func.func @reduce_scatter_c2(%a: tensor<64xf32>) {
  // expected-error @+1 {{result must be the shard by 2, or of the operand's type, got '!zero.shard<64 x f32 by 4>'}}
  %0 = zero.reduce_scatter %a of @b {scale = 1.0} : tensor<64xf32> -> !zero.shard<64 x f32 by 4>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members []
func.func @reduce_scatter_c3(%a: tensor<64xf32>, %s: !zero.shard<32 x f32 by 2>) {
  // expected-error @+1 {{adds into '!zero.shard<32 x f32 by 2>', which is not the result's type '!zero.shard<64 x f32 by 2>'}}
  %0 = zero.reduce_scatter %a of @b into %s {scale = 1.0} : tensor<64xf32>, !zero.shard<32 x f32 by 2> -> !zero.shard<64 x f32 by 2>
  return
}

// -----

zero.axis @dp size 2
func.func @all_reduce_c1(%a: tensor<9xf64>) {
  // expected-error @+1 {{takes at most 64 bytes of f32 or f64, got 'tensor<9xf64>'}}
  %0 = zero.all_reduce %a over @dp {scale = 1.0} : tensor<9xf64>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members []
func.func @accumulate_c1(%a: tensor<64xf32>, %b: tensor<32xf32>) {
  // expected-error @+1 {{operands must be the 64 elements of @b, got 'tensor<32xf32>'}}
  %0 = zero.accumulate %a, %b of @b {scale = 1.0} : tensor<64xf32>, tensor<32xf32>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members []
func.func @zeros_c1() {
  // expected-error @+1 {{result must be }}
  %0 = zero.zeros of @b : tensor<32xf32>
  return
}

// -----

func.func @total_c1(%a: tensor<2xf32>) {
  // expected-error @+1 {{operands are tensors of f64 of at most one dimension, got 'tensor<2xf32>'}}
  %0 = zero.total %a : tensor<2xf32> -> tensor<f64>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 32 members []
zero.optimizer @o(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
  zero.yield %p, %m : f32, f32
}
func.func @update_c4(%p: !zero.shard<32 x f32 by 2>, %m: !zero.shard<32 x f32 by 1>, %lr: tensor<f32>) {
  // expected-error @+1 {{has whole state of type '!zero.shard<32 x f32 by 1>' and slices besides}}
  %0:2 = zero.update @o of @b (%p, %p, %m) scalars(%lr) {decay = 0.0} : (!zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 1>), (tensor<f32>) -> !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 1>
  return
}

// -----

zero.axis @dp size 1
// expected-error @+1 {{rows from 90 on are not among the 100 rows of its parameter}}
zero.bucket @b over @dp elements 64 members [#zero.member<"w", 16x4 at 0, rows 90 of 100, init = #zero.constant<0.0>>]

// -----

func.func @join_rows(%a: tensor<3x4xf32>) {
  // expected-error @+1 {{joins 6 rows to 'tensor<7x4xf32>'}}
  %0 = zero.join %a, %a : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<7x4xf32>
  return
}

// -----

func.func @join_nothing() {
  // expected-error @+1 {{joins nothing}}
  %0 = "zero.join"() : () -> tensor<0x4xf32>
  return
}

// -----

func.func @join_width(%a: tensor<3x5xf32>) {
  // expected-error @+1 {{piece 'tensor<3x5xf32>' is not some rows of 'tensor<3x4xf32>'}}
  %0 = zero.join %a : tensor<3x5xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @split_rows(%a: tensor<6x4xf32>) {
  // expected-error @+1 {{takes 'tensor<3x4xf32>' from row 4 of 'tensor<6x4xf32>'}}
  %0 = zero.split %a from 4 : tensor<6x4xf32> -> tensor<3x4xf32>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 32 members []
zero.optimizer @o(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
  zero.yield %p, %m : f32, f32
}
func.func @update_gradient_c4(%p: tensor<32xf32>, %g: !zero.shard<32 x f32 by 2>, %lr: tensor<f32>) {
  // expected-error @+1 {{has whole state and a slice of the gradient, '!zero.shard<32 x f32 by 2>'}}
  %0:2 = zero.update @o of @b (%p, %g, %p) scalars(%lr) {decay = 0.0} : (tensor<32xf32>, !zero.shard<32 x f32 by 2>, tensor<32xf32>), (tensor<f32>) -> tensor<32xf32>, tensor<32xf32>
  return
}

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 32 members []
zero.optimizer @o(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
  zero.yield %p : f32
}
func.func @update_rounding_c6(%p: tensor<32xbf16>, %g: tensor<32xbf16>, %lr: tensor<f32>) {
  // expected-error @+1 {{updates a parameter of 'bf16' without a master, and has no random bits to round it by}}
  %0 = zero.update @o of @b (%p, %g) scalars(%lr) {decay = 0.0} : (tensor<32xbf16>, tensor<32xbf16>), (tensor<f32>) -> tensor<32xbf16>
  return
}

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 32 members []
zero.optimizer @o(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
  zero.yield %p : f32
}
func.func @update_half_master_c5(%p: tensor<32xbf16>, %g: tensor<32xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{has a master of 'bf16'; masters are f32}}
  %0:2 = zero.update @o of @b (%p, %g) master(%p) scalars(%lr) {decay = 0.0} : (tensor<32xbf16>, tensor<32xf32>), master tensor<32xbf16>, (tensor<f32>) -> tensor<32xbf16>, tensor<32xbf16>
  return
}

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 32 members []
zero.optimizer @o(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
  zero.yield %p : f32
}
func.func @update_nothing_c5(%g: tensor<32xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{has neither a parameter nor a master}}
  %0 = zero.update @o of @b (_, %g) scalars(%lr) {decay = 0.0} : (_, tensor<32xf32>), (tensor<f32>) -> tensor<32xf32>
  return
}

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 32 members []
zero.optimizer @o(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
  zero.yield %p : f32
}
func.func @update_tiers(%p: !zero.shard<32 x f32 by 1 on host>, %g: !zero.shard<32 x f32 by 1 on host>, %lr: tensor<f32>) {
  // expected-error @+1 {{its values lie in one tier}}
  %0 = zero.update @o of @b (%p, %g) scalars(%lr) {decay = 0.0} : (!zero.shard<32 x f32 by 1 on host>, !zero.shard<32 x f32 by 1 on host>), (tensor<f32>) -> !zero.shard<32 x f32 by 1 on host>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 32 members []
func.func @fetch_two_tiers_c1(%m: !zero.shard<32 x f32 by 2 on nvme>) {
  // expected-error @+1 {{goes from nvme to device; it goes one tier nearer to the device}}
  %0 = zero.fetch %m of @b : !zero.shard<32 x f32 by 2 on nvme> -> !zero.shard<32 x f32 by 2>
  return
}

// -----

func.func @fetch_down_c1(%m: tensor<f32>) {
  // expected-error @+1 {{goes from device to host; it goes one tier nearer to the device}}
  %0 = zero.fetch %m : tensor<f32> -> !zero.stored<tensor<f32> on host>
  return
}

// -----

func.func @spill_other_c2(%m: tensor<4xf32>) {
  // expected-error @+1 {{only the tier changes, and shards name their bucket}}
  %0 = zero.spill %m : tensor<4xf32> -> !zero.stored<tensor<2x2xf32> on host>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 32 members []
func.func @fetch_slice_c2(%m: !zero.shard<32 x f32 by 2 on host>) {
  // expected-error @+1 {{a slice is spilled of a whole value, or fetched into one}}
  %0 = zero.fetch %m of @b : !zero.shard<32 x f32 by 2 on host> -> tensor<32xf32>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 32 members []
func.func @spill_elements_c2(%m: !zero.shard<16 x f32 by 1>) {
  // expected-error @+1 {{moves the 32 elements of @b, or their shard by 2, got '!zero.shard<16 x f32 by 1>'}}
  %0 = zero.spill %m of @b : !zero.shard<16 x f32 by 1> -> !zero.shard<32 x f32 by 1 on host>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 32 members []
func.func @spill_into_c3(%m: !zero.shard<32 x f32 by 2>, %old: !zero.shard<32 x f32 by 1 on host>) {
  // expected-error @+1 {{which is not the result's type}}
  %0 = zero.spill %m of @b into %old : !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 1 on host> -> !zero.shard<32 x f32 by 2 on host>
  return
}

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 32 members []
zero.optimizer @o(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
  zero.yield %p : f32
}
func.func @update_master_and_rounding_c6(%p: tensor<32xbf16>, %m: tensor<32xf32>, %lr: tensor<f32>, %r: tensor<i64>) {
  // expected-error @+1 {{updates a parameter of 'bf16' with a master, and has random bits to round it by}}
  %0:2 = zero.update @o of @b (%p, %p) master(%m) scalars(%lr) rounding(%r : tensor<i64>) {decay = 0.0} : (tensor<32xbf16>, tensor<32xbf16>), master tensor<32xf32>, (tensor<f32>) -> tensor<32xbf16>, tensor<32xf32>
  return
}

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 32 members []
zero.optimizer @o(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
  zero.yield %p : f32
}
func.func @update_rounding_of_f16_c6(%p: tensor<32xf16>, %lr: tensor<f32>, %r: tensor<i64>) {
  // expected-error @+1 {{rounds a parameter of 'f16' by chance; without a master it is bf16}}
  %0 = zero.update @o of @b (%p, %p) scalars(%lr) rounding(%r : tensor<i64>) {decay = 0.0} : (tensor<32xf16>, tensor<32xf16>), (tensor<f32>) -> tensor<32xf16>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 32 members []
func.func @reduce_type(%f: tensor<32xf32>) {
  // expected-error @+1 {{changes the element type from 'tensor<32xf32>' to '!zero.shard<32 x bf16 by 2>'}}
  %0 = zero.reduce_scatter %f of @b {scale = 0.5} : tensor<32xf32> -> !zero.shard<32 x bf16 by 2>
  return
}

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 32 members []
zero.optimizer @o(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
  zero.yield %p : f32
}
func.func @update_type_c3(%p: tensor<32xf32>, %g: tensor<32xf64>, %lr: tensor<f32>) {
  // expected-error @+1 {{works on f32, bf16 and f16, got 'tensor<32xf64>'}}
  %0 = zero.update @o of @b (%p, %g) scalars(%lr) {decay = 0.0} : (tensor<32xf32>, tensor<32xf64>), (tensor<f32>) -> tensor<32xf32>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members []
func.func @reduce_scatter_in_place_c3(%a: !zero.shard<64 x f32 by 1>) {
  // expected-error @+1 {{is in place and cannot add into another value}}
  %0 = zero.reduce_scatter %a of @b into %a {scale = 1.0} : !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 1> -> !zero.shard<64 x f32 by 1>
  return
}

// -----

zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members []
func.func @reduce_scatter_type_c2(%a: tensor<64xf64>) {
  // expected-error @+1 {{changes the element type from 'tensor<64xf64>' to '!zero.shard<64 x f32 by 2>'}}
  %0 = zero.reduce_scatter %a of @b {scale = 1.0} : tensor<64xf64> -> !zero.shard<64 x f32 by 2>
  return
}

// -----

zero.axis @dp size 1
// expected-error @+1 {{member "a" has more elements at 9223372036854775792 than can be counted}}
zero.bucket @b over @dp elements 64 members [#zero.member<"a", 32 at 9223372036854775792, init = #zero.constant<0.0>>]

// -----

zero.axis @dp size 1
// expected-error @+1 {{member "a" begins as unit; it is #zero.normal, #zero.uniform or #zero.constant}}
zero.bucket @b over @dp elements 64 members [#zero.member<"a", 32 at 0, init = unit>]

// -----

// expected-error @+1 {{'zero.optimizer' op yields the parameter and 0 state slots, all f32}}
zero.optimizer @c2(%p: f32, %g: f32) state [] scalars [] {
  %q = arith.extf %p : f32 to f64
  zero.yield %q : f64
}

// -----

zero.axis @dp size 2
func.func @all_reduce_c1(%x: tensor<index>) {
  // expected-error @+1 {{takes at most 64 bytes of f32 or f64, got 'tensor<index>'}}
  %y = zero.all_reduce %x over @dp {scale = 1.0 : f64} : tensor<index>
  return
}

// -----

zero.optimizer @c3(%p: f32, %g: f32) state [] scalars [] {
  // expected-error @+1 {{'vector.broadcast' op is in an optimizer, which is made of scalar operations of arith and math}}
  %v = vector.broadcast %g : f32 to vector<4xf32>
  %q = vector.extract %v[0] : f32 from vector<4xf32>
  zero.yield %q : f32
}

// -----

// expected-error @+1 {{what is stored on the device is 'tensor<4xf32>'}}
func.func @stored_c2(%a: !zero.stored<tensor<4xf32> on device>) {
  return
}

// -----

// expected-error @+1 {{'tensor<?xf32>' is stored, and has unknown sizes or an encoding}}
func.func @stored_c1(%a: !zero.stored<tensor<?xf32> on host>) {
  return
}

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 64 members [#zero.member<"a", 32 at 0, init = #zero.constant<0.0>>]
func.func @view_of_host(%a: !zero.shard<64 x f32 by 1 on host>) {
  // expected-error @+1 {{has '!zero.shard<64 x f32 by 1 on host>' and 'tensor<32xf32>'; its values lie in one tier}}
  %0 = zero.view %a[@b, "a"] : !zero.shard<64 x f32 by 1 on host> -> tensor<32xf32>
  return
}

// -----

zero.axis @dp size 1
// expected-error @+1 {{is packed, and not frozen}}
zero.bucket @bucket_c6 over @dp elements 2128 packed <nf4> members [#zero.member<"w", 64x64 at 0, init = #zero.constant<0.0>>]

// -----

zero.axis @dp size 1
// expected-error @+1 {{member "w" at 0 of 2120 elements overlaps the member before it or leaves the 2112 elements of the bucket}}
zero.bucket @bucket_c1 over @dp elements 2112 frozen packed <nf4> members [#zero.member<"w", 64x64 at 0, init = #zero.constant<0.0>>]

// -----

zero.axis @dp size 1
// expected-error @+1 {{is packed, and the rows of member "w" from 0 on are not whole groups of 16384 elements}}
zero.bucket @bucket_c7 over @dp elements 2128 frozen packed <nf4> members [#zero.member<"w", 64x64 at 0, rows 0 of 128, init = #zero.constant<0.0>>]

// -----

zero.axis @dp size 1
zero.bucket @b over @dp elements 2128 frozen packed <nf4> members [#zero.member<"w", 64x64 at 0, init = #zero.constant<0.0>>]
func.func @view_c2(%a: tensor<2128xi8>) {
  // expected-error @+1 {{result must have the packed bytes of #zero.member<"w", 64x64 at 0, init = #zero.constant<0.000000e+00>>, got 'tensor<64x64xi8>'}}
  %0 = zero.view %a[@b, "w"] : tensor<2128xi8> -> tensor<64x64xi8>
  return
}

// -----

func.func @dequantize_c1(%a: tensor<2120xi8>) {
  // expected-error @+1 {{makes f32, bf16 or f16, got 'tensor<64x64xf64>'}}
  %0 = zero.dequantize %a as <nf4> : tensor<2120xi8> -> tensor<64x64xf64>
  return
}

// -----

func.func @dequantize_c2(%a: tensor<2120xi8>) {
  // expected-error @+1 {{makes 'tensor<64x64xf32>' of int8, which needs 'tensor<4352xi8>', got 'tensor<2120xi8>'}}
  %0 = zero.dequantize %a as <int8> : tensor<2120xi8> -> tensor<64x64xf32>
  return
}

// -----

// expected-error @+1 {{workspace must not be negative, got -1 (C1)}}
module attributes {zero.target = #zero.target<name = "cuda", workspace = -1>} {}

// -----

// expected-error @+1 {{rate "flops.i8" = 1.000000e+12 : f64 is not known (C1); rates are flops.TYPE, memory and the names of links such as h2d, each an f64 above 0}}
module attributes {zero.machine = #zero.machine<name = "m", rates = {flops.i8 = 1.0e12}>} {}

// -----

// expected-error @+1 {{rate "compute" = 1.000000e+12 : f64 is not known (C1)}}
module attributes {zero.machine = #zero.machine<name = "m", rates = {compute = 1.0e12}>} {}

// -----

// expected-error @+1 {{rate "h2d" = 0.000000e+00 : f64 is not known (C1)}}
module attributes {zero.machine = #zero.machine<name = "m", rates = {h2d = 0.0}>} {}
