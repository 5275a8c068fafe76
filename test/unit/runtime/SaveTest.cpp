//===- SaveTest.cpp - Saves weights of all ranks in one file --------------===//
#include "Slices.h"
#include "TestFiles.h"
#include "ThreadWorld.h"

#include <csignal>
#include <cstring>
#include <sys/resource.h>

using namespace zrt;
using namespace zrt::test;

namespace {

TEST(SaveParameters, WritesTheSameFileForEveryLayout) {
  const TestFolder folder;
  writeModel(folder / "in");
  for (Slices &s : layouts()) {
    runRanks(int(s.ranks), [&](World &world) {
      s.memory[size_t(world.rank())] = s.expected(world.rank(), valueOf);
      saveParameters(s.parameters(world.rank()), folder / "out",
                     s.memoryOf(world.rank()), world);
    });
    EXPECT_EQ(readFile(folder / "out"), readFile(folder / "in"))
        << s.ranks << " ranks";
    EXPECT_EQ(folder.fileCount(), 2u);
  }
}

TEST(SaveParameters, KeepsEveryBit) {
  const TestFolder folder;
  Slices s(2);
  s.bucket(ZRT_SLICE).member("w", {12}, 0, 12);
  s.finish();
  const uint32_t odd[] = {0x80000000, 1, 0x7f800000, 0x7fc00001, 0xffffffff};
  for (auto &memory : s.memory)
    std::memcpy(memory.data(), odd, sizeof(odd));
  const auto before = s.memory;
  runRanks(2, [&](World &world) {
    saveParameters(s.parameters(world.rank()), folder / "out",
                   s.memoryOf(world.rank()), world);
    s.memory[size_t(world.rank())].assign(s.floats, kUntouched);
    loadParameters(s.parameters(world.rank()), folder / "out",
                   s.memoryOf(world.rank()));
  });
  for (size_t rank = 0; rank < 2; ++rank)
    EXPECT_EQ(std::memcmp(s.memory[rank].data(), before[rank].data(),
                          rank == 0 ? 32 : 16),
              0);
}

TEST(SaveParameters, SendsLongPiecesInChunks) {
  // Each rank holds 2.5 chunks less a few elements.
  const TestFolder folder;
  const auto count = int64_t(5 * kSaveChunkBytes / 4) - 3;
  Slices s(2);
  s.bucket(ZRT_SLICE).member("w", {count}, 0, uint64_t(count));
  s.finish();
  const auto value = [](const char *, uint64_t i) { return float(i); };
  runRanks(2, [&](World &world) {
    s.memory[size_t(world.rank())] = s.expected(world.rank(), value);
    saveParameters(s.parameters(world.rank()), folder / "out",
                   s.memoryOf(world.rank()), world);
  });
  const SafetensorsFile file(folder / "out");
  const TensorEntry *w = file.find("w");
  ASSERT_TRUE(w);
  ASSERT_EQ(w->elements, uint64_t(count));
  std::vector<float> values(w->elements);
  file.read(*w, 0, values.data(), w->bytes);
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(values[i], float(i));
}

TEST(SaveParameters, ThatFailEndEveryRank) {
  // The limit on a file's size fails like a full disk.  8000 bytes have room
  // for the header and part of the data, 10 bytes for neither.
  const TestFolder folder;
  const std::string path = folder.write("out", "old");
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  for (uint64_t limit : {10, 8000}) {
    Slices s(3);
    s.bucket(ZRT_SLICE)
        .member("a", {1001}, 0, 1001)
        .member("b", {2000}, 0, 2000)
        .member("c", {999}, 0, 999);
    s.bucket(ZRT_SLICE).member("d", {77}, 0, 77);
    s.finish();
    rlimit small = before;
    small.rlim_cur = limit;
    setrlimit(RLIMIT_FSIZE, &small);
    std::vector<std::string> errors(3);
    runRanks(3, [&](World &world) {
      errors[size_t(world.rank())] = errorOf([&] {
        saveParameters(s.parameters(world.rank()), path,
                       s.memoryOf(world.rank()), world);
      });
      // No message is left over that a later one could be confused with.
      const int mine = world.rank();
      std::vector<int> all(3);
      world.allGather(&mine, sizeof(mine), all.data());
      EXPECT_EQ(all, (std::vector<int>{0, 1, 2}));
    });
    setrlimit(RLIMIT_FSIZE, &before);
    const std::string own =
        "cannot write " + path + ": file too large; the old file is unchanged";
    EXPECT_EQ(errors[0], own);
    for (size_t rank : {1, 2})
      EXPECT_EQ(errors[rank].rfind("rank 0 failed: cannot write ", 0), 0u)
          << errors[rank];
    EXPECT_EQ(readFile(path), "old");
    EXPECT_EQ(folder.fileCount(), 1u);
  }
  std::signal(SIGXFSZ, handler);
}

TEST(SaveParameters, IntoNoFolderFailOnEveryRank) {
  Slices s = together(2, ZRT_SLICE);
  std::vector<std::string> errors(2);
  runRanks(2, [&](World &world) {
    errors[size_t(world.rank())] = errorOf([&] {
      saveParameters(s.parameters(world.rank()), "/none/out",
                     s.memoryOf(world.rank()), world);
    });
  });
  EXPECT_EQ(errors[1], "rank 0 failed: " + errors[0]);
  EXPECT_HAS(errors[0], "cannot write /none/out");
}

} // namespace
