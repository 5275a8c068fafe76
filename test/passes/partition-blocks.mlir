// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2" | FileCheck %s
// RUN: sed 's/zero.block = "deep"/zero.block = 7/' %s | not zero-opt --zero-partition-state 2>&1 | FileCheck %s --check-prefix=WRONG

// What the model says of blocks is followed where names say something else: by
// name, h.0.a would be alone and h.1.a with h.1.b.  What says nothing is of the
// block that its name tells, h.2.
// CHECK: zero.bucket @b0 over @dp elements 32 members [#zero.member<"h.0.a", 16 at 0, {{.*}}>, #zero.member<"h.1.a", 16 at 16,
// CHECK-NEXT: zero.bucket @b1 over @dp elements 32 members [#zero.member<"h.1.b", 16 at 0, {{.*}}>, #zero.member<"h.2.a", 16 at 16,
// CHECK-NEXT: zero.bucket @b2 over @dp elements 32 members [#zero.member<"h.2.b", 16 at 0, init = #zero.constant<0.000000e+00>>]
// CHECK-NOT: zero.bucket

// WRONG: error: 'func.func' op has zero.block = 7 : i64 of argument 0; it is a string
func.func @step(%a: tensor<16xf32> {zero.param = "h.0.a", zero.block = "deep", zero.init = #zero.constant<0.0>},
                %b: tensor<16xf32> {zero.param = "h.1.a", zero.block = "deep", zero.init = #zero.constant<0.0>},
                %c: tensor<16xf32> {zero.param = "h.1.b", zero.block = "h.2", zero.init = #zero.constant<0.0>},
                %d: tensor<16xf32> {zero.param = "h.2.a", zero.init = #zero.constant<0.0>},
                %e: tensor<16xf32> {zero.param = "h.2.b", zero.block = "last", zero.init = #zero.constant<0.0>},
                %x: tensor<16xf32> {zero.input = "x"})
    -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %l:6 = zero.launch @k(%a, %b, %c, %d, %e, %x)
    : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
    -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
  return %l#0, %l#1, %l#2, %l#3, %l#4, %l#5
    : tensor<f32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
zero.kernel @k(tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
    -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) units serial
