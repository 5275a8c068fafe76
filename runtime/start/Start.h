//===- Start.h - Starts a context with a wrapped device ---------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/core/Context.h"
#include "runtime/device/MakeDevice.h"
#include "runtime/store/Store.h"
#include "runtime/world/World.h"

#include <functional>
#include <memory>

namespace zrt {

/// Takes the device of a plan and returns the device that the core uses
/// instead.
using AroundDevice =
    std::function<std::unique_ptr<Device>(std::unique_ptr<Device>)>;

/// Does what zrt_start does, and wraps the device in `around` if it is not
/// empty.
zrt_status startAround(zrt_context &ctx, const zrt_setup &setup, World *world,
                       const AroundDevice &around);

/// Makes the device that `plan` names for `rank`, which is number `rankOnHost`
/// of its host; `isGuarded` as by ZRT_GUARD (docs/runtime.md).  Throws
/// zrt::Error.
zrt_device_request makeDevice(const zrt_plan &plan, int rank, int rankOnHost,
                              std::unique_ptr<Store> store, bool isGuarded);

} // namespace zrt
