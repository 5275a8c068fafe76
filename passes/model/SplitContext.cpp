//===- SplitContext.cpp - Lets ranks share each sequence ------------------===//
//
// One walk in program order.  A tensor is whole on every rank, or cut along one
// dimension, of which each of the C ranks has its part:
//
//   embedding of positions     reads its part of the ids
//   linear, norm, elementwise,
//   generic, reshape           as their operands are cut, along a loop that is
//                              parallel and has no index; whole operands that
//                              the loop reads are cut, too
//   rope, attention            of all positions, cut along heads; attention's
//                              result goes back to positions
//   cross_entropy              cut along positions: the sum of this rank
//
// Where an operation needs a tensor cut along another dimension, it is
// resharded, once; one that is widened from 16 bits before.  Fewer heads of
// keys than ranks are copied.  All else that is cut is refused.
//
//===----------------------------------------------------------------------===//

#include "passes/model/ModelFunction.h"
#include "passes/model/Passes.h"

#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::zero {
#define GEN_PASS_DEF_SPLITCONTEXT
#include "passes/model/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Where a tensor's elements are.
struct Layout {
  enum Kind { Whole, Cut, Sum };
  Kind kind = Whole;
  int64_t dim = 0;    ///< that is cut
  int64_t copies = 1; ///< ranks that have an index of it
  bool operator==(const Layout &) const = default;
};

RankedTensorType typeOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

class Splitter {
public:
  Splitter(func::FuncOp model, int64_t parts)
      : model(model), parts(parts), b(model.getContext()) {}

  LogicalResult run() {
    if (failed(findPositions()))
      return failure();
    const unsigned place = model.getNumArguments();
    auto scalar = RankedTensorType::get({}, b.getI64Type());
    (void)model.insertArgument(place, scalar,
                               b.getDictionaryAttr(b.getNamedAttr(
                                   kScalarAttr, b.getStringAttr(kContext))),
                               model.getLoc());
    number = model.getArgument(place);
    Block &body = model.front();
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
      if (failed(split(&op)))
        return failure();
    Operation *returned = body.getTerminator();
    if (layoutOf(returned->getOperand(0)).kind != Layout::Sum)
      return returned->emitError(
                 "returns a loss that is not the mean of one "
                 "nn.cross_entropy over positions, and --context=")
             << parts << " cuts these; drop it";
    eraseDead(body);
    return success();
  }

private:
  func::FuncOp model;
  const int64_t parts;
  OpBuilder b;
  Value number;          ///< of this rank
  int64_t positions = 0; ///< of a sequence
  DenseMap<Value, Layout> layouts;
  /// Values that were made of others in another layout.
  DenseMap<std::pair<Value, int64_t>, Value> known;

  /// The positions of a sequence are those of the input tokens.
  LogicalResult findPositions() {
    for (BlockArgument argument : model.getArguments())
      if (auto name = model.getArgAttrOfType<StringAttr>(
              argument.getArgNumber(), kInputAttr);
          name && name == "tokens" && typeOf(argument) &&
          typeOf(argument).getRank() == 2)
        positions = typeOf(argument).getDimSize(1);
    if (positions == 0)
      return model.emitError("has no input tokens of [batch, positions], whose "
                             "positions --context=")
             << parts << " cuts; drop it";
    if (positions % parts != 0)
      return model.emitError("has sequences of ")
             << positions << " positions, which --context=" << parts
             << " does not divide; import it with another --seq, or take a "
                "divisor";
    return success();
  }

  Layout layoutOf(Value value) const { return layouts.lookup(value); }
  bool isCut(Value value) const {
    return layoutOf(value).kind != Layout::Whole;
  }
  static Layout cutAlong(int64_t dim, int64_t copies = 1) {
    return {Layout::Cut, dim, copies};
  }

  LogicalResult refuse(Operation *op, const Twine &why) {
    return op->emitError() << "'" << op->getName() << "' " << why
                           << ", so --context=" << parts
                           << " cannot cut it; drop the option";
  }

  RankedTensorType sized(RankedTensorType type, int64_t dim, int64_t size) {
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = size;
    return type.clone(shape);
  }

  /// The type of a whole tensor of `type` on a rank.
  RankedTensorType local(RankedTensorType type, int64_t dim) {
    return sized(type, dim, type.getDimSize(dim) / parts);
  }

