//===- BuilderTest.cpp - The model language, right and wrong --------------===//
#include "frontend/Functions.h"

#include "ModelTest.h"
#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::frontend;

namespace {

using Builder = ModelTest;

std::string nameOf(Tensor t) {
  auto loc = dyn_cast<NameLoc>(t.getValue().getLoc());
  return loc ? loc.getName().str() : "";
}

//===----------------------------------------------------------------------===//
// Arguments and names
//===----------------------------------------------------------------------===//

TEST_F(Builder, ParametersComeBeforeInputs) {
  Tensor tokens = m.tokens(2, 3, 5);
  Tensor table = weight("table", {5, 4});
  Tensor targets = m.targets(2, 3, 5);
  Tensor head = m.param("head", {5, 4}, init::uniform(-1, 1));
  OwningOpRef<ModuleOp> module;
  func::FuncOp loss = finished(
      module, crossEntropy(linear(embedding(tokens, table), head), targets));
  ASSERT_TRUE(loss);
  ASSERT_EQ(loss.getNumArguments(), 4u);
  auto text = [&](unsigned i, StringRef attribute) {
    auto attr = loss.getArgAttrOfType<StringAttr>(i, attribute);
    return attr ? attr.str() : "";
  };
  EXPECT_EQ(text(0, zero::kParamAttr), "table");
  EXPECT_EQ(text(1, zero::kParamAttr), "head");
  EXPECT_EQ(text(2, zero::kInputAttr), "tokens");
  EXPECT_EQ(text(3, zero::kInputAttr), "targets");
  EXPECT_TRUE(loss.getArgAttrOfType<zero::NormalAttr>(0, zero::kInitAttr));
  EXPECT_TRUE(loss.getArgAttrOfType<zero::UniformAttr>(1, zero::kInitAttr));
  EXPECT_EQ(loss.getArgAttrOfType<IntegerAttr>(2, "zero.vocab").getInt(), 5);
  EXPECT_EQ(loss.getArgAttrOfType<IntegerAttr>(3, "zero.vocab").getInt(), 5);
  EXPECT_EQ(loss.getResultTypes().front(),
            RankedTensorType::get({}, Float32Type::get(&context)));
}

TEST_F(Builder, ScopesNameParametersAndOperations) {
  Scope model = m.paramScope("transformer");
  Tensor inner;
  {
    Scope h = m.scope("h.0");
    Scope mlp = m.scope("mlp");
    Tensor w = weight("weight", {2, 2});
    EXPECT_EQ(nameOf(w), "h.0.mlp.weight");
    inner = w + w;
    EXPECT_EQ(nameOf(inner), "h.0.mlp");
    EXPECT_EQ(nameOf((w * w).named("square")), "h.0.mlp.square");
  }
  Tensor outer = weight("other", {2, 2});
  EXPECT_EQ(nameOf(outer), "other");
  OwningOpRef<ModuleOp> module;
  func::FuncOp loss = finished(module, anyLoss());
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss.getArgAttrOfType<StringAttr>(0, zero::kParamAttr),
            StringAttr::get(&context, "transformer.h.0.mlp.weight"));
  EXPECT_EQ(loss.getArgAttrOfType<StringAttr>(1, zero::kParamAttr),
            StringAttr::get(&context, "transformer.other"));
}

TEST_F(Builder, BlocksSayWhatParametersAreOf) {
  auto add = [&](StringRef name) { return weight(name, {2}); };
  Scope model = m.paramScope("model");
  {
    Scope of = m.block("h.0"), in = m.scope("layers.0");
    add("a");
    {
      Scope inner = m.block("part");
      add("b");
    }
    add("c");
  }
  add("d");
  OwningOpRef<ModuleOp> module;
  func::FuncOp loss = finished(module, anyLoss());
  ASSERT_TRUE(loss);
  auto block = [&](unsigned i) {
    auto name = loss.getArgAttrOfType<StringAttr>(i, zero::kBlockAttr);
    return name ? name.getValue() : "none";
  };
  EXPECT_EQ(block(0), "model.h.0");
  EXPECT_EQ(block(1), "model.layers.0.part");
  EXPECT_EQ(block(2), "model.h.0");
  EXPECT_EQ(block(3), "none");
}

