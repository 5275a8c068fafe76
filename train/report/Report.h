//===- Report.h - The reports before and after training ---------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/Bytes.h"
#include "runtime/io/TokenData.h"

#include <string>

namespace zrt {

/// Bytes that a rank receives from its peers in one step, as predicted.
uint64_t wireBytesPerStep(const zrt_plan &plan);

/// "2, stage 3, 4 micro-steps, bucket 65536".
std::string ranksText(const zrt_plan &plan);

/// The plan's memory certificate: each category, the arenas, and the bytes on
/// the wire; or the compiler's certificate as JSON.  Throws UsageError if the
/// plan has none.
std::string certificate(const zrt_plan &plan, bool asJson = false);

/// Describes the model, the machine and the ranks, followed by the lines
/// `data`.
std::string startBlock(const zrt_plan &plan, const zrt_context *ctx,
                       const std::string &data, int threads);

} // namespace zrt
