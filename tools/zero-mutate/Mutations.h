//===- Mutations.h - The ways to break a plan -----------------------------===//
//
// A mutation breaks one thing of a plan: an event, the order of operations, a
// byte range, a stream, what is written where, what a kernel says of itself, a
// scale; or what the plan computes: whose gradient is packed, what a kernel
// reads or does, what a loss is divided by.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Random.h"
#include "dialect/zero/Zero.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>

namespace mlir::zero {

/// A copy of the plan, to be broken.
struct Victim {
  ModuleOp module;
  /// The programs that may change: all, or the one that a rank has for itself.
  SmallVector<ProgramOp> programs;
  Random &random;
};

/// What was changed, in words; nothing where the drawn place does not allow it.
using Change = std::optional<std::string>;

/// One way to break a plan.
struct Mutation {
  StringRef name;
  StringRef summary;
  /// Why a mutant by it that changes no result may be harmless.
  StringRef harmless;
  Change (*apply)(Victim &);
  /// Whether bytes and events are taken off before and assigned anew after it:
  /// only what is computed is broken.
  bool isPlannedAgain = false;
};

/// What breaks a program; on all ranks, or on one.
ArrayRef<Mutation> getMutations();
/// Those that are also tried on one rank alone, as `one-rank-` and the name,
/// and those that make sense there only.
ArrayRef<Mutation> getOneRankMutations();

// Events and streams (EventMutations.cpp).
Change dropWait(Victim &);
Change dropRecord(Victim &);
Change moveRecord(Victim &);
Change moveWait(Victim &);
Change swapEvent(Victim &);
Change changeStream(Victim &);
Change changeCollectiveStream(Victim &);
Change changeRecordStream(Victim &);
Change changeWaitStream(Victim &);
Change renameStream(Victim &);

// The order of operations (OrderMutations.cpp).
Change swapNeighbours(Victim &);
Change moveOperation(Victim &);
Change moveCollective(Victim &);
Change swapCollectives(Victim &);

// Byte ranges (RangeMutations.cpp).
Change shiftRange(Victim &);
Change shiftArgument(Victim &);
Change shrinkRange(Victim &);
Change growRange(Victim &);
Change swapRanges(Victim &);
Change changeTier(Victim &);
Change shrinkArena(Victim &);
Change moveExported(Victim &);

// What values are of (TypeMutations.cpp).
Change changeElements(Victim &);
Change changeExtent(Victim &);
Change changeTypeTier(Victim &);

// What is written where (StateMutations.cpp).
Change bypassCollective(Victim &);
Change dropCollective(Victim &);
Change dropClear(Victim &);
Change wrongBucket(Victim &);
Change exchangeStates(Victim &);
Change exchangeReturns(Victim &);
Change dropOutput(Victim &);
Change exchangeUpdates(Victim &);
Change exchangeOperands(Victim &);

// What the plan computes of the model (ModelMutations.cpp).
Change exchangeMembers(Victim &);
Change exchangePieces(Victim &);
Change exchangePieceGradients(Victim &);
Change exchangeRows(Victim &);
Change loseContribution(Victim &);
Change packParameter(Victim &);
Change readMoment(Victim &);
Change exchangeArguments(Victim &);
Change replaceArgument(Victim &);
Change transposeProduct(Victim &);
Change returnScalar(Victim &);
Change useOwnMean(Victim &);
Change countAlone(Victim &);

// Bodies of kernels and of optimizers, and numbers (BodyMutations.cpp).
Change changeBodyConstant(Victim &);
Change changeBodyOperation(Victim &);
Change exchangeBodyOperands(Victim &);
Change changeOptimizer(Victim &);
Change changeDecay(Victim &);
Change changeFrozen(Victim &);
Change wrongPacked(Victim &);
Change changeClip(Victim &);
Change changeVocabulary(Victim &);
Change useNvme(Victim &);

// Precision (PrecisionMutations.cpp).
Change exchangeMasters(Victim &);
Change changeRounding(Victim &);
Change changeLossScale(Victim &);
Change changeSkip(Victim &);

// Transfers between tiers (TierMutations.cpp).
Change exchangeTransfers(Victim &);
Change exchangeTargets(Victim &);
Change moveOtherValue(Victim &);

// Which micro-step a value is of (MicroStepMutations.cpp).
Change readOtherInput(Victim &);
Change exchangeMicroSteps(Victim &);
Change changeSum(Victim &);
Change packOtherMicroStep(Victim &);

// What a step leaves to the next (RotationMutations.cpp).
Change readOldParameters(Victim &);
Change readNextParameters(Victim &);
Change updateTwice(Victim &);
Change exchangeGradients(Victim &);
Change dropUpdate(Victim &);

// How kernels run, and what means are of (KernelMutations.cpp).
Change changeScale(Victim &);
Change changeSpace(Victim &);
Change permitInPlace(Victim &);

} // namespace mlir::zero
