//===- Zero.h - The zero dialect ------------------------------------------===//
//
// Training plans: state, movement, time and memory; see Zero.td.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/zero/PlanInterfaces.h"
#include "dialect/zero/PlanOptions.h"
#include "dialect/zero/ZeroDialect.h.inc"

namespace mlir::zero {
/// Syntax of attribute parameters: a float literal with all its digits.
FailureOr<llvm::APFloat> parseDouble(AsmParser &parser);
} // namespace mlir::zero

#define GET_ATTRDEF_CLASSES
#include "dialect/zero/ZeroAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/zero/ZeroTypes.h.inc"
#define GET_OP_CLASSES
#include "dialect/zero/ZeroOps.h.inc"

namespace mlir::zero {

// Names of the discardable attributes (see the head of Zero.td).
constexpr llvm::StringLiteral kParamAttr = "zero.param";
/// Of a module: which adapters its model got, as PEFT's adapter_config.json.
constexpr llvm::StringLiteral kAdaptersAttr = "zero.adapters";
/// Of a parameter that is not trained.
constexpr llvm::StringLiteral kFrozenAttr = "zero.frozen";
/// Of a frozen parameter: how it is packed.
constexpr llvm::StringLiteral kPackingAttr = "zero.packing";
constexpr llvm::StringLiteral kInitAttr = "zero.init";
constexpr llvm::StringLiteral kBlockAttr = "zero.block";
constexpr llvm::StringLiteral kInputAttr = "zero.input";
constexpr llvm::StringLiteral kGradAttr = "zero.grad";
constexpr llvm::StringLiteral kStateAttr = "zero.state";
constexpr llvm::StringLiteral kScalarAttr = "zero.scalar";
constexpr llvm::StringLiteral kOutputAttr = "zero.output";
/// The scalar that a loss's adjoint, and so every gradient, is scaled by.
constexpr llvm::StringLiteral kLossScale = "loss_scale";
/// The scalars above which a step that can be skipped is skipped: the norm, and
/// the sum of the losses of a program.
constexpr llvm::StringLiteral kNormLimit = "norm_limit";
constexpr llvm::StringLiteral kLossLimit = "loss_limit";
/// The scalar with the random bits of a step, by which updates round.
constexpr llvm::StringLiteral kRounding = "rounding";
// The factor of zero.clip: of optimizers; and, where a step updates by the
// gradients of the step before, an output that is the next program's scalar.
constexpr llvm::StringLiteral kClipFactor = "clip";
constexpr llvm::StringLiteral kStreamAttr = "zero.stream";
constexpr llvm::StringLiteral kBytesAttr = "zero.at";
constexpr llvm::StringLiteral kLevelAttr = "zero.level";
constexpr llvm::StringLiteral kInPlaceAttr = "zero.in_place";
constexpr llvm::StringLiteral kMustAliasAttr = "zero.must_alias";
// On launches of several ranks: operands that must be equal on all of them,
// such as the number that a loss is divided by.
constexpr llvm::StringLiteral kSameAttr = "zero.same";
// In code generation, on operations of a plan that have kernels beside the
// model's: these.
constexpr llvm::StringLiteral kKernelsAttr = "zero.kernels";
// On inputs: ids are below it.
constexpr llvm::StringLiteral kVocabAttr = "zero.vocab";
// Beside it: the one other value that the host lets pass.
constexpr llvm::StringLiteral kIgnoredAttr = "zero.ignored";

// On inputs, outputs and packs of programs that have all micro-steps of a step:
// the number of theirs, from 0 on.
constexpr llvm::StringLiteral kMicroAttr = "zero.micro";

/// The programs of a plan, in the order in which they run: @count, @micro and
/// @step of a step with micro-steps; @first, then @step again and again, then
/// @flush where updates are those of the step before; @eval and @predict
/// between steps.
constexpr llvm::StringLiteral kPrograms[] = {"count", "micro", "first",  "step",
                                             "flush", "eval",  "predict"};
/// The function of a model that gives logits, from level step on, beside @step.
constexpr llvm::StringLiteral kPredict = "predict";
/// Its input: of each sequence, the position whose logits are wanted.
constexpr llvm::StringLiteral kPosition = "position";
/// Its output: of each sequence a row of logits.
constexpr llvm::StringLiteral kLogits = "logits";

// On the module, from level partitioned on: the stage of ZeRO, and the
// micro-steps of a step.
constexpr llvm::StringLiteral kStageAttr = "zero.stage";
constexpr llvm::StringLiteral kMicroStepsAttr = "zero.micro_steps";

// On the module, from level partitioned on: a #zero.options, what it was made
// with.
constexpr llvm::StringLiteral kOptionsAttr = "zero.options";

// On the module, from level kernels on: the step is one serial kernel, which is
// compiled through plain loops (--reference).
constexpr llvm::StringLiteral kReferenceAttr = "zero.reference";
// On the module, at level kernels: the most bytes of a chunk of logits, where
// it is not the default.
constexpr llvm::StringLiteral kLossChunkAttr = "zero.loss_chunk";
// On the module, at levels step and kernels: what gradients are, where it was
// said (--grad-dtype).
constexpr llvm::StringLiteral kGradDtypeAttr = "zero.grad_dtype";
// On the module, at levels step and kernels: "on" or "only" with --sample.
constexpr llvm::StringLiteral kSampleAttr = "zero.sample";

// On the module, at level memory: bytes of the device, host and nvme arena, the
// most that are alive at once in each, and the most that the user allows each
// (-1: any number).
constexpr llvm::StringLiteral kArenaAttr = "zero.arena";
constexpr llvm::StringLiteral kLivePeakAttr = "zero.live_peak";
constexpr llvm::StringLiteral kBudgetAttr = "zero.budget";
// On the module: peers read the device arena from this byte to its end.
constexpr llvm::StringLiteral kExportedAttr = "zero.exported";
// On the module: bytes of the device that products use, while they run, for
// nothing but what they compute in between; without it none.
constexpr llvm::StringLiteral kWorkspaceAttr = "zero.workspace";

/// Elements of a group of a packed parameter.  Parts of one begin with a group.
constexpr int64_t kPackedGroupElements = 16384;
/// Bytes of so many elements of a packed parameter, from the start of a group on.
int64_t getPackedBytes(Packing packing, int64_t elements);

/// The stream that `op` is issued to.
Stream getStream(Operation *op);

/// The memories that bytes can be in: device, host and nvme.
constexpr unsigned kNumTiers = getMaxEnumValForTier() + 1;

/// Where a value of `type` lies.
Tier getTier(Type type);

/// Whether a value of `type` has bytes in an arena: a tensor, stored or not, or
/// a shard.
bool holdsBytes(Type type);

/// The tensor that a value of `type` is, stored or not; null for shards.
RankedTensorType getHeldTensor(Type type);

/// What such a value is made of, and the bytes of one element.
Type getElementType(Type type);

/// How --precision calls parameters of `element`: fp32, bf16 or fp16; "" for
/// others.
llvm::StringRef stringifyPrecision(Type element);
/// The element type that an option calls f32 or fp32, bf16, or fp16; null for
/// others.
Type parseElementType(MLIRContext *context, llvm::StringRef name);
int64_t getElementBytes(Type type);

/// Bytes that a rank holds of a value of `type`; of a shard, of its slice.
int64_t getByteSize(Type type);

} // namespace mlir::zero
