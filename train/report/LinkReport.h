//===- LinkReport.h - Reports the bytes moved between tiers -----*- C++ -*-===//
#pragma once

#include "abi/zrt.h"

#include <cstdint>
#include <optional>
#include <string>

namespace zrt {

/// The number of times that a step runs `program`.
uint64_t runsPerStep(const zrt_plan &plan, uint32_t program);

/// Bytes that a rank copies in one step over the link of a stream class
/// (ZRT_H2D, ...), by the plan's tables.
uint64_t linkBytesPerStep(const zrt_plan &plan, uint32_t link);

/// Bytes that a rank writes to its drives in one step: whole blocks.
uint64_t writtenPerStep(const zrt_plan &plan);

/// "h2d 1,234 bytes, d2h 99 bytes": the links that a step uses.
std::string linksText(const zrt_plan &plan);

/// The bytes that all ranks write to drives in a step and in a day of such
/// steps, and the lifetime of drives that are rated for so many terabytes
/// (10^12 bytes).
std::string enduranceText(const zrt_plan &plan, double secondsPerStep,
                          std::optional<double> terabytes);

} // namespace zrt
