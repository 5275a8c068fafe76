//===- SplitModel.cpp - Ranks that share a sequence compute the model -----===//
//
// (V15) A model that C ranks compute together keeps its forward twice: @whole,
// as it was, and @split, what each rank computes.  Every value of @split stands
// for one of @whole, of which a rank has
//
//   all of it         the same on all C ranks
//   a part            along one dimension, cut into parts of one size in the
//                     order of the ranks; or, with m copies, index i of it is
//                     on the ranks m i to m i + m - 1, one on each
//   an addend         the value is the sum over ranks, each divided by the
//                     number that all count together
//
//   * inputs and parameters are the same, and the one other argument is the
//     number of the rank.
//   * nn.part and nn.reshard change what a rank has, and not what that stands
//     for.
//   * any other operation stands for one of @whole with its name, attributes
//     and body, on what its operands stand for.  If it reads only what ranks
//     have whole, so is its result.  Else
//
//       elementwise, joins      one part of all operands
//       embedding               a part of the ids, of a whole table
//       linear, norms, softmax  a part of the rows; other operands whole
//       linalg.generic          one parallel loop is cut, whose index the body
//                               does not use; operands that it indexes, and by
//                               itself alone, have that part, others are whole
//       reshapes, slices        the cut dimension is not merged behind others,
//                               and not sliced
//       rope, attention         parts along the heads, in the same order; all
//                               positions
//       cross_entropy           a part of the rows of logits, targets and
//                               weights, without a count of its own: an addend
//
//   * @split returns an addend, for what @whole returns.
//
// Constants and fills of one value, and empty tensors, have no elements of
// their own: they stand for such ones of any size.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Rules.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/PlanPrograms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "passes/verify/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {

/// What a rank has of a value.
struct Held {
  enum Kind { All, Part, Addend } kind = All;
  int64_t dim = 0, copies = 1;
  bool operator==(const Held &) const = default;
};

/// Numbers of values: equal ones are the same value of @whole, but for free
/// ones, which have only an element type in common.
using Number = unsigned;
/// A name, attributes without sizes, and numbers of operands.
using Key = std::tuple<const void *, const void *, SmallVector<Number>>;

RankedTensorType tensorOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

class SplitModel {
public:
  SplitModel(int64_t ranks, func::FuncOp whole, func::FuncOp split)
      : ranks(ranks), whole(whole), split(split) {}

  LogicalResult run() {
    for (auto [mine, its] :
         llvm::zip(split.getArguments(), whole.getArguments()))
      numbers[mine] = numbers[its] = nextNumber++;
    rank = split.getArguments().back();
    for (Operation &op : whole.front().without_terminator())
      enter(&op);
    for (Operation &op : split.front().without_terminator())
      if (failed(visit(&op)))
        return failure();
    Value returned = split.front().getTerminator()->getOperand(0),
          expected = whole.front().getTerminator()->getOperand(0);
    if (numbers.lookup(returned) == numbers.lookup(expected) &&
        shares.lookup(returned).kind == Held::Addend)
      return success();
    return split.front().getTerminator()->emitOpError("returns ") // (V15)
           << judge::describe(returned)
           << ", which is not the rank's addend of what @whole returns (V15)";
  }

private:
  const int64_t ranks;
  func::FuncOp whole, split;
  Value rank; ///< the number of the rank
  DenseMap<Value, Number> numbers;
  DenseMap<Value, Held> shares; ///< of values of @split
  DenseSet<Value> free;
  Number nextNumber = 1;
  std::map<Key, SmallVector<Operation *>> operations; ///< of @whole
  std::map<std::pair<const void *, const void *>, Number> freeNumbers;

  //===--------------------------------------------------------------------===//
  // What stands for what
  //===--------------------------------------------------------------------===//

  Number numberOf(Value value) { return numbers.lookup(value); }

