//===- Mutations.cpp - The list of mutations ------------------------------===//

#include "Places.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::zero;

static const char kImplied[] = "other waits imply the order";
static const char kNoConflict[] =
    "no conflicting operation was crossed, or its event still orders it";
static const char kFree[] = "the bytes are free for as long as the value lives";
static const char kOrdered[] = "the waits that are there order the stream too";
static const char kAlike[] =
    "collectives are reordered on all ranks alike, and waits still hold";
static const char kSameValue[] = "the numbers are the same here";
static const char kUnused[] = "nothing that matters reads it";
static const char kPrivate[] =
    "peers do not see it, and the rank's own order still holds";

/// "dropWait" as "drop-wait".
static std::string nameOf(StringRef function, Way way) {
  std::string name = llvm::convertToSnakeFromCamelCase(function);
  llvm::replace(name, '_', '-');
  return (way == kOneRank ? "one-rank-" : "") + name;
}

static Mutation mutationOf(StringRef function, Change (*apply)(Victim &),
                           StringRef summary, StringRef harmless,
                           Way way = kPlain) {
  return {nameOf(function, way), apply, summary, harmless, way};
}

/// Draws a place and applies `change` there.
template <typename Place, Change (*change)(Victim &, Place)>
static Change applyAt(Victim &victim) {
  auto place = drawPlace<Place>(victim);
  return place ? change(victim, place) : Change();
}

ArrayRef<Mutation> zero::getMutations() {
  static const Mutation mutations[] = {
#define MUTATION(function, ...) mutationOf(#function, function, __VA_ARGS__),
#define MUTATION_AT(Place, function, ...)                                      \
  mutationOf(#function, applyAt<Place, function>, __VA_ARGS__),
#include "Mutations.def"
  };
  return mutations;
}
