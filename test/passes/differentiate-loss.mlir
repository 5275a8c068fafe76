// RUN: zero-opt %s --zero-differentiate-loss --split-input-file | FileCheck %s

// The loss keeps its arguments; one gradient per parameter follows it, in
// argument order.  Both gradients of a product are products of the same form,
// output loops first.

// CHECK-DAG: #[[MN:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[KN:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[MK:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[RED0:.+]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[RED1:.+]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[A:.+]]: tensor<3x4xf32> {zero.init = #zero.normal<std = 2.000000e-02>, zero.param = "a"}
// CHECK-SAME:    %[[X:.+]]: tensor<3x5xf32> {zero.input = "x"}
// CHECK-SAME:    %[[B:.+]]: tensor<4x5xf32> {zero.param = "b"}
// CHECK-SAME:    -> (tensor<f32> {zero.output = "loss"}, tensor<3x4xf32> {zero.grad = "a"}, tensor<4x5xf32> {zero.grad = "b"})
// CHECK:         %[[Y:.+]] = linalg.generic {{.*}} ins(%[[A]], %[[B]]
// CHECK:         %[[LOSS:.+]] = linalg.generic {{.*}} ins(%[[Y]], %[[X]]
// CHECK:         %[[DY:.+]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK:         %[[DA:.+]] = linalg.generic {indexing_maps = [#[[MN]], #[[KN]], #[[MK]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[DY]], %[[B]] :
// CHECK-NEXT:    ^bb0(%[[L:.+]]: f32, %[[R:.+]]: f32, %[[ACC:.+]]: f32):
// CHECK-NEXT:      %[[P:.+]] = arith.mulf %[[L]], %[[R]]
// CHECK-NEXT:      %[[S:.+]] = arith.addf %[[ACC]], %[[P]]
// CHECK-NEXT:      linalg.yield %[[S]]
// CHECK:         %[[DB:.+]] = linalg.generic {indexing_maps = [#[[RED0]], #[[RED1]], #[[MK]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[A]], %[[DY]] :
// CHECK:         return %[[LOSS]], %[[DA]], %[[DB]]
func.func @loss(%a: tensor<3x4xf32> {zero.param = "a", zero.init = #zero.normal<std = 0.02>},
                %x: tensor<3x5xf32> {zero.input = "x"},
                %b: tensor<4x5xf32> {zero.param = "b"}) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %y = linalg.matmul ins(%a, %b : tensor<3x4xf32>, tensor<4x5xf32>) outs(%i : tensor<3x5xf32>) -> tensor<3x5xf32>
  %e0 = tensor.empty() : tensor<f32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%y, %x : tensor<3x5xf32>, tensor<3x5xf32>) outs(%i0 : tensor<f32>) {
  ^bb0(%s: f32, %t: f32, %acc: f32):
    %p = arith.mulf %s, %t : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// The slices of one packed tensor are written into one adjoint, which starts
// undefined because they cover it, and nothing is added.

// CHECK-LABEL: func.func @step(
// CHECK:         %[[LOSS:.+]], %{{.+}} = nn.cross_entropy
// CHECK-NOT:     arith.addf %{{.*}} : tensor<2x9xf32>
// CHECK:         %[[E:.+]] = tensor.empty() : tensor<2x9xf32>
// CHECK-NEXT:    %[[I0:.+]] = tensor.insert_slice %{{.+}} into %[[E]][0, 6] [2, 3] [1, 1]
// CHECK-NEXT:    %[[I1:.+]] = tensor.insert_slice %{{.+}} into %[[I0]][0, 3] [2, 3] [1, 1]
// CHECK-NEXT:    %[[I2:.+]] = tensor.insert_slice %{{.+}} into %[[I1]][0, 0] [2, 3] [1, 1]
// CHECK-NEXT:    return %[[LOSS]], %[[I2]]
func.func @loss(%w: tensor<2x9xf32> {zero.param = "w"}, %t: tensor<2xi32> {zero.input = "t"}) -> tensor<f32> {
  %q = tensor.extract_slice %w[0, 0] [2, 3] [1, 1] : tensor<2x9xf32> to tensor<2x3xf32>
  %k = tensor.extract_slice %w[0, 3] [2, 3] [1, 1] : tensor<2x9xf32> to tensor<2x3xf32>
  %v = tensor.extract_slice %w[0, 6] [2, 3] [1, 1] : tensor<2x9xf32> to tensor<2x3xf32>
  %0 = arith.mulf %q, %k : tensor<2x3xf32>
  %1 = arith.addf %0, %v : tensor<2x3xf32>
  %loss = nn.cross_entropy %1, %t : tensor<2x3xf32>, tensor<2xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Slices that leave a gap start from zeros.

// CHECK-LABEL: func.func @step(
// CHECK:         %[[Z:.+]] = linalg.fill
// CHECK-NEXT:    %[[I0:.+]] = tensor.insert_slice %{{.+}} into %[[Z]][0, 6] [2, 3] [1, 1]
// CHECK-NEXT:    %[[I1:.+]] = tensor.insert_slice %{{.+}} into %[[I0]][0, 0] [2, 3] [1, 1]
// CHECK-NEXT:    return %{{.+}}, %[[I1]]
func.func @loss(%w: tensor<2x9xf32> {zero.param = "w"}, %t: tensor<2xi32> {zero.input = "t"}) -> tensor<f32> {
  %q = tensor.extract_slice %w[0, 0] [2, 3] [1, 1] : tensor<2x9xf32> to tensor<2x3xf32>
  %v = tensor.extract_slice %w[0, 6] [2, 3] [1, 1] : tensor<2x9xf32> to tensor<2x3xf32>
  %0 = arith.mulf %q, %v : tensor<2x3xf32>
  %loss = nn.cross_entropy %0, %t : tensor<2x3xf32>, tensor<2xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A tied embedding adds its rows onto the gradient of the projection.

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[WTE:.+]]: tensor<7x4xf32>
// CHECK:         %[[DW:.+]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction", "reduction"]
// CHECK-NOT:     arith.addf %{{.*}} : tensor<7x4xf32>
// CHECK:         %[[SUM:.+]] = nn.embedding_backward %{{.+}}, %{{.+}} into %[[DW]]
// CHECK-NEXT:    return %{{.+}}, %[[SUM]]
func.func @loss(%wte: tensor<7x4xf32> {zero.param = "wte"}, %tokens: tensor<2x5xi32> {zero.input = "tokens"},
                %targets: tensor<2x5xi32> {zero.input = "targets"}) -> tensor<f32> {
  %x = nn.embedding %tokens, %wte : tensor<2x5xi32>, tensor<7x4xf32> -> tensor<2x5x4xf32>
  %logits = nn.linear %x, %wte : tensor<2x5x4xf32>, tensor<7x4xf32> -> tensor<2x5x7xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<2x5x7xf32>, tensor<2x5xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Statistics are saved where the backward reads them, and nothing is computed
// for what needs no gradient: here the row's dx.

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<3x6xf32>
// CHECK:         %[[Y:.+]], %[[MEAN:.+]], %[[RSTD:.+]] = nn.layer_norm %[[X]]
// CHECK-SAME:      stats tensor<3xf32>, tensor<3xf32>
// CHECK:         %{{.+}}, %[[LSE:.+]] = nn.cross_entropy %[[Y]]
// CHECK:         %[[DY:.+]] = nn.cross_entropy_backward %{{.+}}, %[[Y]], %{{.+}}, %[[LSE]] by
// CHECK:         linalg.generic {{.*}} ins(%[[DY]], %[[X]], %[[MEAN]], %[[RSTD]] : {{.*}} outs(%{{.+}} : tensor<6xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[DY]] : {{.*}} outs(%{{.+}} : tensor<6xf32>)
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @loss(%x: tensor<3x6xf32> {zero.input = "x"}, %w: tensor<6xf32> {zero.param = "w"},
                %b: tensor<6xf32> {zero.param = "b"}, %t: tensor<3xi32> {zero.input = "t"}) -> tensor<f32> {
  %y = nn.layer_norm %x, %w, %b {eps = 1.0e-5 : f64} : tensor<3x6xf32>, tensor<6xf32>
  %loss = nn.cross_entropy %y, %t : tensor<3x6xf32>, tensor<3xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Ties of a maximum share the gradient evenly: hits are counted first.

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[A:[^:]+]]: tensor<4xf32>
// CHECK:         %[[MAX:.+]] = linalg.generic {{.*}} ins(%[[A]] :
// CHECK:           arith.maximumf
// CHECK:         %[[HITS:.+]] = linalg.generic {{.*}}iterator_types = ["reduction"]{{.*}} ins(%[[A]], %[[MAX]] :
// CHECK:           arith.cmpf oeq
// CHECK:         %[[SHARE:.+]] = arith.divf %{{.+}}, %[[HITS]] : tensor<f32>
// CHECK:         %[[DA:.+]] = linalg.generic {{.*}}iterator_types = ["parallel"]{{.*}} ins(%[[A]], %[[SHARE]], %[[MAX]] :
// CHECK:           arith.cmpf oeq
// CHECK:           arith.select
// CHECK:         return %[[MAX]], %[[DA]]
func.func @loss(%a: tensor<4xf32> {zero.param = "a"}) -> tensor<f32> {
  %inf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<f32>
  %i = linalg.fill ins(%inf : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %loss = linalg.reduce ins(%a : tensor<4xf32>) outs(%i : tensor<f32>) dimensions = [0]
    (%s: f32, %acc: f32) {
      %r = arith.maximumf %s, %acc : f32
      linalg.yield %r : f32
    }
  return %loss : tensor<f32>
}

// -----

// A zero adjoint wins over a slope that may be infinite, and over that only.

// CHECK-LABEL: func.func @step(
// CHECK:         %[[E:.+]] = math.exp
// CHECK:         arith.subf
// CHECK-NEXT:    %[[D:.+]] = arith.mulf
// CHECK-NEXT:    %[[SLOPE:.+]] = arith.mulf %[[D]], %[[E]]
// CHECK:         %[[IS:.+]] = arith.cmpf oeq, %[[D]], %{{.+}}
// CHECK-NEXT:    %[[DX:.+]] = arith.select %[[IS]], %[[D]], %[[SLOPE]]
// CHECK-NEXT:    return %{{.+}}, %[[DX]]
func.func @loss(%a: tensor<f32> {zero.param = "a"}, %x: tensor<f32> {zero.input = "x"}) -> tensor<f32> {
  %e = math.exp %a : tensor<f32>
  %t = math.tanh %e : tensor<f32>
  %y = arith.mulf %t, %x : tensor<f32>
  return %y : tensor<f32>
}

// -----

// What no parameter reaches needs no derivative, and is left alone; private
// functions are no models.

// CHECK-LABEL: func.func private @helper(%{{.+}}: tensor<f32> {zero.param = "p"})
// CHECK-LABEL: func.func @step(
// CHECK:         %[[F:.+]] = math.floor
// CHECK:         %[[Y:.+]] = arith.addf %{{.+}}, %[[F]] : tensor<f32>
// CHECK:         %[[ONE:.+]] = arith.constant dense<1.000000e+00>
// CHECK-NEXT:    return %[[Y]], %[[ONE]]
func.func private @helper(%p: tensor<f32> {zero.param = "p"}) -> tensor<f32> {
  return %p : tensor<f32>
}
func.func @loss(%a: tensor<f32> {zero.param = "a"}, %x: tensor<f32> {zero.input = "x"}) -> tensor<f32> {
  %f = math.floor %x : tensor<f32>
  %y = arith.addf %a, %f : tensor<f32>
  return %y : tensor<f32>
}

// -----

// Two counts share what computes their weights: it goes to the front once, before both.

// CHECK-LABEL: func.func @step(
// CHECK: %[[C:.*]] = arith.constant dense<[5.000000e-01, 1.000000e+00]>
// CHECK-COUNT-2: nn.count_valid
// CHECK: nn.cross_entropy
func.func @loss(%w: tensor<4x5xf32> {zero.param = "h.0.w"}, %x: tensor<2x4xf32> {zero.input = "x"},
                %t: tensor<2xi32> {zero.input = "targets"}) -> tensor<f32> {
  %c = arith.constant dense<[0.5, 1.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %s = linalg.copy ins(%c : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %y = nn.linear %x, %w {transposed} : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
  %a = nn.cross_entropy %y, %t weights(%s : tensor<2xf32>) {} : tensor<2x5xf32>, tensor<2xi32> -> tensor<f32>
  %u = linalg.copy ins(%c : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %z = nn.cross_entropy %y, %t weights(%u : tensor<2xf32>) {} : tensor<2x5xf32>, tensor<2xi32> -> tensor<f32>
  %l = arith.addf %a, %z : tensor<f32>
  return %l : tensor<f32>
}

// -----

// So do the constants that the bodies of what computes a count read.

// CHECK-LABEL: func.func @step(
// CHECK: nn.count_valid
// CHECK: %[[NONE:.*]] = arith.constant -100 : i32
// CHECK: arith.select %{{.*}}, %[[NONE]],
// CHECK: nn.count_valid
// CHECK: nn.linear
func.func @loss(%w: tensor<4x5xf32> {zero.param = "h.0.w"}, %x: tensor<2x4xf32> {zero.input = "x"},
                %t: tensor<2xi32> {zero.input = "targets"}) -> tensor<f32> {
  %none = arith.constant -100 : i32
  %y = nn.linear %x, %w {transposed} : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
  %a = nn.cross_entropy %y, %t : tensor<2x5xf32>, tensor<2xi32> -> tensor<f32>
  %e = tensor.empty() : tensor<2xi32>
  %ids = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%t : tensor<2xi32>) outs(%e : tensor<2xi32>) {
  ^bb0(%in: i32, %out: i32):
    %is = arith.cmpi slt, %in, %none : i32
    %id = arith.select %is, %none, %in : i32
    linalg.yield %id : i32
  } -> tensor<2xi32>
  %n = nn.count_valid %ids {ignore_index = -100 : i32} : tensor<2xi32> -> tensor<f32>
  %l = arith.divf %a, %n : tensor<f32>
  return %l : tensor<f32>
}

// -----

// The gradient of a cast is cast back.

// CHECK-LABEL: func.func @step(
// CHECK: %[[WIDE:.*]] = tensor.cast %{{.*}} : tensor<8xf32> to tensor<?xf32>
// CHECK: tensor.cast %[[WIDE]] : tensor<?xf32> to tensor<8xf32>
// CHECK: %[[BACK:.*]] = tensor.cast %{{.*}} : tensor<8xf32> to tensor<?xf32>
// CHECK: %[[G:.*]] = tensor.cast %[[BACK]] : tensor<?xf32> to tensor<8xf32>
// CHECK: return %{{.*}}, %[[G]]
func.func @loss(%w: tensor<8xf32> {zero.param = "w"}) -> tensor<f32> {
  %wide = tensor.cast %w : tensor<8xf32> to tensor<?xf32>
  %x = tensor.cast %wide : tensor<?xf32> to tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<8xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%in: f32, %sum: f32):
    %square = arith.mulf %in, %in : f32
    %more = arith.addf %square, %sum : f32
    linalg.yield %more : f32
  } -> tensor<f32>
  return %loss : tensor<f32>
}
