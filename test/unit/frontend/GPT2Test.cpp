//===- GPT2Test.cpp - GPT-2's parameters as in Hugging Face ---------------===//
#include "frontend/GPT2.h"
#include "frontend/PrintModel.h"

#include "Diagnostics.h"
#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace mlir::frontend;

namespace {

struct Parameter {
  std::string name;
  std::vector<int64_t> shape;
  bool operator==(const Parameter &) const = default;
};

/// The contents of the header of test/golden/gpt2-tiny/model.safetensors, in
/// order.
const std::vector<Parameter> kTiny = {
    {"transformer.wte.weight", {256, 64}},
    {"transformer.wpe.weight", {64, 64}},
    {"transformer.h.0.ln_1.weight", {64}},
    {"transformer.h.0.ln_1.bias", {64}},
    {"transformer.h.0.attn.c_attn.weight", {64, 192}},
    {"transformer.h.0.attn.c_attn.bias", {192}},
    {"transformer.h.0.attn.c_proj.weight", {64, 64}},
    {"transformer.h.0.attn.c_proj.bias", {64}},
    {"transformer.h.0.ln_2.weight", {64}},
    {"transformer.h.0.ln_2.bias", {64}},
    {"transformer.h.0.mlp.c_fc.weight", {64, 256}},
    {"transformer.h.0.mlp.c_fc.bias", {256}},
    {"transformer.h.0.mlp.c_proj.weight", {256, 64}},
    {"transformer.h.0.mlp.c_proj.bias", {64}},
    {"transformer.h.1.ln_1.weight", {64}},
    {"transformer.h.1.ln_1.bias", {64}},
    {"transformer.h.1.attn.c_attn.weight", {64, 192}},
    {"transformer.h.1.attn.c_attn.bias", {192}},
    {"transformer.h.1.attn.c_proj.weight", {64, 64}},
    {"transformer.h.1.attn.c_proj.bias", {64}},
    {"transformer.h.1.ln_2.weight", {64}},
    {"transformer.h.1.ln_2.bias", {64}},
    {"transformer.h.1.mlp.c_fc.weight", {64, 256}},
    {"transformer.h.1.mlp.c_fc.bias", {256}},
    {"transformer.h.1.mlp.c_proj.weight", {256, 64}},
    {"transformer.h.1.mlp.c_proj.bias", {64}},
    {"transformer.ln_f.weight", {64}},
    {"transformer.ln_f.bias", {64}},
};

struct GPT2Test : testing::Test {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  Diagnostics diagnostics{context};
  GPT2Config tiny{
      .layers = 2, .heads = 4, .width = 64, .vocabulary = 256, .positions = 64};
  OwningOpRef<ModuleOp> module;

  func::FuncOp build(const GPT2Config &config, int64_t batch = 2,
                     int64_t sequence = 64) {
    module = buildGPT2(context, config, batch, sequence);
    EXPECT_TRUE(module) << (diagnostics.errors.empty()
                                ? ""
                                : diagnostics.errors.front());
    return module ? module->lookupSymbol<func::FuncOp>("loss") : nullptr;
  }

  static std::vector<Parameter> parametersOf(func::FuncOp loss) {
    std::vector<Parameter> result;
    for (unsigned i = 0; i < loss.getNumArguments(); ++i)
      if (auto name = loss.getArgAttrOfType<StringAttr>(i, zero::kParamAttr))
        result.push_back(
            {name.str(),
             cast<RankedTensorType>(loss.getArgumentTypes()[i]).getShape()});
    return result;
  }

  static Attribute initOf(func::FuncOp loss, StringRef name) {
    for (unsigned i = 0; i < loss.getNumArguments(); ++i)
      if (loss.getArgAttrOfType<StringAttr>(i, zero::kParamAttr) ==
          StringAttr::get(loss.getContext(), name))
        return loss.getArgAttr(i, zero::kInitAttr);
    return {};
  }

