//===- StoreTest.cpp - The nvme tier's files ------------------------------===//
#include "runtime/store/Store.h"

#include "Denied.h"
#include "TestFiles.h"
#include "TestStores.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace zrt;
using namespace zrt::test;

namespace {

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

TEST(Stripes, FillFoldersInTurn) {
  EXPECT_EQ(bytesInFolder(10 * kMiB, 0, 1), 10 * kMiB);
  EXPECT_EQ(bytesInFolder(5 * kMiB, 0, 2), 3 * kMiB);
  EXPECT_EQ(bytesInFolder(5 * kMiB, 1, 2), 2 * kMiB);
  EXPECT_EQ(bytesInFolder(4 * kMiB + 1, 0, 2), 2 * kMiB + 4096);
  EXPECT_EQ(bytesInFolder(5 * kMiB + 8192, 1, 2), 2 * kMiB + 8192);
  EXPECT_EQ(bytesInFolder(1, 0, 3), 4096u);
  EXPECT_EQ(bytesInFolder(1, 2, 3), 0u);
}

TEST(Stripes, PathsAreSplitAtCommas) {
  EXPECT_EQ(splitFolders("/a"), std::vector<std::string>{"/a"});
  EXPECT_EQ(splitFolders("/a,b,"), (std::vector<std::string>{"/a", "b", ""}));
}

//===----------------------------------------------------------------------===//
// Reads return what was written
//===----------------------------------------------------------------------===//

/// Writes and reads transfers of odd sizes; other memory must not change.
void checkTransfers(Store &store, uint64_t size) {
  const BlockMemory memory(8 * kMiB);
  const auto lane = store.lane();
  // Pins a part of it, so that some requests cross its end.
  (void)lane->pin(memory.data(), kMiB + 8192);
  for (const uint64_t bytes :
       {uint64_t{0}, uint64_t{1}, uint64_t{4095}, uint64_t{4096},
        uint64_t{4100}, uint64_t{300'000}, kMiB, kMiB + 12,
        5 * kMiB - 4096 + 7}) {
    if (roundUpToBlock(bytes) > size)
      continue;
    const uint64_t offset =
        std::min(3 * kMiB / 4, size - roundUpToBlock(bytes)) / kBlock * kBlock;
    const auto sent = some(bytes, bytes + 1);
    std::copy(sent.begin(), sent.end(), memory.data());
    EXPECT_EQ(lane->write(offset, bytes, memory.data()), bytes);
    std::memset(memory.data(), 0x5a, bytes + 5000);
    EXPECT_EQ(lane->read(offset, bytes, memory.data()), bytes);
    EXPECT_TRUE(std::equal(sent.begin(), sent.end(), memory.data())) << bytes;
    for (uint64_t i = bytes; i < bytes + 5000; ++i)
      ASSERT_EQ(memory.data()[i], std::byte{0x5a}) << bytes;
  }
}

TEST_F(Stores, ReadWhatWasWritten) {
  for (const int count : {1, 2, 3})
    checkTransfers(*make(6 * kMiB + 100, count), 6 * kMiB + 4096);
}

TEST_F(Stores, ReadWhatWasWrittenInEveryWay) {
  for (const char *fault : {"nopin", "nouring", "nodirect", "eagain@3",
                            "eintr@2", "short@2", "short@3"})
    for (const bool verifies : {false, true})
      checkTransfers(*make(6 * kMiB, 2, fault, verifies), 6 * kMiB);
}

TEST_F(Stores, AreZeroAtFirst) {
  const auto store = make(3 * kMiB, 2, "", /*verifies=*/true);
  std::vector<std::byte> read(3 * kMiB, std::byte{1});
  store->read(0, read.size(), read.data());
  EXPECT_EQ(read, std::vector<std::byte>(3 * kMiB));
}

TEST_F(Stores, GiveHostAccessToAnyBytes) {
  constexpr uint64_t kBytes = 9 * kMiB + 77;
  const auto store = make(kBytes, 2, "", /*verifies=*/true);
  std::vector<std::byte> model(kBytes);
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    const uint64_t most = i % 4 == 0 ? 6 * kMiB : 10'000;
    const uint64_t bytes = random() % most;
    const uint64_t offset = random() % (kBytes - bytes);
    const auto at = model.begin() + long(offset);
    if (i % 3 == 0) {
      store->fill(offset, bytes, 0xff);
      std::fill_n(at, bytes, std::byte{0xff});
    } else if (i % 3 == 1) {
      const auto sent = some(bytes, random());
      store->write(offset, bytes, sent.data());
      std::copy(sent.begin(), sent.end(), at);
    } else {
      std::vector<std::byte> read(bytes);
      store->read(offset, bytes, read.data());
      ASSERT_TRUE(std::equal(read.begin(), read.end(), at)) << i;
    }
  }
  std::vector<std::byte> all(kBytes);
  store->read(0, kBytes, all.data());
  EXPECT_EQ(all, model);
}

TEST_F(Stores, LeaveNothingInTheirFolders) {
  const auto store = make(kMiB, 2);
  for (const char *disk : {"disk0", "disk1"})
    EXPECT_TRUE(std::filesystem::is_empty(folder / disk));
}

TEST_F(Stores, DoNotMeetInAFolder) {
  const auto one = make(2 * kMiB), other = make(2 * kMiB);
  const auto first = some(2 * kMiB, 1), second = some(2 * kMiB, 2);
  one->write(0, first.size(), first.data());
  other->write(0, second.size(), second.data());
  std::vector<std::byte> read(2 * kMiB);
  one->read(0, read.size(), read.data());
  EXPECT_EQ(read, first);
}

TEST_F(Stores, OfAKilledProcessAreGone) {
  EXPECT_EQ(statusOfChild([&] {
              const auto store = make(64 * kMiB);
              raise(SIGKILL);
              return 0;
            }),
            SIGKILL);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "disk0"));
}

