//===- Faults.h - Injects wrong results of operations -----------*- C++ -*-===//
//
// For tests of code that checks a GPU.  Kernels have the names in their image,
// products the name cublasLtMatmul.
//
//   FAKE_CUDA_WRONG=NAME     operations with NAME in their name flip a bit of
//                            their result's first element
//   FAKE_CUDA_UNSTEADY=NAME  every second such operation does
//   FAKE_CUDA_FAILS=NAME     such operations fail, as at an illegal address
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace fakecuda {

/// Changes the element of `bytes` bytes at `result`, the result of `name`, if
/// it is to be wrong.
void spoil(const std::string &name, void *result, uint64_t bytes = 2);
/// Returns true if `name` must fail.
bool isToFail(const std::string &name);

} // namespace fakecuda
