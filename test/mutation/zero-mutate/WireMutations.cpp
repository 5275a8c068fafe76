//===- WireMutations.cpp - Break collectives in fewer bits ------------------===//
//
// A value is quantized before a collective, and what is gathered is dequantized after
// it.  These mutations leave out one of these places, add one, or let it be of
// other elements or of another value.
//
//===----------------------------------------------------------------------===//

#include "Places.h"

#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::zero;

/// The type of as many numbers as `flat` has, in elements of type `element`.
static Type withNumbersIn(Type flat, Type element) {
  const auto count = [&](int64_t elements) {
    return elements * getNumbersPerElement(flat) /
           getNumbersPerElement(element);
  };
  if (auto shard = dyn_cast<ShardType>(flat))
    return ShardType::get(shard.getContext(), count(shard.getElements()),
                          element, shard.getRanks(), shard.getOf(),
                          shard.getTier());
  return RankedTensorType::get(
      {count(cast<RankedTensorType>(flat).getNumElements())}, element);
}

/// Elements in which ranks can exchange `wide`, but `element`.
static Type otherForm(Victim &victim, Type wide, Type element) {
  Builder b(victim.module.getContext());
  SmallVector<Type> forms = {QuantizedBlockType::get(b.getContext(), 8),
                             QuantizedBlockType::get(b.getContext(), 4)};
  if (getElementType(wide).isF32())
    forms.push_back(b.getBF16Type());
  llvm::erase(forms, element);
  return victim.random.pick(forms);
}

/// Gives what is gathered of `value` its elements; what dequantizes them to the same
/// is left out.
static void passOnElements(Value value) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers()))
    if (auto gather = dyn_cast<AllGatherOp>(user)) {
      Value all = gather.getResult();
      all.setType(
          withNumbersIn(all.getType(), getElementType(value.getType())));
      passOnElements(all);
    } else if (auto dequantize = dyn_cast<DequantizeOp>(user);
               dequantize && dequantize.getType() == value.getType()) {
      dequantize.replaceAllUsesWith(value);
      dequantize.erase();
    }
}

Change zero::dropQuantize(Victim &, QuantizeOp quantize) {
  std::string text = describe(quantize) + ": left out";
  quantize.getResult().replaceAllUsesWith(quantize.getSource());
  passOnElements(quantize.getSource());
  quantize.erase();
  return text;
}

Change zero::quantizeTwice(Victim &victim, QuantizeOp quantize) {
  Value wide = quantize.getSource();
  OpBuilder b(quantize);
  auto first = cast<QuantizeOp>(b.clone(*quantize));
  if (victim.random.once(2))
    first.getResult().setType(withNumbersIn(
        wide.getType(), otherForm(victim, wide.getType(), Type())));
  quantize.getSourceMutable().assign(
      DequantizeOp::create(b, quantize.getLoc(), wide.getType(),
                           first.getResult(), quantize.getBucketAttr()));
  return describe(quantize) + ": done twice";
}

Change zero::changeForm(Victim &victim, QuantizeOp quantize) {
  Type wide = quantize.getSource().getType();
  Type form =
      otherForm(victim, wide, getElementType(quantize.getResult().getType()));
  std::string text = describe(quantize) + ": to " + textOf(TypeAttr::get(form));
  quantize.getResult().setType(withNumbersIn(wide, form));
  passOnElements(quantize.getResult());
  return text;
}

/// An operand that is quantized.
static OpOperand *pickNarrow(Victim &victim) {
  Operation *op = pick(victim, [](Operation *op) {
    return isa<DequantizeOp>(op) ||
           (isa<AllGatherOp, ReduceScatterOp>(op) &&
            op->getOperand(0).getDefiningOp<QuantizeOp>());
  });
  return op ? &op->getOpOperand(0) : nullptr;
}

Change zero::takeOtherQuantized(Victim &victim) {
  OpOperand *operand = pickNarrow(victim);
  if (!operand)
    return {};
  Operation *op = operand->getOwner();
  return replaceOperand(*operand, definedBefore(op, operand->get().getType()),
                        victim.random);
}

Change zero::quantizeOther(Victim &victim, QuantizeOp quantize) {
  // As much of a bucket, perhaps in other elements: a master, or a moment.
  Builder b(victim.module.getContext());
  SmallVector<Value> others;
  for (Type element : {Type(b.getF32Type()), Type(b.getBF16Type())})
    llvm::append_range(
        others,
        definedBefore(quantize,
                      withNumbersIn(quantize.getSource().getType(), element)));
  return replaceOperand(quantize->getOpOperand(0), others, victim.random);
}

