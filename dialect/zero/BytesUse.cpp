//===- BytesUse.cpp - Purposes of temporaries' bytes ----------------------===//
//
// Lines of the certificate: see PlanOpInterface::getBytesUse.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/Storage.h"

using namespace mlir;
using namespace mlir::zero;

/// Returns true if `gradient` goes to another tier and does not wait in its
/// bytes.
static bool isSpilled(Value gradient) {
  return llvm::any_of(gradient.getUsers(), llvm::IsaPred<SpillOp>);
}

/// The use of a sum of gradients, `last` of its chain.
static BytesUse useOfSum(Value last) {
  return isSpilled(last) ? BytesUse::Communication : BytesUse::Gradients;
}

/// The last sum of the chain that begins with `zeros`: each is reduced into it,
/// or added to a view of it and flattened.
static Value findSum(Value zeros) {
  for (Operation *user : zeros.getUsers()) {
    while (user->hasOneUse() && !isa<ReduceScatterOp, FlattenOp>(user) &&
           !isa<ShardType>(user->getResult(0).getType()))
      user = *user->user_begin();
    if (isa<ReduceScatterOp, FlattenOp>(user))
      return findSum(user->getResult(0));
  }
  return zeros;
}

/// Returns true if `transfer` is of an activation, which waits in another tier.
static bool isOfActivation(Operation *transfer) {
  return !getBucketRef(transfer) &&
         cast<ShapedType>(getHeldTensor(transfer->getResult(0).getType()))
                 .getRank() > 0;
}

BytesUse ReduceScatterOp::getBytesUse() { return useOfSum(getResult()); }

BytesUse ZerosOp::getBytesUse() { return useOfSum(findSum(getResult())); }

BytesUse UpdateOp::getBytesUse() { return BytesUse::Communication; }

BytesUse FetchOp::getBytesUse() {
  return isOfActivation(*this) ? BytesUse::Activations
                               : BytesUse::Communication;
}

BytesUse SpillOp::getBytesUse() {
  if (isOfActivation(*this))
    return BytesUse::Activations;
  // On the way to another tier; but a gradient waits there for its update.
  return llvm::any_of(getResult().getUsers(),
                      [&](Operation *user) {
                        auto update = dyn_cast<UpdateOp>(user);
                        return update && update.getGrad() == getResult();
                      })
             ? BytesUse::Gradients
             : BytesUse::Communication;
}

/// Whole gradients, unless they are sent to their owners at once.
BytesUse FlattenOp::getBytesUse() {
  if (isa<ShardType>(getResult().getType()))
    return useOfSum(findSum(getResult()));
  const bool isSent = llvm::any_of(getResult().getUsers(), [](Operation *user) {
    auto reduce = dyn_cast<ReduceScatterOp>(user);
    return isa<SpillOp, QuantizeOp>(user) ||
           (reduce && (!reduce.isInPlace() || isSpilled(reduce.getResult())));
  });
  return isSent ? BytesUse::Communication : BytesUse::Gradients;
}