  /// Numbers `op` if its result is free.
  bool enterFree(Operation *op) {
    if (op->getNumResults() != 1)
      return false;
    Attribute value;
    Value result = op->getResult(0);
    bool isFree = true;
    if (auto fill = dyn_cast<linalg::FillOp>(op)) {
      if (!matchPattern(fill.getInputs()[0], m_Constant(&value)))
        return false;
    } else if (isa<tensor::EmptyOp>(op)) {
      value = TypeAttr::get(getElementTypeOrSelf(result.getType()));
    } else if (matchPattern(result, m_Constant(&value))) {
      auto all = dyn_cast<DenseElementsAttr>(value);
      isFree = all && all.isSplat();
      if (isFree)
        value = all.getSplatValue<Attribute>();
    } else {
      return false;
    }
    const void *kind = op->getName().getAsOpaquePointer();
    auto [known, isNew] =
        freeNumbers.try_emplace({kind, value.getAsOpaquePointer()}, nextNumber);
    nextNumber += isNew ? 1 : 0;
    numbers[result] = known->second;
    if (isFree)
      free.insert(result);
    return true;
  }

  /// What `op` computes, but for its body, of what its operands stand for.
  Key keyOf(Operation *op) {
    NamedAttrList attributes(op->getAttrDictionary());
    if (isa<tensor::ExpandShapeOp>(op))
      attributes.erase("static_output_shape");
    if (isa<tensor::ExtractSliceOp>(op))
      attributes.erase("static_sizes");
    SmallVector<Number> operands;
    for (Value operand : op->getOperands())
      operands.push_back(numberOf(operand));
    return {op->getName().getAsOpaquePointer(),
            attributes.getDictionary(op->getContext()).getAsOpaquePointer(),
            operands};
  }

  /// Whether the bodies are the same, and read values from outside that are.
  bool haveOneBody(Operation *a, Operation *b) {
    if (a->getNumRegions() == 0)
      return true;
    DenseMap<Value, Value> same;
    auto check = [&](Value x, Value y) {
      auto inside = same.find(x);
      return success(inside != same.end()
                         ? inside->second == y
                         : numberOf(x) != 0 && numberOf(x) == numberOf(y));
    };
    return OperationEquivalence::isRegionEquivalentTo(
        &a->getRegion(0), &b->getRegion(0), check,
        [&](Value x, Value y) { same[x] = y; },
        OperationEquivalence::IgnoreLocations);
  }

  /// Numbers the results of an operation of @whole.
  void enter(Operation *op) {
    if (enterFree(op))
      return;
    SmallVector<Operation *> &known = operations[keyOf(op)];
    for (Operation *other : known)
      if (other->getResultTypes() == op->getResultTypes() &&
          haveOneBody(other, op)) {
        for (auto [mine, its] :
             llvm::zip_equal(op->getResults(), other->getResults()))
          numbers[mine] = numberOf(its);
        return;
      }
    known.push_back(op);
    for (Value result : op->getResults())
      numbers[result] = nextNumber++;
  }

  InFlightDiagnostic error(Operation *op, const Twine &what) {
    return op->emitOpError(what) << " (V15)";
  }

  /// The type of what a rank has of a value of `type`; null if that is no
  /// number of indices.
  RankedTensorType typeOf(RankedTensorType type, Held share) {
    if (share.kind != Held::Part)
      return type;
    SmallVector<int64_t> shape(type.getShape());
    int64_t &size = shape[share.dim];
    if (size * share.copies % ranks != 0 ||
        (share.copies > 1 && size * share.copies != ranks))
      return {};
    size = size * share.copies / ranks;
    return type.clone(shape);
  }

  //===--------------------------------------------------------------------===//
  // Operations of @split
  //===--------------------------------------------------------------------===//

