//===- Faults.h - Operations that a GPU does wrong --------------*- C++ -*-===//
//
// For tests of whoever looks at a GPU.  Kernels are called as in their image, products
// cublasLtMatmul.
//
//   FAKE_CUDA_WRONG=NAME     what operations with NAME in their name leave has another
//                            bit, in its first element
//   FAKE_CUDA_UNSTEADY=NAME  so has what every other one of them leaves
//   FAKE_CUDA_FAILS=NAME     they fail, as at an illegal address
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace fakecuda {

/// Spoils the element of `bytes` bytes that `name` has just left at `result`, if it
/// is to be wrong.
void spoil(const std::string &name, void *result, uint64_t bytes = 2);
/// Whether `name` fails.
bool isToFail(const std::string &name);

} // namespace fakecuda
