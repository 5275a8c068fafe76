// RUN: zero-opt %s --zero-sink-scalars | FileCheck %s

// Scalars are computed by the generics that read them, each for itself; a
// constant stays.
// CHECK-LABEL: func @scalars
// CHECK-NEXT: %[[C:.*]] = arith.constant 3 : i32
// CHECK-NOT: tensor.extract
// CHECK: linalg.generic {{.*}} ins(%arg0 :
// CHECK-NEXT: ^bb0
// CHECK-NEXT: %[[N:.*]] = tensor.extract %arg1[] : tensor<i32>
// CHECK-NEXT: %[[BIT:.*]] = arith.cmpi slt, %[[N]], %[[C]]
// CHECK-NEXT: math.tanh
// CHECK-NEXT: arith.select %[[BIT]]
// CHECK: linalg.generic {{.*}} outs
// CHECK-NEXT: ^bb0
// CHECK-NEXT: tensor.extract %arg1[] : tensor<i32>
// CHECK-NEXT: arith.sitofp
// CHECK-NEXT: linalg.yield
func.func @scalars(%x: tensor<8xf32>, %n: tensor<i32>) -> (tensor<8xf32>, tensor<f32>) {
  %three = arith.constant 3 : i32
  %number = tensor.extract %n[] : tensor<i32>
  %bit = arith.cmpi slt, %number, %three : i32
  %float = arith.sitofp %number : i32 to f32
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %o: f32):
    %1 = math.tanh %in : f32
    %2 = arith.select %bit, %in, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  %one = tensor.from_elements %float : tensor<f32>
  return %0, %one : tensor<8xf32>, tensor<f32>
}

// An operand that is a scalar goes, and what a scalar fills is a generic.
// CHECK-LABEL: func @fills
// CHECK-NEXT: arith.constant 0 : index
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: %[[F:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<8xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: tensor.extract %arg1
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[F]] : tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: tensor.extract %arg1
func.func @fills(%x: tensor<8xf32>, %y: tensor<3xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %s = tensor.extract %y[%c0] : tensor<3xf32>
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%s : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>, affine_map<(a) -> ()>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%x, %f, %s : tensor<8xf32>, tensor<8xf32>, f32) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %g: f32, %n: f32, %o: f32):
    %1 = arith.mulf %in, %g : f32
    %2 = arith.addf %1, %n : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The border of a pad is filled first; one that is a constant is left as it is.
// CHECK-LABEL: func @border
// CHECK: %[[F:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<4x5xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: tensor.extract %arg1[]
// CHECK: %[[P:.*]] = tensor.insert_slice %arg0 into %[[F]][0, 1] [4, 3] [1, 1] : tensor<4x3xf32> into tensor<4x5xf32>
// CHECK: %[[Q:.*]] = tensor.pad %arg0
// CHECK: return %[[P]], %[[Q]]
func.func @border(%x: tensor<4x3xf32>, %s: tensor<f32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %v = tensor.extract %s[] : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<4x3xf32> to tensor<4x5xf32>
  %1 = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x3xf32> to tensor<4x5xf32>
  return %0, %1 : tensor<4x5xf32>, tensor<4x5xf32>
}

// A border that depends on its place is computed by a generic, and so is a tensor
// that is generated.
// CHECK-LABEL: func @places
// CHECK-NOT: tensor.pad
// CHECK-NOT: tensor.generate
// CHECK: %[[BORDER:.*]] = linalg.generic
// CHECK: linalg.index 0
// CHECK: tensor.insert_slice %arg0 into %[[BORDER]][1] [4] [1]
// CHECK: linalg.generic
// CHECK: linalg.index 0
// CHECK-NEXT: tensor.extract %arg1
func.func @places(%w: tensor<4xf32>, %x: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %p = tensor.pad %w low[1] high[1] {
  ^bb0(%i: index):
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    tensor.yield %f : f32
  } : tensor<4xf32> to tensor<6xf32>
  %g = tensor.generate {
  ^bb0(%i: index):
    %v = tensor.extract %x[%i] : tensor<6xf32>
    tensor.yield %v : f32
  } : tensor<6xf32>
  return %p, %g : tensor<6xf32>, tensor<6xf32>
}
