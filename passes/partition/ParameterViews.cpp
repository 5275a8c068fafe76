//===- ParameterViews.cpp - Parameters as views of their buckets ----------===//
//
// A parameter is a view of the state, at the start of a program, if its bucket
// is whole, and otherwise a view of a gather before the first use of any
// member.  A parameter that is cut is a join of views:
//
//   %f0 = zero.all_gather %p0 of @b0
//   %f1 = zero.all_gather %p1 of @b1
//   %w0 = zero.view %f0[@b0, "w"]
//   %w1 = zero.view %f1[@b1, "w"]
//   %w = zero.join %w0, %w1
//
//===----------------------------------------------------------------------===//

#include "passes/partition/ProgramBuilder.h"

#include "dialect/zero/BucketUse.h"

using namespace mlir;
using namespace mlir::zero;

/// The value of `parameter`, given the values of the buckets in `flat`.
Value ProgramBuilder::view(size_t parameter, ArrayRef<Value> flat) {
  BlockArgument old = block.getArgument(partition.arguments[parameter]);
  auto type = cast<RankedTensorType>(old.getType());
  SmallVector<Value, 1> views;
  for (auto [k, m] : partition.layout.places[parameter]) {
    MemberAttr member = buckets[k].members[m].attr;
    views.push_back(ViewOp::create(
        b, NameLoc::get(member.getName()),
        RankedTensorType::get(member.getShape(), type.getElementType()),
        flat[k], symbol(k), member.getName()));
  }
  if (views.size() == 1)
    return views.front();
  return JoinOp::create(b, views.front().getLoc(), type, views);
}

/// Bucket `k`, or as much of it as `value` has, as ranks exchange it where
/// options say `wire`.  bf16 leaves values that have 16 bits.
Value ProgramBuilder::quantize(size_t k, Value value, Type wire) {
  if (!wire || (wire.isBF16() && getElementBytes(value.getType()) == 2))
    return value;
  Type type =
      zero::detail::isSlice(value.getType()) ? shardType(k, wire, Extent::Slice)
      : zero::detail::isPart(value.getType()) ? shardType(k, wire, Extent::Part)
                                              : Type(flatType(k, wire));
  return QuantizeOp::create(b, name(buckets[k], ".quantized"), type, value,
                            symbol(k));
}

/// Gathers bucket `k`.
Value ProgramBuilder::gather(size_t k) {
  Value slice = state[0][k];
  Value sent =
      buckets[k].packing ? slice : quantize(k, slice, partition.paramWire);
  Value all = gatherWhole(k, sent, name(buckets[k]));
  if (sent == slice)
    return all;
  return DequantizeOp::create(b, name(buckets[k], ".wide"),
                              flatType(k, getElementType(slice.getType())), all,
                              symbol(k));
}

/// Gathers a slice or a part of bucket `k`.
Value ProgramBuilder::gatherWhole(size_t k, Value slice, Location loc) {
  Type element = getElementType(slice.getType());
  if (partition.hasGroups() && zero::detail::isSlice(slice.getType()))
    slice = AllGatherOp::create(b, name(buckets[k], ".part"),
                                shardType(k, element, Extent::Part), slice,
                                symbol(k), over(Over::Groups));
  return AllGatherOp::create(b, loc, flatType(k, element), slice, symbol(k),
                             over(Over::Members));
}

/// Gathers the rank's slice of `value` into the rest of it.
Value ProgramBuilder::gatherInPlace(size_t k, Value value, Location loc) {
  if (partition.hasGroups())
    value = AllGatherOp::create(b, loc, value.getType(), value, symbol(k),
                                over(Over::Groups));
  if (zero::detail::isPart(value.getType()))
    return value;
  return AllGatherOp::create(b, loc, value.getType(), value, symbol(k),
                             over(Over::Members));
}

void ProgramBuilder::placeWhole() {
  b.setInsertionPointToStart(&block);
  for (auto [i, argument] : llvm::enumerate(partition.arguments)) {
    BlockArgument old = block.getArgument(argument);
    if (!old.use_empty() &&
        buckets[partition.layout.places[i].front().bucket].whole)
      old.replaceAllUsesWith(view(i, state[0]));
  }
}

void ProgramBuilder::placeSharded() {
  struct FirstUse {
    size_t parameter;
    Operation *user;
  };
  SmallVector<FirstUse> uses;
  for (auto [i, argument] : llvm::enumerate(partition.arguments)) {
    BlockArgument old = block.getArgument(argument);
    if (old.use_empty())
      continue;
    Operation *first = returned;
    for (Operation *user : old.getUsers())
      if (user->isBeforeInBlock(first))
        first = user;
    uses.push_back({i, first});
  }
  // The first use of any member emits the gather of its bucket.
  llvm::sort(uses, [](const FirstUse &a, const FirstUse &b) {
    return a.user == b.user ? a.parameter < b.parameter
                            : a.user->isBeforeInBlock(b.user);
  });
  SmallVector<Value> gathered(buckets.size());
  for (auto [i, user] : uses) {
    b.setInsertionPoint(user);
    for (auto [k, m] : partition.layout.places[i])
      if (!gathered[k])
        gathered[k] = gather(k);
    block.getArgument(partition.arguments[i])
        .replaceAllUsesWith(view(i, gathered));
  }
}

void ProgramBuilder::placeParameters() {
  unpackParameters();
  placeWhole();
  placeSharded();
}
