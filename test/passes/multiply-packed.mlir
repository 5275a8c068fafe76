// RUN: zero-opt %s --zero-multiply-packed | FileCheck %s
// RUN: sed 's/^module {/module attributes {zero.target = #zero.target<name = "cuda", arch = "sm_90", workspace = 0>} {/' %s | zero-opt --zero-multiply-packed | FileCheck %s --check-prefix=GPU
// RUN: zeroc %S/partition-packed.mlir --lora=2 --base-storage=nf4 --emit=memory -o - | FileCheck %s --check-prefix=TRAINING

// GPU-NOT: packed
// A step of few rows: forward, and backward, where the matrix is not transposed.
// TRAINING: zero.program @step
// TRAINING: nn.matmul {{.*}} {packed = "nf4", transpose_b
// TRAINING: zero.unpack {{.*}} -> tensor<64x512xf32>
// TRAINING-NEXT: nn.matmul

module {
  // CHECK-LABEL: func @few
  // CHECK-NOT: zero.unpack
  // CHECK: %[[Y:.*]] = nn.matmul %arg0, %arg1 bias(%arg2) {packed = "nf4", transpose_b} : (tensor<8x64xbf16>, tensor<2120xi8>, tensor<64xbf16>) -> tensor<8x64xbf16>
  // CHECK: nn.matmul %[[Y]], %arg1 init(%arg0) {packed = "nf4", transpose_b}
  func.func @few(%x: tensor<8x64xbf16>, %b: tensor<2120xi8>, %d: tensor<64xbf16>) -> tensor<8x64xbf16> {
    %w = zero.unpack %b as <nf4> : tensor<2120xi8> -> tensor<64x64xbf16>
    %y = nn.matmul %x, %w bias(%d) {transpose_b} : (tensor<8x64xbf16>, tensor<64x64xbf16>, tensor<64xbf16>) -> tensor<8x64xbf16>
    %z = nn.matmul %y, %w init(%x) {transpose_b} : (tensor<8x64xbf16>, tensor<64x64xbf16>, tensor<8x64xbf16>) -> tensor<8x64xbf16>
    return %z : tensor<8x64xbf16>
  }
  // CHECK-LABEL: func @rows_are_whole_blocks
  // CHECK-DAG: nn.matmul {{.*}} {packed = "int8", transpose_b} : (tensor<1x128xf32>, tensor<408xi8>) -> tensor<1x3xf32>
  // CHECK-DAG: zero.unpack %{{.*}} -> tensor<3x100xf32>
  func.func @rows_are_whole_blocks(%x: tensor<1x128xf32>, %y: tensor<1x100xf32>, %b: tensor<408xi8>, %c: tensor<340xi8>) -> (tensor<1x3xf32>, tensor<1x3xf32>) {
    %w = zero.unpack %b as <int8> : tensor<408xi8> -> tensor<3x128xf32>
    %v = zero.unpack %c as <int8> : tensor<340xi8> -> tensor<3x100xf32>
    %0 = nn.matmul %x, %w {transpose_b} : (tensor<1x128xf32>, tensor<3x128xf32>) -> tensor<1x3xf32>
    %1 = nn.matmul %y, %v {transpose_b} : (tensor<1x100xf32>, tensor<3x100xf32>) -> tensor<1x3xf32>
    return %0, %1 : tensor<1x3xf32>, tensor<1x3xf32>
  }
  // Many rows; a matrix that is not transposed, or read elsewhere.
  // CHECK-LABEL: func @others
  // CHECK-COUNT-3: zero.unpack
  // CHECK-NOT: packed
  func.func @others(%many: tensor<9x64xf32>, %few: tensor<8x64xf32>, %b: tensor<2120xi8>) -> (tensor<9x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<64x64xf32>) {
    %0 = zero.unpack %b as <nf4> : tensor<2120xi8> -> tensor<64x64xf32>
    %1 = nn.matmul %many, %0 {transpose_b} : (tensor<9x64xf32>, tensor<64x64xf32>) -> tensor<9x64xf32>
    %2 = zero.unpack %b as <nf4> : tensor<2120xi8> -> tensor<64x64xf32>
    %3 = nn.matmul %few, %2 : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %4 = zero.unpack %b as <nf4> : tensor<2120xi8> -> tensor<64x64xf32>
    %5 = nn.matmul %few, %4 {transpose_b} : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %1, %3, %5, %4 : tensor<9x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<64x64xf32>
  }
  // A matrix that is multiplied by itself.
  // CHECK-LABEL: func @by_itself
  // CHECK: zero.unpack
  // CHECK-NOT: packed
  func.func @by_itself(%b: tensor<272xi8>) -> tensor<8x8xf32> {
    %w = zero.unpack %b as <nf4> : tensor<272xi8> -> tensor<8x64xf32>
    %0 = nn.matmul %w, %w {transpose_b} : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
