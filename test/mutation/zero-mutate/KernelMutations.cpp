//===- KernelMutations.cpp - Break attributes of kernels and means --------===//

#include "Places.h"

#include "dialect/zero/KernelUnits.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::zero;

/// Returns the scale of the sums of `op`; null if it has none.
static FloatAttr scaleOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, FloatAttr>(op)
      .Case<ReduceScatterOp, AllReduceOp, AccumulateOp>(
          [](auto sum) { return sum.getScaleAttr(); })
      .Default(FloatAttr());
}

Change zero::changeScale(Victim &victim) {
  auto places = operationsOf(
      victim, [](Operation *op) { return scaleOf(op) != nullptr; });
  if (places.empty())
    return {};
  Operation *op = victim.random.pick(places);
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
