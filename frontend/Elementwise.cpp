//===- Elementwise.cpp - Arithmetic and functions of single elements ------===//
//
// Shapes are aligned at their last dimensions.  A dimension that is missing on
// one side, or has size 1 there, is repeated, as in NumPy:
//
//   [B, T, C] + [T, C]       [B, T, C] * [B, T, 1]       [T, 1] - [1, S]
//
// Repetition is printed as linalg.broadcast, which only adds dimensions, so
// dimensions of size 1 are dropped first.
//
//===----------------------------------------------------------------------===//
#include "frontend/Functions.h"

#include "dialect/nn/Generic.h"
#include "frontend/Emit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::frontend;

bool frontend::allFloat(StringRef what, ArrayRef<Tensor> tensors) {
  for (Tensor t : tensors)
    if (!isa<FloatType>(t.getType().getElementType())) {
      t.getBuilder().error(what + " takes floats, got " + describe(t));
      return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

/// Returns the shape to which both sides are broadcast, or nothing if they do
/// not fit.
static std::optional<SmallVector<int64_t>> commonShape(Tensor x, Tensor y) {
  bool longer = x.shape().size() >= y.shape().size();
  SmallVector<int64_t> shape(longer ? x.shape() : y.shape());
  ArrayRef<int64_t> other = longer ? y.shape() : x.shape();
  MutableArrayRef<int64_t> last =
      MutableArrayRef(shape).take_back(other.size());
  for (auto [size, of] : llvm::zip_equal(last, other)) {
    if (size != of && size != 1 && of != 1)
      return std::nullopt;
    size = std::max(size, of);
  }
  return shape;
}

static Tensor broadcastTo(Tensor x, RankedTensorType type) {
  if (!x || x.getType() == type)
    return x;
  int64_t missing = type.getRank() - x.getType().getRank();
  auto added = llvm::to_vector(llvm::seq<int64_t>(0, missing));
  SmallVector<int64_t> kept;
  for (auto [i, size] : llvm::enumerate(x.shape())) {
    int64_t at = missing + int64_t(i);
    if (size == type.getDimSize(at))
      kept.push_back(size);
    else
      added.push_back(at);
  }
  Tensor source = x.reshape(kept);
  ModelBuilder &m = x.getBuilder();
  OpBuilder &b = m.getOpBuilder();
  Value empty = tensor::EmptyOp::create(b, m.getLoc(), type.getShape(),
                                        type.getElementType());
  auto op = linalg::BroadcastOp::create(b, m.getLoc(), source.getValue(), empty,
                                        added);
  return {m, op->getResult(0)};
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <typename OpT>
static Tensor binary(StringRef sign, Tensor x, Tensor y) {
  if (!allValid({x, y}) || !allFloat(sign, {x, y}))
    return {};
  ModelBuilder &m = x.getBuilder();
  auto shape = commonShape(x, y);
  if (!shape)
    return m.error("shapes do not fit: " + describe(x) + " " + sign + " " +
                   describe(y));
  RankedTensorType type = m.getType(*shape, x.getType().getElementType());
  if (!type)
    return {};
  Tensor left = broadcastTo(x, type), right = broadcastTo(y, type);
  return emitLike<OpT>(left, right.getValue());
}

static Tensor splat(Tensor like, double value) {
  ModelBuilder &m = like.getBuilder();
  return {m, nn::constant(m.getOpBuilder(), m.getLoc(), like.getType(), value)};
}

template <typename OpT>
static Tensor binary(StringRef sign, Tensor x, double y) {
  if (!x || !allFloat(sign, {x}))
    return {};
  return emitLike<OpT>(x, splat(x, y).getValue());
}

template <typename OpT>
static Tensor binary(StringRef sign, double x, Tensor y) {
  if (!y || !allFloat(sign, {y}))
    return {};
  return emitLike<OpT>(splat(y, x), y.getValue());
}

namespace mlir::frontend {
Tensor operator+(Tensor x, Tensor y) {
  return binary<arith::AddFOp>("+", x, y);
}
Tensor operator-(Tensor x, Tensor y) {
  return binary<arith::SubFOp>("-", x, y);
}
Tensor operator*(Tensor x, Tensor y) {
  return binary<arith::MulFOp>("*", x, y);
}
Tensor operator/(Tensor x, Tensor y) {
  return binary<arith::DivFOp>("/", x, y);
}
Tensor operator+(Tensor x, double y) {
  return binary<arith::AddFOp>("+", x, y);
}
Tensor operator-(Tensor x, double y) {
  return binary<arith::SubFOp>("-", x, y);
}
Tensor operator*(Tensor x, double y) {
  return binary<arith::MulFOp>("*", x, y);
}
Tensor operator/(Tensor x, double y) {
  return binary<arith::DivFOp>("/", x, y);
}
Tensor operator+(double x, Tensor y) { return y + x; }
Tensor operator-(double x, Tensor y) {
  return binary<arith::SubFOp>("-", x, y);
}
Tensor operator*(double x, Tensor y) { return y * x; }
Tensor operator/(double x, Tensor y) {
  return binary<arith::DivFOp>("/", x, y);
}
} // namespace mlir::frontend

//===----------------------------------------------------------------------===//
// Functions of single elements
//===----------------------------------------------------------------------===//

Tensor frontend::operator-(Tensor x) {
  return emitUnary<arith::NegFOp>("-", x);
}
Tensor frontend::exp(Tensor x) { return emitUnary<math::ExpOp>("exp", x); }
Tensor frontend::log(Tensor x) { return emitUnary<math::LogOp>("log", x); }
Tensor frontend::sqrt(Tensor x) { return emitUnary<math::SqrtOp>("sqrt", x); }
Tensor frontend::rsqrt(Tensor x) {
  return emitUnary<math::RsqrtOp>("rsqrt", x);
}
Tensor frontend::tanh(Tensor x) { return emitUnary<math::TanhOp>("tanh", x); }

Tensor frontend::sigmoid(Tensor x) {
  if (!x || !allFloat("sigmoid", {x}))
    return {};
  return 1.0 / (1.0 + exp(-x));
}

Tensor frontend::relu(Tensor x) {
  return binary<arith::MaximumFOp>("relu", x, 0.0);
}
