//===- Agree.h - Ends all ranks when one of them fails ----------*- C++ -*-===//
//
// A rank that fails and leaves alone would let its peers wait for it.  Work
// that can fail on a single rank therefore runs as a phase, after which all
// ranks vote:
//
//   rank 0   open the data   ok     |        | ends: "rank 1 failed: ..."
//   rank 1   open the data   fails  | agree  | ends: "cannot read ..."
//   rank 2   open the data   ok     |        | ends: "rank 1 failed: ..."
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/text/Error.h"
#include "runtime/world/World.h"

#include <optional>
#include <string>
#include <vector>

namespace zrt {

/// A failure that every rank knows of, so that nobody raises an alarm for it.
class AgreedError : public Error {
public:
  AgreedError(const std::string &message, bool printedElsewhere)
      : Error(message), printedElsewhere(printedElsewhere) {}
  /// A lower rank fails with the same message; printing it once is enough.
  const bool printedElsewhere;
};

/// A rank's vote on a phase.
struct Ballot {
  bool failed = false;
  char message[200] = {}; ///< zero-terminated; longer messages are cut
};
Ballot ballotOf(const std::optional<std::string> &failure);

/// Returns the error that `rank` ends with after the votes `all`, or nullopt
/// when no rank failed.  `failure` is the rank's own message, uncut.
std::optional<AgreedError> verdictOf(const std::vector<Ballot> &all, int rank,
                                     const std::optional<std::string> &failure);

/// Votes at the end of a phase.  All ranks call it, each with its own failure,
/// if any.  Throws AgreedError on all ranks if the phase failed on one.
void agree(World &world, const std::optional<std::string> &failure);

/// Runs a phase and votes on it.  The phase may not communicate with other
/// ranks, unless it fails on all of them together.
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
