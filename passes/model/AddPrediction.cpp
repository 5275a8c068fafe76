//===- AddPrediction.cpp - Logits of one position of each sequence --------===//
//
// 1. Find the loss, its logits, and the input whose positions are their rows.
// 2. Copy the model as @predict, with an input `position` and without dropout.
// 3. Select a row of each sequence before the operations that make the logits,
//    as far as these work row by row: elementwise operations, casts, reshapes
//    of other dimensions than the last, and one product.
//
//      x [b, t, c] --linear w--> logits [b, t, v]
//      x [b t, c] --rows t b + position[b]--> [b, c] --linear w--> [b, v]
//
// A row of a product has the same bits with any other rows.
//
//===----------------------------------------------------------------------===//

#include "passes/model/LoopsOfGeneric.h"
#include "passes/model/ModelFunction.h"
#include "passes/model/Passes.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-add-prediction"

namespace mlir::zero {
#define GEN_PASS_DEF_ADDPREDICTION
#include "passes/model/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

RankedTensorType tensorTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The value of which `value` is a reshape, or itself.
Value skipReshapes(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(def))
      break;
    value = def->getOperand(0);
  }
  return value;
}

/// Copies the operations that compute rows of logits.
class RowSelection {
public:
  RowSelection(OpBuilder &b, Value position, int64_t positions)
      : b(b), position(position), batch(tensorTypeOf(position).getDimSize(0)),
        positions(positions) {}

  /// `value` is [..., c], and its rows are all positions of all sequences.
  /// Returns the selected row of each sequence: [batch, c].
  Value rowsOf(Value value) {
    Operation *def = value.getDefiningOp();
    int64_t columns = tensorTypeOf(value).getShape().back();
    if (!def)
      return select(value);
    if (OpTrait::hasElementwiseMappableTraits(def) &&
        llvm::all_of(def->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
      return rebuild(def, rowsOfAll(def->getOperands()), columns);
    // A source of one dimension has rows but no columns, even if sizes agree.
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(def) &&
        tensorTypeOf(def->getOperand(0)).getRank() > 1 &&
        tensorTypeOf(def->getOperand(0)).getShape().back() == columns)
      return rowsOf(def->getOperand(0));
    if (isa<tensor::EmptyOp>(def))
      return tensor::EmptyOp::create(b, value.getLoc(),
                                     ArrayRef<int64_t>{batch, columns},
                                     tensorTypeOf(value).getElementType());
    if (auto linear = dyn_cast<nn::LinearOp>(def); linear && !sawProduct) {
      sawProduct = true;
      SmallVector<Value> operands(linear->getOperands());
      operands[0] = rowsOf(operands[0]);
      return rebuild(linear, operands, columns);
    }
    if (auto structured = dyn_cast<linalg::LinalgOp>(def))
      if (std::optional<SmallVector<bool>> byRows = whoHasRows(structured)) {
        sawProduct |= structured.getNumReductionLoops() > 0;
        SmallVector<Value> operands(def->getOperands());
        for (auto [operand, has] : llvm::zip_equal(operands, *byRows))
          if (has)
            operand = rowsOf(operand);
        return rebuild(def, operands, columns);
      }
    return select(value);
  }

private:
  SmallVector<Value> rowsOfAll(ValueRange values) {
    return llvm::map_to_vector(values,
                               [&](Value value) { return rowsOf(value); });
  }

  /// For each operand of `op`, whether it has the rows of the result, which
  /// depend row by row on these operands alone; nothing if that is unknown, or
  /// a second product.
  std::optional<SmallVector<bool>> whoHasRows(linalg::LinalgOp op) {
    bool isProduct = op.getNumReductionLoops() > 0;
    if (op->getNumResults() != 1 ||
        tensorTypeOf(op->getResult(0)).getRank() != 2 ||
        op.hasIndexSemantics() || (isProduct && sawProduct))
      return std::nullopt;
    AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    auto row = dyn_cast<AffineDimExpr>(out.getResult(0));
    if (!row)
      return std::nullopt;
    SmallVector<bool> has;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      bool reads = map.isFunctionOfDim(row.getPosition());
      if (reads && (map.getNumResults() != 2 || map.getResult(0) != row ||
                    map.getResult(1).isFunctionOfDim(row.getPosition())))
        return std::nullopt;
      has.push_back(reads);
    }
    return has;
  }

  Value rebuild(Operation *op, ArrayRef<Value> operands, int64_t columns) {
    Operation *copy = b.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(
        tensorTypeOf(op->getResult(0)).clone({batch, columns}));
    return copy->getResult(0);
  }

  Value select(Value value) {
    Location loc = value.getLoc();
    RankedTensorType type = tensorTypeOf(value);
    int64_t columns = type.getShape().back();
    if (type.getRank() > 2) {
      SmallVector<ReassociationIndices> groups = {
          llvm::to_vector<2>(llvm::seq(type.getRank() - 1)),
          {type.getRank() - 1}};
      value = tensor::CollapseShapeOp::create(b, loc, value, groups);
    }
    return nn::EmbeddingOp::create(b, loc, type.clone({batch, columns}),
                                   rows(loc), value, /*padding=*/IntegerAttr());
  }

