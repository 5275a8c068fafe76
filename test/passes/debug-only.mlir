// REQUIRES: debug-only
// RUN: zero-opt %S/../codegen/form-plan-kernels.mlir --zero-lower-kernels-to-cpu=stop-at-loops=1 --debug-only=zero-form-plan-kernels,zero-lower-units-to-loops 2>&1 | FileCheck %s

// Passes say what they decide, each by its own name.

// CHECK: [zero-form-plan-kernels {{.*}}] zero.update at {{.*}} launches [@sgd_decay0, @sgd_decay0.1]
// CHECK: [zero-lower-units-to-loops {{.*}}] @accumulate_scale0.5: loops over columns
// CHECK: [zero-lower-units-to-loops {{.*}}] linalg.generic at {{.*}}: loop 0 in vectors