  template <typename OpT>
  static std::vector<OpT> opsOf(func::FuncOp loss) {
    std::vector<OpT> result;
    loss.walk([&](OpT op) { result.push_back(op); });
    return result;
  }
};

TEST_F(GPT2Test, HasHuggingFacesParametersInItsOrder) {
  func::FuncOp loss = build(tiny);
  ASSERT_TRUE(loss);
  EXPECT_EQ(parametersOf(loss), kTiny);
  // The inputs follow the parameters.
  ASSERT_EQ(loss.getNumArguments(), kTiny.size() + 2);
  for (auto [i, name] : {std::pair(0, "tokens"), std::pair(1, "targets")}) {
    unsigned at = kTiny.size() + i;
    EXPECT_EQ(loss.getArgAttrOfType<StringAttr>(at, zero::kInputAttr),
              StringAttr::get(&context, name));
    EXPECT_EQ(loss.getArgAttrOfType<IntegerAttr>(at, "zero.vocab").getInt(),
              256);
    EXPECT_EQ(loss.getArgumentTypes()[at],
              RankedTensorType::get({2, 64}, IntegerType::get(&context, 32)));
  }
  EXPECT_EQ(loss.getResultTypes()[0],
            RankedTensorType::get({}, Float32Type::get(&context)));
}

TEST_F(GPT2Test, BeginsAsHuggingFaceDoes) {
  func::FuncOp loss = build(tiny);
  ASSERT_TRUE(loss);
  auto normal = [&](double std) {
    return zero::NormalAttr::get(&context, APFloat(std));
  };
  auto constant = [&](double value) {
    return zero::ConstantAttr::get(&context, APFloat(value));
  };
  double residual = 0.02 / std::sqrt(2.0 * 2);
  for (auto [name, init] : std::vector<std::pair<StringRef, Attribute>>{
           {"transformer.wte.weight", normal(0.02)},
           {"transformer.wpe.weight", normal(0.02)},
           {"transformer.h.1.ln_1.weight", constant(1)},
           {"transformer.h.1.ln_1.bias", constant(0)},
           {"transformer.h.1.attn.c_attn.weight", normal(0.02)},
           {"transformer.h.1.attn.c_attn.bias", constant(0)},
           {"transformer.h.1.attn.c_proj.weight", normal(residual)},
           {"transformer.h.1.mlp.c_fc.weight", normal(0.02)},
           {"transformer.h.1.mlp.c_proj.weight", normal(residual)},
           {"transformer.h.1.mlp.c_proj.bias", constant(0)},
           {"transformer.ln_f.weight", constant(1)}})
    EXPECT_EQ(initOf(loss, name), init) << name.str();
}

TEST_F(GPT2Test, TiesTheOutputToTheEmbedding) {
  func::FuncOp loss = build(tiny);
  ASSERT_TRUE(loss);
  auto linear = opsOf<nn::LinearOp>(loss);
  ASSERT_EQ(linear.size(), 9u);
  EXPECT_EQ(linear.back().getWeight(), loss.getArgument(0));
  EXPECT_FALSE(linear.back().getTransposed());
  EXPECT_FALSE(linear.back().getBias());
  EXPECT_TRUE(linear.front().getTransposed());
}

TEST_F(GPT2Test, UntiedHasItsOwnHeadAtTheEnd) {
  tiny.tied = false;
  func::FuncOp loss = build(tiny);
  ASSERT_TRUE(loss);
  std::vector<Parameter> expected = kTiny;
  expected.push_back({"lm_head.weight", {256, 64}});
  EXPECT_EQ(parametersOf(loss), expected);
  EXPECT_FALSE(opsOf<nn::LinearOp>(loss).back().getTransposed());
}

TEST_F(GPT2Test, SlicesPositionsOnlyWhereFewerAreUsed) {
  func::FuncOp loss = build(tiny, 2, 64);
  ASSERT_TRUE(loss);
  EXPECT_EQ(opsOf<tensor::ExtractSliceOp>(loss).size(), 6u); // q, k, v
  loss = build(tiny, 2, 16);
  ASSERT_TRUE(loss);
  auto slices = opsOf<tensor::ExtractSliceOp>(loss);
  ASSERT_EQ(slices.size(), 7u);
  EXPECT_EQ(slices.front().getSource(), loss.getArgument(1));
  auto broadcast = opsOf<linalg::BroadcastOp>(loss);
  ASSERT_EQ(broadcast.size(), 1u);
  EXPECT_EQ(broadcast.front().getDimensions(), ArrayRef<int64_t>({0}));
}

TEST_F(GPT2Test, LocatesOperationsByName) {
  func::FuncOp loss = build(tiny);
  ASSERT_TRUE(loss);
  loss.walk([&](Operation *op) {
    EXPECT_TRUE(isa<NameLoc>(op->getLoc()))
        << op->getName().getStringRef().str();
  });
  auto attention = opsOf<nn::AttentionOp>(loss);
  ASSERT_EQ(attention.size(), 2u);
  EXPECT_EQ(cast<NameLoc>(attention[0].getLoc()).getName(), "h.0.attn");
  EXPECT_EQ(cast<NameLoc>(attention[1].getLoc()).getName(), "h.1.attn");
  EXPECT_EQ(cast<NameLoc>(opsOf<nn::LinearOp>(loss)[0].getLoc()).getName(),
            "h.0.attn.c_attn");
}

TEST_F(GPT2Test, ScalesAttentionAsTold) {
  auto scales = [&](const GPT2Config &config) {
    std::vector<double> result;
    if (func::FuncOp loss = build(config))
      for (nn::AttentionOp op : opsOf<nn::AttentionOp>(loss)) {
        EXPECT_TRUE(op.getCausal());
        result.push_back(op.getScale().convertToDouble());
      }
    return result;
  };
  EXPECT_EQ(scales(tiny), std::vector<double>({0.25, 0.25}));
  tiny.scaleByLayer = true;
  EXPECT_EQ(scales(tiny), std::vector<double>({0.25, 0.125}));
  tiny.scaleAttention = false;
  EXPECT_EQ(scales(tiny), std::vector<double>({1, 0.5}));
}

TEST_F(GPT2Test, TakesEachActivation) {
  func::FuncOp loss = build(tiny);
  EXPECT_TRUE(opsOf<nn::GeluOp>(loss).at(0).getTanh());
  tiny.activation = findActivation("gelu");
  loss = build(tiny);
  EXPECT_FALSE(opsOf<nn::GeluOp>(loss).at(0).getTanh());
  tiny.activation = findActivation("relu");
  loss = build(tiny);
  EXPECT_EQ(opsOf<nn::GeluOp>(loss).size(), 0u);
  EXPECT_EQ(opsOf<arith::MaximumFOp>(loss).size(), 2u);
}

TEST_F(GPT2Test, TakesSizesOfOne) {
  for (GPT2Config config :
       {GPT2Config{1, 1, 1, 1, 1}, GPT2Config{1, 1, 8, 3, 4},
        GPT2Config{1, 8, 8, 3, 4}})
    for (int64_t batch : {1, 2})
      EXPECT_TRUE(build(config, batch, 1));
}

TEST_F(GPT2Test, SurvivesTextWithItsNames) {
  func::FuncOp loss = build(tiny);
  ASSERT_TRUE(loss);
  std::string text = printModel(*module);
  OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(again);
  EXPECT_EQ(text, printModel(*again));
  EXPECT_EQ(initOf(again->lookupSymbol<func::FuncOp>("loss"),
                   "transformer.h.1.mlp.c_proj.weight"),
            initOf(loss, "transformer.h.1.mlp.c_proj.weight"));
  // One named argument per line, and no unused alias.
  EXPECT_NE(text.find("\n      %h.0.ln_1.bias: tensor<64xf32> {"),
            std::string::npos);
  EXPECT_EQ(text.find("#loc2 ="), std::string::npos);
}

TEST_F(GPT2Test, PrintsStrangeNames) {
  ModelBuilder m(context);
  Tensor w = m.param("a, %b\" (#loc1)\n(%c", {2, 3}, init::constant(1));
  OwningOpRef<ModuleOp> strange =
      m.finish(crossEntropy(w, m.input("targets", {2}, Element::I32)));
  ASSERT_TRUE(strange);
  std::string text = printModel(*strange);
  OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(again) << text;
  EXPECT_EQ(text, printModel(*again));
}

TEST_F(GPT2Test, RejectsSizesThatDoNotFit) {
  auto errorOf = [&](GPT2Config config, int64_t sequence) {
    diagnostics.errors.clear();
    EXPECT_FALSE(buildGPT2(context, config, 2, sequence));
    EXPECT_EQ(diagnostics.errors.size(), 1u);
    return diagnostics.errors.empty() ? "" : diagnostics.errors.front();
  };
  EXPECT_EQ(errorOf(tiny, 65),
            "sequences of 65 tokens need as many positions, got 64");
  EXPECT_EQ(errorOf({}, 8), "a GPT-2 needs layers, heads and a width");
  tiny.heads = 5;
  EXPECT_EQ(errorOf(tiny, 8), "a width of 64 does not divide among 5 heads");
  EXPECT_EQ(errorOf({1, 1, int64_t{1} << 40, INT32_MAX, 8}, 8),
            "wte.weight: parameter \"transformer.wte.weight\": a tensor of "
            "2147483647x1099511627776 has more than 2^63 bytes");
}

} // namespace
