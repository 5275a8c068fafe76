//===- CudaUnderTest.h - Plans for the GPU of test/fakecuda -----*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/device/cuda/CudaDevice.h"

#include <memory>

namespace zrt::test {

/// Adds the kernels of test/fakecuda/TestKernels.cpp to `plan`; never freed.
const zrt_plan &withKernels(const zrt_plan &plan);
/// Creates a device for the plan, with its threads.
std::unique_ptr<CudaDevice> cudaDevice(const zrt_plan &plan);

/// CPU twins that are never called.
void doubleParts(void *const *args, int64_t begin, int64_t end);
void chance(void *const *args, int64_t begin, int64_t end);
void twice(void *const *args, int64_t begin, int64_t end);

} // namespace zrt::test
