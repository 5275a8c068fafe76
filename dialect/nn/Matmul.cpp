//===- Matmul.cpp - linear and matmul -------------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "dialect/nn/Scalar.h"
#include "dialect/zero/Zero.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::nn;

//===----------------------------------------------------------------------===//
// linear
//===----------------------------------------------------------------------===//

LogicalResult LinearOp::verify() {
  RankedTensorType x = getX().getType(), w = getWeight().getType(),
                   y = getResult().getType();
  if (w.getRank() != 2) // (C1)
    return emitOpError("weight must have two dimensions, got ") << w;
  int64_t in = w.getDimSize(getTransposed() ? 0 : 1);
  int64_t out = w.getDimSize(getTransposed() ? 1 : 0);
  if (x.getRank() < 1 || x.getShape().back() != in) // (C1)
    return emitOpError("weight takes ")
           << in << " inputs, but the last dimension of x is "
           << (x.getRank() ? x.getShape().back() : 0)
           << (getTransposed()
                   ? ""
                   : "; a weight stored [in, out] needs `transposed`");
  if (Value bias = getBias()) {
    auto type = cast<RankedTensorType>(bias.getType());
    if (type.getRank() != 1 || type.getDimSize(0) != out) // (C2)
      return emitOpError("bias must have the ")
             << out << " outputs, got " << type;
  }
  SmallVector<int64_t> shape(x.getShape().drop_back());
  shape.push_back(out);
  if (y.getShape() != ArrayRef<int64_t>(shape) ||
      y.getElementType() != x.getElementType()) // (C3)
    return emitOpError("result must be ")
           << RankedTensorType::get(shape, x.getElementType()) << ", got " << y;
  return success();
}

SmallVector<Value> LinearOp::emitLinalgForm(OpBuilder &b) {
  int64_t rank = getX().getType().getRank();
  std::string rows = letters(rank - 1), x = rows + "i", y = rows + "o";
  StringRef w = getTransposed() ? "io" : "oi";
  Value product = reduceSum(b, getLoc(), {getX(), getWeight()}, {x, w}, y,
                            multiply, /*order=*/y + "i");
  if (!getBias())
    return {product};
  return {elementwise(b, getLoc(), {product, getBias()}, {y, "o"}, y, add)};
}

LogicalResult LinearOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                      ArrayRef<bool> needed,
                                      SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  Value dy = adjoints[0], x = getX(), w = getWeight();
  std::string rows = letters(getX().getType().getRank() - 1);
  Value dx, dw, db;
  // dx = dy W: the same operation with the weight read the other way.
  if (needed[0])
    dx = LinearOp::create(b, loc, x.getType(), dy, w, /*bias=*/Value(),
                          !getTransposed());
  if (needed[1])
    dw = getTransposed() ? reduceSum(b, loc, {x, dy}, {rows + "i", rows + "o"},
                                     "io", multiply, "io" + rows)
                         : reduceSum(b, loc, {dy, x}, {rows + "o", rows + "i"},
                                     "oi", multiply, "oi" + rows);
  if (getBias()) {
    if (needed[2])
      db = reduceSum(b, loc, {dy}, {rows + "o"}, "o", identity);
    out.append({dx, dw, db});
    return success();
  }
  out.append({dx, dw});
  return success();
}

//===----------------------------------------------------------------------===//
// matmul
//===----------------------------------------------------------------------===//

int64_t MatmulOp::getM() {
  return *(getResult().getType().getShape().rbegin() + 1);
}
int64_t MatmulOp::getN() { return getResult().getType().getShape().back(); }
int64_t MatmulOp::getK() {
  auto shape = getA().getType().getShape();
  return getTransposeA() ? *(shape.rbegin() + 1) : shape.back();
}
int64_t MatmulOp::getBatch() {
  return llvm::product_of(getResult().getType().getShape().drop_back(2));
}

double MatmulOp::getFactor() {
  FloatAttr scale = getScaleAttr();
  return scale ? scale.getValueAsDouble() : 1;
}

std::optional<zero::Packing> MatmulOp::getPacking() {
  std::optional<StringRef> packed = getPacked();
  return packed ? zero::symbolizePacking(*packed) : std::nullopt;
}

/// Fails unless b is the bytes of a packed matrix.
static LogicalResult verifyPacked(MatmulOp op) {
  RankedTensorType a = op.getA().getType(), b = op.getB().getType();
  std::optional<zero::Packing> packing = op.getPacking();
  if (!packing || a.getRank() != 2 || op.getResult().getType().getRank() != 2 ||
      op.getTransposeA() || !op.getTransposeB()) // (C5)
    return op.emitOpError("with packed = ")
           << op.getPackedAttr() << " must multiply a matrix by a transposed "
           << "one of nf4 or int8, got " << a;
  auto expected = RankedTensorType::get(
      {zero::getPackedBytes(*packing, op.getN() * op.getK())},
      IntegerType::get(op.getContext(), 8));
  if (b != expected) // (C5)
    return op.emitOpError("multiplies by ")
           << op.getN() << " x " << op.getK() << " elements of "
           << op.getPackedAttr() << ", which are " << expected << ", got " << b;
  return success();
}

