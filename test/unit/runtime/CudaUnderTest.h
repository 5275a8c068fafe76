//===- CudaUnderTest.h - Plans for the GPU of test/fakecuda -----*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/device/MakeDevice.h"
#include "runtime/device/cpu/CpuDevice.h"
#include "runtime/device/cuda/CudaDevice.h"

#include <memory>

namespace zrt::test {

/// Adds the kernels of test/fakecuda/TestKernels.cpp to `plan`; never freed.
const zrt_plan &withKernels(const zrt_plan &plan);
/// Creates a device for the plan, with its threads.
/// The host's processors beside a GPU.
inline std::unique_ptr<Device> hostOf(const zrt_plan &plan,
                                      std::unique_ptr<Store> store = nullptr,
                                      bool isGuarded = false) {
  return std::make_unique<CpuDevice>(planOfHost(plan), isGuarded,
                                     std::move(store));
}
std::unique_ptr<CudaDevice> cudaDevice(const zrt_plan &plan);

/// CPU twins that are never called.
void doubleParts(void *const *args, int64_t begin, int64_t end);
void chance(void *const *args, int64_t begin, int64_t end);
void twice(void *const *args, int64_t begin, int64_t end);

} // namespace zrt::test
