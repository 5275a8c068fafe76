//===- Mutations.h - The ways to break a plan -----------------------------===//
//
// A mutation breaks one thing of a plan: an event, the order of operations, a
// byte range, a stream, the target of a write, an attribute of a kernel, a
// scale; or the computation: whose gradient is packed, what a kernel reads or
// does, the divisor of a loss.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/BuiltinOps.h"
#include <cstdint>
#include <optional>
#include <string>

namespace mlir::zero {

/// SplitMix64; the distributions of <random> differ from library to library.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// A number below `limit`, which is positive.
  uint64_t below(uint64_t limit) { return next() % limit; }
  /// A number in [least, most].
  int64_t between(int64_t least, int64_t most) {
    return least + int64_t(below(uint64_t(most - least + 1)));
  }
  /// Returns true with probability 1 / `times`.
  bool once(uint64_t times) { return below(times) == 0; }
  /// One element of `range`; a null value if there is none.
  template <typename Range>
  auto pick(const Range &range) {
    using Element = std::decay_t<decltype(range[0])>;
    return range.empty() ? Element() : range[below(range.size())];
  }

private:
  uint64_t state;
};

/// A copy of the plan, to be broken.
struct Victim {
  ModuleOp module;
  /// The programs that may change: all, or the one program of a single rank.
  SmallVector<ProgramOp> programs;
  Random &random;
};

/// A description of the change; nothing if the drawn place does not allow it.
using Change = std::optional<std::string>;

/// What is done besides the change of a mutation.
enum Way {
  kPlain,
  /// Byte ranges and events are removed before the mutation and assigned anew
  /// after it: only the computation is broken.
  kPlanAgain,
  /// The programs of a single rank are broken.
  kOneRank
};

/// One way to break a plan.
struct Mutation {
  /// "drop-wait", or "one-rank-drop-wait" for one rank.
  std::string name;
  Change (*apply)(Victim &);
  StringRef summary;
  /// Why such a mutant may be harmless although the judge accepts it.
  StringRef harmless;
  Way way;
};

/// All mutations; those of one rank are the last.
ArrayRef<Mutation> getMutations();

#define MUTATION(function, ...) Change function(Victim &);
#define MUTATION_AT(Place, function, ...) Change function(Victim &, Place);
#include "Mutations.def"
#undef MUTATION_AT
#undef MUTATION

} // namespace mlir::zero
