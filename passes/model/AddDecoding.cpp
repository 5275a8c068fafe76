//===- AddDecoding.cpp - Functions that continue sequences ----------------===//
//
// 1. Find the loss, its logits, and the input whose positions are their rows.
// 2. Copy the model as @prefill and @decode, without dropout, and rewrite these
//    for some positions of each slot (DecodedRows.h).
// 3. Select a row of each slot before the operations that make the logits, as
//    far as these work row by row: elementwise operations, casts, reshapes of
//    other dimensions than the last, and one product.
//
//      x [b, t, c] --linear w--> logits [b, t, v]
//      x [b t, c] --rows t b + position[b]--> [b, c] --linear w--> [b, v]
//
// A row of a product has the same bits with any other rows.
//
//===----------------------------------------------------------------------===//

#include "passes/model/DecodedRows.h"
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

#define DEBUG_TYPE "zero-add-decoding"

namespace mlir::zero {
#define GEN_PASS_DEF_ADDDECODING
#include "passes/model/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

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
    if (auto linear = dyn_cast<nn::LinearOp>(def); linear && !sawMatmul) {
      sawMatmul = true;
      SmallVector<Value> operands(linear->getOperands());
      operands[0] = rowsOf(operands[0]);
      return rebuild(linear, operands, columns);
    }
    if (auto structured = dyn_cast<linalg::LinalgOp>(def))
      if (std::optional<SmallVector<bool>> byRows = whoHasRows(structured)) {
        sawMatmul |= structured.getNumReductionLoops() > 0;
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
    bool isMatmul = op.getNumReductionLoops() > 0;
    if (op->getNumResults() != 1 ||
        tensorTypeOf(op->getResult(0)).getRank() != 2 ||
        op.hasIndexSemantics() || (isMatmul && sawMatmul))
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
  bool sawMatmul = false;
};

struct AddDecodingPass : zero::impl::AddDecodingBase<AddDecodingPass> {
  void runOnOperation() override {
    FailureOr<func::FuncOp> model = findModelFunction(getOperation());
    if (failed(model) || failed(add(*model)))
      signalPassFailure();
  }

  LogicalResult add(func::FuncOp model) {
    for (StringRef name : kDecodings)
      if (Operation *other = getOperation().lookupSymbol(name))
        return other->emitError("is called as a function that continues "
                                "sequences is, @")
               << name << "; rename it";
    FailureOr<BlockArgument> tokens = findTokens(model);
    if (failed(tokens))
      return failure();
    const int64_t positions = tensorTypeOf(*tokens).getDimSize(1);
    const unsigned first = model.getNumArguments();
    if (failed(addInputs(model, *tokens)))
      return failure();
    // The last one that is built is the first in the module.
    return failure(
        failed(build(model, kDecode, *tokens, first, first + 3, 1)) ||
        failed(build(model, kPrefill, *tokens, first, first + 2,
                     std::min(kChunk, positions))));
  }

private:
  /// Positions that a prompt is read at once.
  static constexpr int64_t kChunk = 64;

  static bool keepsStates(func::FuncOp model) {
    return llvm::any_of(model.front(), [](Operation &op) {
      return isa<nn::CausalConvOp, nn::GatedDeltaRuleOp>(op);
    });
  }

  /// Adds the inputs of both functions, which the model does not read: `begin`
  /// and `count`, `prompt` and `token`, and `document` if it has documents.
  static LogicalResult addInputs(func::FuncOp model, BlockArgument tokens) {
    Builder b(model.getContext());
    RankedTensorType type = tensorTypeOf(tokens);
    const int64_t batch = type.getDimSize(0), positions = type.getDimSize(1),
                  chunk = std::min(kChunk, positions);
    const auto add = [&](StringRef name, RankedTensorType of,
                         NamedAttrList attrs) {
      attrs.set(kInputAttr, b.getStringAttr(name));
      (void)model.insertArgument(model.getNumArguments(), of,
                                 attrs.getDictionary(b.getContext()),
                                 NameLoc::get(b.getStringAttr(name)));
    };
    const auto below = [&](int64_t bound) {
      NamedAttrList attrs;
      attrs.set(kVocabAttr, b.getI64IntegerAttr(bound));
      return attrs;
    };
    auto ofSlots = RankedTensorType::get({batch}, b.getI32Type());
    NamedAttrList ids(model.getArgAttrDict(tokens.getArgNumber()));
    NamedAttrList ofBegin = below(positions);
    if (keepsStates(model))
      ofBegin.set(kKeptEveryAttr, b.getI64IntegerAttr(nn::getDeltaChunk()));
    add(kBegin, ofSlots, ofBegin);
    add(kCount, ofSlots, below(chunk + 1));
    add(kPrompt, type.clone({batch, chunk}), ids);
    add(kToken, type.clone({batch, int64_t{1}}), ids);
    SmallVector<nn::DocumentStartsOp> documents(
        model.front().getOps<nn::DocumentStartsOp>());
    if (documents.empty())
      return success();
    NamedAttrList attrs = below(positions);
    attrs.set(kSeparatorAttr, documents.front().getSeparatorAttr());
    add(kDocument, ofSlots, attrs);
    for (nn::DocumentStartsOp other : documents)
      if (other.getSeparator() != documents.front().getSeparator() ||
          other.getTokens() != tokens)
        return other.emitError("ends documents by another token or input than "
                               "the first one of its kind, and generation "
                               "knows one; drop --sample");
    return success();
  }

