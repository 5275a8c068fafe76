//===- Matmuls.h - Matmuls on a GPU -----------------------------*- C++ -*-===//
//
// Matmuls are computed by cuBLASLt, which is loaded if a plan has any.  A
// plan's matrices are row-major, cuBLASLt's are column-major: the C of the plan
// is transposed for cuBLASLt, and so are A and B.
//
//   plan       C   =  op(A) op(B)      m x n,  m x k times k x n
//   cuBLASLt   C'  =  op(B)' op(A)'    n x m,  n x k times k x m
//
// Sums are in f32 (no TF32) or f64 and rounded once.  The algorithm of each
// product is chosen before the first program: the first one of cuBLASLt's
// heuristic, which depends only on the product's shape, the alignment of its
// operands in the plan and the library's version; or the fastest of several,
// which is kept (MatmulChoices.h).  The algorithm decides the bits.  Algorithms
// that add into memory in the order in which blocks end are excluded, and so
// are those that round partial sums.
//
// cuBLASLt does not support a 16-bit bias with an f32 result.  A kernel of the
// plan first widens such a bias into the end of the workspace.  A bias that is
// not aligned to 16 bytes is copied there, too.
//
// A large product of 16 bits with a size that is no multiple of 8, as many
// vocabularies are, is cut into two: all but the last elements, and these.  If
// the cut size is k, the last elements are multiplied first and rounded, and
// the others are added to them.
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/device/cuda/MatmulPieces.h"
#include "runtime/device/cuda/driver/Kernels.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace zrt::cuda {
class LtLibrary;
class LtProduct;
class MatmulChoices;

class Matmuls {
public:
  /// Matmuls use `workspaceBytes` bytes at `workspace` while they run.
  Matmuls(const Gpu &gpu, const Kernels &kernels, CUdeviceptr workspace,
          uint64_t workspaceBytes);
  ~Matmuls();
  Matmuls(const Matmuls &) = delete;
  Matmuls &operator=(const Matmuls &) = delete;

  /// Any thread: prepares `desc` with the first algorithm of cuBLASLt's
  /// heuristic.  Throws zrt::Error if there is none.
  void prepare(const zrt_matmul_desc &desc);
  /// Gives a product that was prepared the algorithm of `choices`; without one,
  /// times up to `most` algorithms on the operands, and adds the fastest.
  /// No stream may be working.  Throws zrt::Error if cuBLASLt refuses the one
  /// of `choices`.
  void choose(const zrt_matmul_desc &desc, const MatmulOperands &operands,
              int most, MatmulChoices &choices);
  /// Returns the library and its version: "cuBLASLt 130100"; "" if there is no
  /// product.
  std::string version() const;
  /// Returns the chosen algorithms for reports: "algorithm 66, tile 20, stages
  /// 7".
  std::string text(const zrt_matmul_desc &desc) const;
  /// Issues a product that was prepared.
  void run(CUstream stream, const zrt_matmul_desc &desc,
           const MatmulOperands &operands) const;

private:
  /// Issues a part of a product; returns a status of cuBLASLt.
  int issue(CUstream stream, const LtProduct &part,
            const MatmulOperands &operands) const;
  void run(CUstream stream, const LtProduct &part,
           const MatmulOperands &operands) const;
  /// Gives a part the fastest of up to `most` algorithms.
  void chooseFastest(LtProduct &part, const MatmulOperands &operands,
                     int most) const;
  /// Copies the bias into the workspace and returns its address there.
  CUdeviceptr copyBias(CUstream stream, const zrt_matmul_desc &desc,
                       CUdeviceptr bias) const;
  /// Returns the bytes of the workspace that are left for cuBLASLt.
  uint64_t workspaceOf(const zrt_matmul_desc &desc) const;

  const Gpu &gpu;
  const Kernels &kernels;
  const CUdeviceptr workspace;
  const uint64_t workspaceBytes;
  std::mutex mutex;                   ///< guards prepare
  std::unique_ptr<LtLibrary> library; ///< set once there is a product
  /// The parts of each product, in order.
  std::map<const zrt_matmul_desc *, std::vector<std::unique_ptr<LtProduct>>>
      products;
};

} // namespace zrt::cuda
