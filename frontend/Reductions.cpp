//===- Reductions.cpp - Sums, means and maxima ----------------------------===//
//
// Reduces one dimension or all, printed as linalg.reduce that begins with the
// identity of the operation.
//
//===----------------------------------------------------------------------===//
#include "frontend/Functions.h"

#include "dialect/nn/Generic.h"
#include "frontend/Emit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace mlir::frontend;

/// Combines the elements of `dims` by `OpT`, which begins with `identity`.
template <typename OpT>
static Tensor reduce(Tensor x, ArrayRef<int64_t> dims, double identity) {
  ModelBuilder &m = x.getBuilder();
  OpBuilder &b = m.getOpBuilder();
  Location loc = m.getLoc();
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(x.shape()))
    if (!llvm::is_contained(dims, int64_t(i)))
      shape.push_back(size);
  Type element = x.getType().getElementType();
  Value from = nn::constant(b, loc, element, identity);
  Value empty = tensor::EmptyOp::create(b, loc, shape, element);
  Value begun = linalg::FillOp::create(b, loc, from, empty).getResult(0);
  auto combine = [](OpBuilder &body, Location at, ValueRange scalars) {
    Value both = OpT::create(body, at, scalars[0], scalars[1]);
    linalg::YieldOp::create(body, at, both);
  };
  return emit<linalg::ReduceOp>(m, x.getValue(), begun, dims, combine);
}

/// Reduces one dimension, which is kept with size 1 if the options say so.
template <typename OpT>
static Tensor reduceOne(StringRef what, Tensor x, int64_t dim, double identity,
                        ReduceOptions options) {
  if (!x || !allFloat(what, {x}))
    return {};
  auto at = findDimension(what + " over", x, dim);
  if (!at)
    return {};
  SmallVector<int64_t> kept(x.shape());
  kept[*at] = 1;
  Tensor y = reduce<OpT>(x, *at, identity);
  return options.keepDim ? y.reshape(kept) : y;
}

template <typename OpT>
static Tensor reduceAll(StringRef what, Tensor x, double identity) {
  if (!x || !allFloat(what, {x}))
    return {};
  int64_t rank = x.getType().getRank();
  if (rank == 0)
    return x;
  return reduce<OpT>(x, llvm::to_vector(llvm::seq<int64_t>(0, rank)), identity);
}

static constexpr double kLowest = -std::numeric_limits<double>::infinity();

Tensor frontend::sum(Tensor x, int64_t dim, ReduceOptions options) {
  return reduceOne<arith::AddFOp>("sum", x, dim, 0, options);
}

Tensor frontend::mean(Tensor x, int64_t dim, ReduceOptions options) {
  Tensor total = reduceOne<arith::AddFOp>("mean", x, dim, 0, options);
  return total ? total / double(x.size(dim)) : total;
}

Tensor frontend::max(Tensor x, int64_t dim, ReduceOptions options) {
  return reduceOne<arith::MaximumFOp>("max", x, dim, kLowest, options);
}

Tensor frontend::sum(Tensor x) { return reduceAll<arith::AddFOp>("sum", x, 0); }

Tensor frontend::mean(Tensor x) {
  Tensor total = reduceAll<arith::AddFOp>("mean", x, 0);
  return total ? total / double(x.getType().getNumElements()) : total;
}

Tensor frontend::max(Tensor x) {
  return reduceAll<arith::MaximumFOp>("max", x, kLowest);
}
