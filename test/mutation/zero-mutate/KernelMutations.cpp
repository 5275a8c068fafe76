//===- KernelMutations.cpp - Break kernels, optimizers and numbers --------===//

#include "Places.h"

#include "dialect/zero/KernelUnits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::zero;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Returns the operations, also nested ones, in bodies of launched kernels or
/// of optimizers.
static SmallVector<Operation *>
bodiesOf(Victim &victim, bool optimizers,
         function_ref<bool(Operation *)> filter) {
  SmallVector<Operation *> found;
  auto visit = [&](Operation *op) {
    op->walk([&](Operation *inner) {
      if (inner != op && filter(inner))
        found.push_back(inner);
    });
  };
  if (optimizers)
    for (auto rule : victim.module.getOps<OptimizerOp>())
      visit(rule);
  else
    for (KernelOp kernel : kernelsOf(victim))
      visit(kernel);
  return found;
}

/// "@kernel.3: arith.addf".
static std::string describeInner(Operation *op) {
  std::string text;
  for (Operation *at = op->getParentOp(); at; at = at->getParentOp())
    if (auto name = at->getAttrOfType<StringAttr>("sym_name")) {
      text = "@" + name.getValue().str() + ": ";
      break;
    }
  return text + op->getName().getStringRef().str();
}

static Change changeConstantIn(Victim &victim, bool optimizers) {
  auto places = bodiesOf(victim, optimizers, [](Operation *op) {
    auto constant = dyn_cast<arith::ConstantOp>(op);
    return constant && isa<FloatAttr, IntegerAttr>(constant.getValue()) &&
           !constant.getType().isIndex();
  });
  if (places.empty())
    return {};
  auto constant = cast<arith::ConstantOp>(victim.random.pick(places));
  std::string text =
      describeInner(constant) + " " + textOf(constant.getValue());
  Builder b(constant.getContext());
  if (auto number = dyn_cast<FloatAttr>(constant.getValue())) {
    double value = number.getValueAsDouble();
    constant.setValueAttr(b.getFloatAttr(
        number.getType(), victim.random.pick(ArrayRef<double>{
                              value + 1, value * 2, value * 1.001, -value})));
  } else {
    auto integer = cast<IntegerAttr>(constant.getValue());
    constant.setValueAttr(
        IntegerAttr::get(integer.getType(), integer.getValue() + 1));
  }
  return text + " is " + textOf(constant.getValue());
}

/// Returns another operation on the same operands and types as `op`.
static StringRef replacementOf(Operation *op) {
  static constexpr std::pair<StringRef, StringRef> pairs[] = {
      {"arith.addf", "arith.subf"},
      {"arith.subf", "arith.addf"},
      {"arith.mulf", "arith.addf"},
      {"arith.divf", "arith.mulf"},
      {"arith.maximumf", "arith.minimumf"},
      {"arith.minimumf", "arith.maximumf"},
      {"arith.addi", "arith.subi"},
      {"math.exp", "math.exp2"},
      {"math.sqrt", "math.rsqrt"},
      {"math.rsqrt", "math.sqrt"},
      {"math.tanh", "math.sin"},
      {"math.log", "math.log2"},
      {"arith.negf", "math.absf"}};
  for (auto [from, to] : pairs)
    if (op->getName().getStringRef() == from)
      return to;
  return {};
}

static Change changeOperationIn(Victim &victim, bool optimizers) {
  auto places = bodiesOf(victim, optimizers, [](Operation *op) {
    return !replacementOf(op).empty();
  });
  if (places.empty())
    return {};
  Operation *op = victim.random.pick(places);
  StringRef other = replacementOf(op);
  std::string text = describeInner(op) + " is " + other.str();
  OpBuilder b(op);
  Operation *changed = b.create(op->getLoc(), b.getStringAttr(other),
                                op->getOperands(), op->getResultTypes());
  op->replaceAllUsesWith(changed);
  op->erase();
  return text;
}

