//===- Windows.cpp - Operands that are read at computed positions ---------===//
//
// A linear position of one dimension is a sum of loops times constants.  In the
// backward one of its loops, the longest, is computed from the position and the
// other loops, which become reductions:
//
//   p = a l + rest(other loops)    =>    l = (p - rest) / a
//
// if that is a whole number within the loop; else nothing was read there.  A
// loop that an earlier dimension has settled makes a condition: on a diagonal,
// (i) -> (i, i), it is p1 == p0.
//
//===----------------------------------------------------------------------===//

#include "passes/model/Windows.h"

#include "dialect/nn/Generic.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// A sum of loops times constants, and a constant.
struct Linear {
  SmallVector<int64_t> factors;
  int64_t offset = 0;

  static std::optional<Linear> of(AffineExpr expr, unsigned loops) {
    Linear linear{SmallVector<int64_t>(loops, 0)};
    return linear.add(expr, 1) ? std::optional(linear) : std::nullopt;
  }

private:
  bool add(AffineExpr expr, int64_t factor) {
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      factors[loop.getPosition()] += factor;
      return true;
    }
    if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
      offset += factor * number.getValue();
      return true;
    }
    auto pair = dyn_cast<AffineBinaryOpExpr>(expr);
    if (pair && pair.getKind() == AffineExprKind::Add)
      return add(pair.getLHS(), factor) && add(pair.getRHS(), factor);
    auto times = pair && pair.getKind() == AffineExprKind::Mul
                     ? dyn_cast<AffineConstantExpr>(pair.getRHS())
                     : AffineConstantExpr();
    return times && add(pair.getLHS(), factor * times.getValue());
  }
};

/// The loops that are computed from positions, and the loops that are tried.
struct Plan {
  SmallVector<Linear> positions;
  /// The loop that is computed from each dimension; without one, a condition.
  SmallVector<std::optional<unsigned>> found;
  SmallVector<unsigned> tried;

  Plan(AffineMap map, ArrayRef<int64_t> extents) {
    llvm::SmallBitVector settled(extents.size());
    for (AffineExpr expr : map.getResults()) {
      positions.push_back(*Linear::of(expr, extents.size()));
      const Linear &position = positions.back();
      std::optional<unsigned> longest;
      for (unsigned loop = 0; loop < extents.size(); ++loop)
        if (position.factors[loop] && !settled[loop] &&
            (!longest || extents[loop] > extents[*longest]))
          longest = loop;
      for (unsigned loop = 0; loop < extents.size(); ++loop) {
        if (!position.factors[loop] || settled[loop])
          continue;
        settled.set(loop);
        if (loop != longest)
          tried.push_back(loop);
      }
      found.push_back(longest);
    }
    llvm::sort(tried);
  }
};

/// The body of the sum.
class FoldBody {
public:
  FoldBody(OpBuilder &b, Location loc, const Plan &plan,
           ArrayRef<int64_t> extents, ArrayRef<int64_t> shape)
      : b(b), loc(loc), plan(plan), extents(extents), shape(shape),
        at(extents.size()) {}

  /// The element of `read` that adds to the current position, or zero.
  nn::S emit(Value read) {
    for (auto [i, loop] : llvm::enumerate(plan.tried))
      at[loop] = linalg::IndexOp::create(b, loc, shape.size() + i);
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      settle(dim);
    nn::S value(b, loc, tensor::ExtractOp::create(b, loc, read, at));
    return valid ? nn::select(valid, value, value.constant(0)) : value;
  }

private:
  OpBuilder &b;
  Location loc;
  const Plan &plan;
  ArrayRef<int64_t> extents, shape;
  SmallVector<Value> at; ///< index of each known loop
  Value valid;           ///< null while all positions were read

  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  void require(arith::CmpIPredicate predicate, Value x, Value y) {
    Value holds = arith::CmpIOp::create(b, loc, predicate, x, y);
    valid = valid ? Value(arith::AndIOp::create(b, loc, valid, holds)) : holds;
  }

  /// The position without `loop`, or null where that is 0.
  Value restOf(const Linear &position, std::optional<unsigned> loop) {
    Value sum = position.offset ? number(position.offset) : Value();
    for (auto [other, factor] : llvm::enumerate(position.factors)) {
      if (!factor || other == loop)
        continue;
      Value term =
          factor == 1
              ? at[other]
              : Value(arith::MulIOp::create(b, loc, at[other], number(factor)));
      sum = sum ? Value(arith::AddIOp::create(b, loc, sum, term)) : term;
    }
    return sum;
  }

