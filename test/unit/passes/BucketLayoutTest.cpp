//===- BucketLayoutTest.cpp - Assigns parameters to buckets ---------------===//

#include "passes/partition/BucketLayout.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::zero;

namespace {

class BucketLayoutTest : public testing::Test {
protected:
  BucketLayoutTest() { context.loadDialect<ZeroDialect>(); }

  /// Adds a parameter; matrices decay.
  void add(StringRef name, ArrayRef<int64_t> shape, StringRef block = "") {
    Builder b(&context);
    parameters.push_back({b.getStringAttr(name),
                          RankedTensorType::get(shape, b.getF32Type()),
                          ConstantAttr::get(&context, APFloat(0.0)),
                          block.empty() ? StringAttr() : b.getStringAttr(block),
                          shape.size() >= 2,
                          {}});
  }

  /// Returns "h.0.w@0 h.0.b@64 | ..." for all buckets, with their lengths.
  std::string layOut(LayoutOptions options) {
    FailureOr<BucketLayout> layout = layOutBuckets(parameters, options, [&] {
      return emitError(UnknownLoc::get(&context));
    });
    if (failed(layout))
      return "failed";
    checkPlaces(*layout);
    std::string text;
    for (const LayoutBucket &bucket : layout->buckets) {
      EXPECT_EQ(bucket.axis, options.axis);
      for (const LayoutMember &member : bucket.members) {
        text += member.attr.getName().str();
        if (member.attr.isPiece())
          text += "[" + std::to_string(member.attr.getFirstRow()) + "+" +
                  std::to_string(member.attr.getShape()[0]) + "]";
        text += "@" + std::to_string(member.attr.getOffset()) + " ";
      }
      text += "= " + std::to_string(bucket.elements) +
              (bucket.whole ? " whole | " : " | ");
    }
    return text.substr(0, text.size() - 3);
  }

  SmallVector<std::string> labels(LayoutOptions options) {
    SmallVector<std::string> labels;
    FailureOr<BucketLayout> layout =
        layOutBuckets(parameters, options, nullptr);
    for (const LayoutBucket &bucket : layout->buckets)
      labels.push_back(bucket.label);
    return labels;
  }

  MLIRContext context;
  SmallVector<LayoutParameter> parameters;

private:
  /// Expects every row of every parameter to have exactly one place.
  void checkPlaces(const BucketLayout &layout) {
    size_t members = 0, places = 0;
    for (const LayoutBucket &bucket : layout.buckets)
      members += bucket.members.size();
    for (auto [i, parameter] : llvm::enumerate(parameters)) {
      int64_t next = 0;
      for (auto [k, m] : layout.places[i]) {
        const LayoutMember &member = layout.buckets[k].members[m];
        EXPECT_EQ(member.parameter, i);
        EXPECT_EQ(member.attr.getFirstElement(), next);
        EXPECT_EQ(layout.buckets[k].continuesParameter(), next > 0);
        next += member.attr.getNumElements();
      }
      EXPECT_EQ(next, parameter.type.getNumElements());
      places += layout.places[i].size();
    }
    EXPECT_EQ(members, places);
  }
};

} // namespace

TEST_F(BucketLayoutTest, NamesTellBlocks) {
  EXPECT_EQ(getBlockOfName("transformer.h.10.attn.c_fc.weight"),
            "transformer.h.10");
  EXPECT_EQ(getBlockOfName("h.0.mlp.1.weight"), "h.0");
  EXPECT_EQ(getBlockOfName("wte.weight"), "wte");
  EXPECT_EQ(getBlockOfName("a.b.weight"), "a.b");
  EXPECT_EQ(getBlockOfName("w"), "w");
  EXPECT_EQ(getBlockOfName("h1.weight"), "h1");
  EXPECT_EQ(getBlockOfName("layers.0"), "layers"); // a name, not a block
  EXPECT_EQ(getBlockOfName("a..1.b"), "a..1");
}

