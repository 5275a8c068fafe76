//===- Embedding.cpp - Table lookup and its scatter -----------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::nn;

/// Checks that `rows` is the shape of `tokens` with a table row appended.
static LogicalResult verifyTableRows(Operation *op, StringRef what,
                                     RankedTensorType tokens,
                                     RankedTensorType table,
                                     RankedTensorType rows) {
  if (table.getRank() != 2)
    return op->emitOpError("the table must have two dimensions, got ") << table;
  SmallVector<int64_t> shape(tokens.getShape());
  shape.push_back(table.getDimSize(1));
  auto expected = RankedTensorType::get(shape, table.getElementType());
  if (rows != expected) // (C1)
    return op->emitOpError(what) << " must be " << expected << ", got " << rows;
  return success();
}

LogicalResult EmbeddingOp::verify() {
  if (failed(verifyTableRows(*this, "result", getTokens().getType(),
                             getTable().getType(), getResult().getType())))
    return failure();
  int64_t rows = getTable().getType().getDimSize(0);
  if (std::optional<int64_t> row = getPadding();
      row && (*row < 0 || *row >= rows)) // (C2)
    return emitOpError("padding must be one of the table's ")
           << rows << " rows, got " << *row;
  return success();
}

SmallVector<Value> EmbeddingOp::emitLinalgForm(OpBuilder &b) {
  // The row length comes from the result.
  const auto &[all, rows, last] = RowLetters(getResult().getType());
  return {emitGeneric(
      b, getLoc(), all, {getTokens()}, {rows},
      emptyOf(b, getLoc(), getResult().getType()), all, [&](const Scalars &in) {
        Value row = in.emit<arith::IndexCastOp>(b.getIndexType(), in[0]);
        return in.extract(getTable(), {row, in.index(rows.size())});
      })};
}

/// Zero where the token is `padding`.
static Value dropPadding(OpBuilder &b, Location loc, Value grad, Value tokens,
                         int64_t padding) {
  std::string of = letters(cast<RankedTensorType>(tokens.getType()).getRank());
  std::string all = of + "z";
  return elementwise(b, loc, {grad, tokens}, {all, of}, all,
                     [&](const Scalars &in) {
                       Value row = in.emit<arith::ConstantOp>(
                           in.b.getIntegerAttr(in[1].v.getType(), padding));
                       Value drops = in.isEqual(in[1], row);
                       return select(drops, in[0].constant(0), in[0]);
                     });
}

LogicalResult EmbeddingOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                         ArrayRef<bool>,
                                         SmallVectorImpl<Value> &out) {
  Value init = zeros(b, getLoc(), getTable().getType());
  Value grad = adjoints[0];
  if (std::optional<int64_t> row = getPadding())
    grad = dropPadding(b, getLoc(), grad, getTokens(), *row);
  out.append({Value(), EmbeddingBackwardOp::create(b, getLoc(), getTokens(),
                                                   grad, init)});
  return success();
}

LogicalResult EmbeddingBackwardOp::verify() {
  return verifyTableRows(*this, "grad", getTokens().getType(),
                         getInit().getType(), getGrad().getType());
}

SmallVector<Value> EmbeddingBackwardOp::emitLinalgForm(OpBuilder &b) {
  // for i, c: result[tokens[i], c] += grad[i, c], on flattened tokens.
  Location loc = getLoc();
  RankedTensorType tokens = getTokens().getType();
  int64_t width = getInit().getType().getDimSize(1);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value rows = widen(b, loc, getGrad());

  SmallVector<Value> indices;
  auto nest = [&](auto &self, OpBuilder &at, int64_t dim, Value acc) -> Value {
    bool column = dim == tokens.getRank();
    int64_t extent = column ? width : tokens.getDimSize(dim);
    Value upper = arith::ConstantIndexOp::create(at, loc, extent);
    auto loop = scf::ForOp::create(at, loc, zero, upper, one, ValueRange{acc});
    OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
    Value index = loop.getInductionVar(), current = loop.getRegionIterArg(0),
          next;
    indices.push_back(index);
    if (column) {
      Value id = tensor::ExtractOp::create(inner, loc, getTokens(),
                                           ValueRange(indices).drop_back());
      Value row =
          arith::IndexCastOp::create(inner, loc, inner.getIndexType(), id);
      S old(inner, loc,
            tensor::ExtractOp::create(inner, loc, current,
                                      ValueRange{row, index}));
      S grad(inner, loc, tensor::ExtractOp::create(inner, loc, rows, indices));
      next = tensor::InsertOp::create(inner, loc, old + grad, current,
                                      ValueRange{row, index});
    } else {
      next = self(self, inner, dim + 1, current);
    }
    indices.pop_back();
    inner.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(inner, loc, ValueRange{next});
    return loop.getResult(0);
  };
  Value sum = nest(nest, b, 0, widen(b, loc, getInit()));
  return {roundTo(b, loc, sum, getResult().getType())};
}

int64_t EmbeddingBackwardOp::getFlops(SymbolTableCollection &) {
  return cast<RankedTensorType>(getGrad().getType()).getNumElements();
}

void EmbeddingBackwardOp::addWork(SymbolTableCollection &symbols,
                                  zero::Work &work) {
  work["embedding_backward.flop"] += double(getFlops(symbols));
}

zero::KernelKind EmbeddingBackwardOp::getKernelKind() {
  return zero::KernelKind::Scatter;
}
SmallVector<int64_t> EmbeddingBackwardOp::getKernelSpace() {
  return {getResult().getType().getDimSize(1)};
}
Value EmbeddingBackwardOp::getOverwritten(unsigned) { return getInit(); }

/// The rows of a table that is already there.
int64_t EmbeddingBackwardOp::getWrittenElements() {
  const int64_t all =
      cast<RankedTensorType>(getResult().getType()).getNumElements();
  if (!isa<BlockArgument>(getInit()))
    return all;
  return std::min(all,
                  cast<RankedTensorType>(getGrad().getType()).getNumElements());
}
