//===- ComparedDevice.h - Compares a device with a CPU twin -----*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "train/check/Comparisons.h"

#include <cstdint>
#include <optional>

namespace zrt::check {

/// zrt_start with a ComparedDevice.  `shown` receives the comparisons and must
/// outlive the context.
zrt_status startCompared(zrt_context *ctx, const zrt_setup *setup,
                         zrt_world *world, Comparisons &shown);

/// Bytes of device memory in use by all programs; nullopt if the device has no
/// memory of its own.
std::optional<uint64_t> bytesInUse(zrt_context *ctx);

} // namespace zrt::check
