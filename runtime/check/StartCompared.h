//===- StartCompared.h - Contexts that are looked at ------------*- C++ -*-===//
#pragma once

#include "runtime/check/Comparisons.h"
#include "runtime/zrt.h"

#include <cstdint>
#include <optional>

namespace zrt::check {

/// zrt_start; what operations show goes to `shown`, which outlives the context.
zrt_status startCompared(zrt_context *ctx, const zrt_setup *setup,
                         zrt_world *world, Comparisons &shown);

/// Of the device's own memory, by whomever; none where it has none.
std::optional<uint64_t> bytesInUse(zrt_context *ctx);

} // namespace zrt::check