  LogicalResult visit(Operation *op) {
    if (auto part = dyn_cast<nn::PartOp>(op))
      return visitPart(part);
    if (auto reshard = dyn_cast<nn::ReshardOp>(op))
      return visitReshard(reshard);
    if (enterFree(op))
      return success();
    auto known = operations.find(keyOf(op));
    if (known == operations.end()) // (V15)
      return error(op, "stands for no operation of @whole");
    StringRef why = "has another body or other sizes than in @whole";
    for (Operation *of : known->second) {
      if (!haveOneBody(of, op))
        continue;
      std::optional<Held> share = shareOf(op, of);
      if (!share) {
        why = "does not compute on a part what @whole computes on all";
        continue;
      }
      bool fits = true;
      for (auto [mine, its] :
           llvm::zip_equal(op->getResults(), of->getResults()))
        fits &=
            tensorOf(mine) && tensorOf(mine) == typeOf(tensorOf(its), *share);
      if (!fits)
        continue;
      for (auto [mine, its] :
           llvm::zip_equal(op->getResults(), of->getResults())) {
        numbers[mine] = numberOf(its);
        shares[mine] = *share;
      }
      return success();
    }
    InFlightDiagnostic diagnostic = error(op, why); // (V15)
    for (Operation *of : known->second)
      diagnostic.attachNote(of->getLoc()) << "the operation of @whole";
    return diagnostic;
  }

  /// Makes `result` the `share` of what `value` stands for.
  void stand(Value result, Value value, Held share) {
    numbers[result] = numberOf(value);
    shares[result] = share;
  }

  LogicalResult visitPart(nn::PartOp op) {
    const Held share = {Held::Part, int64_t(op.getDim()), 1};
    if (op.getNumber() != rank || shares.lookup(op.getX()).kind != Held::All ||
        op.getResult().getType() != typeOf(op.getX().getType(), share)) // (V15)
      return error(op, "takes no part of a value that all ranks have, by the "
                       "rank's own number");
    stand(op.getResult(), op.getX(), share);
    return success();
  }

  LogicalResult visitReshard(nn::ReshardOp op) {
    const Held has = shares.lookup(op.getX()),
               share = {Held::Part, int64_t(op.getTo()),
                        int64_t(op.getCopies().value_or(1))};
    if (has != Held{Held::Part, int64_t(op.getFrom()), 1} || op.getSums() ||
        op.getParts() != ranks) // (V15)
      return error(op, "exchanges what ranks have in other parts");
    stand(op.getResult(), op.getX(), share);
    return success();
  }

  /// Whether `value` is that share of one of `type` in @whole.
  bool has(Value value, RankedTensorType type, Held share) {
    return free.contains(value) ? tensorOf(value) == typeOf(type, share)
                                : shares.lookup(value) == share;
  }
  bool has(Operation *op, unsigned i, RankedTensorType type, Held share) {
    return has(op->getOperand(i), type, share);
  }

  /// What a rank has of operand `i`; of a free one, by its sizes.
  Held operandShare(Operation *op, Operation *of, unsigned i) {
    Value value = op->getOperand(i);
    RankedTensorType type = tensorOf(of->getOperand(i));
    if (!free.contains(value) || !type)
      return shares.lookup(value);
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (Held part = {Held::Part, dim, 1}; has(value, type, part))
        return part;
    return {};
  }