TEST_F(Builder, DoublePrecisionOnRequest) {
  ModelBuilder wide(context, Float64Type::get(&context));
  Tensor w = wide.param("w", {4, 5}, init::normal(1));
  OwningOpRef<ModuleOp> module = wide.finish(
      crossEntropy(w * 2.0 + 1.0, wide.input("targets", {4}, Element::I32)));
  ASSERT_TRUE(module);
  EXPECT_TRUE(w.getType().getElementType().isF64());
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

TEST_F(Builder, SizesCountFromEitherEnd) {
  Tensor x = weight("x", {2, 3, 4});
  EXPECT_EQ(x.size(0), 2);
  EXPECT_EQ(x.size(-1), 4);
  EXPECT_EQ(x.size(3), 0);
  EXPECT_EQ(x.size(-4), 0);
  EXPECT_EQ(Tensor().size(0), 0);
}

TEST_F(Builder, SliceOfAllIsTheTensor) {
  Tensor x = weight("x", {4, 6});
  EXPECT_EQ(x.slice(1, 0, 6).getValue(), x.getValue());
  auto slice = definedBy<tensor::ExtractSliceOp>(x.slice(-1, 2, 3));
  ASSERT_TRUE(slice);
  EXPECT_EQ(slice.getStaticOffsets(), ArrayRef<int64_t>({0, 2}));
  EXPECT_EQ(slice.getStaticSizes(), ArrayRef<int64_t>({4, 3}));
}

TEST_F(Builder, ReshapeExpandsCollapsesAndBoth) {
  Tensor x = weight("x", {2, 3, 8});
  EXPECT_EQ(x.reshape({2, 3, 8}).getValue(), x.getValue());
  Tensor wide = x.reshape({2, 3, 2, 4});
  EXPECT_TRUE(definedBy<tensor::ExpandShapeOp>(wide));
  EXPECT_TRUE(definedBy<tensor::CollapseShapeOp>(wide.reshape({2, 3, 8})));
  // Neither shape refines the other: reshapes through one dimension.
  Tensor turned = x.reshape({8, 3, 2});
  auto expand = definedBy<tensor::ExpandShapeOp>(turned);
  ASSERT_TRUE(expand);
  EXPECT_TRUE(expand.getSrc().getDefiningOp<tensor::CollapseShapeOp>());
  // With unit dimensions the groups are ambiguous.
  Tensor unit = weight("unit", {1, 1, 8});
  for (std::vector<int64_t> shape : {std::vector<int64_t>{1, 1, 1, 8},
                                     {1, 1, 8, 1},
                                     {1, 1, 2, 4},
                                     {8},
                                     {1, 8}})
    EXPECT_EQ(unit.reshape(shape).reshape({1, 1, 8}).getType(), unit.getType());
  Tensor one = weight("one", {1});
  EXPECT_EQ(one.reshape({1, 1}).reshape({}).reshape({1}).getType(),
            one.getType());
  EXPECT_TRUE(m.finish(anyLoss()));
}

TEST_F(Builder, ShorterShapesRepeatOverLeadingDimensions) {
  Tensor x = weight("x", {2, 3, 4}), row = weight("row", {3, 4});
  for (Tensor sum : {x + row, row + x}) {
    ASSERT_TRUE(sum);
    EXPECT_EQ(sum.getType(), x.getType());
  }
  auto add = definedBy<arith::SubFOp>(row - x);
  ASSERT_TRUE(add);
  auto broadcast = add.getLhs().getDefiningOp<linalg::BroadcastOp>();
  ASSERT_TRUE(broadcast);
  EXPECT_EQ(broadcast.getDimensions(), ArrayRef<int64_t>({0}));
  EXPECT_EQ(add.getRhs(), x.getValue());
  EXPECT_TRUE(m.finish(anyLoss()));
}

TEST_F(Builder, EveryFunctionVerifies) {
  Tensor q = weight("q", {2, 3, 2, 4}), k = weight("k", {2, 5, 2, 4});
  for (Tensor t :
       {attention(q, k, k), attention(q, k, k, {.causal = true, .scale = 2.0}),
        gelu(q), gelu(q, Gelu::Tanh), relu(q), tanh(q), softmax(q), -q, q * q,
        q / q, q + 1, q - 1, 2 * q, q / 2,
        linear(q, weight("w", {7, 4}), weight("b", {7})),
        linear(q, weight("wt", {4, 7}), {.transposed = true}),
        layerNorm(q, weight("g", {4}), weight("h", {4}), 1e-6)})
    EXPECT_TRUE(t);
  auto scaled = definedBy<nn::AttentionOp>(attention(q, q, q));
  EXPECT_EQ(scaled.getScale().convertToDouble(), 0.5);
  EXPECT_TRUE(m.finish(anyLoss()));
}

//===----------------------------------------------------------------------===//
// Errors: one each, at the scope's name
//===----------------------------------------------------------------------===//

TEST_F(Builder, OneMistakeIsOneError) {
  Scope in = m.scope("h.0.attn");
  Tensor bad = linear(weight("x", {4, 6}), weight("w", {9, 5}));
  EXPECT_FALSE(bad);
  // Later operations on an invalid tensor report nothing.
  Tensor more = gelu(-tanh(relu(softmax(bad * 2.0 + bad)))).slice(0, 1, 2);
  EXPECT_FALSE(layerNorm(more.reshape({1}).named("x"), more, more));
  EXPECT_FALSE(attention(more, more, more));
  EXPECT_FALSE(m.finish(crossEntropy(more, m.targets(1, 1))));
  ASSERT_EQ(diagnostics.errors.size(), 1u);
  EXPECT_EQ(
      diagnostics.errors[0],
      "h.0.attn: weight \"h.0.attn.w\" (tensor<9x5xf32>) takes 5 inputs, "
      "but the last dimension of x \"h.0.attn.x\" (tensor<4x6xf32>) is 6");
}

TEST_F(Builder, LinearRefuses) {
  linear(weight("x", {4, 6}), weight("w", {6, 9}));
  expectError("weight \"w\" (tensor<6x9xf32>) takes 9 inputs, but the last "
              "dimension of x \"x\" (tensor<4x6xf32>) is 6; a weight stored "
              "[in, out] needs {.transposed = true}");
  linear(weight("x", {4, 6}), weight("w", {9, 6}), weight("b", {6}));
  expectError("bias \"b\" (tensor<6xf32>) must have the 9 outputs of weight "
              "\"w\" (tensor<9x6xf32>)");
  linear(weight("x", {4, 6}), weight("w", {6}));
  expectError("the weight of linear has two dimensions, got \"w\" "
              "(tensor<6xf32>)");
}

TEST_F(Builder, ArithmeticRefuses) {
  weight("x", {2, 4}) + weight("y", {3});
  expectError("shapes do not fit: \"x\" (tensor<2x4xf32>) + \"y\" "
              "(tensor<3xf32>)");
  m.tokens(2, 3) * 2.0;
  expectError("* takes floats, got \"tokens\" (tensor<2x3xi32>)");
}

TEST_F(Builder, EmbeddingRefuses) {
  embedding(weight("x", {2, 3}), weight("table", {5, 4}));
  expectError("tokens must be i32 or i64 ids, got \"x\" (tensor<2x3xf32>)");
  embedding(m.tokens(2, 3), weight("table", {5}));
  expectError("the table of an embedding has two dimensions, got \"table\" "
              "(tensor<5xf32>)");
}

TEST_F(Builder, NormsRefuse) {
  layerNorm(weight("x", {2, 4}), weight("w", {4}), weight("b", {2}));
  expectError("layerNorm of \"x\" (tensor<2x4xf32>) needs 4 weights and "
              "biases, got \"b\" (tensor<2xf32>)");
  layerNorm(weight("x", {2, 4}), weight("w", {4}), weight("b", {4}), 0);
  expectError("the eps of layerNorm must be positive, got 0.000000");
  rmsNorm(weight("x", {2, 4}), weight("w", {3}));
  expectError("the weight of rmsNorm must have the 4 elements of a row of x "
              "\"x\" (tensor<2x4xf32>), got \"w\" (tensor<3xf32>)");
}

TEST_F(Builder, DropoutRefuses) {
  Tensor x = weight("x", {3, 4}), keys = m.dropoutKeys(2);
  EXPECT_EQ(dropout(x, keys, 0).getValue(), x.getValue());
  dropout(x, keys, 1);
  expectError(
      "the rate of dropout must be at least 0 and below 1, got 1.000000");
  x = weight("x", {3, 4});
  keys = m.dropoutKeys(2);
  dropout(x, keys, 0.5);
  expectError(
      "dropout of \"x\" (tensor<3x4xf32>) needs keys, i64 [B], that divide "
      "its rows; take ModelBuilder::dropoutKeys");
}

TEST_F(Builder, AttentionRefuses) {
  Tensor q = weight("q", {2, 3, 4, 5}), k = weight("k", {2, 3, 4, 6});
  attention(q, k, k);
  expectError("attention needs q [B, T, H, D] and k, v [B, S, G, D], got q "
              "\"q\" (tensor<2x3x4x5xf32>), k \"k\" (tensor<2x3x4x6xf32>), v "
              "\"k\" (tensor<2x3x4x6xf32>)");
  q = weight("q", {2, 3, 4, 5});
  k = weight("k", {2, 3, 3, 5});
  attention(q, k, k);
  expectError("attention has 4 query heads, which must be a multiple of the 3 "
              "heads of keys and values");
  q = weight("q", {2, 3, 4, 5});
  attention(q, q, q, {.window = 2});
  expectError("the window of attention hides earlier positions; add .causal = "
              "true");
  q = weight("q", {2, 3, 4, 5});
  attention(q, q, q, {.causal = true, .window = 0});
  expectError("the window of attention must be positive, got 0");
  q = weight("q", {2, 3, 4, 5});
  attention(q, q, q, {.softCap = 0});
  expectError("the soft cap of attention must be positive and finite");
  q = weight("q", {2, 3, 4, 5});
  attention(q, q, q, {.dropout = 0.1});
  expectError(
      "dropout of \"q\" (tensor<2x3x4x5xf32>) needs keys, i64 [B], that "
      "divide its rows; take ModelBuilder::dropoutKeys");
  q = weight("q", {2, 3, 4, 5});
  k = weight("k", {2, 2, 4, 5});
  attention(q, k, k, {.causal = true});
  expectError("causal attention needs at least as many keys as queries, got 2 "
              "and 3");
}

TEST_F(Builder, RopeSoftmaxAndCrossEntropyRefuse) {
  Tensor q = weight("q", {2, 3, 4, 5});
  rope(q, {ropeFrequencies(6)});
  expectError("rope has 3 frequencies, which rotate 6 elements, and a head of "
              "x \"q\" (tensor<2x3x4x5xf32>) has 5; give 1 to 2");
  softmax(weight("x", {}));
  expectError("softmax needs a dimension, got \"x\" (tensor<f32>)");
  crossEntropy(weight("x", {2, 3, 4}), m.targets(2, 4));
  expectError(
      "targets \"targets\" (tensor<2x4xi32>) must have the shape of "
      "the logits \"x\" (tensor<2x3x4xf32>) without its last dimension");
  Tensor x = weight("x", {2, 3, 4}), targets = m.targets(2, 3);
  crossEntropy(x, targets, {.weights = weight("w", {3})});
  expectError(
      "weights \"w\" (tensor<3xf32>) must be floats of the shape of the "
      "targets \"targets\" (tensor<2x3xi32>)");
  x = weight("x", {2, 3, 4}), targets = m.targets(2, 3);
  crossEntropy(x, targets, {.labelSmoothing = 1.5});
  expectError(
      "the label smoothing of crossEntropy must be from 0 to 1, and its "
      "z-loss finite and not negative, got 1.500000 and 0.000000");
}

TEST_F(Builder, SlicesAndReshapesRefuse) {
  weight("x", {4, 6}).slice(1, 4, 3);
  expectError("slice of 3 from 4 does not lie in dimension 1 of \"x\" "
              "(tensor<4x6xf32>)");
  weight("x", {4, 6}).slice(2, 0, 1);
  expectError("slice of dimension 2 of \"x\" (tensor<4x6xf32>), which has 2");
  weight("x", {4, 6}).reshape({5, 5});
  expectError("reshape of \"x\" (tensor<4x6xf32>) to tensor<5x5xf32>: 24 "
              "elements do not fill 25");
}

TEST_F(Builder, SlicesThatOverflowAreErrors) {
  weight("x", {4, 6}).slice(1, std::numeric_limits<int64_t>::max(), 2);
  EXPECT_FALSE(m.finish(anyLoss()));
  EXPECT_EQ(diagnostics.errors.size(), 1u);
}

TEST_F(Builder, ParametersRefuse) {
  weight("w", {4});
  weight("w", {4});
  expectError("w: there is a parameter \"w\" already; use the tensor that "
              "param() returned twice to tie weights");
  weight("", {4});
  expectError("a parameter needs a name");
  int64_t large = int64_t{1} << 40;
  weight("w", {large, large});
  expectError("w: parameter \"w\": a tensor of 1099511627776x1099511627776 has "
              "more than 2^63 bytes");
}

TEST_F(Builder, ParametersNeedPositiveSizes) {
  Scope in = m.scope("h.1");
  weight("w", {4, 0});
  EXPECT_FALSE(m.finish(anyLoss()));
  ASSERT_EQ(diagnostics.errors.size(), 1u);
  EXPECT_EQ(diagnostics.errors[0],
            "h.1.w: parameter \"h.1.w\": sizes must be positive, got 4x0");
}

TEST_F(Builder, InitialValuesRefuse) {
  m.param("w", {4}, init::constant(std::nan("")));
  expectError("w: parameter \"w\": its initial values are not finite");
  m.param("w", {4}, init::normal(-1));
  expectError("w: parameter \"w\": the std of its initial values must not be "
              "negative, got -1.000000");
  m.param("w", {4}, init::uniform(1, -1));
  expectError("w: parameter \"w\": the interval of its initial values is "
              "empty: 1.000000 to -1.000000");
}

TEST_F(Builder, InputsRefuse) {
  m.tokens(2, 3);
  m.tokens(2, 3);
  expectError("tokens: input \"tokens\" needs a name of its own");
  m.tokens(2, 3, int64_t{1} << 31);
  expectError("tokens: input \"tokens\": a vocabulary of 2147483648 does not "
              "fit 32-bit ids");
  m.input("x", {4}, Element::Float, 3);
  expectError("x: input \"x\": a vocabulary of 3 does not fit floats");
  m.input("x", {}, Element::Float);
  expectError("x: input \"x\" has no dimensions; the first one counts samples");
}

TEST_F(Builder, InputsAreFloatsOrIntegers) {
  Tensor w = m.param("w", {3, 5}, init::normal(1));
  Tensor x = m.input("features", {4, 5}, Element::Float);
  Tensor labels = m.input("labels", {4}, Element::I64, 3);
  OwningOpRef<ModuleOp> module;
  func::FuncOp loss = finished(module, crossEntropy(linear(x, w), labels));
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss.getArgumentTypes()[1],
            RankedTensorType::get({4, 5}, Float32Type::get(&context)));
  EXPECT_EQ(loss.getArgumentTypes()[2],
            RankedTensorType::get({4}, IntegerType::get(&context, 64)));
  EXPECT_EQ(loss.getArgAttrOfType<StringAttr>(1, zero::kInputAttr), "features");
  EXPECT_FALSE(loss.getArgAttr(1, zero::kVocabAttr));
  EXPECT_EQ(loss.getArgAttrOfType<IntegerAttr>(2, zero::kVocabAttr).getInt(),
            3);
}

TEST_F(Builder, TheLossMustBeAScalar) {
  EXPECT_FALSE(m.finish(weight("x", {4, 6})));
  ASSERT_EQ(diagnostics.errors.size(), 1u);
  EXPECT_EQ(diagnostics.errors[0],
            "loss: the loss must be a scalar, got \"x\" (tensor<4x6xf32>); "
            "reduce it, for example with crossEntropy");
}

TEST_F(Builder, TheLossMustBeValid) {
  EXPECT_FALSE(m.finish(Tensor()));
  ASSERT_EQ(diagnostics.errors.size(), 1u);
  EXPECT_EQ(diagnostics.errors[0], "the loss is an invalid tensor");
}

} // namespace
