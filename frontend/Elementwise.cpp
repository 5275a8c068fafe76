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
  Tensor empty =
      emit<tensor::EmptyOp>(m, type.getShape(), type.getElementType());
  return emit<linalg::BroadcastOp>(m, source.getValue(), empty.getValue(),
                                   added);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static Tensor splat(Tensor like, double value) {
  ModelBuilder &m = like.getBuilder();
  return {m, nn::constant(m.getOpBuilder(), m.getLoc(), like.getType(), value)};
}

/// Tensors of one type for both sides; invalid after an error.
static std::pair<Tensor, Tensor> fit(StringRef sign, Operand x, Operand y) {
  if (x.number || y.number) {
    Tensor like = x.number ? y.tensor : x.tensor;
    if (!like || !allFloat(sign, {like}))
      return {};
    return {x.number ? splat(like, *x.number) : like,
            y.number ? splat(like, *y.number) : like};
  }
  if (!allValid({x.tensor, y.tensor}) || !allFloat(sign, {x.tensor, y.tensor}))
    return {};
  ModelBuilder &m = x.tensor.getBuilder();
  auto shape = commonShape(x.tensor, y.tensor);
  if (!shape) {
    m.error("shapes do not fit: " + describe(x.tensor) + " " + sign + " " +
            describe(y.tensor));
    return {};
  }
  RankedTensorType type =
      m.getType(*shape, x.tensor.getType().getElementType());
  if (!type)
    return {};
  return {broadcastTo(x.tensor, type), broadcastTo(y.tensor, type)};
}

template <typename OpT>
static Tensor binary(StringRef sign, Operand x, Operand y) {
  auto [left, right] = fit(sign, x, y);
  return left ? emitLike<OpT>(left, right.getValue()) : Tensor();
}

/// The same for sums and products, where a number stands on the right.
template <typename OpT>
static Tensor commutative(StringRef sign, Operand x, Operand y) {
  return x.number ? binary<OpT>(sign, y, x) : binary<OpT>(sign, x, y);
}

Tensor frontend::operator+(Operand x, Operand y) {
  return commutative<arith::AddFOp>("+", x, y);
}
Tensor frontend::operator-(Operand x, Operand y) {
  return binary<arith::SubFOp>("-", x, y);
}
Tensor frontend::operator*(Operand x, Operand y) {
  return commutative<arith::MulFOp>("*", x, y);
}
Tensor frontend::operator/(Operand x, Operand y) {
  return binary<arith::DivFOp>("/", x, y);
}

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

// exp of -|x| neither overflows nor loses what log1p keeps.
Tensor frontend::softplus(Tensor x) {
  if (!x || !allFloat("softplus", {x}))
    return {};
  Tensor small = exp(-(relu(x) + relu(-x)));
  return relu(x) + emitUnary<math::Log1pOp>("softplus", small);
}
