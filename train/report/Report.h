//===- Report.h - The reports before and after training ---------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/text/Bytes.h"
#include "train/options/Options.h"

#include <cstdint>
#include <optional>
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

/// The text that --plan prints: the streams, then for each program a line per
/// operation.  Marks entries that are invalid.
std::string planText(const zrt_plan &plan);

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

/// The peak resident bytes of this process: the arenas, and the memory that the
/// certificate does not cover (code, stacks, library buffers, mapped files). 0
/// if the system does not report it.
uint64_t peakResidentBytes();

/// Prints what --help, --certificate or --plan ask for, which end the program;
/// false if none of them is given.
bool printListing(const zrt_plan &plan, const TrainOptions &options);

} // namespace zrt
