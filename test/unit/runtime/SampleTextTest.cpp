//===- SampleTextTest.cpp - Prints samples --------------------------------===//

#include "train/report/SampleText.h"

#include <gtest/gtest.h>

#include <string>

using namespace zrt;

namespace {

TEST(SampleText, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\tb\nc\\"), "a\tb\nc\\\\");
  EXPECT_EQ(printable(std::string("\0\r\x1b[2J\x7f", 7)),
            "\\x00\\x0d\\x1b[2J\\x7f");
  EXPECT_EQ(printable("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
  // A cut sequence, a lone byte, an overlong form, a surrogate, a two-byte
  // control character.
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xa4x"), "\\xa4x");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(SampleText, IsOneLineOfJson) {
  SampleOptions options;
  options.text = "a";
  options.tokens = 2;
  EXPECT_EQ(samplesLine(options, {97}, {{34, 200}, {10}}, 7),
            "{\"step\":7,\"prompt\":[97],\"samples\":[{\"ids\":[34,200],"
            "\"text\":\"\\\"\xef\xbf\xbd\"},{\"ids\":[10],\"text\":\"\\n\"}]}");
  EXPECT_EQ(samplesText(options, {97}, {{34, 200}, {10}}, "after step 7", 99),
            "--- sample 1 of 2, after step 7\na\"\\xc8\n"
            "--- sample 2 of 2, after step 7\na\n\n"
            "--- its logits are not finite here\n--- end of samples\n");
  options.text.reset();
  EXPECT_EQ(samplesLine(options, {1, 2}, {{3}}, 0),
            "{\"step\":0,\"prompt\":[1,2],\"samples\":[{\"ids\":[3]}]}");
  EXPECT_EQ(samplesText(options, {1, 2}, {{3, 4}}, "", 99),
            "--- sample 1 of 1\n1 2 | 3 4\n--- end of samples\n");
}

} // namespace