  //===--------------------------------------------------------------------===//
  // Other layouts
  //===--------------------------------------------------------------------===//

  /// `value`, which is whole, cut along `dim`.
  Value cut(Value value, int64_t dim) {
    RankedTensorType type = local(typeOf(value), dim);
    DenseElementsAttr constant;
    if (matchPattern(value, m_Constant(&constant)) && constant.isSplat())
      return arith::ConstantOp::create(
          b, value.getLoc(),
          DenseElementsAttr::get(type, constant.getSplatValue<Attribute>()));
    if (value.getDefiningOp<tensor::EmptyOp>())
      return tensor::EmptyOp::create(b, value.getLoc(), type.getShape(),
                                     type.getElementType());
    if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
      Value init = cut(fill.getOutputs()[0], dim);
      return linalg::FillOp::create(b, value.getLoc(), fill.getInputs(),
                                    ValueRange(init))
          .getResult(0);
    }
    if (auto generic = value.getDefiningOp<linalg::GenericOp>())
      if (Value part = cutGeneric(generic, dim))
        return part;
    return nn::PartOp::create(b, value.getLoc(), type, value,
                              b.getI64IntegerAttr(dim), number);
  }

  /// The part along `dim` of what `op` computes of whole operands, such as
  /// positions that are the same in all sequences, without the rest; null if
  /// that needs all of them.
  Value cutGeneric(linalg::GenericOp op, int64_t dim) {
    auto expr = dyn_cast<AffineDimExpr>(
        op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResult(dim));
    if (!expr || op.getNumResults() != 1 || op.hasIndexSemantics() ||
        op.getNumReductionLoops() > 0)
      return {};
    SmallVector<int64_t> places;
    for (OpOperand &operand : op->getOpOperands()) {
      FailureOr<int64_t> place =
          placeOf(op.getMatchingIndexingMap(&operand), expr.getPosition());
      if (failed(place))
        return {};
      places.push_back(*place);
    }
    SmallVector<Value> operands(op->getOperands());
    for (auto [operand, place] : llvm::zip_equal(operands, places))
      if (place >= 0)
        operand = cut(operand, place);
    Operation *part = b.clone(*op);
    part->setOperands(operands);
    part->getResult(0).setType(part->getOperands().back().getType());
    return part->getResult(0);
  }

  /// `value`, which is cut along `from`, cut along `to`, where it is whole.
  Value reshard(Value value, int64_t from, int64_t to, int64_t copies) {
    RankedTensorType type = typeOf(value);
    type = sized(type, from, type.getDimSize(from) * parts);
    type = sized(type, to, type.getDimSize(to) * copies / parts);
    return nn::ReshardOp::create(
        b, value.getLoc(), type, value, b.getI64IntegerAttr(from),
        b.getI64IntegerAttr(to),
        copies > 1 ? b.getI64IntegerAttr(copies) : IntegerAttr(),
        IntegerAttr());
  }

  /// `value` as it is for `op`, cut along `dim`, of which an index is on so
  /// many ranks; null after an error.
  Value inLayout(Operation *op, Value value, int64_t dim, int64_t copies = 1) {
    const Layout has = layoutOf(value), wanted = cutAlong(dim, copies);
    if (has == wanted)
      return value;
    if (has.kind == Layout::Sum || has.copies != 1 ||
        (has.kind == Layout::Cut && has.dim == dim)) {
      (void)refuse(op, "reads what ranks have in other parts");
      return {};
    }
    const int64_t extent = typeOf(value).getDimSize(dim);
    if (extent * copies % parts != 0 ||
        (has.kind == Layout::Whole && copies > 1)) {
      (void)refuse(op, "reads " + Twine(extent) + " indices of dimension " +
                           Twine(dim) + ", which the ranks do not divide");
      return {};
    }
    Value &made = known[{value, dim}];
    if (made)
      return made;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(value);
    if (has.kind == Layout::Whole) {
      made = cut(value, dim);
    } else if (Value narrow = nn::getWidened(value)) {
      // Half as many bytes are exchanged.
      Value other = reshard(narrow, has.dim, dim, copies);
      layouts[other] = wanted;
      made = nn::widen(b, value.getLoc(), other);
    } else {
      made = reshard(value, has.dim, dim, copies);
    }
    layouts[made] = wanted;
    return made;
  }

  LogicalResult setLayout(OpOperand &operand, int64_t dim, int64_t copies = 1) {
    Value value = inLayout(operand.getOwner(), operand.get(), dim, copies);
    if (value)
      operand.set(value);
    return success(value != nullptr);
  }

  /// Gives the result of `op` the sizes of a tensor that is cut along `dim`.
  void setResult(Operation *op, int64_t dim, int64_t copies = 1) {
    for (Value result : op->getResults()) {
      layouts[result] = cutAlong(dim, copies);
      RankedTensorType type = typeOf(result);
      result.setType(sized(type, dim, type.getDimSize(dim) * copies / parts));
    }
  }

  //===--------------------------------------------------------------------===//
  // Operations
  //===--------------------------------------------------------------------===//

  LogicalResult split(Operation *op) {
    b.setInsertionPoint(op);
    if (auto lookup = dyn_cast<nn::EmbeddingOp>(op))
      return splitEmbedding(lookup);
    bool any = false;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        any |= isCut(operand);
    });
    if (isa<nn::DropoutOp>(op) ||
        (isa<nn::AttentionOp>(op) && cast<nn::AttentionOp>(op).getKeys()))
      return refuse(op, "draws for each position of a sequence");
    if (!any)
      return success(); // it computes the same on all ranks
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<nn::LinearOp, nn::RmsNormOp, nn::LayerNormOp, nn::SetMagnitudesOp,
              nn::SoftmaxOp>([&](auto row) { return splitRows(row); })
        .Case([&](nn::RopeOp rope) { return splitRope(rope); })
        .Case([&](nn::AttentionOp attention) {
          return splitAttention(attention);
        })
        .Case([&](nn::CrossEntropyOp loss) { return splitLoss(loss); })
        .Case([&](linalg::GenericOp generic) { return splitGeneric(generic); })
        .Case([&](tensor::ExpandShapeOp expand) { return splitExpand(expand); })
        .Case([&](tensor::CollapseShapeOp collapse) {
          return splitCollapse(collapse);
        })
        .Case([&](tensor::ExtractSliceOp slice) { return splitSlice(slice); })
        .Case([&](tensor::ConcatOp concat) { return splitElements(concat); })
        .Default([&](Operation *) {
          return OpTrait::hasElementwiseMappableTraits(op) ||
                         isa<nn::SiluOp, nn::GeluOp, nn::DetachOp>(op)
                     ? splitElements(op)
                     : refuse(op, "mixes positions");
        });
  }

  /// Ids of positions are cut; all other tables are looked up as a whole.
  LogicalResult splitEmbedding(nn::EmbeddingOp op) {
    if (isCut(op.getTable()))
      return refuse(op, "has a table of positions");
    RankedTensorType ids = op.getTokens().getType();
    if (!isCut(op.getTokens()) &&
        (ids.getRank() < 2 || ids.getDimSize(1) != positions))
      return success();
    const Layout cut =
        isCut(op.getTokens()) ? layoutOf(op.getTokens()) : cutAlong(1);
    if (failed(setLayout(op.getTokensMutable(), cut.dim, cut.copies)))
      return failure();
    setResult(op, cut.dim);
    return success();
  }

  /// Works on each row of its first operand by itself; the others are whole.
  LogicalResult splitRows(Operation *op) {
    const Layout cut = layoutOf(op->getOperand(0));
    if (cut.kind != Layout::Cut ||
        cut.dim == typeOf(op->getOperand(0)).getRank() - 1 ||
        llvm::any_of(op->getOperands().drop_front(),
                     [&](Value other) { return isCut(other); }))
      return refuse(op, "works on rows that ranks share");
    setResult(op, cut.dim, cut.copies);
    return success();
  }

  /// Computes each element, or each one beside a dimension that is joined, of
  /// those of its operands.
  LogicalResult splitElements(Operation *op) {
    Layout cut;
    for (Value operand : op->getOperands())
      if (isCut(operand) && cut.kind == Layout::Whole)
        cut = layoutOf(operand);
    auto concat = dyn_cast<tensor::ConcatOp>(op);
    if (cut.kind != Layout::Cut ||
        (concat && int64_t(concat.getDim()) == cut.dim))
      return refuse(op, cut.kind == Layout::Sum
                            ? "computes with the loss, to which a model may "
                              "add others"
                            : "joins positions");
    for (OpOperand &operand : op->getOpOperands())
      if (typeOf(operand.get()).getRank() > 0 &&
          failed(setLayout(operand, cut.dim, cut.copies)))
        return failure();
    setResult(op, cut.dim, cut.copies);
    return success();
  }

  /// The ranks that have each of `heads`.
  FailureOr<int64_t> copiesOf(Operation *op, int64_t heads) {
    if (heads % parts == 0)
      return 1;
    if (parts % heads == 0 && heads < parts)
      return parts / heads;
    return refuse(op, "has " + Twine(heads) +
                          " heads, which neither divide the ranks nor are "
                          "divided by them");
  }

  LogicalResult setHeads(OpOperand &operand) {
    const Layout has = layoutOf(operand.get());
    if (has.kind == Layout::Cut && has.dim == 2)
      return success();
    FailureOr<int64_t> copies =
        copiesOf(operand.getOwner(), typeOf(operand.get()).getDimSize(2));
    return failed(copies) ? failure() : setLayout(operand, 2, *copies);
  }

  LogicalResult splitRope(nn::RopeOp op) {
    if (failed(setHeads(op.getXMutable())))
      return failure();
    setResult(op, 2, layoutOf(op.getX()).copies);
    return success();
  }

  LogicalResult splitAttention(nn::AttentionOp op) {
    const int64_t heads = op.getQ().getType().getDimSize(2) *
                          (layoutOf(op.getQ()) == cutAlong(2) ? parts : 1);
    if (heads % parts != 0)
      return refuse(op, "has " + Twine(heads) +
                            " heads, which are to be divided by the ranks");
    for (OpOperand *operand :
         {&op.getQMutable(), &op.getKMutable(), &op.getVMutable()})
      if (failed(setHeads(*operand)))
        return failure();
    setResult(op, 2);
    b.setInsertionPointAfter(op);
    Value back = reshard(op.getResult(), 2, 1, 1);
    layouts[back] = cutAlong(1);
    op.getResult().replaceAllUsesExcept(back, back.getDefiningOp());
    return success();
  }

  LogicalResult splitLoss(nn::CrossEntropyOp op) {
    const Layout cut = layoutOf(op.getLogits());
    if (cut.kind != Layout::Cut || cut.copies != 1 || op.isOfRows() ||
        op.getCount() || cut.dim == op.getLogits().getType().getRank() - 1)
      return refuse(op, "is no mean over positions");
    if (failed(setLayout(op.getTargetsMutable(), cut.dim)) ||
        (op.getWeights() &&
         failed(setLayout(op.getWeightsMutable()[0], cut.dim))))
      return failure();
    layouts[op.getLoss()] = {Layout::Sum};
    return success();
  }

  /// The place of `loop` in `map`; -1 if it is not there.  Fails if the loop is
  /// a part of an expression.
  static FailureOr<int64_t> placeOf(AffineMap map, unsigned loop) {
    int64_t place = -1;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      if (!expr.isFunctionOfDim(loop))
        continue;
      if (place >= 0 || !isa<AffineDimExpr>(expr))
        return failure();
      place = int64_t(i);
    }
    return place;
  }

  LogicalResult splitGeneric(linalg::GenericOp op) {
    std::optional<unsigned> loop;
    for (OpOperand &operand : op->getOpOperands()) {
      const Layout cut = layoutOf(operand.get());
      if (cut.kind == Layout::Whole || loop)
        continue;
      if (cut.kind == Layout::Sum)
        return refuse(op, "computes with the loss");
      AffineExpr read = op.getMatchingIndexingMap(&operand).getResult(cut.dim);
      auto expr = dyn_cast<AffineDimExpr>(read);
      if (!expr || cut != cutAlong(cut.dim))
        return refuse(op, "reads positions by an expression");
      loop = expr.getPosition();
    }
    bool hasIndex = false, captures = false;
    op.getRegion().walk([&](Operation *inner) {
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        hasIndex |= loop && index.getDim() == *loop;
      for (Value operand : inner->getOperands())
        captures |= isCut(operand);
    });
    if (!loop || captures || hasIndex ||
        op.getIteratorTypesArray()[*loop] != utils::IteratorType::parallel)
      return refuse(op, "computes with the number of a position, or mixes "
                        "them");
    for (OpOperand &operand : op->getOpOperands()) {
      FailureOr<int64_t> place =
          placeOf(op.getMatchingIndexingMap(&operand), *loop);
      if (failed(place))
        return refuse(op, "reads positions by an expression");
      if (*place < 0 ? isCut(operand.get())
                     : failed(setLayout(operand, *place)))
        return *place < 0 ? refuse(op, "mixes positions") : failure();
    }
    for (OpOperand &init : op.getDpsInitsMutable()) {
      Value result = op.getTiedOpResult(&init);
      result.setType(init.get().getType());
      layouts[result] = layoutOf(init.get());
    }
    return success();
  }

  void replace(Operation *op, Value with, int64_t dim, int64_t copies) {
    layouts[with] = cutAlong(dim, copies);
    op->getResult(0).replaceAllUsesWith(with);
    op->erase();
  }

  /// The first dimension of `group` of more than one index; the ranks have
  /// parts of it.
  static int64_t firstOf(ArrayRef<int64_t> group, RankedTensorType type) {
    for (int64_t dim : group)
      if (type.getDimSize(dim) > 1)
        return dim;
    return group.front();
  }

  LogicalResult splitExpand(tensor::ExpandShapeOp op) {
    const Layout cut = layoutOf(op.getSrc());
    RankedTensorType type = op.getResultType();
    const ReassociationIndices group = op.getReassociationIndices()[cut.dim];
    const int64_t dim = firstOf(group, type);
    if (cut.kind != Layout::Cut || cut.copies != 1 ||
        type.getDimSize(dim) % parts != 0)
      return refuse(op, "cuts positions in pieces");
    replace(op,
            tensor::ExpandShapeOp::create(b, op.getLoc(), local(type, dim),
                                          op.getSrc(),
                                          op.getReassociationIndices()),
            dim, 1);
    return success();
  }

  LogicalResult splitCollapse(tensor::CollapseShapeOp op) {
    const Layout cut = layoutOf(op.getSrc());
    RankedTensorType source = op.getSrcType(), type = op.getResultType();
    for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
      if (cut.kind != Layout::Cut || cut.copies != 1 ||
          !llvm::is_contained(group, cut.dim))
        continue;
      for (int64_t other : group)
        if (other < cut.dim && source.getDimSize(other) != 1)
          return refuse(op, "joins positions of several sequences");
      replace(op,
              tensor::CollapseShapeOp::create(
                  b, op.getLoc(), local(type, int64_t(dim)), op.getSrc(),
                  op.getReassociationIndices()),
              int64_t(dim), 1);
      return success();
    }
    return refuse(op, "joins what ranks have in other parts");
  }

  LogicalResult splitSlice(tensor::ExtractSliceOp op) {
    const Layout cut = layoutOf(op.getSource());
    RankedTensorType type = op.getType();
    if (cut.kind != Layout::Cut || cut.copies != 1 ||
        type.getRank() != op.getSourceType().getRank() ||
        op.getStaticOffsets()[cut.dim] != 0 ||
        op.getStaticSizes()[cut.dim] !=
            op.getSourceType().getDimSize(cut.dim) * parts)
      return refuse(op, "takes some positions");
    type = local(type, cut.dim);
    SmallVector<OpFoldResult> sizes;
    for (int64_t size : type.getShape())
      sizes.push_back(b.getIndexAttr(size));
    replace(op,
            tensor::ExtractSliceOp::create(b, op.getLoc(), type, op.getSource(),
                                           op.getMixedOffsets(), sizes,
                                           op.getMixedStrides()),
            cut.dim, 1);
    return success();
  }
};

struct SplitContextPass : zero::impl::SplitContextBase<SplitContextPass> {
  using SplitContextBase::SplitContextBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (context == 1)
      return;
    FailureOr<func::FuncOp> model = findModelFunction(module);
    if (failed(model))
      return signalPassFailure();
    generalize(*model);
    auto kept = ModuleOp::create(module.getLoc(), kContextModule);
    keep(*model, kWhole, kept);
    if (failed(Splitter(*model, context).run())) {
      kept.erase();
      return signalPassFailure();
    }
    keep(*model, kSplit, kept);
    module.push_back(kept);
    module->setAttr(kContextAttr,
                    Builder(&getContext()).getI64IntegerAttr(context));
  }

  static void keep(func::FuncOp model, StringRef name, ModuleOp in) {
    func::FuncOp copy = model.clone();
    copy.setName(name);
    in.push_back(copy);
  }
};

} // namespace