  /// positions b + position[b]
  Value rows(Location loc) {
    return emitParallel(
        b, loc, tensorTypeOf(position).clone(b.getI32Type()), position,
        b.getMultiDimIdentityMap(1),
        [&](OpBuilder &in, Location at, ValueRange args) {
          Value sequence = linalg::IndexOp::create(in, at, 0);
          Value count = arith::ConstantIndexOp::create(in, at, positions);
          Value first = arith::MulIOp::create(in, at, sequence, count);
          Value place =
              arith::IndexCastOp::create(in, at, in.getIndexType(), args[0]);
          Value row = arith::AddIOp::create(in, at, first, place);
          row = arith::IndexCastOp::create(in, at, in.getI32Type(), row);
          linalg::YieldOp::create(in, at, row);
        });
  }

  OpBuilder &b;
  Value position;
  int64_t batch, positions;
  bool sawProduct = false;
};

struct AddPredictionPass : zero::impl::AddPredictionBase<AddPredictionPass> {
  void runOnOperation() override {
    FailureOr<func::FuncOp> model = findModelFunction(getOperation());
    if (failed(model) || failed(add(*model)))
      signalPassFailure();
  }

  LogicalResult add(func::FuncOp model) {
    ModuleOp module = getOperation();
    if (Operation *other = module.lookupSymbol(kPredict))
      return other->emitError("is called as the function that gives logits is, "
                              "@")
             << kPredict << "; rename it";
    FailureOr<RankedTensorType> tokens = findPositions(model);
    if (failed(tokens))
      return failure();
    int64_t batch = tokens->getDimSize(0), positions = tokens->getDimSize(1);

    OpBuilder b(model);
    unsigned place = model.getNumArguments();
    (void)model.insertArgument(
        place, RankedTensorType::get({batch}, b.getI32Type()),
        b.getDictionaryAttr(
            {b.getNamedAttr(kInputAttr, b.getStringAttr(kPosition)),
             b.getNamedAttr(kVocabAttr, b.getI64IntegerAttr(positions))}),
        NameLoc::get(b.getStringAttr(kPosition)));

    b.setInsertionPointAfter(model);
    auto predict = cast<func::FuncOp>(b.clone(*model));
    predict.setName(kPredict);
    predict.setPrivate();
    removeDropout(predict);
    Block &body = predict.front();
    auto loss = *body.getOps<nn::CrossEntropyOp>().begin();
    Operation *returned = body.getTerminator();
    b.setInsertionPoint(returned);
    Value logits = RowSelection(b, body.getArgument(place), positions)
                       .rowsOf(loss.getLogits());
    LDBG() << "logits of each sequence: " << logits;
    returned->setOperands(logits);
    predict.setFunctionType(
        b.getFunctionType(body.getArgumentTypes(), logits.getType()));
    predict.setResAttrsAttr(b.getArrayAttr(b.getDictionaryAttr(
        b.getNamedAttr(kOutputAttr, b.getStringAttr(kLogits)))));
    eraseDead(body);
    for (BlockArgument argument : predict.getArguments())
      if (StringAttr name = predict.getArgAttrOfType<StringAttr>(
              argument.getArgNumber(), kInputAttr);
          name && name != "tokens" && name != kPosition &&
          !argument.use_empty())
        return emitError(argument.getLoc(), "input ")
               << name
               << " is read by the logits, and --sample writes tokens alone; "
                  "drop --sample";
    return success();
  }

  static void removeDropout(func::FuncOp predict) {
    predict.walk([](nn::DropoutOp op) {
      op.getResult().replaceAllUsesWith(op.getX());
      op.erase();
    });
    predict.walk([](nn::AttentionOp op) {
      op.getKeysMutable().clear();
      op.removeRateAttr();
      op.removePlaceAttr();
    });
  }

  /// The type of the input tokens, [batch, positions], whose positions are the
  /// rows of the logits.
  static FailureOr<RankedTensorType> findPositions(func::FuncOp model) {
    SmallVector<nn::CrossEntropyOp> losses(
        model.front().getOps<nn::CrossEntropyOp>());
    if (losses.size() != 1)
      return model.emitError("has ")
             << losses.size()
             << " nn.cross_entropy, and --sample draws from the logits of the "
                "only one; drop --sample";
    nn::CrossEntropyOp loss = losses.front();
    auto nameOf = [&](BlockArgument argument) {
      return model.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                kInputAttr);
    };
    BlockArgument tokens;
    for (BlockArgument argument : model.getArguments())
      if (StringAttr name = nameOf(argument)) {
        if (name == "tokens")
          tokens = argument;
        if (name == kPosition)
          return emitError(argument.getLoc(), "input ")
                 << name
                 << " is called as --sample calls the position of the logits; "
                    "rename it, or drop --sample";
      }
    if (!tokens || tensorTypeOf(tokens).getRank() != 2 ||
        !isa<IntegerType>(tensorTypeOf(tokens).getElementType()))
      return model.emitError("has no input tokens of [batch, positions], which "
                             "--sample writes; rename yours, or drop --sample");
    auto targets = dyn_cast<BlockArgument>(skipReshapes(loss.getTargets()));
    if (!targets || !nameOf(targets) ||
        tensorTypeOf(targets).getShape() != tensorTypeOf(tokens).getShape())
      return loss.emitOpError("has targets that are no input of the shape of "
                              "the tokens, ")
             << tokens.getType()
             << ", so its rows of logits are not known to be their positions; "
                "drop --sample";
    if (!loss.getLogits().getType().getElementType().isF32())
      return loss.emitOpError("has logits of ")
             << loss.getLogits().getType().getElementType()
             << ", and --sample reads f32; drop --sample";
    return tensorTypeOf(tokens);
  }
};

} // namespace
