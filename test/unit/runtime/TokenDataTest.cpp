//===- TokenDataTest.cpp - Formats and batches of token files -------------===//
#include "train/state/io/TokenData.h"

#include "TestFiles.h"

#include <sys/stat.h>
#include <vector>

using namespace zrt;

namespace {

template <typename T>
std::string bytesOfTokens(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

std::string llmcHeader(int32_t magic, int32_t version, int32_t count) {
  std::vector<int32_t> header(256, 0);
  header[0] = magic;
  header[1] = version;
  header[2] = count;
  return bytesOfTokens(header);
}

const std::vector<uint16_t> small16 = {1, 2, 3, 4, 5, 6, 7, 8};
const std::vector<uint32_t> small32 = {1, 2, 3, 4, 5, 6, 7, 8};

const int64_t idShape[] = {1, 2};

/// An input of two ids below `bound`.
zrt_input inputBelow(int64_t bound) {
  return {"ids", ZRT_I32, 2, idShape, {}, bound, 0, 0, 0};
}

class TokenFile : public testing::Test {
protected:
  TestFolder folder;

  std::string formatOf(const std::string &name, const std::string &bytes,
                       TokenFormat format = TokenFormat::Auto) {
    const TokenData data(folder.write(name, bytes), format, 2, 1);
    return std::to_string(data.tokens()) + " " + data.formatName();
  }
  std::string errorFor(const std::string &bytes, TokenFormat format,
                       zrt_input tokens = inputBelow(100),
                       zrt_input targets = inputBelow(100)) {
    return errorOf([&] {
      const TokenData data(folder.write("tokens", bytes), format, 2, 1);
      data.check(tokens, 0);
      data.check(targets, 1);
    });
  }
};

TEST_F(TokenFile, AutoGoesByContentThenByName) {
  EXPECT_EQ(
      formatOf("a.bin", llmcHeader(20240520, 1, 8) + bytesOfTokens(small16)),
      "8 llm.c uint16");
  EXPECT_EQ(
      formatOf("a.txt", llmcHeader(20240801, 7, 8) + bytesOfTokens(small32)),
      "8 llm.c uint32");
  EXPECT_EQ(formatOf("a.bin", bytesOfTokens(small16)), "8 raw uint16");
  EXPECT_EQ(formatOf("a.bin", bytesOfTokens(small32)), "8 raw uint32");
  // A u16 cannot hold tokens above 65,535.
  EXPECT_EQ(TokenData(folder.write(
                          "wide.bin",
                          bytesOfTokens(std::vector<uint32_t>{70000, 1, 2, 3})),
                      TokenFormat::Auto, 2, 1, /*isWide=*/true)
                .tokens(),
            4u);
  EXPECT_EQ(formatOf("a.u16", bytesOfTokens(small32)), "16 raw uint16");
  EXPECT_EQ(formatOf("a.u32", bytesOfTokens(small16)), "4 raw uint32");
  EXPECT_EQ(formatOf("a.txt", "to be or not"), "12 text bytes");
  EXPECT_EQ(formatOf("a", bytesOfTokens(small16)), "16 text bytes");
  // One nonzero word is enough.
  EXPECT_EQ(
      formatOf("a.bin", bytesOfTokens(small32) + std::string("\1\0\1\0", 4)),
      "18 raw uint16");
}

TEST_F(TokenFile, AnExplicitFormatWins) {
  EXPECT_EQ(formatOf("a.txt", bytesOfTokens(small16), TokenFormat::U16),
            "8 raw uint16");
  EXPECT_EQ(formatOf("a.bin", bytesOfTokens(small16), TokenFormat::Text),
            "16 text bytes");
  EXPECT_EQ(formatOf("a.u16", bytesOfTokens(small32), TokenFormat::U32),
            "8 raw uint32");
}

TEST_F(TokenFile, SequencesFollowEachOther) {
  // 8 tokens, T = 2: sequences 0, 1, 2 start at tokens 0, 2, 4; their targets
  // are one later.
  for (const auto &[bytes, format] :
       {std::pair{bytesOfTokens(small16), TokenFormat::U16},
        {bytesOfTokens(small32), TokenFormat::U32},
        {std::string("\1\2\3\4\5\6\7\10"), TokenFormat::Text},
        {llmcHeader(20240520, 1, 8) + bytesOfTokens(small16),
         TokenFormat::Llmc},
        {llmcHeader(20240801, 7, 8) + bytesOfTokens(small32),
         TokenFormat::Llmc}}) {
    const TokenData data(folder.write("tokens", bytes), format, 2, 1);
    EXPECT_EQ(data.sequences(), 3u);
    const auto sequence = [&](uint64_t i, uint64_t later) {
      std::vector<int32_t> ids(2);
      data.read(i, later, inputBelow(9),
                reinterpret_cast<std::byte *>(ids.data()));
      return ids;
    };
    EXPECT_EQ(sequence(0, 0), (std::vector{1, 2}));
    EXPECT_EQ(sequence(0, 1), (std::vector{2, 3}));
    EXPECT_EQ(sequence(2, 0), (std::vector{5, 6}));
    EXPECT_EQ(sequence(2, 1), (std::vector{6, 7}));
    zrt_input wide = inputBelow(9);
    wide.dtype = ZRT_I64;
    std::vector<int64_t> ids(2);
    data.read(1, 1, wide, reinterpret_cast<std::byte *>(ids.data()));
    EXPECT_EQ(ids, (std::vector<int64_t>{4, 5}));
  }
}

TEST_F(TokenFile, WhatFollowsASeparatorIsNoTarget) {
  // Sequences 5 1 2 | 2 5 3 | 3 4 5 | 5 6 of a text whose documents end with 5.
  const std::vector<uint16_t> tokens = {5, 1, 2, 5, 3, 4, 5, 6, 5};
  const TokenData data(folder.write("t.u16", bytesOfTokens(tokens)),
                       TokenFormat::Auto, 2, 1);
  zrt_input targets = inputBelow(9);
  targets.ignored = -100;
  const auto targetsOf = [&](uint64_t sequence) {
    std::vector<int32_t> ids(2);
    auto *to = reinterpret_cast<std::byte *>(ids.data());
    data.read(sequence, 1, targets, to);
    data.mask(sequence, 5, targets, to);
    return ids;
  };
  ASSERT_EQ(data.sequences(), 4u);
  EXPECT_EQ(targetsOf(0), (std::vector{-100, 2}));
  EXPECT_EQ(targetsOf(1), (std::vector{5, -100}));
  EXPECT_EQ(targetsOf(2), (std::vector{4, 5}));
  EXPECT_EQ(targetsOf(3), (std::vector{-100, 5}));
  EXPECT_EQ(data.count(5), 3u); // the last is in no sequence
  EXPECT_EQ(data.count(7), 0u);
  targets.dtype = ZRT_I64;
  std::vector<int64_t> wide(2);
  data.mask(1, 5, targets, reinterpret_cast<std::byte *>(wide.data()));
  EXPECT_EQ(wide, (std::vector<int64_t>{0, -100}));
}

TEST(BatchPlace, CountsStepMicroStepRankRow) {
  const BatchPlace place = {
      .step = 5, .microStep = 1, .microSteps = 3, .rank = 2, .ranks = 4};
  // ((5 x 3 + 1) x 4 + 2) x 8 + 7 = 535
  EXPECT_EQ(place.position(7, 8), 535u);
}

TEST_F(TokenFile, TheLastTokenOfASequenceIsTheFirstOfTheNext) {
  // T + 1 tokens are one sequence; T more make another.
  const auto sequences = [&](size_t tokens, uint64_t later = 1) {
    return TokenData(folder.write("t", std::string(tokens, 'a')),
                     TokenFormat::Text, 4, later)
        .sequences();
  };
  EXPECT_EQ(sequences(5), 1u);
  EXPECT_EQ(sequences(8), 1u);
  EXPECT_EQ(sequences(9), 2u);
  // Without targets, T tokens are enough.
  EXPECT_EQ(sequences(4, 0), 1u);
  EXPECT_EQ(sequences(7, 0), 1u);
  EXPECT_EQ(sequences(8, 0), 2u);
}

TEST_F(TokenFile, RefusesWhatIsTooShort) {
  EXPECT_ERROR("no such file",
               TokenData(folder / "none", TokenFormat::Auto, 2, 1));
  EXPECT_ERROR("not a regular file", TokenData("/", TokenFormat::Auto, 2, 1));
  EXPECT_HAS(errorFor("", TokenFormat::Auto), "empty; it needs 3 tokens");
  EXPECT_HAS(errorFor("abcd", TokenFormat::U16),
             "has 2 tokens (raw uint16), but one sequence needs 3");
  EXPECT_EQ(errorFor("abc", TokenFormat::Text), "");
  EXPECT_HAS(errorFor("abcde", TokenFormat::U16),
             "5 bytes are not whole tokens of 2 bytes");
  EXPECT_HAS(errorFor("abcdef", TokenFormat::U32), "whole tokens of 4");
  EXPECT_ERROR("is a NumPy file",
               TokenData(folder.write("a.npy", "\x93NUMPY and so on"),
                         TokenFormat::Auto, 2, 1));
}

TEST_F(TokenFile, RefusesWhatIsNoFileWithoutWaitingForIt) {
  const std::string path = folder / "fifo";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_ERROR("not a regular file", TokenData(path, TokenFormat::Text, 2, 0));
  EXPECT_ERROR("not a regular file",
               TokenData("/dev/zero", TokenFormat::Text, 2, 0));
}

TEST_F(TokenFile, ThatIsCutWhileItIsReadIsAnError) {
  const std::string path = folder.write("t", bytesOfTokens(small16));
  const TokenData data(path, TokenFormat::U16, 2, 1);
  std::vector<int32_t> ids(2);
  auto *to = reinterpret_cast<std::byte *>(ids.data());
  data.read(2, 0, inputBelow(9), to);
  EXPECT_EQ(ids, (std::vector{5, 6}));
  std::filesystem::resize_file(path, 9);
  EXPECT_ERROR("t ends at byte 9, but had 16 bytes when it was opened",
               data.read(2, 0, inputBelow(9), to));
  std::filesystem::resize_file(path, 0);
  EXPECT_ERROR("ends at byte 0", data.check(inputBelow(9), 0));
}

TEST_F(TokenFile, LongSequencesAreReadInBlocks) {
  // Three blocks and a part.
  constexpr int32_t kLength = 50'001;
  std::vector<uint32_t> ids(2 * kLength + 1);
  for (size_t i = 0; i < ids.size(); ++i)
    ids[i] = uint32_t(i);
  const TokenData data(folder.write("t", bytesOfTokens(ids)), TokenFormat::U32,
                       kLength, 1);
  std::vector<int32_t> in(kLength), out(kLength);
  data.read(1, 0, inputBelow(0), reinterpret_cast<std::byte *>(in.data()));
  data.read(1, 1, inputBelow(0), reinterpret_cast<std::byte *>(out.data()));
  for (int32_t i = 0; i < kLength; ++i) {
    ASSERT_EQ(in[size_t(i)], kLength + i);
    ASSERT_EQ(out[size_t(i)], kLength + i + 1);
  }
}

TEST_F(TokenFile, RefusesLyingLlmcHeaders) {
  const std::string body = bytesOfTokens(small16);
  const auto error = [&](const std::string &bytes) {
    return errorFor(bytes, TokenFormat::Llmc);
  };
  EXPECT_EQ(error(llmcHeader(20240520, 1, 8) + body), "");
  EXPECT_HAS(error(body), "no llm.c header");
  EXPECT_HAS(error(llmcHeader(20240520, 2, 8) + body), "version 2");
  for (int32_t count : {7, 9, -1, INT32_MAX})
    EXPECT_HAS(error(llmcHeader(20240520, 1, count) + body),
               "but 16 bytes follow")
        << count;
  // The name does not decide either: auto finds the magic number.
  EXPECT_HAS(
      errorFor(llmcHeader(20240520, 1, 8).substr(0, 100), TokenFormat::Auto),
      "no llm.c header");
}

TEST_F(TokenFile, RefusesIdsThatAnInputMayNotHold) {
  // Tokens 1 to 8, two per sequence: 1 to 6 are inputs, 2 to 7 targets.
  const std::string bytes = bytesOfTokens(small16);
  const auto error = [&](zrt_input tokens, zrt_input targets) {
    return errorFor(bytes, TokenFormat::U16, tokens, targets);
  };
  EXPECT_EQ(error(inputBelow(7), inputBelow(8)), "");
  EXPECT_HAS(error(inputBelow(6), inputBelow(8)),
             "token 6 at position 5 is not 0 to 5, the vocabulary of "
             "input \"ids\" (read as raw uint16)");
  EXPECT_HAS(error(inputBelow(7), inputBelow(7)),
             "token 7 at position 6 is not 0 to 6, ");
  zrt_input ignoring = inputBelow(7);
  ignoring.ignored = 7;
  EXPECT_EQ(error(inputBelow(7), ignoring), "");
  ignoring.ignored = -100;
  EXPECT_HAS(error(inputBelow(7), ignoring), "is not 0 to 6 or -100, ");
  // Without a vocabulary, the limit is that of the type.
  const std::string large =
      bytesOfTokens(std::vector<uint32_t>{1, 0x80000000u, 2});
  EXPECT_HAS(errorFor(large, TokenFormat::U32, inputBelow(0), inputBelow(0)),
             "token 2147483648 at position 1 is not what fits input "
             "\"ids\", i32");
  zrt_input wide = inputBelow(0);
  wide.dtype = ZRT_I64;
  EXPECT_EQ(errorFor(large, TokenFormat::U32, wide, wide), "");
}

TEST_F(TokenFile, ChecksEverySequenceItReads) {
  const TokenData data(folder.write("t", bytesOfTokens(small16)),
                       TokenFormat::U16, 2, 1);
  std::vector<int32_t> ids(2);
  auto *to = reinterpret_cast<std::byte *>(ids.data());
  data.read(0, 1, inputBelow(5), to);
  // The last target of sequence 1 is token 5.
  EXPECT_ERROR("token 5 at position 4", data.read(1, 1, inputBelow(5), to));
}

} // namespace
