//===- PackParameters.h - Packs parameters ----------------------*- C++ -*-===//
#pragma once

#include "train/state/io/Parameters.h"

#include <span>

namespace zrt {

/// Computes the bytes [first, first + to.size()) of the packed form of
/// `parameter`; a rank's slice of a bucket can begin and end anywhere.  Throws
/// zrt::Error for a nonfinite element in the groups of these bytes.
void packBytes(const Parameter &parameter, uint64_t first,
               const ElementSource &source, std::span<std::byte> to);

/// Rounds elements of `parameter` to what is stored of them; those of a packed
/// one are a run.
void roundAsStored(const Parameter &parameter, std::vector<float> &values);

} // namespace zrt
