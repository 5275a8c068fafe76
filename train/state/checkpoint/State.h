//===- State.h - Selects and shares the state of a checkpoint ---*- C++ -*-===//
//
// A checkpoint contains parameters, slots and ranges of elements, and nothing
// of the plan that wrote it: no bucket, no shard, no tier.
//
//   slot "param"   the masters if the plan has them, else the parameters; the
//                  16-bit roundings of masters are recomputed
//   "m", "v", ...  the optimizer's states, by their own names
//
//   slot "grad"    the gradients of a pending update; only for plans whose
//                  steps compute with the parameters before that update.
//                  Other plans make the update before they save
//
// A rank writes the state that it alone holds.  State that every rank holds is
// divided, so that all ranks write a share:
//
//   rank 0 holds   |a0|      |bbbbbb|            writes a0 bb
//   rank 1 holds      |a1|   |bbbbbb|            writes a1 bb
//   rank 2 holds         |a2||bbbbbb|            writes a2 bb
//
// Nobody writes frozen parameters that the run has read from files (Base.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/state/checkpoint/Manifest.h"
#include "train/state/io/Parameters.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zrt {

/// The slot of parameters, trained or frozen.
constexpr std::string_view kTrainedSlot = "param";
/// The slot of the gradients of a pending update.
constexpr std::string_view kGradientSlot = "grad";
/// The slots "grad.1", ...: sums of gradients, which mean nothing after a step.
constexpr std::string_view kSumsOfTree = "grad.";

/// One value per element of the model.
struct Slot {
  std::string name;
  std::vector<Parameter> parameters; ///< by name
};

/// The state of a plan, with the places of one rank's pieces.
struct State {
  std::vector<Slot> slots; ///< slot "param" first
  /// The 16-bit roundings of masters, computed from slot "param"; or none.
  std::vector<Parameter> roundings;
  /// The files of parameters with a `tensor`, if there are any.
  std::optional<BaseRecord> base = std::nullopt;
};
/// Finds the state; with slot "grad" if `isUpdateLeft`.  Throws zrt::Error if
/// the plan is inconsistent.
State findState(const zrt_plan &plan, int rank, bool isUpdateLeft = false);

/// Elements [first, first + count) of a parameter in one slot.
struct StateRange {
  uint32_t slot, parameter; ///< indices; slot 0 is "param"
  uint64_t first, count;
  zrt_dtype dtype;
  zrt_ref at; ///< 0 bytes if this rank does not hold them
  uint64_t bytes() const;
};

/// The ranges that each of `ranks` ranks writes; together, each element once,
/// but none of a base.
/// Equal on all ranks except for the places.
std::vector<std::vector<StateRange>> shareState(const State &state, int ranks);

} // namespace zrt
