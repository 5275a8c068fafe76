//===- GradientReductions.cpp - Flattens and reduces gradients ------------===//
//
// Buckets are packed where the last of their gradients is finished, so that
// reductions run in parallel with the rest of the backward.  Gradients are
// computed inside the flat gradient, or are cut without a copy.
//
// A gradient that is added to a whole bucket's sum over micro-steps is added to
// its member of the sum.  A product computes it there, and others are added
// where they are finished:
//
//                                   %w = zero.view %sum[@b0, "w"]
//                                   %b = zero.view %sum[@b0, "b"]
//   %dw = nn.matmul %dy, %x      => %dw = nn.matmul %dy, %x init(%w) {scale}
//   %db = zero.launch @k(%dy)       %db = zero.launch @k(%dy)
//                                   %b1 = zero.accumulate %b, %db {scale}
//   flatten %dw, %db                flatten %dw, %b1, in the bytes of the sum
//
// All views stand before the first product, since it overwrites a part of the
// sum.
//
//===----------------------------------------------------------------------===//

#include "passes/partition/ProgramBuilder.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/BucketUse.h"

using namespace mlir;
using namespace mlir::zero;

/// The returned values are the loss and the gradients of the trained
/// parameters, in order.
Value ProgramBuilder::gradientOf(unsigned parameter, int64_t micro) {
  auto before = ArrayRef(partition.layout.places).take_front(parameter);
  int64_t place = 1 + llvm::count_if(before, [&](ArrayRef<LayoutPlace> places) {
                    return !buckets[places.front().bucket].frozen;
                  });
  return returned.getOperand(place * partition.microStepsAtOnce() + micro);
}

/// The operation that finishes the last of a bucket's gradients; null if one is
/// an argument.
Operation *ProgramBuilder::findLastGradient(const LayoutBucket &bucket,
                                            int64_t micro) {
  Operation *last = nullptr;
  for (const LayoutMember &member : bucket.members) {
    Operation *def = gradientOf(member.parameter, micro).getDefiningOp();
    if (!def)
      return nullptr;
    if (!last || last->isBeforeInBlock(def))
      last = def;
  }
  return last;
}

/// A member's rows of the gradient of its parameter.
Value ProgramBuilder::rowsOf(const LayoutMember &of, Value gradient) {
  const MemberAttr member = of.attr;
  if (!member.isPiece())
    return gradient;
  auto type = cast<RankedTensorType>(gradient.getType());
  return SplitOp::create(
      b, name(member.getName().getValue() + ".grad"),
      RankedTensorType::get(member.getShape(), type.getElementType()), gradient,
      member.getFirstRow());
}

Value ProgramBuilder::flatten(size_t k, int64_t micro, Type type,
                              ArrayRef<Value> parts) {
  auto flat =
      FlattenOp::create(b, name(buckets[k], ".flat"), type, parts, symbol(k));
  if (IntegerAttr attr = microAttr(micro))
    flat->setAttr(kMicroAttr, attr);
  return flat;
}

Value ProgramBuilder::flatten(size_t k, int64_t micro) {
  SmallVector<Value> parts;
  for (const LayoutMember &member : buckets[k].members)
    parts.push_back(rowsOf(member, gradientOf(member.parameter, micro)));
  return flatten(k, micro, flatType(k, partition.gradElement), parts);
}

/// The value to which the first gradient is added.
Value ProgramBuilder::beginSum(size_t k) {
  if (partition.hasSums())
    return state.back()[k];
  return ZerosOp::create(b, name(buckets[k], ".grad"),
                         shardType(k, partition.sumElement,
                                   partition.extentOf("grad", buckets[k])),
                         symbol(k));
}

/// The products that make up `gradient`, the last first: each but the last adds
/// to the one before it.  Empty if it is no such sum, or another operation
/// reads it, or a product begins at `after` or before.
static SmallVector<nn::MatmulOp> productsOf(Value gradient, Type sum,
                                            Operation *after) {
  SmallVector<nn::MatmulOp> products;
  while (gradient) {
    auto product = gradient.getDefiningOp<nn::MatmulOp>();
    if (!product || !gradient.hasOneUse() || product.getBias() ||
        getElementTypeOrSelf(gradient.getType()) != sum ||
        (after && product->isBeforeInBlock(after)))
      return {};
    products.push_back(product);
    gradient = product.getInit();
  }
  return products;
}