  /// What a rank has of the results of `op`, which is `of` in @whole; nothing
  /// if that is not known.
  std::optional<Held> shareOf(Operation *op, Operation *of) {
    // The first operand that ranks do not have whole.
    Held first;
    unsigned at = 0;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (Held share = operandShare(op, of, i);
          share.kind != Held::All && first.kind == Held::All) {
        first = share;
        at = i;
      }
    bool readsParts = false;
    for (Region &region : op->getRegions())
      region.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          readsParts |= shares.lookup(operand).kind != Held::All;
      });
    if (readsParts || !isMemoryEffectFree(op))
      return std::nullopt;
    // Whether all operands but the first `count` are whole.
    auto restIsWhole = [&](unsigned count) {
      for (unsigned i = count; i < op->getNumOperands(); ++i)
        if (!has(op, i, tensorOf(of->getOperand(i)), {}))
          return false;
      return true;
    };
    if (first.kind == Held::All)
      return restIsWhole(0) ? std::optional(Held()) : std::nullopt;
    if (first.kind == Held::Addend)
      return std::nullopt;
    const bool isFirst = at == 0;
    return llvm::TypeSwitch<Operation *, std::optional<Held>>(op)
        .Case<nn::LinearOp, nn::RmsNormOp, nn::LayerNormOp, nn::SetMagnitudesOp,
              nn::SoftmaxOp>([&](auto) {
          const int64_t last = tensorOf(op->getOperand(0)).getRank() - 1;
          return isFirst && first.dim != last && restIsWhole(1)
                     ? std::optional(first)
                     : std::nullopt;
        })
        .Case([&](nn::EmbeddingOp) {
          return isFirst && restIsWhole(1) ? std::optional(first)
                                           : std::nullopt;
        })
        .Case([&](nn::RopeOp) {
          return isFirst && first.dim == 2 && restIsWhole(1)
                     ? std::optional(first)
                     : std::nullopt;
        })
        .Case([&](nn::AttentionOp attention) -> std::optional<Held> {
          const Held keys = operandShare(op, of, 1);
          if (!isFirst || first != Held{Held::Part, 2, 1} ||
              keys.kind != Held::Part || keys.dim != 2 ||
              !has(op, 2, tensorOf(of->getOperand(2)), keys) ||
              attention.getKeys() || !restIsWhole(3))
            return std::nullopt;
          return first;
        })
        .Case([&](nn::CrossEntropyOp loss) -> std::optional<Held> {
          const unsigned rows = 2 + (loss.getWeights() ? 1 : 0);
          bool fits = isFirst && first.copies == 1 && !loss.isOfRows() &&
                      !loss.getCount() && !loss.getLse() &&
                      first.dim < tensorOf(loss.getTargets()).getRank();
          for (unsigned i = 1; i < rows; ++i)
            fits = fits && has(op, i, tensorOf(of->getOperand(i)), first);
          return fits ? std::optional(Held{Held::Addend}) : std::nullopt;
        })
        .Case([&](linalg::GenericOp generic) {
          return shareOfGeneric(generic, of, first, at);
        })
        .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
            [&](auto reshape) { return shareOfReshape(reshape, of, first); })
        .Case([&](tensor::ExtractSliceOp slice) -> std::optional<Held> {
          auto all = cast<tensor::ExtractSliceOp>(of);
          const int64_t size = all.getSourceType().getDimSize(first.dim);
          if (first.copies != 1 || !restIsWhole(1) ||
              all.getType().getRank() != all.getSourceType().getRank() ||
              all.getStaticOffsets()[first.dim] != 0 ||
              all.getStaticStrides()[first.dim] != 1 ||
              all.getStaticSizes()[first.dim] != size)
            return std::nullopt;
          return first;
        })
        .Default([&](Operation *) -> std::optional<Held> {
          auto concat = dyn_cast<tensor::ConcatOp>(op);
          if (!concat && !OpTrait::hasElementwiseMappableTraits(op) &&
              !isa<nn::SiluOp, nn::GeluOp, nn::DetachOp>(op))
            return std::nullopt;
          if (concat && int64_t(concat.getDim()) == first.dim)
            return std::nullopt;
          for (unsigned i = 0; i < op->getNumOperands(); ++i)
            if (!has(op, i, tensorOf(of->getOperand(i)), first))
              return std::nullopt;
          return first;
        });
  }

  std::optional<Held> shareOfGeneric(linalg::GenericOp op, Operation *of,
                                     Held first, unsigned at) {
    auto cut = dyn_cast<AffineDimExpr>(
        op.getMatchingIndexingMap(&op->getOpOperand(at)).getResult(first.dim));
    if (!cut || first.copies != 1 || op.getNumResults() != 1 ||
        op.getIteratorTypesArray()[cut.getPosition()] !=
            utils::IteratorType::parallel)
      return std::nullopt;
    const unsigned loop = cut.getPosition();
    bool usesIndex = false;
    op.getRegion().walk(
        [&](linalg::IndexOp index) { usesIndex |= index.getDim() == loop; });
    if (usesIndex)
      return std::nullopt;
    Held result;
    for (OpOperand &operand : op->getOpOperands()) {
      const unsigned i = operand.getOperandNumber();
      Held share;
      for (auto [dim, place] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
        if (!place.isFunctionOfDim(loop))
          continue;
        if (place != cut || share.kind != Held::All)
          return std::nullopt;
        share = {Held::Part, int64_t(dim), 1};
      }
      if (RankedTensorType type = tensorOf(of->getOperand(i));
          !type || !has(op, i, type, share))
        return std::nullopt;
      if (op.isDpsInit(&operand))
        result = share;
    }
    return result;
  }

  template <typename ReshapeOp>
  std::optional<Held> shareOfReshape(ReshapeOp op, Operation *of, Held first) {
    auto all = cast<ReshapeOp>(of);
    const bool expands = isa<tensor::ExpandShapeOp>(of);
    RankedTensorType longer = expands ? all.getResultType() : all.getSrcType();
    for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
      const bool isHere = expands ? int64_t(dim) == first.dim
                                  : llvm::is_contained(group, first.dim);
      if (!isHere || first.copies != 1)
        continue;
      // Of the longer shape, the first dimension with several indices is cut.
      int64_t cut = group.front();
      for (int64_t other : llvm::reverse(group))
        if (longer.getDimSize(other) > 1)
          cut = other;
      if (expands)
        return Held{Held::Part, cut, 1};
      if (cut != first.dim)
        return std::nullopt;
      return Held{Held::Part, int64_t(dim), 1};
    }
    return std::nullopt;
  }
};