/// Fails unless b is a matrix, or matrices, that a can be multiplied by.
static LogicalResult verifyFactors(MatmulOp op) {
  RankedTensorType a = op.getA().getType(), b = op.getB().getType(),
                   c = op.getResult().getType();
  int64_t rank = a.getRank();
  if (rank < 2 || b.getRank() != rank || c.getRank() != rank ||
      a.getShape().drop_back(2) != b.getShape().drop_back(2) ||
      a.getShape().drop_back(2) != c.getShape().drop_back(2)) // (C1)
    return op.emitOpError(
               "operands and result must have one rank of two or more and "
               "equal batch dimensions, got ")
           << a << ", " << b << " and " << c;
  int64_t k = b.getDimSize(rank - (op.getTransposeB() ? 1 : 2));
  if (op.getK() != k) // (C2)
    return op.emitOpError("inner dimensions differ: ")
           << op.getK() << " of a, " << k << " of b";
  if (b.getElementType() != a.getElementType()) // (C4)
    return op.emitOpError("multiplies ")
           << a << " by " << b << "; both have one element type";
  return success();
}

LogicalResult MatmulOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(),
                   c = getResult().getType();
  if (failed(getPacked() ? verifyPacked(*this) : verifyFactors(*this)))
    return failure();
  auto rows = [](RankedTensorType type, bool transposed) {
    return type.getDimSize(type.getRank() - (transposed ? 1 : 2));
  };
  int64_t m = rows(a, getTransposeA()),
          n = getPacked() ? getN() : rows(b, !getTransposeB());
  if (std::pair(getM(), getN()) != std::pair(m, n)) // (C2)
    return emitOpError("result must be ") << m << " x " << n << ", got " << c;
  if (Value bias = getBias()) {
    auto type = cast<RankedTensorType>(bias.getType());
    if (type.getRank() != 1 || type.getDimSize(0) != n) // (C3)
      return emitOpError("bias must have ") << n << " elements, got " << type;
  }
  if (getInit() && getInit().getType() != c) // (C3)
    return emitOpError("init must be ") << c << ", got " << getInit().getType();
  Type factor = a.getElementType(), sum = getSumType(factor);
  auto isAllowed = [&](Type type) {
    return getElementTypeOrSelf(type) == factor ||
           getElementTypeOrSelf(type) == sum;
  };
  if (!isAllowed(c) || (getBias() && !isAllowed(getBias().getType()))) // (C4)
    return emitOpError("computes ")
           << c << " from " << a
           << (getBias() ? " and a bias; both have" : "; it has")
           << " the element type of the operands, or f32 where that has 16 "
              "bits";
  return success();
}

SmallVector<Value> MatmulOp::emitLinalgForm(OpBuilder &b) {
  std::string batch = letters(getResult().getType().getRank() - 2);
  std::string a = batch + (getTransposeA() ? "km" : "mk");
  std::string bb = batch + (getTransposeB() ? "nk" : "kn");
  std::string c = batch + "mn";
  Location loc = getLoc();
  auto wide = [&](Value value) { return widen(b, loc, value); };
  Value result = reduceSum(b, loc, {wide(getA()), wide(getB())}, {a, bb}, c,
                           multiply, c + "k");
  if (getScale())
    result = elementwise(b, loc, {result}, [&](const Scalars &in) -> Value {
      return getFactor() * in[0];
    });
  if (getBias())
    result = elementwise(b, loc, {result, wide(getBias())}, {c, "n"}, c, add);
  if (getInit())
    result = elementwise(b, loc, {result, wide(getInit())}, add);
  return {roundTo(b, loc, result, getResult().getType())};
}

SmallVector<zero::StorageTie>
MatmulOp::getStorageTies(SymbolTableCollection &) {
  if (!getInit())
    return {};
  return {{zero::StorageTie::MustReplace, getNumOperands() - 1, 0}};
}

int64_t MatmulOp::getFlops(SymbolTableCollection &) {
  int64_t results = getBatch() * getM() * getN();
  return results * (2 * getK() + (getBias() ? 1 : 0) + (getInit() ? 1 : 0)) +
         (getPacked() ? getN() * getK() : 0);
}

void MatmulOp::addWork(SymbolTableCollection &symbols, zero::Work &work) {
  addMatmulWork(*this, getFlops(symbols), work);
}

void nn::addMatmulWork(Operation *op, int64_t flops, zero::Work &work) {
  auto bytes = [](ValueRange values) {
    double sum = 0;
    for (Value value : values)
      sum += double(zero::getByteSize(value.getType()));
    return sum;
  };
  const std::string kind =
      llvm::formatv("{0}.{1}.", isa<MatmulOp>(op) ? "matmul" : "grouped_matmul",
                    getElementTypeOrSelf(op->getOperand(0).getType()));
  work[kind + "flop"] += double(flops);
  work[kind + "a"] += bytes(op->getOperands().take_front());
  work[kind + "b"] += bytes(op->getOperands().drop_front());
  work[kind + "c"] += bytes(op->getResults());
}
