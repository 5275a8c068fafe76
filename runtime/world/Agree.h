//===- Agree.h - A failure of one rank ends all -----------------*- C++ -*-===//
//
// A rank that fails alone and leaves would let its peers wait for it.  So what
// can fail on one rank runs as a phase, after which all ranks vote:
//
//   rank 0   open the data   ok     |        | ends: "rank 1 failed: ..."
//   rank 1   open the data   fails  | agree  | ends: "cannot read ..."
//   rank 2   open the data   ok     |        | ends: "rank 1 failed: ..."
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/Error.h"
#include "runtime/world/World.h"

#include <optional>
#include <string>
#include <vector>

namespace zrt {

/// A failure that every rank knows of, so nobody needs to be told.
class AgreedError : public Error {
public:
  AgreedError(const std::string &message, bool printedElsewhere)
      : Error(message), printedElsewhere(printedElsewhere) {}
  /// A lower rank fails with the same words; one of them is enough.
  const bool printedElsewhere;
};

/// What a rank tells the others of a phase.
struct Ballot {
  bool failed = false;
  char message[200] = {}; ///< with a final zero; longer ones are cut
};
Ballot ballotOf(const std::optional<std::string> &failure);

/// What `rank` ends with after a vote of `all`, or nothing when no rank failed.
/// `failure` is its own, uncut.
std::optional<AgreedError> verdictOf(const std::vector<Ballot> &all, int rank,
                                     const std::optional<std::string> &failure);

/// All ranks call it at the end of a phase, with what failed here, if anything.
/// Throws AgreedError on all of them when a phase failed on one.
void agree(World &world, const std::optional<std::string> &failure);

/// Runs a phase and votes on it.  The phase may not talk to other ranks, unless
/// it fails on all of them together.
template <typename Phase>
void together(World &world, Phase phase) {
  std::optional<std::string> failure;
  try {
    phase();
  } catch (const std::bad_alloc &) {
    failure = "out of memory";
  } catch (const std::exception &error) {
    failure = error.what();
  }
  agree(world, failure);
}

} // namespace zrt