static Change exchangeOrderIn(Victim &victim, bool optimizers) {
  auto places = bodiesOf(victim, optimizers, [](Operation *op) {
    return isa<arith::SubFOp, arith::DivFOp, arith::CmpFOp, linalg::YieldOp,
               YieldOp, linalg::GenericOp>(op) &&
           op->getNumOperands() > 1;
  });
  if (places.empty())
    return {};
  Operation *op = victim.random.pick(places);
  return exchangeIn(op, victim.random, describeInner(op));
}

Change zero::changeBodyConstant(Victim &victim) {
  return changeConstantIn(victim, /*optimizers=*/false);
}
Change zero::changeBodyOperation(Victim &victim) {
  return changeOperationIn(victim, /*optimizers=*/false);
}
Change zero::exchangeBodyOperands(Victim &victim) {
  return exchangeOrderIn(victim, /*optimizers=*/false);
}

Change zero::changeOptimizer(Victim &victim) {
  switch (victim.random.below(3)) {
  case 0:
    return changeConstantIn(victim, /*optimizers=*/true);
  case 1:
    return changeOperationIn(victim, /*optimizers=*/true);
  default:
    return exchangeOrderIn(victim, /*optimizers=*/true);
  }
}

//===----------------------------------------------------------------------===//
// Attributes of kernels
//===----------------------------------------------------------------------===//

Change zero::changeSpace(Victim &victim) {
  auto kernels = kernelsOf(victim);
  if (kernels.empty())
    return {};
  KernelOp kernel = victim.random.pick(kernels);
  SmallVector<int64_t> space(kernel.getSpace());
  Builder b(kernel.getContext());
  if (space.empty() || victim.random.once(4)) {
    auto kind = victim.random.pick(ArrayRef<KernelKind>{
        KernelKind::Rows, KernelKind::Columns, KernelKind::Serial,
        KernelKind::Attention, KernelKind::Scatter});
    kernel.setKind(kind);
    if (kind == KernelKind::Serial)
      space.clear();
  } else {
    int64_t &size = space[victim.random.below(space.size())];
    size = victim.random.pick(
        ArrayRef<int64_t>{size - 1, size + 1, size * 2, (size + 1) / 2, 1});
    if (victim.random.once(4))
      space.pop_back();
  }
  kernel.setSpace(space);
  return "@" + kernel.getName().str() + ": is cut into " +
         stringifyKernelKind(*kernel.getKind()).str() + " of " +
         textOf(b.getDenseI64ArrayAttr(space));
}

/// Permits a kernel to work in place; its result then takes the operand's bytes
/// at each launch.
Change zero::permitInPlace(Victim &victim) {
  auto kernels = kernelsOf(victim);
  if (kernels.empty())
    return {};
  KernelOp kernel = victim.random.pick(kernels);
  SmallVector<std::pair<unsigned, unsigned>> places;
  for (unsigned r = 0, e = kernel.getNumResults(); r != e; ++r)
    for (unsigned i = 0, n = kernel.getNumArguments(); i != n; ++i)
      if (kernel.getResultTypes()[r] == kernel.getArgumentTypes()[i])
        places.push_back({r, i});
  if (places.empty())
    return {};
  auto [result, operand] = victim.random.pick(places);
  Builder b(kernel.getContext());
  SmallVector<int64_t> permitted(kernel.getMayReplace(result));
  if (!llvm::is_contained(permitted, operand))
    permitted.push_back(operand);
  kernel.setResultAttr(result, kInPlaceAttr, b.getDenseI64ArrayAttr(permitted));
  for (LaunchOp launch : operationsOf<LaunchOp>(victim)) {
    if (launch.getKernel() != kernel.getName())
      continue;
    BytesAttr here = getBytes(launch.getOperand(operand)),
              there = getBytes(launch.getResult(result));
    for (Value value : familyOf(victim, launch.getResult(result)))
      if (BytesAttr bytes =
              moved(getBytes(value), here.getOffset() - there.getOffset()))
        setBytes(value, bytes);
  }
  return "@" + kernel.getName().str() + ": result " + std::to_string(result) +
         " replaces operand " + std::to_string(operand);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Returns the scale of the sums of `op`; null if it has none.
static FloatAttr scaleOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, FloatAttr>(op)
      .Case<ReduceScatterOp, AllReduceOp, AccumulateOp>(
          [](auto sum) { return sum.getScaleAttr(); })
      .Default(FloatAttr());
}

