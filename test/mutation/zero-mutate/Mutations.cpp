//===- Mutations.cpp - The list of mutations ------------------------------===//

#include "Mutations.h"

#include <functional>

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
static constexpr bool kPlanAgain = true;

static const Mutation kMutations[] = {
#define MUTATION(name, function, summary, harmless, ...)                       \
  {name, summary, harmless, function __VA_OPT__(, ) __VA_ARGS__},
#include "Mutations.def"
};

ArrayRef<Mutation> zero::getMutations() {
  return ArrayRef(kMutations).take_until(std::mem_fn(&Mutation::isOfOneRank));
}

ArrayRef<Mutation> zero::getOneRankMutations() {
  return ArrayRef(kMutations).drop_until(std::mem_fn(&Mutation::isOfOneRank));
}