TEST_F(Stores, WorkWhereIoUringIsForbidden) {
  whereDenied({{SYS_io_uring_setup, ENOSYS}}, [&] {
    const auto store = make(6 * kMiB, 2, "", /*verifies=*/true);
    EXPECT_HAS(store->note(), "nvme tier: no io_uring here (function not "
                              "implemented), so there is one request at a "
                              "time");
    checkTransfers(*store, 6 * kMiB);
  });
}

TEST_F(Stores, WorkOnOlderFileSystems) {
  constexpr const char *kSlow = "disk0 refuses O_DIRECT";
  const auto check = [&](const std::vector<Denied> &calls, const char *note) {
    whereDenied(calls, [&] {
      const auto store = make(3 * kMiB);
      EXPECT_HAS(store->note(), note);
      EXPECT_EQ(store->note().empty(), !*note);
      EXPECT_TRUE(std::filesystem::is_empty(folder / "disk0"));
      checkTransfers(*store, 3 * kMiB);
    });
  };
  // No files without names, no O_DIRECT for opening or for reading, no
  // reserving.
  check({{SYS_openat, EOPNOTSUPP, 2, O_TMPFILE}}, "");
  check({{SYS_openat, EINVAL, 2, O_DIRECT}}, kSlow);
  check({{SYS_pread64, EINVAL}}, kSlow);
  check({{SYS_fallocate, EOPNOTSUPP}}, "");
}

TEST_F(Stores, SayThatMemoryCannotBeLocked) {
  whereDenied({{SYS_io_uring_register, ENOMEM}}, [&] {
    const auto store = make(3 * kMiB);
    const BlockMemory memory(kMiB);
    EXPECT_HAS(store->lane()->pin(memory.data(), kMiB),
               "the 1,048,576 bytes (1.0 MiB) of host memory that it copies to "
               "and from cannot be locked (cannot allocate memory)");
    checkTransfers(*store, 3 * kMiB);
  });
}

TEST(StoreInMemory, SaysSo) {
  struct statfs system = {};
  if (statfs("/dev/shm", &system) != 0 || system.f_type != TMPFS_MAGIC ||
      access("/dev/shm", W_OK) != 0)
    GTEST_SKIP() << "/dev/shm is no tmpfs that can be written";
  Store store(2 * kMiB, "/dev/shm", faultsOf(""), false);
  EXPECT_HAS(store.note(), "nvme tier: /dev/shm is in memory, not on a drive");
  checkTransfers(store, 2 * kMiB);
}

TEST_F(Stores, SayWhatMakesThemSlow) {
  EXPECT_EQ(make(kMiB)->note(), "");
  EXPECT_HAS(make(kMiB, 1, "nouring")->note(), "no io_uring here (operation "
                                               "not permitted)");
  EXPECT_HAS(make(kMiB, 1, "nodirect")->note(), "disk0 refuses O_DIRECT");
}

} // namespace
