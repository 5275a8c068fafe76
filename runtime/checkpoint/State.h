//===- State.h - What a checkpoint holds, and who writes it -----*- C++ -*-===//
//
// A checkpoint knows parameters, slots and ranges of elements, and nothing of
// the plan that wrote it: no bucket, no shard, no tier.
//
//   slot "param"   what is trained: the masters where a plan has them, else the
//                  parameters; 16-bit roundings of masters are made again
//   "m", "v", ...  what the optimizer keeps, by its own names
//
//   slot "grad"    only of a plan whose steps compute with the parameters before
//                  the update that the last one has left: that update's gradients.
//                  Others make such an update first, and hold nothing there
//
// What one rank holds it writes.  What every rank holds is cut into as many
// shares, so that all write:
//
//   rank 0 holds   |a0|      |bbbbbb|            writes a0 bb
//   rank 1 holds      |a1|   |bbbbbb|            writes a1 bb
//   rank 2 holds         |a2||bbbbbb|            writes a2 bb
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/io/Parameters.h"

#include <string>
#include <string_view>
#include <vector>

namespace zrt {

/// The slot of what is trained, and of what is frozen.
constexpr std::string_view kTrainedSlot = "param";
/// That of gradients whose update is left.
constexpr std::string_view kGradientSlot = "grad";

/// One number of every element of the model.
struct Slot {
  std::string name;
  std::vector<Parameter> parameters; ///< by name
};

/// The state of a plan, with the places of what one rank holds.
struct State {
  std::vector<Slot> slots; ///< what is trained first
  /// Roundings of masters to 16 bits, made from slot "param"; or none.
  std::vector<Parameter> roundings;
};
/// With slot "grad" where an update is left.  Throws zrt::Error when the plan
/// contradicts itself.
State findState(const zrt_plan &plan, int rank, bool isUpdateLeft = false);

/// Elements [first, first + count) of a parameter in one slot.
struct StateRange {
  uint32_t slot, parameter; ///< of State::slots (0: what is trained), ...
  uint64_t first, count;
  zrt_dtype dtype;
  zrt_ref at; ///< of 0 bytes where this rank does not hold them
  uint64_t bytes() const;
};

/// What each of `ranks` ranks writes; together every element once.  The same on
/// all of them but for places.
std::vector<std::vector<StateRange>> shareState(const State &state, int ranks);

} // namespace zrt
