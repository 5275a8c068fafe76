//===- PlanOperands.cpp - Values of a plan as constants of zrt ------------===//

#include "passes/codegen/tables/PlanOperands.h"

#include "dialect/zero/Storage.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace mlir::zero;

static constexpr PlanOperands::ElementType kElementTypes[] = {
#define ZRT_ELEMENT_TYPE(NUMBER, NAME, SPELLING, BYTES)                        \
  {NUMBER, #SPELLING, BYTES},
#include "abi/ElementTypes.def"
};

PlanOperands::PlanOperands(ModuleOp plan, llvm::Module &out) : constants(out) {
  for (auto bucket : plan.getOps<BucketOp>())
    buckets.try_emplace(bucket.getSymNameAttr(), buckets.size());
}

PlanOperands::ElementType PlanOperands::getElement(Value value) {
  Type type = getElementType(value.getType());
  auto [known, isNew] = elements.try_emplace(type, kElementTypes[0]);
  if (!isNew)
    return known->second;
  const auto block = dyn_cast<QuantizedBlockType>(type);
  std::string spelling = block
                             ? "block<" + std::to_string(block.getBits()) + ">"
                             : debugString(type);
  for (const ElementType &one : kElementTypes)
    if (one.spelling == spelling)
      return known->second = one;
  isBroken = true;
  InFlightDiagnostic error = mlir::emitError(value.getLoc())
                             << "plans hold no elements of type " << type
                             << "; they hold ";
  llvm::interleaveComma(kElementTypes, error,
                        [&](const ElementType &one) { error << one.spelling; });
  return known->second;
}

static uint32_t getZrtExtent(PlanOpInterface op, Value value) {
  const Extent held =
      getTypeExtent(value.getType(), op.getBucketRef() != nullptr);
  switch (op.getExtent(value)) {
  case Extent::Scalar:
    return ZRT_SCALAR;
  case Extent::None: // overwritten: all held elements
  case Extent::Members:
    return ZRT_MEMBERS;
  case Extent::Whole:
    return ZRT_WHOLE;
  case Extent::Slice:
    return held == Extent::Slice  ? ZRT_SLICE
           : held == Extent::Part ? ZRT_SLICE_OF_PART
                                  : ZRT_SLICE_OF_WHOLE;
  case Extent::Part:
    return held == Extent::Part ? ZRT_PART : ZRT_PART_OF_WHOLE;
  }
  llvm_unreachable("an extent of no kind");
}

Zrt<zrt_ref> PlanOperands::getRef(Value value) {
  return getRef(bytesOf(value));
}

Zrt<zrt_ref> PlanOperands::getRef(BytesAttr bytes) {
  return {.tier = static_cast<uint32_t>(bytes.getTier()),
          .offset = static_cast<uint64_t>(bytes.getOffset()),
          .bytes = static_cast<uint64_t>(bytes.getSize())};
}

/// The bucket whose flat gradient of one micro-step `value` is, or a copy of it
/// in another tier; null for others.
static FlatSymbolRefAttr findFlattenedBucket(Value value) {
  while (isa_and_present<SpillOp, FetchOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto flatten = value.getDefiningOp<FlattenOp>();
  return flatten ? flatten.getBucketAttr() : FlatSymbolRefAttr();
}

Zrt<zrt_operand> PlanOperands::getOperand(PlanOpInterface op, Value value) {
  if (!value)
    return {};
  Zrt<zrt_ref> ref = getRef(value);
  if (FlatSymbolRefAttr bucket = findFlattenedBucket(value))
    ref.gradient_of = 1 + getBucket(bucket);
  return {.ref = ref,
          .dtype = getElement(value).number,
          .extent = getZrtExtent(op, value)};
}

llvm::Constant *PlanOperands::getOperands(PlanOpInterface op,
                                          ValueRange values) {
  return constants.array<Zrt<zrt_operand>>(llvm::map_to_vector(
      values, [&](Value value) { return getOperand(op, value); }));
}
