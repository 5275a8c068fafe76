//===- Driver.h - NVIDIA's driver, loaded at run time -----------*- C++ -*-===//
//
// A training program for GPUs also starts on machines without one and reports
// what is missing: it opens libcuda.so.1 by name and keeps the functions in a
// table.
//
//   driver.MemRelease(handle)    CUresult, as in cuda.h
//   gpu.MemRelease(handle)       throws, with the error's name and text (Gpu.h)
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cuda.h>

#include <string>
#include <string_view>

namespace zrt::cuda {

class Driver {
public:
  /// Opens `library` and initializes it.  Throws zrt::Error, which says what is
  /// missing.
  explicit Driver(const char *library = "libcuda.so.1");

  /// Throws unless `result`, the return value of `call`, is success.
  void check(std::string_view call, CUresult result) const;
  /// Returns e.g. "cuMemMap: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"; the
  /// name of `call` without its version.
  std::string describe(std::string_view call, CUresult result) const;

  // NOLINTNEXTLINE(bugprone-macro-parentheses)
#define ZRT_CUDA(FUNCTION, SYMBOL) decltype(&::SYMBOL) FUNCTION = nullptr;
#include "runtime/device/cuda/driver/DriverFunctions.def"

  int version = 0; ///< e.g. 12040 for CUDA 12.4
};

} // namespace zrt::cuda
