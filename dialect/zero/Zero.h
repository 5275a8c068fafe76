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
/// On a module: the adapters of its model, as PEFT's adapter_config.json.
constexpr llvm::StringLiteral kAdaptersAttr = "zero.adapters";
/// On a parameter that is not trained.
constexpr llvm::StringLiteral kFrozenAttr = "zero.frozen";
/// On a frozen parameter: its packing.
constexpr llvm::StringLiteral kPackingAttr = "zero.packing";
constexpr llvm::StringLiteral kInitAttr = "zero.init";
constexpr llvm::StringLiteral kBlockAttr = "zero.block";
constexpr llvm::StringLiteral kInputAttr = "zero.input";
constexpr llvm::StringLiteral kGradAttr = "zero.grad";
constexpr llvm::StringLiteral kStateAttr = "zero.state";
constexpr llvm::StringLiteral kScalarAttr = "zero.scalar";
constexpr llvm::StringLiteral kOutputAttr = "zero.output";
/// The scalar that scales a loss's adjoint, and so every gradient.
constexpr llvm::StringLiteral kLossScale = "loss_scale";
/// The limits of the norm and of the sum of a program's losses, both scalars.
/// A step above a limit is skipped, if steps can be skipped.
constexpr llvm::StringLiteral kNormLimit = "norm_limit";
constexpr llvm::StringLiteral kLossLimit = "loss_limit";
/// The scalar with the number of a micro-step in its step, from 0 on.
constexpr llvm::StringLiteral kMicroStep = "micro_step";
/// The slot of sums of gradients over micro-steps; "grad.1", "grad.2", ... are
/// those of zero.add_leaf beside it.
constexpr llvm::StringLiteral kSums = "grad";
inline bool isSumSlot(llvm::StringRef slot) {
  return slot.consume_front(kSums) && (slot.empty() || slot.starts_with("."));
}
/// The scalar with a step's random bits, by which updates round.
constexpr llvm::StringLiteral kRounding = "rounding";
/// The scalar with a rank's number among those that share a sequence.
constexpr llvm::StringLiteral kContext = "context";
// The factor of zero.clip: a scalar of optimizers; also, if a step applies the
// gradients of the previous step, an output that the next program takes as a
// scalar.
constexpr llvm::StringLiteral kClipFactor = "clip";
constexpr llvm::StringLiteral kStreamAttr = "zero.stream";
constexpr llvm::StringLiteral kBytesAttr = "zero.at";
constexpr llvm::StringLiteral kLevelAttr = "zero.level";
constexpr llvm::StringLiteral kInPlaceAttr = "zero.in_place";
constexpr llvm::StringLiteral kMustAliasAttr = "zero.must_alias";
// On kernels that compute results of another kernel, given one: [the other
// kernel, the number of the given result, those of the others].
constexpr llvm::StringLiteral kRestOfAttr = "zero.rest_of";
// On launches of several ranks: operands that must be equal on all of them,
// such as the number that a loss is divided by.
constexpr llvm::StringLiteral kSameAttr = "zero.same";
// In code generation, on operations of a plan that launch kernels of their own,
// not the model's: these kernels.
constexpr llvm::StringLiteral kKernelsAttr = "zero.kernels";
// On kernels of an update with weight decay: the kernel without it.
constexpr llvm::StringLiteral kPlainAttr = "zero.plain";
// On inputs: the upper bound of ids, exclusive.
constexpr llvm::StringLiteral kVocabAttr = "zero.vocab";
// On inputs with a vocabulary: the one other value that the host accepts.
constexpr llvm::StringLiteral kIgnoredAttr = "zero.ignored";

// In programs that run all micro-steps of a step, on inputs, outputs and
// flattened gradients: the index of their micro-step, from 0.
constexpr llvm::StringLiteral kMicroAttr = "zero.micro";

/// The input of keys of dropout, i64, one for each sequence; the host writes
/// it.
constexpr llvm::StringLiteral kDropout = "dropout";

/// The programs of a plan, in the order in which they run: @count, @micro and
/// @step of a step with micro-steps; @first, then @step repeatedly, then @flush
/// if steps apply the gradients of the previous step; @eval, @prefill, @decode
/// and @score between steps, or without any.
constexpr llvm::StringLiteral kPrograms[] = {"count",   "micro",  "first",
                                             "step",    "flush",  "eval",
                                             "prefill", "decode", "score"};
/// The functions of a model that continue sequences, from level step on, beside
/// @step: they compute some positions of each slot, and one position.
constexpr llvm::StringLiteral kPrefill = "prefill", kDecode = "decode";
constexpr llvm::StringLiteral kDecodings[] = {kPrefill, kDecode};
inline bool isDecoding(llvm::StringRef program) {
  return program == kPrefill || program == kDecode;
}
/// The function that returns values of samples, and its output, [batch, ...].
constexpr llvm::StringLiteral kScore = "score", kValues = "values";
/// The functions of a model that are only forward.
constexpr llvm::StringLiteral kForwards[] = {kPrefill, kDecode, kScore};
inline bool isForward(llvm::StringRef program) {
  return isDecoding(program) || program == kScore;
}
/// The inputs of those that continue sequences: for each slot, the first
/// position and the number of positions, and the ids there, of @prefill and of
/// @decode; and if attention stays in documents, where theirs begins.
constexpr llvm::StringLiteral kBegin = "begin", kCount = "count",
                              kPrompt = "prompt", kToken = "token",
                              kDocument = "document";
