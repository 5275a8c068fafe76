//===- Start.h - A context with something around its device -----*- C++ -*-===//
#pragma once

#include "runtime/core/Context.h"
#include "runtime/world/World.h"
#include "runtime/zrt.h"

#include <functional>
#include <memory>

namespace zrt {

/// Given the device of a plan, the one that the core works with in its place.
using AroundDevice =
    std::function<std::unique_ptr<Device>(std::unique_ptr<Device>)>;

/// zrt_start, with `around` the device, if it is not empty.
zrt_status startAround(zrt_context &ctx, const zrt_setup &setup, World *world,
                       const AroundDevice &around);

} // namespace zrt