  /// Builds the function `name` behind `model`; `inputs` is the number of
  /// `begin`, before that of `count`.
  static LogicalResult build(func::FuncOp model, StringRef name,
                             BlockArgument tokens, unsigned inputs,
                             unsigned chunk, int64_t step) {
    OpBuilder b(model);
    b.setInsertionPointAfter(model);
    auto function = cast<func::FuncOp>(b.clone(*model));
    function.setName(name);
    function.setPrivate();
    removeDropout(function);
    generalize(function);
    Block &body = function.front();
    auto loss = *body.getOps<nn::CrossEntropyOp>().begin();
    Operation *returned = body.getTerminator();
    Value logits = loss.getLogits();
    returned->setOperands(logits);
    eraseDead(body);

    Value count = body.getArgument(inputs + 1);
    DecodedRows rows(function,
                     {body.getArgument(chunk), body.getArgument(inputs), count,
                      inputs + 4 < model.getNumArguments()
                          ? Value(body.getArgument(inputs + 4))
                          : Value(),
                      tensorTypeOf(tokens).getDimSize(1), step});
    if (failed(rows.run(body.getArgument(tokens.getArgNumber()))))
      return failure();
    Value mine = rows.lookup(logits);
    if (!mine)
      return model.emitError("has logits that do not depend on the input "
                             "tokens; drop --sample");
    b.setInsertionPoint(returned);
    SmallVector<Value> results = {
        RowSelection(b, lastOf(b, count, step), step).rowsOf(mine)};
    LDBG() << name << ": logits of each slot: " << results.front();
    SmallVector<Attribute> attrs = {b.getDictionaryAttr(
        b.getNamedAttr(kOutputAttr, b.getStringAttr(kLogits)))};
    for (auto [cache, next] : rows.caches) {
      results.push_back(next);
      attrs.push_back(b.getDictionaryAttr({}));
    }
    returned->setOperands(results);
    eraseDead(body);
    function.setFunctionType(b.getFunctionType(body.getArgumentTypes(),
                                               ValueRange(results).getTypes()));
    function.setResAttrsAttr(b.getArrayAttr(attrs));
    return checkInputs(function);
  }

  /// count - 1, from 0 to step - 1
  static Value lastOf(OpBuilder &b, Value count, int64_t step) {
    return emitParallel(
        b, count.getLoc(), tensorTypeOf(count), count,
        b.getMultiDimIdentityMap(1),
        [&](OpBuilder &in, Location at, ValueRange args) {
          const auto number = [&](int32_t value) {
            return arith::ConstantOp::create(in, at,
                                             in.getI32IntegerAttr(value));
          };
          Value last = arith::SubIOp::create(in, at, args[0], number(1));
          last = arith::MaxSIOp::create(in, at, last, number(0));
          last =
              arith::MinSIOp::create(in, at, last, number(int32_t(step - 1)));
          linalg::YieldOp::create(in, at, last);
        });
  }

  /// The host writes only the inputs of this file.
  static LogicalResult checkInputs(func::FuncOp function) {
    for (BlockArgument argument : function.getArguments())
      if (StringAttr name = nameOf(function, argument);
          name && !isDecodingInput(name) && !argument.use_empty())
        return emitError(argument.getLoc(), "input ")
               << name
               << " is read by the logits, and generation writes tokens alone; "
                  "drop --sample";
    return success();
  }

  static StringAttr nameOf(func::FuncOp function, BlockArgument argument) {
    return function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                 kInputAttr);
  }

  /// The input tokens, [batch, positions], whose positions are the rows of the
  /// logits.
  static FailureOr<BlockArgument> findTokens(func::FuncOp model) {
    SmallVector<nn::CrossEntropyOp> losses(
        model.front().getOps<nn::CrossEntropyOp>());
    if (losses.size() != 1)
      return model.emitError("has ")
             << losses.size()
             << " nn.cross_entropy, and --sample draws from the logits of the "
                "only one; drop --sample";
    nn::CrossEntropyOp loss = losses.front();
    BlockArgument tokens;
    for (BlockArgument argument : model.getArguments())
      if (StringAttr name = nameOf(model, argument)) {
        if (name == "tokens")
          tokens = argument;
        if (isDecodingInput(name))
          return emitError(argument.getLoc(), "input ")
                 << name
                 << " is called as an input of generation; rename it, or drop "
                    "--sample";
      }
    if (!tokens || tensorTypeOf(tokens).getRank() != 2 ||
        !isa<IntegerType>(tensorTypeOf(tokens).getElementType()))
      return model.emitError("has no input tokens of [batch, positions], which "
                             "--sample writes; rename yours, or drop --sample");
    auto targets = dyn_cast<BlockArgument>(skipReshapes(loss.getTargets()));
    if (!targets || !nameOf(model, targets) ||
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
    return tokens;
  }
};

} // namespace
