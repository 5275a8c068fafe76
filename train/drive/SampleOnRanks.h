//===- SampleOnRanks.h - Answers prompts on all ranks -----------*- C++ -*-===//
//
// Answer i of a request belongs to rank i mod N.  Each rank has an engine for
// its answers; in a round all ranks run one program, the one that most of the
// work needs (Engine.h), as they share the parameters:
//
//   rank 0   prefill  prefill  decode  decode  decode
//   rank 1   prefill  (rests)  decode  decode  (rests)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/world/World.h"
#include "train/drive/Commands.h"
#include "train/generate/Engine.h"

#include <cstdint>
#include <vector>

namespace zrt {

struct GivenAnswer {
  std::vector<int32_t> ids; ///< with the token that has ended it
  End end = End::Full;
};

/// The answers to each prompt, `sample.count` for one after the other, on all
/// ranks.  What `decoder` keeps from before is not used.  All ranks call it
/// together.  Throws zrt::Error.
std::vector<GivenAnswer> sampleOnRanks(Decoder &decoder, World &world,
                                       const SampleCommand &sample);

} // namespace zrt
