//===- CheckpointFilesTest.cpp - Files and folders of checkpoints ---------===//
#include "runtime/text/Bytes.h"
#include "train/state/checkpoint/FileWriter.h"
#include "train/state/checkpoint/Folder.h"
#include "train/state/io/Safetensors.h"

#include "Denied.h"
#include "Slices.h"
#include "TestFiles.h"

#include <cerrno>
#include <cmath>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

using namespace zrt;
using namespace zrt::test;
namespace fs = std::filesystem;

namespace {

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// A model of 2.6 blocks on one rank.
struct Large {
  Slices slices{1};
  State state;
  RankFile file;
  Large() {
    const auto count = int64_t(kCheckpointBlock * 2.6 / 4);
    slices.bucket(ZRT_WHOLE)
        .member("b", {3}, 0, 3)
        .member("w", {count}, 0, uint64_t(count));
    slices.finish();
    slices.memory[0] = slices.expected(
        0, [](const char *, uint64_t i) { return float(i % 1000003); });
    state = findState(slices.plan, 0);
    file = layOut(state, shareState(state, 1)[0]);
  }
};

struct FileWriters : testing::Test {
  Large large;
  const TestFolder folder;
  CheckpointFaults faults;
  const Staging staging{kCheckpointBlock};
};

TEST_F(FileWriters, WritesThroughAnyRing) {
  std::string expected;
  for (const uint64_t blocks : {1, 2, 3, 7})
    for (const int threads : {1, 3}) {
      const Staging ring(blocks * kCheckpointBlock);
      const std::string path =
          folder / fmt::format("file-{}-{}", blocks, threads);
      FileWriter writer(large.file, path, ring, faults);
      writer.copy(large.slices.memoryOf(0), threads);
      const FileWriter::Result &result = writer.wait();
      EXPECT_EQ(result.failure.value_or(""), "");
      const std::string bytes = readFile(path);
      ASSERT_EQ(bytes.size(), large.file.bytes());
      expected = expected.empty() ? bytes : expected;
      EXPECT_TRUE(bytes == expected);
      const SafetensorsFile read(path);
      EXPECT_EQ(read.tensors().size(), 2u);
      EXPECT_EQ(read.tensors()[0].offset % kDiskBlock, 0u);
      std::vector<float> values(3);
      read.read(*read.find("param/b[0:3]"), 0, values.data(), 12);
      EXPECT_EQ(values, (std::vector<float>{0, 1, 2}));
    }
}

TEST_F(FileWriters, SaysWhatWentWrong) {
  {
    FileWriter writer(large.file, folder / "none/file", staging, faults);
    writer.copy(large.slices.memoryOf(0), 2); // must not deadlock
    EXPECT_NE(writer.wait().failure->find("no such file"), std::string::npos);
  }
  setenv("ZRT_CHECKPOINT_FAULT", "enospc@block#2", 1);
  CheckpointFaults full(0);
  unsetenv("ZRT_CHECKPOINT_FAULT");
  {
    FileWriter writer(large.file, folder / "file", staging, full);
    writer.copy(large.slices.memoryOf(0), 2);
    EXPECT_NE(writer.wait().failure->find("no space left"), std::string::npos);
  }
}

TEST_F(FileWriters, GivesUpWeightsThatAreNotFinite) {
  const uint64_t count = large.state.slots[0].parameters[1].elements;
  float *const w = &large.slices.memory[0][4]; // after b and padding
  int number = 0;
  for (const uint64_t at : {uint64_t{0}, kCheckpointBlock / 4, count - 1})
    for (const float value : {NAN, -INFINITY}) {
      const float before = std::exchange(w[at], value);
      FileWriter writer(large.file, folder / std::to_string(number++), staging,
                        faults);
      writer.copy(large.slices.memoryOf(0), 2);
      EXPECT_EQ(
          writer.wait().failure.value_or(""),
          fmt::format("param/w[0:{}] is not finite at element {}", count, at));
      w[at] = before;
    }
}

TEST_F(FileWriters, EndsWhereStateCannotBeRead) {
  class Broken final : public ParameterMemory {
    void read(const zrt_ref &ref, void *) const override {
      if (ref.offset > kCheckpointBlock)
        fail("the device is gone");
    }
    void write(const zrt_ref &, const void *) const override {}
  };
  FileWriter writer(large.file, folder / "file", staging, faults);
  EXPECT_ERROR("the device is gone", writer.copy(Broken(), 2));
  EXPECT_TRUE(writer.wait().failure.has_value());
  // A writer without a copy ends as well.
  FileWriter idle(large.file, folder / "idle", staging, faults);
}

TEST_F(FileWriters, WritesToOlderFileSystems) {
  // No O_DIRECT, no fallocate.
  for (const Denied denied : {Denied{SYS_openat, EINVAL, 2, O_DIRECT},
                              Denied{SYS_fallocate, EOPNOTSUPP}})
    whereDenied({denied}, [&] {
      const std::string path = folder / std::to_string(denied.call);
      FileWriter writer(large.file, path, staging, faults);
      writer.copy(large.slices.memoryOf(0), 2);
      EXPECT_EQ(writer.wait().failure.value_or(""), "");
      std::vector<float> values(3);
      const SafetensorsFile read(path);
      read.read(*read.find("param/b[0:3]"), 0, values.data(), 12);
      EXPECT_EQ(values, (std::vector<float>{0, 1, 2}));
    });
}

TEST_F(FileWriters, SaysWhatTheSystemRefuses) {
  const auto check = [&](const Denied &denied, const std::string &error) {
    whereDenied({denied}, [&] {
      FileWriter writer(large.file, folder / "file", staging, faults);
      writer.copy(large.slices.memoryOf(0), 2);
      EXPECT_EQ(writer.wait().failure.value_or(""), error);
    });
    fs::remove(folder / "file");
  };
  const std::string cannot = "cannot write " + (folder / "file");
  check({SYS_fallocate, ENOSPC},
        fmt::format("cannot find room for the {} of {}: no space left on "
                    "device",
                    shownBytes(large.file.bytes()), folder / "file"));
  check({SYS_pwrite64, EIO}, cannot + " at byte 0: input/output error");
  // With O_DIRECT it is tried once more without.
  check({SYS_pwrite64, EINVAL}, cannot + " at byte 0: invalid argument");
  for (const uint32_t call : {SYS_ftruncate, SYS_fsync, SYS_close})
    check({call, EIO}, cannot + ": input/output error");
}

TEST(CheckpointStaging, NeedsMemory) {
  EXPECT_ERROR("cannot take 1,152,921,504,606,846,976 bytes (1.0 EiB) for "
               "copies of what is saved: cannot allocate memory",
               Staging(uint64_t{1} << 60));
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

TEST(CheckpointFolder, HasOneOwner) {
  const TestFolder folder;
  {
    const CheckpointFolder owner(folder / "a/b");
    EXPECT_ERROR("are another run's, which is still there: process",
                 CheckpointFolder(folder / "a/b"));
  }
  const CheckpointFolder again(folder / "a/b");
}

TEST(CheckpointFolder, RemovesWhatIsLeftAndNothingElse) {
  const TestFolder folder;
  for (const char *name :
       {".step-3.0123456789abcdef.zrt", ".step-3.0123456789abcdeX.zrt",
        ".step-.0123456789abcdef.zrt", "step-3", ".step-x.0123456789abcdef.zrt",
        "step-04", "other", ".step-3.0123456789abcdef"})
    fs::create_directories(folder / fmt::format("ck/{}/sub", name));
  std::ofstream(folder / "ck/step-3/manifest.json") << "{}";
  // Neither a file nor an empty folder is a checkpoint.
  std::ofstream(folder / "ck/step-5") << "";
  fs::create_directories(folder / "ck/step-6");
  const CheckpointFolder owner(folder / "ck");
  EXPECT_FALSE(fs::exists(folder / "ck/.step-3.0123456789abcdef.zrt"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "ck"), {}), 10);
  EXPECT_EQ(checkpointSteps(folder / "ck"), std::vector<int64_t>{3});
}

TEST(CheckpointFolder, KeepsTheNewest) {
  const TestFolder folder;
  const CheckpointFolder owner(folder / "ck");
  CheckpointFaults faults;
  for (const int64_t step : {5, 40, 300, 2}) {
    const std::string begun = owner.begin(step);
    std::ofstream(begun + "/manifest.json") << "{}";
    owner.commit(begun, step, faults);
  }
  owner.keepNewest(2, faults);
  EXPECT_EQ(checkpointSteps(folder / "ck"), (std::vector<int64_t>{40, 300}));
  owner.keepNewest(1, faults, /*best=*/40);
  EXPECT_EQ(checkpointSteps(folder / "ck"), (std::vector<int64_t>{40, 300}));
  // A checkpoint is never replaced.
  EXPECT_ERROR("cannot rename", owner.commit(owner.begin(40), 40, faults));
}

TEST(CheckpointFolder, IsRefusedWhereItCannotBe) {
  const TestFolder folder;
  const std::string file = folder.write("file", "x");
  EXPECT_ERROR("cannot make the folder " + file +
                   "/ck for checkpoints: not a "
                   "directory",
               CheckpointFolder(file + "/ck"));
  fs::create_directories(folder / "ck/.lock");
  EXPECT_ERROR("cannot write checkpoints to " + (folder / "ck") +
                   ": is a directory",
               CheckpointFolder(folder / "ck"));
  EXPECT_ERROR("cannot read the folder " + file + ": not a directory",
               checkpointSteps(file));
}

TEST(CheckpointFolder, WithoutLocksKeepsWhatMayBeAnothers) {
  const TestFolder folder;
  const std::string left = folder / "ck/.step-3.0123456789abcdef.zrt";
  fs::create_directories(left);
  whereDenied({{SYS_flock, ENOLCK}, {SYS_uname, EFAULT}}, [&] {
    const CheckpointFolder owner(folder / "ck", /*isForced=*/true);
    EXPECT_HAS(readFile(folder / "ck/.lock"),
               fmt::format("process {} on ? since ", getpid()));
  });
  EXPECT_TRUE(fs::exists(left));
}

TEST(CheckpointFolder, SaysWhatTheSystemRefuses) {
  const TestFolder folder;
  const CheckpointFolder owner(folder / "ck");
  CheckpointFaults faults;
  whereDenied({{SYS_fsync, EIO}, {SYS_statfs, EIO}}, [&] {
    EXPECT_EQ(owner.freeBytes(), UINT64_MAX); // it may be enough
    EXPECT_ERROR((folder / "ck/step-1") + " is written, but its folder could "
                                          "not be synced: input/output error",
                 owner.commit(owner.begin(1), 1, faults);
                 fs::remove(folder / "ck/step-1"));
  });
}

} // namespace