  void settle(unsigned dim) {
    const Linear &position = plan.positions[dim];
    std::optional<unsigned> loop = plan.found[dim];
    Value here = linalg::IndexOp::create(b, loc, dim);
    Value rest = restOf(position, loop);
    if (!loop) {
      if (shape[dim] > 1)
        require(arith::CmpIPredicate::eq, here, rest ? rest : number(0));
      return;
    }
    int64_t factor = position.factors[*loop];
    // A negative distance is a huge number without a sign.
    Value distance = here;
    if (factor < 0)
      distance = arith::SubIOp::create(b, loc, rest ? rest : number(0), here);
    else if (rest)
      distance = arith::SubIOp::create(b, loc, here, rest);
    Value steps = distance;
    if (int64_t step = std::abs(factor); step != 1) {
      steps = arith::DivUIOp::create(b, loc, distance, number(step));
      require(arith::CmpIPredicate::eq,
              arith::RemUIOp::create(b, loc, distance, number(step)),
              number(0));
    }
    at[*loop] = steps;
    if (isReadWhole(dim))
      return;
    Value within = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         steps, number(extents[*loop]));
    valid =
        valid ? Value(arith::AndIOp::create(b, loc, valid, within)) : within;
    at[*loop] = arith::SelectOp::create(b, loc, within, steps, number(0));
  }

  /// Whether the one loop of the dimension goes over all of it.
  bool isReadWhole(unsigned dim) {
    const Linear &position = plan.positions[dim];
    unsigned loop = *plan.found[dim];
    return llvm::count_if(position.factors,
                          [](int64_t factor) { return factor != 0; }) == 1 &&
           std::abs(position.factors[loop]) == 1 && extents[loop] == shape[dim];
  }
};

} // namespace

bool zero::isLinear(AffineMap map) {
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    return Linear::of(expr, map.getNumDims()).has_value();
  });
}

bool zero::isPlainRead(AffineMap map, RankedTensorType type) {
  return map.isProjectedPermutation(/*allowZeroInResults=*/true) &&
         llvm::all_of(llvm::zip_equal(map.getResults(), type.getShape()),
                      [](auto place) {
                        auto [expr, size] = place;
                        return isa<AffineDimExpr>(expr) || size == 1;
                      });
}

std::optional<unsigned> zero::longestLoop(AffineExpr expr,
                                          ArrayRef<int64_t> extents) {
  std::optional<unsigned> longest;
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    if (expr.isFunctionOfDim(loop) &&
        (!longest || extents[loop] > extents[*longest]))
      longest = loop;
  return longest;
}

Value zero::foldWindows(OpBuilder &b, Location loc, Value read, AffineMap map,
                        RankedTensorType type) {
  ArrayRef<int64_t> extents = cast<RankedTensorType>(read.getType()).getShape();
  Plan plan(map, extents);
  unsigned rank = type.getRank(), loops = rank + plan.tried.size();
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.resize(loops, utils::IteratorType::reduction);

  // This input only gives the reductions their extents.
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  if (!plan.tried.empty()) {
    SmallVector<int64_t> tried;
    SmallVector<AffineExpr> exprs;
    for (auto [i, loop] : llvm::enumerate(plan.tried)) {
      tried.push_back(extents[loop]);
      exprs.push_back(b.getAffineDimExpr(rank + i));
    }
    inputs.push_back(nn::constant(
        b, loc, RankedTensorType::get(tried, type.getElementType()), 0));
    maps.push_back(AffineMap::get(loops, 0, exprs, b.getContext()));
  }
  AffineMap out = AffineMap::getMultiDimIdentityMap(loops, b.getContext())
                      .getMajorSubMap(rank);
  maps.push_back(out);
  Value init = plan.tried.empty()
                   ? tensor::EmptyOp::create(b, loc, type.getShape(),
                                             type.getElementType())
                         .getResult()
                   : nn::zeros(b, loc, type);
  return linalg::GenericOp::create(
             b, loc, type, inputs, init, maps, iterators,
             [&](OpBuilder &nested, Location, ValueRange args) {
               nn::S value =
                   FoldBody(nested, loc, plan, extents, type.getShape())
                       .emit(read);
               if (!plan.tried.empty())
                 value = value.with(args.back()) + value;
               linalg::YieldOp::create(nested, loc, Value(value));
             })
      .getResult(0);
}
