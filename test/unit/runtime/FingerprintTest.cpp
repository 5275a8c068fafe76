//===- FingerprintTest.cpp - The values that ranks must share -------------===//
#include "train/run/Fingerprint.h"
#include "runtime/hash/ContentHash.h"
#include "runtime/world/Agree.h"

#include "TestFiles.h"
#include "ThreadWorld.h"

#include <algorithm>

using namespace zrt;
using namespace zrt::test;

namespace {

/// Returns the disagreement of `ranks` ranks of which only rank `other` is
/// changed.
template <typename Change>
std::string afterChange(Change change, size_t ranks = 2, size_t other = 1) {
  Fingerprint common;
  common.files.data = {2097152, 7};
  common.files.init = {4096, 7};
  common.options = "--steps=10\n--lr=0.0006\n--shuffle\n";
  std::vector<Fingerprint> all(ranks, common);
  change(all[other]);
  return disagreement(all);
}

TEST(Disagreement, IsNothingAmongEquals) {
  EXPECT_EQ(afterChange([](auto &) {}), "");
  EXPECT_EQ(disagreement({Fingerprint{}}), "");
}

TEST(Disagreement, NamesTheFile) {
  EXPECT_EQ(
      afterChange([](auto &f) { f.files.data.bytes = 1048576; }),
      "rank 1 has other data than rank 0: 1,048,576 bytes (1.0 MiB) against "
      "2,097,152 bytes (2.0 MiB); give every rank the same file");
  EXPECT_EQ(afterChange([](auto &f) { f.files.data.hash = 8; }),
            "rank 1 has other data than rank 0: 2,097,152 bytes (2.0 MiB), but "
            "not the "
            "same; give every rank the same file");
  EXPECT_EQ(afterChange([](auto &f) { f.files.init.bytes = 1; }, 4, 2),
            "rank 2 has other initial weights than rank 0: 1 byte against "
            "4,096 bytes (4.0 KiB); give every rank the same file");
}

TEST(Disagreement, NamesTheProgramFirst) {
  EXPECT_EQ(afterChange([](auto &f) {
              f.program = 1;
              f.options = "--steps=11\n";
              f.files.data.hash = 8;
            }),
            "rank 1 runs another program than rank 0; copy one binary to every "
            "host");
}

TEST(Disagreement, NamesTheOption) {
  const std::string end = "; give every rank the same options";
  EXPECT_EQ(afterChange([](auto &f) {
              f.options = "--steps=11\n--lr=0.0006\n--shuffle\n";
            }),
            "rank 1 has --steps=11, but rank 0 has --steps=10" + end);
  EXPECT_EQ(
      afterChange([](auto &f) { f.options = "--steps=10\n--lr=0.0006\n"; }),
      "rank 1 is started without --shuffle, but rank 0 with it" + end);
  EXPECT_EQ(afterChange([](auto &f) { f.options = "--steps=10\n--shuffle\n"; }),
            "rank 1 is started without --lr, but rank 0 with --lr=0.0006" +
                end);
  EXPECT_EQ(afterChange([](auto &f) { f.options += "--spike-guard=6\n"; }),
            "rank 1 is started with --spike-guard=6, but rank 0 without it" +
                end);
  EXPECT_EQ(afterChange([](auto &f) { f.options += "--save\n"; }, 2, 0),
            "rank 1 is started without --save, but rank 0 with it" + end);
}

TEST(Disagreement, NamesAllRanksThatDiffer) {
  const auto nine = [](auto &f) { f.options.replace(8, 2, "9"); };
  EXPECT_EQ(afterChange(nine, 4, 0),
            "ranks 1, 2, 3 have --steps=10, but rank 0 has --steps=9; give "
            "every rank the same options");
  EXPECT_HAS(afterChange(nine, 99, 0),
             "ranks 1, 2, 3, 4, 5, 6, 7, 8, ... have");
}

TEST(Options, AreComparedInOneSpelling) {
  const auto compared = [](std::vector<const char *> more) {
    std::vector<const char *> line = {"train", "--steps", "3", "--data", "a"};
    line.insert(line.end(), more.begin(), more.end());
    return parseOptions(int(line.size()), line.data()).compared;
  };
  EXPECT_EQ(compared({"--lr", "1e-3"}), compared({"--lr=0.001"}));
  EXPECT_NE(compared({"--lr", "1e-3"}), compared({"--lr=0.002"}));
  // Paths of files and the number of threads may differ between ranks.
  EXPECT_EQ(compared({"--lr=1", "--init=x", "--threads=2"}),
            compared({"--lr=1", "--init=y", "--threads=3"}));
  EXPECT_NE(compared({"--lr=1", "--init=x"}), compared({"--lr=1"}));
}

TEST(Fingerprints, AreComparedByAllRanks) {
  std::vector<std::string> errors(3);
  int printing = 0;
  runRanks(3, [&](World &world) {
    Fingerprint mine;
    // Of different lengths.
    mine.options = world.rank() == 1 ? "--seed=15\n" : "--seed=4\n";
    try {
      compareFingerprints(world, mine);
    } catch (const AgreedError &error) {
      errors[size_t(world.rank())] = error.what();
      if (world.rank() == 0)
        printing = error.printedElsewhere ? 0 : 1;
      else
        EXPECT_TRUE(error.printedElsewhere);
    }
  });
  EXPECT_EQ(printing, 1);
  for (const std::string &error : errors)
    EXPECT_EQ(error,
              "rank 1 has --seed=15, but rank 0 has --seed=4; give every "
              "rank the same options");
}

uint64_t hashOf(const std::string &text, uint64_t start = 0) {
  return contentHash(reinterpret_cast<const std::byte *>(text.data()),
                     text.size(), start);
}

TEST(ContentHash, ChangesWithEveryByteAndLength) {
  const std::string text = "a text of three words, and more";
  std::vector<uint64_t> hashes = {hashOf(text), hashOf(text, 1), hashOf("")};
  for (size_t i = 0; i < text.size(); ++i) {
    hashes.push_back(hashOf(text.substr(0, i) + '?' + text.substr(i + 1)));
    if (i > 0)
      hashes.push_back(hashOf(text.substr(0, i)));
  }
  for (size_t zeros = 1; zeros < 20; ++zeros)
    hashes.push_back(hashOf(std::string(zeros, '\0')));
  const size_t count = hashes.size();
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  EXPECT_EQ(hashes.size(), count);
}

TEST(ContentHash, IsXxh64) {
  EXPECT_EQ(hashOf("abc"), 0x44bc2cf5ad770999u);
  std::string text(101, '\0');
  for (size_t i = 0; i < text.size(); ++i)
    text[i] = char(i * 7);
  const std::pair<size_t, std::array<uint64_t, 2>> expected[] = {
      {0, {0xef46db3751d8e999, 0x51e24c0e9077a48c}},
      {1, {0xe934a84adb052768, 0xaffd9d6bd53cf137}},
      {3, {0x9ff70a635a6209ab, 0x416d687f4079480c}},
      {4, {0xae5acdc00a55ac41, 0x1f9fecdaa4014687}},
      {8, {0x87116b3365b924eb, 0xa8a1197f0cc66fe6}},
      {31, {0x0f187c62b1e722b7, 0xa4f11bd0ee8d3e44}},
      {32, {0x91b0cb0931a8c629, 0x9f351aa79b4c25b2}},
      {33, {0x931b043cf8d65b94, 0xe8b4f4911f216f37}},
      {63, {0x219110bf13e2fa26, 0x4cc8cc24725565a6}},
      {64, {0xbf3052e3445775d0, 0xc3c20bf76cb7d09}},
      {101, {0x42312f4d55d9bd17, 0xa2d1203ea5f0a93e}}};
  for (const auto &[bytes, hashes] : expected) {
    EXPECT_EQ(hashOf(text.substr(0, bytes)), hashes[0]) << bytes;
    EXPECT_EQ(hashOf(text.substr(0, bytes), 0x123456789abcdef), hashes[1])
        << bytes;
  }
}

TEST(ContentHash, SeesAnyTwoBitsThatChange) {
  std::string text(128, 'x');
  std::vector<uint64_t> hashes;
  const auto flip = [&](size_t bit) { text[bit / 8] ^= char(1 << bit % 8); };
  // Two changes with equal hashes would not be distinguished.
  for (size_t bit = 0; bit < text.size() * 8; ++bit) {
    flip(bit);
    hashes.push_back(hashOf(text));
    flip(bit);
  }
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

TEST(SampledRanges, AreAllOfASmallFileAndEndsAndMiddleOfALargeOne) {
  constexpr uint64_t block = 65536;
  using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;
  EXPECT_EQ(sampledRanges(0), (Ranges{{0, 0}}));
  EXPECT_EQ(sampledRanges(66 * block), (Ranges{{0, 66 * block}}));
  for (uint64_t bytes : {66 * block + 1, 1000 * block + 17, UINT64_MAX}) {
    const auto ranges = sampledRanges(bytes);
    ASSERT_EQ(ranges.size(), 66u);
    EXPECT_EQ(ranges.front(), std::pair(uint64_t{0}, block));
    EXPECT_EQ(ranges.back(), std::pair(bytes - block, bytes));
    for (size_t i = 1; i < ranges.size(); ++i) {
      EXPECT_EQ(ranges[i].second - ranges[i].first, block);
      EXPECT_GE(ranges[i].first, ranges[i - 1].second) << i;
      EXPECT_NEAR(double(ranges[i].first), double(bytes) / 65 * double(i),
                  double(bytes) / 65);
    }
  }
}

TEST(FingerprintOfFile, SeesSizeFirstMiddleAndLastByte) {
  const TestFolder folder;
  std::string bytes(10 << 20, 'x');
  const auto print = [&] {
    return fingerprintOfFile(folder.write("f", bytes));
  };
  const FileFingerprint before = print();
  EXPECT_EQ(before.bytes, bytes.size());
  EXPECT_EQ(before, print());
  const uint64_t middle = sampledRanges(bytes.size())[30].first;
  for (uint64_t at : {uint64_t{0}, middle, uint64_t{bytes.size() - 1}}) {
    bytes[at] = 'y';
    EXPECT_NE(print().hash, before.hash) << at;
    bytes[at] = 'x';
  }
  EXPECT_ERROR("cannot read", fingerprintOfFile(folder / "none"));
}

} // namespace