Change zero::changeScale(Victim &victim) {
  Operation *op =
      pick(victim, [](Operation *op) { return scaleOf(op) != nullptr; });
  if (!op)
    return {};
  FloatAttr old = scaleOf(op);
  double scale = old.getValueAsDouble();
  double changed = victim.random.pick(
      ArrayRef<double>{1, scale * 2, scale / 2, scale * 1.0001, -scale, 0});
  auto attribute = FloatAttr::get(old.getType(), changed);
  std::string text = describe(op) + ": scales by " + textOf(attribute);
  llvm::TypeSwitch<Operation *>(op)
      .Case<ReduceScatterOp, AllReduceOp, AccumulateOp>(
          [&](auto sum) { sum.setScaleAttr(attribute); });
  return text;
}

/// Switches the decay of a member, or changes the decay of an update.
Change zero::changeDecay(Victim &victim) {
  auto update = pick<UpdateOp>(victim);
  if (!update)
    return {};
  if (victim.random.once(2)) {
    update.setDecayAttr(FloatAttr::get(
        update.getDecayAttr().getType(),
        victim.random.pick(ArrayRef<double>{
            0, 0.2, update.getDecay().convertToDouble() * 1.001})));
    return describe(update) + ": decays by " + textOf(update.getDecayAttr());
  }
  auto bucket = victim.module.lookupSymbol<BucketOp>(update.getBucketAttr());
  SmallVector<Attribute> members(bucket.getMembers().getValue());
  Attribute &changed = members[victim.random.below(members.size())];
  auto old = cast<MemberAttr>(changed);
  changed = MemberAttr::get(old.getContext(), old.getName(), old.getShape(),
                            old.getOffset(), old.getFirstRow(), old.getRows(),
                            !old.getDecay(), old.getInit());
  std::string text = "@" + bucket.getSymName().str() + ": " + textOf(changed);
  bucket.setMembersAttr(ArrayAttr::get(bucket.getContext(), members));
  return text;
}

Change zero::changeClip(Victim &victim) {
  auto clip = pick<ClipOp>(
      victim, [](ClipOp clip) { return clip.getMaxNorm().has_value(); });
  if (!clip)
    return {};
  if (victim.random.once(2))
    clip.removeMaxNormAttr();
  else
    clip.setMaxNormAttr(
        FloatAttr::get(clip.getMaxNormAttr().getType(),
                       victim.random.pick(ArrayRef<double>{0.1, 0.5, 10})));
  return describe(clip) + ": limits the norm to " +
         (clip.getMaxNorm() ? textOf(clip.getMaxNormAttr()) : "nothing");
}

Change zero::changeVocabulary(Victim &victim) {
  ProgramOp step = victim.programs.back();
  SmallVector<unsigned> inputs;
  for (unsigned i = 0, e = step.getNumArguments(); i != e; ++i)
    if (step.getArgAttr(i, kVocabAttr))
      inputs.push_back(i);
  if (inputs.empty())
    return {};
  unsigned input = victim.random.pick(inputs);
  auto old = step.getArgAttrOfType<IntegerAttr>(input, kVocabAttr);
  auto changed = IntegerAttr::get(
      old.getType(),
      victim.random.pick(ArrayRef<int64_t>{old.getInt() + 1, old.getInt() * 2,
                                           old.getInt() - 1}));
  std::string text = describe(Value(step.getArgument(input))) +
                     ": zero.vocab is " + textOf(changed);
  for (ProgramOp program : victim.programs)
    program.setArgAttr(input, kVocabAttr, changed);
  return text;
}

Change zero::useNvme(Victim &victim) {
  auto arena = victim.module->getAttrOfType<DenseI64ArrayAttr>(kArenaAttr);
  SmallVector<int64_t> bytes(arena.asArrayRef());
  bytes[size_t(Tier::Nvme)] =
      victim.random.pick(ArrayRef<int64_t>{64, 4096, 1 << 20});
  victim.module->setAttr(
      kArenaAttr, DenseI64ArrayAttr::get(victim.module.getContext(), bytes));
  return "the arena is " + textOf(victim.module->getAttr(kArenaAttr));
}
