//===- KernelMutations.cpp - Break kernels, optimizers and numbers --------===//

#include "Places.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/KernelUnits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::zero;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Draws an operation, also a nested one, in bodies of launched kernels or of
/// optimizers; null if there is none.
static Operation *pickInBodies(Victim &victim, bool optimizers,
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
  return victim.random.pick(found);
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
  auto constant = cast_if_present<arith::ConstantOp>(
      pickInBodies(victim, optimizers, [](Operation *op) {
        auto constant = dyn_cast<arith::ConstantOp>(op);
        return constant && isa<FloatAttr, IntegerAttr>(constant.getValue()) &&
               !constant.getType().isIndex();
      }));
  if (!constant)
    return {};
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
  Operation *op = pickInBodies(victim, optimizers, [](Operation *op) {
    return !replacementOf(op).empty();
  });
  if (!op)
    return {};
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
  Operation *op = pickInBodies(victim, optimizers, [](Operation *op) {
    return isa<arith::SubFOp, arith::DivFOp, arith::CmpFOp, linalg::YieldOp,
               YieldOp, linalg::GenericOp>(op) &&
           op->getNumOperands() > 1;
  });
  return op ? exchangeIn(op, victim.random, describeInner(op)) : Change();
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
  constexpr Change (*kChanges[])(Victim &, bool) = {
      changeConstantIn, changeOperationIn, exchangeOrderIn};
  return kChanges[victim.random.below(3)](victim, /*optimizers=*/true);
}

//===----------------------------------------------------------------------===//
// Attributes of kernels
//===----------------------------------------------------------------------===//

Change zero::changeSpace(Victim &victim, KernelOp kernel) {
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
Change zero::permitInPlace(Victim &victim, KernelOp kernel) {
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
    moveEach(familyOf(victim, launch.getResult(result)),
             here.getOffset() - there.getOffset());
  }
  return "@" + kernel.getName().str() + ": result " + std::to_string(result) +
         " replaces operand " + std::to_string(operand);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Change zero::changeScale(Victim &victim) {
  constexpr StringRef kScale = "scale";
  Operation *op = pick(victim, [&](Operation *op) {
    return isa<ReduceScatterOp, AllReduceOp, AccumulateOp>(op) ||
           (isa<nn::MatmulOp>(op) && op->hasAttr(kScale));
  });
  if (!op)
    return {};
  auto old = op->getAttrOfType<FloatAttr>(kScale);
  double scale = old.getValueAsDouble();
  double changed = victim.random.pick(
      ArrayRef<double>{1, scale * 2, scale / 2, scale * 1.0001, -scale, 0});
  auto attribute = FloatAttr::get(old.getType(), changed);
  op->setAttr(kScale, attribute);
  return describe(op) + ": scales by " + textOf(attribute);
}

/// Switches the decay of a member, or changes the decay of an update.
Change zero::changeDecay(Victim &victim, UpdateOp update) {
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
  SmallVector<int64_t> arena = arenaOf(victim.module);
  arena[size_t(Tier::Nvme)] =
      victim.random.pick(ArrayRef<int64_t>{64, 4096, 1 << 20});
  setArena(victim.module, arena);
  return "the arena is " + textOf(victim.module->getAttr(kArenaAttr));
}
