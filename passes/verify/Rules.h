//===- Rules.h - The rules of a plan ----------------------------*- C++ -*-===//
//
// Checks of a plan and of its parts, and what they share.  Those of kernels are
// in Kernels.h, and the order of operations in HappensBefore.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/verify/BucketLayouts.h"
#include "passes/verify/HappensBefore.h"

namespace mlir::zero::judge {

//===----------------------------------------------------------------------===//
// ModuleAttributes.cpp
//===----------------------------------------------------------------------===//

/// The memory that the attributes of the module describe.
struct Arenas {
  ArrayRef<int64_t> bytes; ///< by tier
  int64_t exported = 0;    ///< first byte of the device arena that peers read
  BytesAttr workspace;     ///< of products; null if they have none
};

/// (S1), (S4) Arenas have sizes, the workspace of products lies in the device
/// arena, and the exported bytes are whole pages.
FailureOr<Arenas> judgeArenas(ModuleOp module);
/// (S1) If products on the device have a workspace, they all run on one stream,
/// since they share its bytes.
LogicalResult judgeWorkspace(ModuleOp module, const Arenas &arenas);
/// (V8) No arena is larger than the budget of its tier.
LogicalResult judgeBudget(ModuleOp module, const Arenas &arenas);
/// (S5) The module has the programs that its number of micro-steps needs; each
/// program of one rank names an existing program and rank, and there is none if
/// ranks are in groups; a reference has one rank and one micro-step.
LogicalResult judgePrograms(ModuleOp module, int64_t ranks);

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// The byte ranges of all values of a program that have bytes.
using Ranges = DenseMap<Value, BytesAttr>;

/// Whether the runtime and the code generator support elements of `type`.
bool isElement(Type type);

/// (S1) to (S5) and (V7), the rules that concern one operation at a time.
FailureOr<Ranges> judgeStructure(ProgramOp program, Arenas arenas,
                                 const BucketLayouts &layouts);

/// Groups `ranks`, which run `program`, into classes and returns the first rank
/// of each class, in order (RankClasses.cpp).
///
/// A replay only compares positions in the arena.  So two ranks belong to one
/// class if all positions in the program, those that depend on the rank and
/// those that do not, have the same order on both.
SmallVector<int64_t> findRankRepresentatives(ProgramOp program,
                                             ArrayRef<int64_t> ranks,
                                             const Ranges &ranges,
                                             const BucketLayouts &layouts);

/// (V1), (V2), (V5), (V6), (V9) Each operation of `program`, which has the name
/// `name`, finds on `rank` the bytes of its values.
LogicalResult replay(ProgramOp program, StringRef name, int64_t rank,
                     const Ranges &ranges, const HappensBefore &order,
                     const BucketLayouts &layouts);

//===----------------------------------------------------------------------===//
// The meaning of values
//===----------------------------------------------------------------------===//
//
// The replay of bytes and clocks shows that an operation finds the value that
// it names.  These rules show that it names the right value.

/// (V11) Values that ranks must agree on are equal on all ranks.
LogicalResult judgeAgreement(ProgramOp program, const BucketLayouts &layouts);

/// (V12) Each flat value is used only as its own slot, and each scalar only
/// under its own name.
LogicalResult judgeSlotUses(ProgramOp program);

/// (V13) Each gradient reaches the update once.  `name` is the program's name,
/// also if `program` is the function of a single rank; `layouts` counts all
/// ranks.
LogicalResult judgeContributions(ProgramOp program, StringRef name,
                                 const BucketLayouts &layouts);
/// (V13) for the norm that `op` computes, on `ranks` ranks with so many virtual
/// shards (0: there are none).
LogicalResult judgeNorm(ClipOp op, int64_t ranks, int64_t shards);
/// (V13) `partials`, which `op` adds up, are the squares of all trained
/// buckets, in the order of the module.
LogicalResult judgeSquares(Operation *op, ValueRange partials);

/// (V14) The programs of `plan` on `ranks` ranks compute the loss and the
/// gradients of @step of `model`, a module at level kernels.
LogicalResult judgeRefinement(ModuleOp plan, ModuleOp model, int64_t ranks);

/// (V15) If ranks of `plan` share sequences, @split of what `model` keeps is
/// @whole, computed by so many ranks, and has the arguments of its step.
LogicalResult judgeSplit(ModuleOp plan, ModuleOp model);

/// (S7) zero.adapters and zero.function of `plan` are those of `model`.
LogicalResult judgeModelClaims(ModuleOp plan, ModuleOp model);

/// (S8) A value that is computed from inputs and used as an index into a tensor
/// is in bounds, for all inputs that zero.vocab and zero.ignored allow, in
/// `functions` (programs of a plan, whose kernels are judged with the operands
/// of their launches, or functions of a model); the arithmetic on the way is
/// defined, also that of the update rules of `module`, which read no positions.
LogicalResult judgePositions(ModuleOp module,
                             ArrayRef<FunctionOpInterface> functions);

//===----------------------------------------------------------------------===//
// The host and the options
//===----------------------------------------------------------------------===//

/// (S5) The host knows the purpose of every argument and output.
LogicalResult judgeHostInterface(ModuleOp module);
/// (S5) Every program has the outputs that the host reads after it.
LogicalResult judgeHostOutputs(ModuleOp module);

/// (S7) The plan has the properties that its zero.options name.
/// `model` is null if the plan is judged without one.
LogicalResult judgeOptions(ModuleOp plan, ModuleOp model,
                           const BucketLayouts &layouts);

/// Reports that `op` has `has`, and that `options` contradict it in the option
/// `option`.
InFlightDiagnostic contradicts(Operation *op, const Twine &has,
                               OptionsAttr options, StringRef option);

} // namespace mlir::zero::judge
