//===- FunctionsTest.cpp - Reductions, shapes and constants ---------------===//
#include "frontend/Functions.h"

#include "ModelTest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace mlir::frontend;

namespace {

struct Functions : ModelTest {
  using Shape = std::vector<int64_t>;

  static Shape shapeOf(Tensor t) { return t.shape().vec(); }
};

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

TEST_F(Functions, DimensionsOfOneRepeat) {
  Tensor x = weight("x", {2, 3, 4}), kept = weight("kept", {2, 3, 1});
  for (Tensor y : {x * kept, kept * x})
    EXPECT_EQ(shapeOf(y), Shape({2, 3, 4}));
  auto multiply = definedBy<arith::MulFOp>(kept * x);
  ASSERT_TRUE(multiply);
  auto broadcast = multiply.getLhs().getDefiningOp<linalg::BroadcastOp>();
  ASSERT_TRUE(broadcast);
  EXPECT_EQ(broadcast.getDimensions(), ArrayRef<int64_t>({2}));
  EXPECT_TRUE(broadcast.getInput().getDefiningOp<tensor::CollapseShapeOp>());
  // Leading and inner dimensions together, both sides at once, and scalars.
  EXPECT_EQ(shapeOf(weight("a", {5, 1, 7}) + weight("b", {6, 1})),
            Shape({5, 6, 7}));
  EXPECT_EQ(shapeOf(weight("c", {3, 1}) - weight("d", {1, 4})), Shape({3, 4}));
  EXPECT_EQ(shapeOf(weight("e", {1, 1}) / x), Shape({2, 3, 4}));
  EXPECT_EQ(shapeOf(weight("f", {}) + x), Shape({2, 3, 4}));
  EXPECT_EQ(shapeOf(weight("g", {1}) + weight("h", {})), Shape({1}));
  EXPECT_TRUE(m.finish(anyLoss()));
}

TEST_F(Functions, ElementwiseRefuse) {
  weight("x", {2, 3, 4}) * weight("y", {2, 2, 4});
  expectError("shapes do not fit: \"x\" (tensor<2x3x4xf32>) * \"y\" "
              "(tensor<2x2x4xf32>)");
  int64_t size = int64_t{1} << 31;
  weight("x", {size, 1}) + weight("y", {1, size});
  expectError("a tensor of 2147483648x2147483648 has more than 2^63 bytes");
  sigmoid(m.tokens(2, 3));
  expectError("sigmoid takes floats, got \"tokens\" (tensor<2x3xi32>)");
}

TEST_F(Functions, NumbersStandOnEitherSide) {
  Tensor x = weight("x", {3});
  auto subtract = definedBy<arith::SubFOp>(2.0 - x);
  ASSERT_TRUE(subtract);
  EXPECT_EQ(subtract.getRhs(), x.getValue());
  auto divide = definedBy<arith::DivFOp>(2.0 / x);
  ASSERT_TRUE(divide);
  EXPECT_EQ(divide.getRhs(), x.getValue());
  EXPECT_TRUE(definedBy<arith::AddFOp>(1.0 + x));
  EXPECT_TRUE(m.finish(anyLoss()));
}

TEST_F(Functions, OfSingleElements) {
  Tensor x = weight("x", {2, 3});
  EXPECT_TRUE(definedBy<math::ExpOp>(exp(x)));
  EXPECT_TRUE(definedBy<math::LogOp>(log(x)));
  EXPECT_TRUE(definedBy<math::SqrtOp>(sqrt(x)));
  EXPECT_TRUE(definedBy<math::RsqrtOp>(rsqrt(x)));
  EXPECT_TRUE(definedBy<arith::DivFOp>(sigmoid(x)));
  EXPECT_TRUE(m.finish(anyLoss()));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

TEST_F(Functions, ReductionsDropOrKeepTheDimension) {
  Tensor x = weight("x", {2, 3, 4});
  EXPECT_EQ(shapeOf(sum(x, 0)), Shape({3, 4}));
  EXPECT_EQ(shapeOf(mean(x, -1)), Shape({2, 3}));
  EXPECT_EQ(shapeOf(max(x, -2)), Shape({2, 4}));
  EXPECT_EQ(shapeOf(sum(x, 1, {.keepDim = true})), Shape({2, 1, 4}));
  EXPECT_EQ(shapeOf(mean(x, 2, {.keepDim = true})), Shape({2, 3, 1}));
  EXPECT_EQ(shapeOf(max(weight("row", {5}), 0, {.keepDim = true})), Shape({1}));
  for (Tensor all : {sum(x), mean(x), max(x), sum(weight("row2", {5}), 0)})
    EXPECT_EQ(shapeOf(all), Shape({}));
  EXPECT_TRUE(m.finish(mean(x)));
}

/// Returns the initial value of `reduce`.
double startOf(linalg::ReduceOp reduce) {
  auto fill = reduce.getInits().front().getDefiningOp<linalg::FillOp>();
  auto constant = fill.getInputs().front().getDefiningOp<arith::ConstantOp>();
  return cast<FloatAttr>(constant.getValue()).getValueAsDouble();
}

TEST_F(Functions, ReductionsStartFromTheIdentity) {
  Tensor x = weight("x", {2, 3});
  auto total = definedBy<linalg::ReduceOp>(sum(x, 1));
  ASSERT_TRUE(total);
  EXPECT_EQ(startOf(total), 0);
  EXPECT_EQ(total.getDimensions(), ArrayRef<int64_t>({1}));
  auto largest = definedBy<linalg::ReduceOp>(max(x));
  ASSERT_TRUE(largest);
  EXPECT_EQ(startOf(largest), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(largest.getDimensions(), ArrayRef<int64_t>({0, 1}));
  // A scalar has no dimension to reduce.
  Tensor scalar = weight("scalar", {});
  EXPECT_EQ(sum(scalar).getValue(), scalar.getValue());
  EXPECT_TRUE(m.finish(anyLoss()));
}

TEST_F(Functions, ReductionsRefuse) {
  mean(weight("x", {2, 3}), 2);
  expectError("mean over dimension 2 of \"x\" (tensor<2x3xf32>), which has 2");
  max(m.tokens(2, 3), 1);
  expectError("max takes floats, got \"tokens\" (tensor<2x3xi32>)");
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

TEST_F(Functions, TransposeReordersDimensions) {
  Tensor x = weight("x", {2, 3, 4});
  EXPECT_EQ(shapeOf(x.transpose({2, 0, 1})), Shape({4, 2, 3}));
  EXPECT_EQ(shapeOf(x.transpose({0, -1, 1})), Shape({2, 4, 3}));
  EXPECT_EQ(x.transpose({0, 1, 2}).getValue(), x.getValue());
  EXPECT_EQ(shapeOf(m.tokens(2, 3).transpose({1, 0})), Shape({3, 2}));
  EXPECT_TRUE(m.finish(anyLoss()));
}

TEST_F(Functions, TransposeRefuses) {
  weight("x", {2, 3, 4}).transpose({0, 2, 2});
  expectError("transpose of \"x\" (tensor<2x3x4xf32>) to {0, 2, 2}: each of "
              "its 3 dimensions must be there once");
  weight("x", {2, 3}).transpose({0});
  expectError("transpose of \"x\" (tensor<2x3xf32>) to {0}: each of its 2 "
              "dimensions must be there once");
  weight("x", {2, 3}).transpose({0, 2});
  expectError(
      "transpose to dimension 2 of \"x\" (tensor<2x3xf32>), which has 2");
}

TEST_F(Functions, ConcatAddsSizes) {
  Tensor x = weight("x", {2, 3}), y = weight("y", {2, 5});
  EXPECT_EQ(shapeOf(concat({x, y, x}, 1)), Shape({2, 11}));
  EXPECT_EQ(shapeOf(concat({x, x}, -2)), Shape({4, 3}));
  EXPECT_EQ(concat({x}, 0).getValue(), x.getValue());
  EXPECT_TRUE(m.finish(anyLoss()));
}

TEST_F(Functions, ConcatRefuses) {
  concat({weight("x", {2, 3}), weight("y", {4, 5})}, 1);
  expectError("concat along dimension 1: \"x\" (tensor<2x3xf32>) and \"y\" "
              "(tensor<4x5xf32>) differ in more than that");
  concat({weight("x", {2, 3}), m.tokens(2, 3)}, 0);
  expectError("concat along dimension 0: \"x\" (tensor<2x3xf32>) and "
              "\"tokens\" (tensor<2x3xi32>) differ in more than that");
  Tensor x = weight("x", {int64_t{1} << 60});
  concat({x, x, x, x, x, x, x, x, x}, 0);
  expectError("a tensor of 9223372036854775807 has more than 2^63 bytes");
}

TEST_F(Functions, ConcatOfNothingIsNoTensor) {
  EXPECT_FALSE(concat({}, 0));
  EXPECT_TRUE(diagnostics.errors.empty());
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

TEST_F(Functions, ConstantsHaveTheModelsElements) {
  EXPECT_EQ(shapeOf(m.constant(2)), Shape({}));
  EXPECT_EQ(shapeOf(m.constant({2, 3}, 0.5)), Shape({2, 3}));
  auto dense =
      definedBy<arith::ConstantOp>(m.dense({2, 2}, {0.1, -2, 3, -INFINITY}));
  ASSERT_TRUE(dense);
  std::vector<float> values;
  for (APFloat value :
       cast<DenseElementsAttr>(dense.getValue()).getValues<APFloat>())
    values.push_back(value.convertToFloat());
  EXPECT_EQ(values, std::vector<float>({0.1F, -2, 3, -INFINITY}));
  EXPECT_TRUE(m.finish(anyLoss()));
}

TEST_F(Functions, ConstantsRefuse) {
  m.dense({2, 3}, {1, 2, 3, 4, 5});
  expectError("a constant of 6 elements needs as many values, got 5");
  m.dense({2}, {1, NAN});
  expectError("element 1 of a constant is no number");
  m.constant({2}, NAN);
  expectError("a constant that is no number");
}

TEST_F(Functions, ErrorsStaySilent) {
  Scope in = m.scope("h.0");
  Tensor bad = sum(weight("x", {2}), 1);
  EXPECT_FALSE(bad);
  for (Tensor t : {exp(bad), log(bad), sqrt(bad), rsqrt(bad), sigmoid(bad),
                   sum(bad, 0), mean(bad, 0, {.keepDim = true}), max(bad, 0),
                   sum(bad), mean(bad), max(bad), bad.transpose({1, 0}),
                   concat({bad, bad}, 0), 1.0 - bad, bad * m.constant(2)})
    EXPECT_FALSE(t);
  EXPECT_FALSE(m.finish(sum(bad)));
  ASSERT_EQ(diagnostics.errors.size(), 1u);
  EXPECT_EQ(diagnostics.errors[0], "h.0: sum over dimension 1 of \"h.0.x\" "
                                   "(tensor<2xf32>), which has 1");
}

//===----------------------------------------------------------------------===//
// Layers with states
//===----------------------------------------------------------------------===//

TEST_F(Functions, LayersWithStatesRefuse) {
  causalConv(weight("x", {2, 3, 4}), weight("taps", {5, 2}));
  expectError("causalConv needs x [B, T, C], a weight [C, K] and starts [B, "
              "T], got x \"x\" (tensor<2x3x4xf32>), weight \"taps\" "
              "(tensor<5x2xf32>)");
  Tensor q = weight("q", {2, 3, 2, 8}), v = weight("v", {2, 3, 3, 8});
  gatedDeltaRule(q, q, v, {.gates = weight("gates", {2, 3, 3})});
  expectError("gatedDeltaRule needs q and k [B, T, G, K] and v [B, T, H, V], "
              "with H a multiple of G, got q \"q\" (tensor<2x3x2x8xf32>), k "
              "\"q\" (tensor<2x3x2x8xf32>), v \"v\" (tensor<2x3x3x8xf32>)");
  Tensor w = weight("w", {2, 3, 3, 8});
  gatedDeltaRule(w, w, w, {.gates = weight("gates", {2, 3, 4})});
  expectError("gatedDeltaRule needs gates and beta [B, T, H] and starts [B, "
              "T] of v \"w\" (tensor<2x3x3x8xf32>), got gates \"gates\" "
              "(tensor<2x3x4xf32>)");
}

} // namespace
