//===- LocationsTest.cpp - Names from the user's text ---------------------===//
#include "dialect/zero/Locations.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace {

class Locations : public testing::Test {
protected:
  Location parse(StringRef text) {
    return cast<LocationAttr>(
        parseAttribute(("loc(" + text + ")").str(), &context));
  }
  std::string describe(StringRef text) {
    return zero::describeLocation(parse(text));
  }
  MLIRContext context;
};

TEST_F(Locations, AreNamesAndLines) {
  EXPECT_EQ(describe("unknown"), "");
  EXPECT_EQ(describe("\"h.0.attn\""), "h.0.attn");
  EXPECT_EQ(describe("\"/tmp/model.py\":12:3"), "model.py:12");
  EXPECT_EQ(describe("\"y\"(\"mlp.mlir\":47:8)"), "y (mlp.mlir:47)");
  EXPECT_EQ(describe("\"b3\"(\"h.1\")"), "b3 (h.1)");
  EXPECT_EQ(describe("\"-\":1:1"), "-:1");
}

TEST_F(Locations, OfAFileHaveNoLine) {
  EXPECT_EQ(describe("\"mlp.mlir\":0:0"), "");
  EXPECT_EQ(describe("\"y\"(\"mlp.mlir\":0:0)"), "y");
}

TEST_F(Locations, OfSeveralAreJoined) {
  EXPECT_EQ(describe("fused[\"h.0.mlp\", \"h.0\", \"h.0.mlp\"]"),
            "h.0.mlp, h.0");
  EXPECT_EQ(describe("fused[\"a\", unknown, \"b\", fused<1>[\"c\", \"d\"]]"),
            "a, b and 2 more");
  EXPECT_EQ(describe("fused[\"m.py\":7:1, \"m.py\":9:1, \"m.py\":7:30]"),
            "m.py:7,9");
  EXPECT_EQ(describe("fused[\"m.py\":7:1, \"n.py\":9:1]"), "m.py:7, n.py:9");
  EXPECT_EQ(describe("fused[\"m.py\":7:1, \"x\", \"m.py\":9:1]"),
            "m.py:7, x and 1 more");
}

TEST_F(Locations, OfCallsAreWhatIsCalled) {
  EXPECT_EQ(describe("callsite(\"f\" at \"m.py\":9:1)"), "f");
  EXPECT_EQ(describe("callsite(unknown at \"m.py\":9:1)"), "m.py:9");
  EXPECT_EQ(describe("fused[\"f\", callsite(\"f\" at \"m.py\":9:1)]"), "f");
}

TEST_F(Locations, HaveAFirstName) {
  EXPECT_EQ(zero::getLocationName(parse("\"y\"(\"mlp.mlir\":47:8)")), "y");
  EXPECT_EQ(zero::getLocationName(parse("fused[\"m.py\":7:1, \"a\", \"b\"]")),
            "a");
  EXPECT_EQ(zero::getLocationName(parse("\"m.py\":7:1")), "");
}

} // namespace