inline bool isDecodingInput(llvm::StringRef input) {
  return input == kBegin || input == kCount || input == kPrompt ||
         input == kToken || input == kDocument;
}
/// On the last of them: the id that ends a document.
constexpr llvm::StringLiteral kSeparatorAttr = "zero.separator";
/// On the first of them, if a cache is a state, which is not of all positions:
/// a slot may go back to the last multiple of this, or to its beginning.
constexpr llvm::StringLiteral kKeptEveryAttr = "zero.kept_every";
/// Their output: for each slot, a row of logits.
constexpr llvm::StringLiteral kLogits = "logits";
/// On their last arguments: the name of kept keys or values, or of a state.
constexpr llvm::StringLiteral kCacheAttr = "zero.cache";

// On the module, from level partitioned on: the stage of ZeRO, and the
// micro-steps of a step.
constexpr llvm::StringLiteral kStageAttr = "zero.stage";
constexpr llvm::StringLiteral kMicroStepsAttr = "zero.micro_steps";

// On the module, from level partitioned on: the #zero.options that it was made
// with.
constexpr llvm::StringLiteral kOptionsAttr = "zero.options";

// On the module: the #zero.target that shall run it (absent: the host's
// processors).
constexpr llvm::StringLiteral kTargetAttr = "zero.target";

// On the module, from level kernels on: the step is one serial kernel, which is
// compiled through plain loops (--reference).
constexpr llvm::StringLiteral kReferenceAttr = "zero.reference";
// On the module, at level kernels: the most bytes of a chunk of logits, if it
// is not the default.
constexpr llvm::StringLiteral kLossChunkAttr = "zero.loss_chunk";
// On the module, at levels step and kernels: the type of gradients, if
// --grad-dtype gave one.
constexpr llvm::StringLiteral kGradDtypeAttr = "zero.grad_dtype";
/// A module with @whole and @split, in what is level step and the model of a
/// plan: the forward as it was, and as ranks that share sequences compute it.
constexpr llvm::StringLiteral kContextModule = "context", kWhole = "whole",
                              kSplit = "split";
// On the module, at levels step and kernels: the ranks that share a sequence.
constexpr llvm::StringLiteral kContextAttr = "zero.context";
// On the module, at levels step and kernels: "on" or "only" with --sample.
constexpr llvm::StringLiteral kSampleAttr = "zero.sample";

// On the module, at level memory: for the device, host and nvme arena, its
// bytes, the peak of live bytes, and the user's limit (-1: none).
constexpr llvm::StringLiteral kArenaAttr = "zero.arena";
constexpr llvm::StringLiteral kLivePeakAttr = "zero.live_peak";
constexpr llvm::StringLiteral kBudgetAttr = "zero.budget";
// On the module: peers read the device arena from this byte to its end.
constexpr llvm::StringLiteral kExportedAttr = "zero.exported";
// On the module, at level memory: the device bytes that products use as scratch
// memory while they run, as many as zero.target asks for.
constexpr llvm::StringLiteral kWorkspaceAttr = "zero.workspace";

/// Elements of a run of a packed parameter.  Its pieces begin with a run.
constexpr int64_t kPackedRunElements = 16384;
/// Bytes of `elements` elements of a packed parameter, from the start of a
/// run on.
int64_t getPackedBytes(Packing packing, int64_t elements);

/// Bytes of the device that products of `plan` use while they run: those that
/// its zero.target asks for, 0 without it.
int64_t getWorkspace(ModuleOp plan);

/// The stream that `op` is issued to.
Stream getStream(Operation *op);

/// The memories that bytes can be in: device, host and nvme.
constexpr unsigned kNumTiers = getMaxEnumValForTier() + 1;

/// The tier of a value of `type`.
Tier getTier(Type type);

/// Whether a value of `type` has bytes in an arena: a tensor, stored or not, or
/// a shard.
bool holdsBytes(Type type);

/// The tensor that a value of `type` is, stored or not; null for shards.
RankedTensorType getHeldTensor(Type type);

/// Elements from one row of a matrix to the next, if its rows are padded:
/// tensor<6x50257xbf16, #zero.pitch<50304>>; else 0.
int64_t getRowPitch(RankedTensorType type);

/// The element type of such a value; getElementBytes gives the bytes of one
/// element.
Type getElementType(Type type);

/// The name that --precision gives to parameters of `element`: fp32, bf16 or
/// fp16; "" for others.
llvm::StringRef stringifyPrecision(Type element);
/// The element type that an option names: f32 or fp32, bf16, or fp16; null for
/// other names.
Type parseElementType(MLIRContext *context, llvm::StringRef name);
int64_t getElementBytes(Type type);
/// The numbers that such an element, or one of such a value, stands for: more
/// than one if it is a block.
int64_t getNumbersPerElement(Type type);

} // namespace mlir::zero
