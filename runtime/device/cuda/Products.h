//===- Products.h - Matrix products on a GPU --------------------*- C++ -*-===//
//
// By cuBLASLt, which is loaded when a plan has products.  A plan's matrices are
// row-major, cuBLASLt's column-major: what is C for the plan is its transpose for
// cuBLASLt, and so are A and B.
//
//   plan       C   =  op(A) op(B)      m x n,  m x k times k x n
//   cuBLASLt   C'  =  op(B)' op(A)'    n x m,  n x k times k x m
//
// Sums are in f32 (no TF32) or f64 and rounded once.  The algorithm of each
// product is chosen before the first program, by cuBLASLt's heuristic, from its
// shape and from the alignment that the plan gives its operands: that and the
// library's version are all that the bits depend on.  Algorithms that add into
// memory in whatever order blocks end are left out, and so are those that round
// partial sums.
//
// A bias of 16 bits of a result of f32, which cuBLASLt does not have, is widened by a
// kernel of the plan before, into the end of the workspace.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cuda/Kernels.h"
#include "runtime/zrt.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace zrt::cuda {

class Products {
public:
  /// Products use `workspaceBytes` bytes at `workspace` while they run.
  Products(const Gpu &gpu, const Kernels &kernels, CUdeviceptr workspace,
           uint64_t workspaceBytes);
  ~Products();
  Products(const Products &) = delete;
  Products &operator=(const Products &) = delete;

  /// Any thread: chooses how `desc` is done, whose operands lie at addresses that
  /// are aligned like their offsets.  Throws zrt::Error where it cannot be.
  void prepare(const zrt_matmul_desc &desc);
  /// The algorithm that was chosen, for reports: "algorithm 66, tile 20, stages 7".
  std::string text(const zrt_matmul_desc &desc) const;
  /// Issues what has been prepared.
  void run(CUstream stream, const zrt_matmul_desc &desc, CUdeviceptr a,
           CUdeviceptr b, CUdeviceptr bias, CUdeviceptr c) const;

private:
  struct Library;
  struct Product;

  /// Where the bias is in f32.
  CUdeviceptr widen(CUstream stream, const zrt_matmul_desc &desc,
                    CUdeviceptr bias) const;
  /// What is left of the workspace for cuBLASLt.
  uint64_t workspaceOf(const zrt_matmul_desc &desc) const;

  const Gpu &gpu;
  const Kernels &kernels;
  const CUdeviceptr workspace;
  const uint64_t workspaceBytes;
  std::mutex mutex;                 ///< of prepare
  std::unique_ptr<Library> library; ///< once there is a product
  std::map<const zrt_matmul_desc *, std::unique_ptr<Product>> products;
};

} // namespace zrt::cuda
