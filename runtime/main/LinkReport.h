//===- LinkReport.h - What a step moves between tiers -----------*- C++ -*-===//
#pragma once

#include "runtime/zrt.h"

#include <cstdint>
#include <optional>
#include <string>

namespace zrt {

/// How often a step runs `program`.
uint64_t runsPerStep(const zrt_plan &plan, uint32_t program);

/// Bytes that a rank copies in one step over the link of a stream class
/// (ZRT_H2D, ...), as the plan's tables say.
uint64_t linkBytesPerStep(const zrt_plan &plan, uint32_t link);

/// Bytes that a rank writes to its drives in one step: whole blocks.
uint64_t writtenPerStep(const zrt_plan &plan);

/// "h2d 1,234 bytes, d2h 99 bytes", of the links that a step uses.
std::string linksText(const zrt_plan &plan);

/// What all ranks write to drives in a step and in a day of such steps, and how
/// long drives last that are rated for so many terabytes (10^12 bytes).
std::string enduranceText(const zrt_plan &plan, double secondsPerStep,
                          std::optional<double> terabytes);

} // namespace zrt