/// Adds the gradients of micro-step `micro` to `sum`, which is whole; without
/// one, they are the first.
Value ProgramBuilder::addTo(Value sum, size_t k, int64_t micro) {
  const double scale =
      1.0 / double(partition.ranks() == 1 ? partition.microSteps : 1);
  const OpBuilder::InsertPoint end = b.saveInsertionPoint();
  SmallVector<SmallVector<nn::MatmulOp>> products;
  Operation *first = nullptr;
  for (const auto &[parameter, member] : buckets[k].members) {
    products.push_back(member.isPiece()
                           ? SmallVector<nn::MatmulOp>()
                           : productsOf(gradientOf(parameter, micro),
                                        partition.sumElement,
                                        sum ? sum.getDefiningOp() : nullptr));
    if (Operation *one =
            products.back().empty() ? nullptr : products.back().back())
      first = !first || one->isBeforeInBlock(first) ? one : first;
  }
  if (first)
    b.setInsertionPoint(first);
  if (!sum)
    sum = beginSum(k);
  SmallVector<Value> parts;
  for (const auto &[parameter, member] : buckets[k].members)
    parts.push_back(ViewOp::create(
        b, name(member.getName().getValue() + ".sum"),
        RankedTensorType::get(member.getShape(), partition.sumElement), sum,
        symbol(k), member.getName()));
  b.restoreInsertionPoint(end);
  for (auto [member, chain, part] :
       llvm::zip_equal(buckets[k].members, products, parts)) {
    Value gradient = gradientOf(member.parameter, micro);
    if (chain.empty()) {
      part = AccumulateOp::create(
          b, name(member.attr.getName().getValue() + ".sum"), part.getType(),
          part, rowsOf(member, gradient), b.getF64FloatAttr(scale));
      continue;
    }
    chain.back().getInitMutable().assign(part);
    if (scale != 1)
      for (nn::MatmulOp product : chain)
        product.setScaleAttr(b.getF64FloatAttr(scale));
    part = gradient;
  }
  return flatten(k, micro, sum.getType(), parts);
}

/// One reduction over ranks, or where they are in groups two: each level takes
/// the mean of its ranks, and the first of all micro-steps.  Adds to `sum` if
/// there is one.  Without `intoSlice` the last level is left out.
Value ProgramBuilder::reduceOverRanks(size_t k, Value sum, Value flat,
                                      bool inPlace, bool intoSlice) {
  Location loc = name(buckets[k], ".grad");
  auto typeOf = [&](Extent extent) {
    return inPlace ? flat.getType()
                   : shardType(k, getElementType(flat.getType()), extent);
  };
  auto reduce = [&](Value from, Type type, Value into, Over ranks,
                    int64_t parts) -> Value {
    // Members of a group are near each other.
    if (ranks == Over::Groups || !partition.hasGroups())
      from = quantize(k, from, partition.gradWire);
    return ReduceScatterOp::create(
        b, loc, into ? into.getType() : type, from, symbol(k), into,
        over(ranks), b.getF64FloatAttr(1.0 / double(parts)), UnitAttr());
  };
  const int64_t microSteps = partition.microSteps;
  if (!partition.hasGroups())
    return reduce(flat, typeOf(Extent::Slice), sum, Over::Members,
                  partition.ranks() * microSteps);
  const int64_t groups = partition.ranks() / partition.members();
  const bool addsParts = sum && zero::detail::isPart(sum.getType());
  Value part = reduce(flat, typeOf(Extent::Part), addsParts ? sum : Value(),
                      Over::Members, partition.members() * microSteps);
  if (addsParts)
    sums[k] = part;
  if (addsParts && !intoSlice)
    return part;
  Type type = inPlace
                  ? flat.getType()
                  : shardType(k, getElementType(part.getType()), Extent::Slice);
  return reduce(part, type, addsParts ? Value() : sum, Over::Groups, groups);
}

/// The sums of micro-steps that a program begins with.
SmallVector<Value> ProgramBuilder::sumsOf(size_t k) {
  SmallVector<Value> values;
  for (int64_t i = 0; i < partition.numSums(); ++i)
    values.push_back(state[firstSum + size_t(i)][k]);
  return values;
}

