//===- Mutations.h - The ways to break a plan -----------------------------===//
//
// A mutation breaks one thing of a plan: an event, the order of operations, a
// byte range, a stream, the target of a write, an attribute of a kernel, a
// scale; or the computation: whose gradient is packed, what a kernel reads or
// does, the divisor of a loss.
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
  /// The programs that may change: all, or the one program of a single rank.
  SmallVector<ProgramOp> programs;
  Random &random;
};

/// A description of the change; nothing if the drawn place does not allow it.
using Change = std::optional<std::string>;

/// One way to break a plan.
struct Mutation {
  StringRef name;
  StringRef summary;
  /// Why such a mutant may be harmless although the judge accepts it.
  StringRef harmless;
  Change (*apply)(Victim &);
  /// If true, byte ranges and events are removed before the mutation and
  /// assigned anew after it: only the computation is broken.
  bool isPlannedAgain = false;
};

/// Mutations of a program, on all ranks or on one.
ArrayRef<Mutation> getMutations();
/// Mutations that are also tried on one rank alone, named `one-rank-` and the
/// name, and those that make sense only there.
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

// Types of values (TypeMutations.cpp).
Change changeElements(Victim &);
Change changeExtent(Victim &);
Change changeTypeTier(Victim &);

// Targets of writes (StateMutations.cpp).
Change bypassCollective(Victim &);
Change dropCollective(Victim &);
Change dropClear(Victim &);
Change wrongBucket(Victim &);
Change exchangeStates(Victim &);
Change exchangeReturns(Victim &);
Change dropOutput(Victim &);
Change exchangeUpdates(Victim &);
Change exchangeOperands(Victim &);

// The computation of the model (ModelMutations.cpp).
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

// The micro-step of a value (MicroStepMutations.cpp).
Change readOtherInput(Victim &);
Change exchangeMicroSteps(Victim &);
Change changeSum(Victim &);
Change packOtherMicroStep(Victim &);

// State passed from one step to the next (RotationMutations.cpp).
Change readOldParameters(Victim &);
Change readNextParameters(Victim &);
Change updateTwice(Victim &);
Change exchangeGradients(Victim &);
Change dropUpdate(Victim &);

// Attributes of kernels, and means (KernelMutations.cpp).
Change changeScale(Victim &);
Change changeSpace(Victim &);
Change permitInPlace(Victim &);

} // namespace mlir::zero
