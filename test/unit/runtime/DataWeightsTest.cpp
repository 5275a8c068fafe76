//===- DataWeightsTest.cpp ------------------------------------------------===//
#include "train/options/Options.h"

#include "TestFiles.h"

using namespace zrt;

using Weights = std::vector<uint64_t>;

TEST(DataWeights, AreWholeNumbersWithoutACommonFactor) {
  EXPECT_EQ(readWeights("1"), Weights{1});
  EXPECT_EQ(readWeights("0.7,0.3"), (Weights{7, 3}));
  EXPECT_EQ(readWeights("70,30"), (Weights{7, 3}));
  EXPECT_EQ(readWeights("0.70,.30"), (Weights{7, 3}));
  EXPECT_EQ(readWeights("2.,1.0,0.5"), (Weights{4, 2, 1}));
  EXPECT_EQ(readWeights("0.125,1,10"), (Weights{1, 8, 80}));
  EXPECT_EQ(readWeights("0.333333333,0.666666667"),
            (Weights{333333333, 666666667}));
  EXPECT_EQ(readWeights("000000000000000000001,01.50"), (Weights{2, 3}));
  EXPECT_EQ(readWeights("100000000000000000,100000000000000000"),
            (Weights{1, 1}));
  EXPECT_EQ(readWeights("2147483646,1"), (Weights{2147483646, 1}));
}

TEST(DataWeights, OfOtherKindsAreRefused) {
  for (const char *text : {"", "1,", ",1", "1,,2", "-1,2", "+1,2", "nan,1",
                           "inf,1", "1e3,1", "1.2.3,1", ".,1", "1;2", "1, 2"})
    EXPECT_ERROR("--data-weights must be numbers above 0 with commas between",
                 readWeights(text))
        << text;
  for (const char *text : {"0,1", "1,0.0", ".0,1"})
    EXPECT_ERROR("a weight must be above 0", readWeights(text)) << text;
  EXPECT_ERROR("1234567890123456789 has too many digits",
               readWeights("1234567890123456789,1"));
  EXPECT_ERROR("has too many digits", readWeights("0.0000000000000000001,1"));
  for (const char *text :
       {"2147483647,1", "0.0000000001,1", "0.000000000000000001,999999999",
        "999999999999999999,999999999999999998"})
    EXPECT_ERROR("sum up to more than 2147483647; round them",
                 readWeights(text))
        << text;
}
