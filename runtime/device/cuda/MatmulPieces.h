//===- MatmulPieces.h - Cuts products of odd sizes --------------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"

#include <cuda.h>
#include <vector>

namespace zrt::cuda {

/// Returns the products that compute `desc`, in order: `desc` itself, or two
/// where a large product has a size that cuBLASLt multiplies slowly.  Their
/// operands are parts of those of `desc`.
std::vector<zrt_matmul_desc> piecesOf(const zrt_matmul_desc &desc);

/// Addresses on the GPU, with the alignment of the operands' offsets.
struct MatmulOperands {
  CUdeviceptr a, b, bias, c;
};
/// Returns the addresses of a piece of `desc`, whose own are `whole`.
MatmulOperands operandsOf(const zrt_matmul_desc &piece,
                          const zrt_matmul_desc &desc,
                          const MatmulOperands &whole);

} // namespace zrt::cuda
