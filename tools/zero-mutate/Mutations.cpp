//===- Mutations.cpp - The list of mutations ------------------------------===//

#include "Mutations.h"

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
static constexpr bool kPlanAgain = true;
static const char kUnused[] = "nothing that matters reads it";

ArrayRef<Mutation> zero::getMutations() {
  static const Mutation mutations[] = {
      {"drop-wait", "drops a wait", kImplied, dropWait},
      {"drop-record", "drops a record and the waits for it", kImplied,
       dropRecord},
      {"move-record", "moves a record", kNoConflict, moveRecord},
      {"move-wait", "moves a wait", kNoConflict, moveWait},
      {"swap-event", "waits for another event", kImplied, swapEvent},
      {"change-stream", "puts an operation on another stream", kOrdered,
       changeStream},
      {"change-record-stream", "records on another stream", kImplied,
       changeRecordStream},
      {"change-wait-stream", "waits on another stream", kImplied,
       changeWaitStream},
      {"rename-stream", "puts a program's operations of one stream on another",
       kOrdered, renameStream},
      {"swap-neighbours", "swaps an operation with the next one", kNoConflict,
       swapNeighbours},
      {"move-operation", "moves an operation", kNoConflict, moveOperation},
      {"swap-collectives", "issues two collectives in the other order", kAlike,
       swapCollectives},
      {"shift-range", "moves the bytes of a result, or of all tied to it",
       kFree, shiftRange},
      {"shift-argument", "moves the bytes of an argument, or of all tied to it",
       kFree, shiftArgument},
      {"shrink-range", "takes bytes from a value", kUnused, shrinkRange},
      {"grow-range", "gives bytes to a value", kUnused, growRange},
      {"swap-ranges", "exchanges the bytes of two values of one size",
       "both places are free for as long as the values live", swapRanges},
      {"change-tier", "puts a value and all tied to it on another tier",
       kUnused, changeTier},
      {"change-elements", "a value and all tied to it are of other elements",
       kUnused, changeElements},
      {"change-extent", "a whole is a slice, or a slice a whole", kUnused,
       changeExtent},
      {"change-type-tier", "a value and all tied to it are of another tier",
       kUnused, changeTypeTier},
      {"shrink-arena", "takes bytes from the arena",
       "nothing lies at the end of the arena", shrinkArena},
      {"move-exported", "lets peers read from another byte on",
       "all that peers read still lies after it", moveExported},
      {"bypass-collective", "drops a collective; its users take its operand",
       kUnused, bypassCollective},
      {"drop-clear", "drops a clear; its users take its operand", kUnused,
       dropClear},
      {"wrong-bucket", "an operation works on another bucket",
       "both buckets have the same layout there", wrongBucket},
      {"exchange-states", "exchanges two arguments' states in all programs",
       "both begin with the same values", exchangeStates},
      {"exchange-returns", "returns two values in the other order", kUnused,
       exchangeReturns},
      {"exchange-updates", "two updates write, or read, what is the other's",
       "both are exchanged everywhere: only their places differ",
       exchangeUpdates},
      {"exchange-operands", "exchanges two operands of one type", kUnused,
       exchangeOperands},
      {"change-scale", "a reduction or a sum scales by another number", kUnused,
       changeScale},
      {"change-space", "cuts a kernel into other units",
       "the units still make up the kernel", changeSpace},
      {"permit-in-place", "a result takes the bytes of an operand",
       "the operand is not needed any more", permitInPlace},
      {"exchange-members", "packs two gradients of a bucket in the other order",
       kSameValue, exchangeMembers, kPlanAgain},
      {"exchange-pieces", "joins the rows of a parameter in another order",
       kSameValue, exchangePieces, kPlanAgain},
      {"exchange-piece-gradients",
       "two pieces of a parameter get each other's gradients", kSameValue,
       exchangePieceGradients, kPlanAgain},
      {"exchange-rows", "two buckets say that each has the other's rows",
       kSameValue, exchangeRows, kPlanAgain},
      {"lose-contribution", "a gradient is one of its terms", kSameValue,
       loseContribution, kPlanAgain},
      {"pack-parameter", "packs a parameter as a gradient", kSameValue,
       packParameter, kPlanAgain},
      {"read-moment", "the model reads another state", kSameValue, readMoment,
       kPlanAgain},
      {"exchange-arguments", "a kernel reads two operands in the other order",
       kSameValue, exchangeArguments, kPlanAgain},
      {"replace-argument", "a kernel reads another value", kSameValue,
       replaceArgument, kPlanAgain},
      {"transpose-product", "a product is of a transposed matrix", kSameValue,
       transposeProduct, kPlanAgain},
      {"return-scalar", "returns another value as the loss", kSameValue,
       returnScalar, kPlanAgain},
      {"use-own-mean", "a value that ranks average is the rank's own",
       kSameValue, useOwnMean, kPlanAgain},
      {"count-alone", "a micro-step divides by its own count", kSameValue,
       countAlone, kPlanAgain},
      {"change-body-constant", "a constant of a kernel is another", kSameValue,
       changeBodyConstant},
      {"change-body-operation", "an operation of a kernel is another",
       kSameValue, changeBodyOperation},
      {"exchange-body-operands",
       "an operation of a kernel has its operands in another order", kSameValue,
       exchangeBodyOperands},
      {"change-optimizer", "the optimizer computes something else", kSameValue,
       changeOptimizer},
      {"change-decay", "weight decay is another, or of other members",
       kSameValue, changeDecay},
      {"change-clip", "the norm is limited to another value", kSameValue,
       changeClip},
      {"change-vocabulary", "token ids are below another number", kSameValue,
       changeVocabulary},
      {"use-nvme", "the arena has bytes on nvme", kUnused, useNvme},
  };
  return mutations;
}

ArrayRef<Mutation> zero::getOneRankMutations() {
  static const char kPrivate[] =
      "peers do not see it, and the rank's own order still holds";
  static const Mutation mutations[] = {
      {"one-rank-drop-wait", "drops a wait", kPrivate, dropWait},
      {"one-rank-drop-record", "drops a record and the waits for it", kPrivate,
       dropRecord},
      {"one-rank-change-stream", "puts an operation on another stream",
       kPrivate, changeStream},
      {"one-rank-rename-stream",
       "puts a program's operations of one stream on another", kPrivate,
       renameStream},
      {"one-rank-shift-range", "moves the bytes of a result", kPrivate,
       shiftRange},
      {"one-rank-move-operation", "moves an operation", kPrivate,
       moveOperation},
      {"one-rank-swap-collectives", "issues two collectives in the other order",
       kPrivate, swapCollectives},
      {"one-rank-move-collective", "moves a collective", kPrivate,
       moveCollective},
      {"one-rank-drop-collective", "drops a collective", kPrivate,
       dropCollective},
      {"one-rank-collective-stream", "puts a collective on another stream",
       kPrivate, changeCollectiveStream},
      {"one-rank-wrong-bucket", "an operation works on another bucket",
       kPrivate, wrongBucket},
  };
  return mutations;
}
