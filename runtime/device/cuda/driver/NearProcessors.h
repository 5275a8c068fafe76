//===- NearProcessors.h - The processors beside a GPU -----------*- C++ -*-===//
//
// On machines with several memory nodes a GPU is attached to one of them.
// Copies from another node's memory, and threads that run there, are slower.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cuda/driver/Gpu.h"

#include <string>
#include <string_view>
#include <vector>

namespace zrt::cuda {

/// Returns the numbers of a list of Linux: "0-3,8" is 0, 1, 2, 3, 8.  Returns
/// none if the list cannot be read.
std::vector<int> numbersOf(std::string_view list);

/// Restricts the calling thread, and threads that it starts later, to those of
/// its processors that are beside `gpu`; memory that they touch first then is
/// there as well.  Returns a text for users if it uses fewer processors then,
/// or if none of them are there; otherwise "".  `devices` is where Linux
/// describes PCI devices.  With ZRT_NEAR_GPU=0 it does nothing.
std::string stayNear(const Gpu &gpu,
                     const std::string &devices = "/sys/bus/pci/devices");

} // namespace zrt::cuda
