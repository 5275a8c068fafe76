//===- DeviceSections.h - What a device does by itself ----------*- C++ -*-===//
#pragma once

#include "runtime/check/Findings.h"
#include "runtime/world/World.h"
#include "runtime/zrt.h"

#include <string>

namespace zrt::check {

/// What every device does (Conformance.h), on that of `plan`, which has no kernels
/// of theirs.
Section conformanceOf(const zrt_plan &plan, int rank,
                      const std::string &nvmePath);

/// Medians of bytes by the second, between the tiers that `plan` has.  Throws
/// zrt::Error.
Section measureLinks(const zrt_plan &plan, int rank,
                     const std::string &nvmePath);

/// Every kind of collective of `plan` on seeded numbers, which every rank knows of
/// all others: each rank computes what must come out.  All ranks call it together.
/// Throws zrt::Error.
Section compareExchanges(const zrt_plan &plan, const zrt_setup &setup,
                         World &world);

} // namespace zrt::check