/// Adds up a micro-step's gradients in the tree of virtual shards: ranks, with
/// groups members before groups, and then micro-steps.  All in f32, and scaled
/// once, at the end.
Value ProgramBuilder::reduceInTree(size_t k, Value flat, bool isLast) {
  Location loc = name(buckets[k], ".grad");
  SmallVector<Value> before = sumsOf(k);
  FloatAttr one = b.getF64FloatAttr(1),
            mean = b.getF64FloatAttr(1.0 / double(partition.virtualShards));
  auto reduce = [&](Extent extent, Over ranks) {
    const bool isEnd = before.empty() && extent == Extent::Slice;
    flat = ReduceScatterOp::create(
        b, loc, shardType(k, partition.sumElement, extent), flat, symbol(k),
        Value(), over(ranks), isEnd ? mean : one, inTree());
  };
  if (partition.hasGroups())
    reduce(Extent::Part, Over::Members);
  if (partition.ranks() > 1)
    reduce(Extent::Slice, Over::Groups);
  if (before.empty())
    return flat;
  if (isLast)
    return SumLeavesOp::create(b, loc, before.front().getType(), flat,
                               symbol(k), before, mean);
  auto leaf = AddLeafOp::create(b, loc, ValueRange(before).getTypes(), flat,
                                symbol(k), before, scalars.lookup(kMicroStep));
  for (auto [i, sum] : llvm::enumerate(leaf.getNext()))
    next[firstSum + i][k] = sum;
  return leaf.getNext().front();
}

/// Adds the gradients of a micro-step to `sum`, that of the micro-steps before
/// it in this program, and reduces them over ranks: returns the sum so far, or
/// after the last micro-step the gradient of the update.
Value ProgramBuilder::reduce(size_t k, Value sum, int64_t micro, bool isLast) {
  const bool adds = partition.hasSums() || partition.isLayered;
  if (partition.virtualShards)
    return reduceInTree(k, flatten(k, micro), isLast);
  if (partition.scattersAtOnce()) {
    Value flat = flatten(k, micro);
    if (!sum && adds)
      sum = beginSum(k);
    return reduceOverRanks(k, sum, flat, /*inPlace=*/false, isLast);
  }
  Value flat = adds ? addTo(sum, k, micro) : flatten(k, micro);
  if (partition.ranks() == 1 || !isLast)
    return flat;
  if (partition.gradWire)
    sums[k] = flat;
  return reduceOverRanks(k, Value(), flat, /*inPlace=*/!partition.gradWire,
                         /*intoSlice=*/true);
}

/// Emits the squares of the gradient `flat`, and gathers it if the update needs
/// all of it.
void ProgramBuilder::finishGradient(size_t k, Value flat) {
  const int64_t segments = partition.numSegments();
  auto type = RankedTensorType::get(
      {segments * SumSquaresOp::getNumBlocks(partition.buckets[k],
                                             partition.ranks() * segments)},
      b.getF64Type());
  partials[k] =
      SumSquaresOp::create(b, name(buckets[k], ".squares"), type, flat,
                           symbol(k), b.getI64IntegerAttr(segments));
  // The sum, where the update reads a copy of it.
  if (partition.virtualShards)
    sums[k] = flat;
  if (partition.ranks() > 1 && partition.stage == 0) {
    Location loc = name(buckets[k], ".grad");
    flat = zero::detail::isSlice(flat.getType()) ? gatherWhole(k, flat, loc)
                                                 : gatherInPlace(k, flat, loc);
  }
  gradients[k] = flat;
  // What a step ends with as zeros: a part, or the gradient itself.
  if (!sums[k])
    sums[k] = flat;
}

void ProgramBuilder::emitGradients(bool isLast) {
  int64_t microSteps = partition.microStepsAtOnce();
  // By bucket, then micro-step: the operation that finishes the gradients.
  SmallVector<SmallVector<Operation *>> finished;
  for (const LayoutBucket &bucket : buckets) {
    finished.emplace_back();
    if (bucket.frozen)
      continue;
    for (int64_t micro = 0; micro < microSteps; ++micro)
      finished.back().push_back(findLastGradient(bucket, micro));
  }
  // By micro-step: the operation that the next piece of a parameter follows;
  // null: at the end.
  SmallVector<Operation *> after(microSteps);
  partials.resize(buckets.size());
  gradients.resize(buckets.size());
  sums.resize(buckets.size());
  for (auto [k, bucket] : llvm::enumerate(buckets)) {
    if (bucket.frozen)
      continue;
    // A piece follows the previous one.
    if (!bucket.continuesParameter())
      after = finished[k];
    Value flat;
    for (int64_t micro = 0; micro < microSteps; ++micro) {
      Operation *place = after[micro];
      // Sums add the micro-steps in order.
      if (place && flat && place->isBeforeInBlock(flat.getDefiningOp()))
        place = flat.getDefiningOp();
      b.setInsertionPoint(returned);
      if (place)
        b.setInsertionPointAfter(place);
      bool isLastOfAll = isLast && micro + 1 == microSteps;
      flat = reduce(k, flat, micro, isLastOfAll);
      if (isLastOfAll)
        finishGradient(k, flat);
      after[micro] = &*std::prev(b.getInsertionPoint());
    }
    if (!isLast && !partition.virtualShards)
      next.back()[k] = flat;
  }
}
