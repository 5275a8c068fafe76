//===- ExpertsTest.cpp - Mixtures of experts in the builder ---------------===//
#include "frontend/Experts.h"

#include "ModelTest.h"
#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::frontend;

namespace {

struct Experts : ModelTest {
  /// Routes `x` [6, 8].
  Routing route(Tensor x, int64_t experts = 5, int64_t chosen = 2) {
    return router(m, x, {.experts = experts, .chosen = chosen});
  }

  SmallVector<std::string> parametersOf(func::FuncOp loss) {
    SmallVector<std::string> names;
    for (unsigned i = 0; i < loss.getNumArguments(); ++i)
      if (auto name = loss.getArgAttrOfType<StringAttr>(i, zero::kParamAttr))
        names.push_back(name.str());
    return names;
  }
};

TEST_F(Experts, AreALayerWithParametersOfTheirOwn) {
  Tensor x = weight("x", {6, 8});
  Routing routing;
  {
    Scope in = m.scope("gate");
    routing = route(x, /*experts=*/2, /*chosen=*/2);
  }
  EXPECT_EQ(routing.weights.shape(), ArrayRef<int64_t>({6, 2}));
  EXPECT_EQ(routing.groups.rows.shape(), ArrayRef<int64_t>({12}));
  EXPECT_EQ(routing.groups.offsets.shape(), ArrayRef<int64_t>({3}));
  Tensor y = expertMlps(m, x, routing, {.inner = 3});
  ASSERT_TRUE(y);
  EXPECT_EQ(y.shape(), x.shape());
  OwningOpRef<ModuleOp> module;
  func::FuncOp loss = finished(module, sum(y));
  ASSERT_TRUE(loss);
  EXPECT_EQ(parametersOf(loss),
            (SmallVector<std::string>{
                "x", "gate.weight", "experts.0.gate_proj.weight",
                "experts.0.up_proj.weight", "experts.0.down_proj.weight",
                "experts.1.gate_proj.weight", "experts.1.up_proj.weight",
                "experts.1.down_proj.weight"}));
  SmallVector<nn::GroupedMatmulOp> products(
      loss.front().getOps<nn::GroupedMatmulOp>());
  ASSERT_EQ(products.size(), 3u);
  EXPECT_EQ(products[2].getResult().getType().getShape(),
            ArrayRef<int64_t>({12, 8}));
}

TEST_F(Experts, WeightsMayBeOverTheirSum) {
  Tensor x = weight("x", {6, 8});
  EXPECT_TRUE(route(x).weights.getValue().getDefiningOp<arith::DivFOp>());
  Scope in = m.scope("other");
  Routing plain = router(m, x, {.experts = 5, .chosen = 2, .normalize = false});
  EXPECT_TRUE(plain.weights.getValue().getDefiningOp<nn::TopKOp>());
}

TEST_F(Experts, LossesAreOfAllLayers) {
  Tensor x = weight("x", {6, 8});
  RouterLosses losses;
  EXPECT_TRUE(losses.empty());
  for (int64_t layer = 0; layer < 2; ++layer) {
    Scope in = m.scope(("layers." + Twine(layer)).str());
    losses.add(route(x));
  }
  EXPECT_FALSE(losses.empty());
  OwningOpRef<ModuleOp> module;
  func::FuncOp loss = finished(module, losses.balance() + losses.z());
  ASSERT_TRUE(loss);
  EXPECT_EQ(llvm::range_size(loss.front().getOps<nn::LogSumExpOp>()), 2u);
  EXPECT_TRUE(loss.front().getOps<nn::CountValidOp>().empty());
}

TEST_F(Experts, LossesLeaveTokensOut) {
  Tensor ids = m.input("ids", {2, 3}, Element::I32, 3);
  RouterLosses losses;
  losses.add(route(weight("x", {6, 8})));
  losses.countOnly(ids);
  OwningOpRef<ModuleOp> module;
  func::FuncOp loss = finished(module, losses.balance() + losses.z());
  ASSERT_TRUE(loss);
  // Ranks and micro-steps share the number of tokens.
  EXPECT_EQ(llvm::range_size(loss.front().getOps<nn::CountValidOp>()), 2u);
}

TEST_F(Experts, RoutersRefuse) {
  route(weight("x", {6, 8}), /*experts=*/2, /*chosen=*/3);
  expectError("a router chooses 1 to all experts for rows [tokens, width], got "
              "3 of 2 for \"x\" (tensor<6x8xf32>)");
  topK(weight("x", {2, 6, 8}), 2);
  expectError("topK takes 1 to all columns of [rows, columns], got 2 of \"x\" "
              "(tensor<2x6x8xf32>)");
}

TEST_F(Experts, WeightsRefuse) {
  Tensor x = weight("x", {6, 8});
  expertMlps(m, x, route(x), {});
  expectError("an expert's MLP needs an inner width, got 0");
  x = weight("x", {6, 8});
  Routing routing = route(x);
  Tensor rows = gatherRows(x, routing.groups);
  groupedLinear(rows, routing.groups, {weight("w", {3, 8})});
  expectError("groupedLinear needs a weight for each of 5 experts, got 1");
  x = weight("x", {6, 8});
  routing = route(x, /*experts=*/2);
  rows = gatherRows(x, routing.groups);
  groupedLinear(rows, routing.groups,
                {weight("w0", {3, 8}), weight("w1", {4, 8})});
  expectError("weights of experts have one shape, got \"w0\" "
              "(tensor<3x8xf32>) and \"w1\" (tensor<4x8xf32>)");
  x = weight("x", {6, 8});
  routing = route(x, /*experts=*/1, /*chosen=*/1);
  rows = gatherRows(x, routing.groups).named("rows");
  groupedLinear(rows, routing.groups, {weight("w", {8, 3})});
  expectError("weights \"w\" (tensor<8x3xf32>) take rows of 3 for 6 pairs, got "
              "\"rows\" (tensor<6x8xf32>)");
}

TEST_F(Experts, RowsRefuse) {
  Tensor x = weight("x", {6, 8});
  Routing routing = route(x);
  gatherRows(weight("y", {5, 8}), routing.groups);
  expectError("gatherRows needs a row for each of 6 tokens, got \"y\" "
              "(tensor<5x8xf32>)");
  x = weight("x", {6, 8});
  routing = route(x);
  combineRows(x, routing.groups, routing.weights.named("w"));
  expectError("combineRows needs a row and a weight for each of 12 pairs, got "
              "\"x\" (tensor<6x8xf32>) and \"w\" (tensor<6x2xf32>)");
  groupByExpert(weight("x", {6, 8}), 3);
  expectError("groupByExpert takes i32 ids [tokens, k] of one expert or more, "
              "got \"x\" (tensor<6x8xf32>) of 3");
}

} // namespace
