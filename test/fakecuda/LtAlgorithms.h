//===- LtAlgorithms.h - The algorithms of products --------------*- C++ -*-===//
//
//   FAKE_CUDA_ALGORITHMS=LIST  the algorithms of every product, from number 0
//                              on: the milliseconds of a product ("1"), where
//                              some are MILLISECONDS:KIND.  GPUs with an odd
//                              number have these times in reverse order.
//   FAKE_CUDA_MATMULS=FILE     a line is added for each product that is
//                              executed: "ALGORITHM GPU M N K"
//
//   KIND   inplace   adds in the order in which blocks end: may not be used
//          large     needs more than the workspace: may not be used
//          refused   cublasLtMatmul refuses it
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fakecuda {

struct LtAlgorithm {
  double milliseconds;
  std::string kind; ///< or ""
};
/// Returns the list for the GPU in use.
const std::vector<LtAlgorithm> &ltAlgorithms();

/// Notes that a product is executed, and lets its time pass.
void noteMatmul(uint32_t algorithm, int64_t m, int64_t n, int64_t k);

} // namespace fakecuda