TEST_F(BucketLayoutTest, NeighboursOfABlockShareABucket) {
  add("h.0.b", {33});
  add("h.0.w", {4, 16});
  add("h.1.w", {4, 16});
  add("h.0.again", {16}); // not a neighbour
  LayoutOptions options{"dp", /*ranks=*/2, /*stage=*/3, /*slices=*/2, 0, 0, {}};
  EXPECT_EQ(layOut(options), "h.0.w@0 h.0.b@64 = 128 | h.1.w@0 = 64 | "
                             "h.0.again@0 = 32");
  EXPECT_EQ(labels(options),
            (SmallVector<std::string>{"h.0", "h.1.w", "h.0.again"}));
  options.stage = 2;
  EXPECT_EQ(layOut(options), "h.0.w@0 h.0.b@64 = 128 whole | "
                             "h.1.w@0 = 64 whole | h.0.again@0 = 32 whole");
}

TEST_F(BucketLayoutTest, WhatTheModelSaysOfBlocksComesFirst) {
  add("h.0.a", {16}, "deep");
  add("h.1.a", {16}, "deep");
  add("h.1.b", {16});
  add("x", {16}, "h.1");
  LayoutOptions options{"dp", 1, 0, 1, 0, 0, {}};
  EXPECT_EQ(layOut(options),
            "h.0.a@0 h.1.a@16 = 32 whole | h.1.b@0 x@16 = 32 whole");
  EXPECT_EQ(labels(options), (SmallVector<std::string>{"deep", "h.1"}));
}

TEST_F(BucketLayoutTest, AsManyAsFit) {
  add("a", {16});
  add("b", {17}); // padded as if it were alone
  add("c", {16});
  LayoutOptions options{"dp", 1, 0, 1, /*bucketSize=*/4 * 48, 0, {}};
  EXPECT_EQ(layOut(options), "a@0 b@16 = 48 whole | c@0 = 16 whole");
  EXPECT_EQ(labels(options), (SmallVector<std::string>{"a and 1 more", "c"}));
  options.bucketSize = 4 * 47;
  EXPECT_EQ(layOut(options),
            "a@0 = 16 whole | b@0 = 32 whole | c@0 = 16 whole");
}

TEST_F(BucketLayoutTest, LargeShardedParametersAreCut) {
  add("a", {16});
  add("w", {37, 24});
  add("b", {16});
  add("c", {16});
  LayoutOptions options{
      "dp", /*ranks=*/2, /*stage=*/3, /*slices=*/2, /*bucketSize=*/2048, 0, {}};
  EXPECT_EQ(layOut(options), "a@0 = 32 | w[0+20]@0 = 480 | w[20+17]@0 = 416 | "
                             "b@0 c@16 = 32");
  // Fewer rows than that need padding.
  options.bucketSize = 1;
  EXPECT_EQ(layOut(options).substr(0, 32), "a@0 = 32 | w[0+4]@0 = 96 | w[4+4");
  options.stage = 2;
  EXPECT_EQ(layOut(options), "a@0 = 32 whole | w@0 = 896 whole | "
                             "b@0 = 32 whole | c@0 = 32 whole");
}

TEST_F(BucketLayoutTest, WhatPersistsIsApart) {
  add("a", {16});
  add("w", {16, 16});
  add("b", {16});
  LayoutOptions options{"dp",
                        /*ranks=*/2,
                        /*stage=*/3,
                        /*slices=*/2,
                        /*bucketSize=*/1 << 20,
                        /*persistBelow=*/100,
                        {}};
  EXPECT_EQ(layOut(options), "a@0 b@16 = 32 whole | w@0 = 256");
}

TEST_F(BucketLayoutTest, TooManyPieces) {
  add("w", {50000, 32});
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  EXPECT_EQ(layOut({"dp", 2, 3, 2, /*bucketSize=*/4, 0, {}}), "failed");
  EXPECT_EQ(message, "bucket-size=4 would make 50000 buckets, more than 16384; "
                     "use at least 782 bytes");
  EXPECT_NE(layOut({"dp", 2, 3, 2, /*bucketSize=*/782, 0, {}}), "failed");
}