/// Whether an argument of a step is that of @whole or @split, in the same bytes
/// of memory or not.
bool isSameArgument(func::FuncOp a, func::FuncOp b, unsigned i) {
  auto x = dyn_cast<RankedTensorType>(a.getArgument(i).getType()),
       y = dyn_cast<RankedTensorType>(b.getArgument(i).getType());
  return x && y && x.getShape() == y.getShape() &&
         x.getElementType() == y.getElementType() &&
         a.getArgAttrDict(i) == b.getArgAttrDict(i);
}

} // namespace

LogicalResult judge::judgeSplit(ModuleOp plan, ModuleOp model) {
  const int64_t ranks = getContextSize(plan);
  ModuleOp kept = findContext(model);
  if ((ranks > 1) != (kept != nullptr)) // (V15)
    return model.emitError(kept
                               ? "keeps a model that ranks share, and no ranks "
                                 "of the plan share sequences (V15)"
                               : "keeps no @whole and @split of ranks that "
                                 "share sequences (V15)");
  if (!kept)
    return success();
  auto whole = kept.lookupSymbol<func::FuncOp>(kWhole),
       split = kept.lookupSymbol<func::FuncOp>(kSplit),
       step = model.lookupSymbol<func::FuncOp>("step");
  for (func::FuncOp one : {whole, split, step})
    if (!one || !one.getBody().hasOneBlock() ||
        one.front().getTerminator()->getNumOperands() == 0) // (V15)
      return kept.emitError("has no functions @whole and @split of one block, "
                            "beside @step (V15)");
  const unsigned count = whole.getNumArguments();
  bool fits =
      split.getNumArguments() == count + 1 && step.getNumArguments() > count;
  for (unsigned i = 0; fits && i <= count; ++i)
    fits = isSameArgument(split, step, i) &&
           (i == count || isSameArgument(whole, step, i));
  auto scalar = fits ? split.getArgAttrOfType<StringAttr>(count, kScalarAttr)
                     : StringAttr();
  if (!scalar || scalar != kContext) // (V15)
    return split.emitOpError(
        "has other arguments than @whole and @step, beside "
        "the scalar context (V15)");
  return SplitModel(ranks, whole, split).run();
}
