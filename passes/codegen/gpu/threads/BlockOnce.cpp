//===- BlockOnce.cpp - Values that a block computes once ------------------===//
//
// The threads of a block that has a long run of elements need numbers that are
// equal for all, such as AdamW's 1 - beta^step.  Those in f64 cost more than
// the elements of a thread, so one thread computes them:
//
//   loads, f32                 every thread
//   if thread == 0
//     f64, and what follows    from it
//     memory[i] = value i
//   barrier
//   value i = memory[i]        every thread
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/threads/Shuffle.h"
#include "passes/codegen/loops/LoopNest.h"

using namespace mlir;
using namespace mlir::zero;

/// Bytes of a value.
static constexpr int64_t kValueBytes = 8;

/// The results of `once` that other operations use.
static Values getValues(ArrayRef<Operation *> once) {
  Values values;
  for (Operation *op : once)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !llvm::is_contained(once, user);
          }))
        values.push_back(result);
  return values;
}

SmallVector<Operation *> zero::findOnce(ArrayRef<Operation *> invariants) {
  llvm::SmallDenseSet<Operation *> found;
  return llvm::filter_to_vector(invariants, [&](Operation *op) {
    if (isa<arith::ConstantOp>(op))
      return false;
    const bool isOnce =
        llvm::any_of(llvm::concat<const Type>(op->getOperandTypes(),
                                              op->getResultTypes()),
                     [](Type type) { return type.isF64(); }) ||
        llvm::any_of(op->getOperands(), [&](Value operand) {
          return found.contains(operand.getDefiningOp());
        });
    if (isOnce)
      found.insert(op);
    return isOnce;
  });
}

void zero::emitOnce(LoopNest &nest, ArrayRef<Operation *> once) {
  const Values values = getValues(once);
  // A bool has no type in memory.
  auto typeOf = [&](Value value) -> Type {
    return value.getType().isInteger(1) ? nest.b.getI8Type() : value.getType();
  };
  Values places;
  for (auto [i, value] : llvm::enumerate(values))
    places.push_back(nest.viewAs(MemRefType::get({1}, typeOf(value)),
                                 nest.getTeamMemory(),
                                 nest.index(int64_t(i) * kValueBytes)));
  nest.when(nest.isEqual(nest.lanes.thread, 0), [&] {
    IRMapping map(nest.invariant);
    for (Operation *op : once)
      nest.b.clone(*op, map);
    for (auto [value, place] : llvm::zip_equal(values, places)) {
      Value found = map.lookup(value);
      if (found.getType() != typeOf(value))
        found = arith::ExtUIOp::create(nest.b, nest.loc, typeOf(value), found);
      nest.storeOne(found, place, nest.index(0));
    }
  });
  syncBlock(nest.b, nest.loc);
  for (auto [value, place] : llvm::zip_equal(values, places)) {
    Value found = nest.loadOne(place, nest.index(0));
    if (found.getType() != value.getType())
      found = arith::TruncIOp::create(nest.b, nest.loc, value.getType(), found);
    nest.invariant.map(value, found);
  }
}

int64_t zero::getOnceBytes(linalg::LinalgOp op, const LoopContext &context) {
  OpBuilder b(op);
  return kValueBytes *
         int64_t(getValues(findOnce(LoopNest(b, op, context).findInvariants()))
                     .size());
}