Change zero::addQuantize(Victim &victim) {
  // A collective of values as they are.
  Operation *op = pick(victim, [](Operation *op) {
    return isa<AllGatherOp, ReduceScatterOp>(op) &&
           !isa<QuantizedBlockType>(
               getElementType(op->getOperand(0).getType()));
  });
  if (!op)
    return {};
  Value wide = op->getOperand(0);
  Type form = otherForm(victim, wide.getType(), Type());
  auto bucket = cast<FlatSymbolRefAttr>(getBucketRef(op));
  std::string text = describe(op) + ": of " + textOf(TypeAttr::get(form));
  OpBuilder b(op);
  op->setOperand(0, QuantizeOp::create(b, op->getLoc(),
                                       withNumbersIn(wide.getType(), form),
                                       wide, bucket));
  auto gather = dyn_cast<AllGatherOp>(op);
  if (!gather)
    return text;
  Type whole = gather.getType();
  gather.getResult().setType(withNumbersIn(whole, form));
  b.setInsertionPointAfter(op);
  auto dequantize =
      DequantizeOp::create(b, op->getLoc(), whole, gather, bucket);
  gather.getResult().replaceAllUsesExcept(dequantize, dequantize);
  return text + ", and dequantized";
}

/// `value` as all ranks have it, gathered in elements of type `form`, before
/// `op`; null if it is not cut.
static Value gatherQuantized(Operation *op, Value value, Type form) {
  auto shard = dyn_cast<ShardType>(value.getType());
  auto bucket = cast<FlatSymbolRefAttr>(getBucketRef(op));
  if (!shard || shard.getRanks() == 1 || shard.isPart())
    return {};
  OpBuilder b(op);
  Location loc = op->getLoc();
  Type element = shard.getElementType();
  auto flat = RankedTensorType::get({shard.getElements()}, element);
  Value quantized =
      QuantizeOp::create(b, loc, withNumbersIn(shard, form), value, bucket);
  auto gather = [&](Type type, Value from, OverAttr over) -> Value {
    return AllGatherOp::create(b, loc, withNumbersIn(type, form), from, bucket,
                               over);
  };
  if (int64_t group = getGroupSize(op->getParentOfType<ModuleOp>()))
    quantized =
        gather(ShardType::get(b.getContext(), shard.getElements(), element,
                              group, shard.getRanks(), shard.getTier()),
               quantized, OverAttr::get(b.getContext(), Over::Groups));
  OverAttr over = getGroupSize(op->getParentOfType<ModuleOp>())
                      ? OverAttr::get(b.getContext(), Over::Members)
                      : OverAttr();
  return DequantizeOp::create(b, loc, flat, gather(flat, quantized, over),
                              bucket);
}

Change zero::roundGradient(Victim &victim, UpdateOp update) {
  // In a form in which ranks gather parameters.
  SmallVector<Type> forms;
  for (auto gather : operationsOf<AllGatherOp>(victim))
    if (gather.getSource().getDefiningOp<QuantizeOp>())
      forms.push_back(getElementType(gather.getType()));
  Value grad = update.getGrad();
  Type form = forms.empty() ? otherForm(victim, grad.getType(), Type())
                            : victim.random.pick(forms);
  if (form == getElementType(grad.getType()))
    return {};
  Value gathered = gatherQuantized(update, grad, form);
  if (!gathered)
    return {};
  update.getGradMutable().assign(gathered);
  return describe(update) + ": takes its gradient gathered in " +
         textOf(TypeAttr::get(form));
}

Change zero::roundValue(Victim &victim) {
  // A use of a bucket's values.
  Operation *op = pick(victim, [](Operation *op) {
    return getBucketRef(op) && op->getNumOperands() && !isa<FlattenOp>(op) &&
           getNumbersPerElement(op->getOperand(0).getType()) == 1;
  });
  if (!op)
    return {};
  OpOperand &operand = op->getOpOperand(0);
  Type wide = operand.get().getType();
  if (!isa<ShardType>(wide) && cast<RankedTensorType>(wide).getRank() != 1)
    return {};
  auto bucket = cast<FlatSymbolRefAttr>(getBucketRef(op));
  Type form = otherForm(victim, wide, Type());
  OpBuilder b(op);
  Value quantized = QuantizeOp::create(
      b, op->getLoc(), withNumbersIn(wide, form), operand.get(), bucket);
  operand.set(DequantizeOp::create(b, op->getLoc(), wide, quantized, bucket));
  return describe(op) + ": takes operand 0 rounded to " +
         textOf(TypeAttr::get(form));
}
