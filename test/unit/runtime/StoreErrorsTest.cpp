//===- StoreErrorsTest.cpp - Errors of the nvme tier's files --------------===//
#include "runtime/store/Store.h"

#include "Denied.h"
#include "TestFiles.h"
#include "TestStores.h"

#include <cerrno>
#include <cstring>
#include <sys/syscall.h>

using namespace zrt;
using namespace zrt::test;

namespace {

TEST_F(Stores, RefuseFoldersThatWillNotDo) {
  const auto open = [&](const std::string &path, uint64_t bytes = 4096) {
    return errorOf([&] { Store(bytes, path, faultsOf(""), false); });
  };
  const std::string file = folder.write("file", "x");
  EXPECT_EQ(open(folder / "none"),
            "--nvme-path: " + (folder / "none") +
                ": no such file or directory; make the folder, or name "
                "another one");
  EXPECT_EQ(open(file), "--nvme-path: " + file +
                            " is not a folder; name one on the drive to use");
  EXPECT_HAS(open("/proc"), "--nvme-path: cannot make a file in /proc: ");
  EXPECT_HAS(open(""), "--nvme-path: : no such file");
  const std::string here = folder / ".";
  EXPECT_EQ(open(here + "," + here), "--nvme-path: " + here + " and " + here +
                                         " are one folder; name each once");
  const std::string full = open(here, uint64_t{1} << 55);
  EXPECT_EQ(full.find("--nvme-path: the nvme tier needs 36,028,797,018,963,968 "
                      "bytes (32.0 PiB) "
                      "in " +
                      here + ", which has "),
            0u)
      << full;
  EXPECT_HAS(full, " free; make room, or name more folders, as "
                   "--nvme-path=A,B");
}

TEST_F(Stores, RefuseAFolderThatFillsUp) {
  EXPECT_HAS(errorOf([&] { make(kMiB, 1, "full"); }),
             "needs 1,048,576 bytes (1.0 MiB) in");
}

TEST_F(Stores, RefuseAFolderThatCannotReserve) {
  const auto check = [&](const std::vector<Denied> &calls,
                         const std::string &error) {
    whereDenied(calls,
                [&] { EXPECT_HAS(errorOf([&] { make(kMiB); }), error); });
  };
  const std::string needs = "--nvme-path: the nvme tier needs 1,048,576 bytes "
                            "(1.0 MiB) in " +
                            (folder / "disk0"),
                    cannot = "--nvme-path: cannot reserve 1,048,576 bytes "
                             "(1.0 MiB) in " +
                             (folder / "disk0") + ": input/output error";
  const Denied older = {SYS_fallocate, EOPNOTSUPP};
  check({{SYS_fallocate, ENOSPC}}, needs);
  check({{SYS_fallocate, EIO}}, cannot);
  check({older, {SYS_pwrite64, EDQUOT}}, needs);
  check({older, {SYS_pwrite64, EIO}}, cannot);
}

/// Returns the error of a read, or of a write, of 4 MiB under a fault.
std::string errorUnder(Store &store, bool writes) {
  const BlockMemory memory(4 * kMiB);
  std::memset(memory.data(), 3, 4 * kMiB);
  const auto lane = store.lane();
  return errorOf([&] {
    if (writes)
      lane->write(0, 4 * kMiB, memory.data());
    else
      lane->read(0, 4 * kMiB, memory.data());
  });
}

TEST_F(Stores, SayWhatFailedAndWhere) {
  const std::string disk0 = folder / "disk0";
  EXPECT_EQ(errorUnder(*make(4 * kMiB, 1, "eio"), false),
            "reading 262,144 bytes (256.0 KiB) at byte 0 of the nvme tier's "
            "file in " +
                disk0 +
                ": input/output error; the kernel's log (dmesg) may say more "
                "of the drive");
  EXPECT_HAS(errorUnder(*make(4 * kMiB, 2, "eio@9"), true),
             "in " + (folder / "disk"));
  EXPECT_EQ(errorUnder(*make(4 * kMiB, 1, "enospc"), true),
            "writing 262,144 bytes (256.0 KiB) at byte 0 of the nvme tier's "
            "file in " +
                disk0 +
                ": no space left on device, though it was reserved; make room "
                "there");
  EXPECT_EQ(errorUnder(*make(4 * kMiB, 1, "enospc"), false), "");
  EXPECT_EQ(errorUnder(*make(4 * kMiB, 1, "cut"), false),
            "reading 262,144 bytes (256.0 KiB) at byte 0 of the nvme tier's "
            "file in " +
                disk0 + ": the file ends there; it has been cut");
}

TEST_F(Stores, SayThatTheSystemRefusesToWait) {
  const auto store = make(4 * kMiB);
  whereDenied({{SYS_io_uring_enter, EIO}}, [&] {
    EXPECT_EQ(errorUnder(*store, false), "io_uring_enter: input/output error");
  });
}

TEST_F(Stores, AfterAnErrorNobodyTouchesMemoryAnyMore) {
  const auto store = make(4 * kMiB, 1, "eio@3");
  const auto lane = store->lane();
  auto memory = std::make_unique<BlockMemory>(4 * kMiB);
  EXPECT_NE(errorOf([&] { lane->read(0, 4 * kMiB, memory->data()); }), "");
  memory.reset(); // sanitizers and the allocator would notice an access
  const BlockMemory other(4 * kMiB);
  std::memset(other.data(), 7, 4 * kMiB);
  EXPECT_NE(errorOf([&] { lane->read(0, 4 * kMiB, other.data()); }), "");
}

TEST_F(Stores, ThatVerifyNoticeAFlippedBit) {
  EXPECT_EQ(errorUnder(*make(4 * kMiB, 1, "flip@4"), false), "");
  const std::string error =
      errorUnder(*make(4 * kMiB, 1, "flip@4", /*verifies=*/true), false);
  EXPECT_HAS(error, "this is not what was written there");
  // Whatever the sizes of the reads.
  const auto store = make(4 * kMiB, 1, "flip@5", /*verifies=*/true);
  const auto sent = some(3 * kMiB, 1);
  store->write(0, sent.size(), sent.data());
  std::vector<std::byte> part(777);
  const std::string found = errorOf([&] {
    for (uint64_t at = 1; at < 3 * kMiB; at += 100'000)
      store->read(at, part.size(), part.data());
  });
  EXPECT_HAS(found, "this is not what was written there");
}

TEST_F(Stores, ThatVerifyNoticeAChangedFile) {
  const auto store = make(2 * kMiB, 1, "", /*verifies=*/true);
  const auto sent = some(2 * kMiB, 1);
  store->write(0, sent.size(), sent.data());
  // The only open file in that folder.
  for (const auto &entry :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code none;
    const auto target = std::filesystem::read_symlink(entry, none).string();
    if (target.find(folder / "disk0") == 0)
      std::ofstream(entry.path(), std::ios::in | std::ios::binary)
          .seekp(12'345)
          .put('!');
  }
  std::vector<std::byte> part(10);
  EXPECT_EQ(errorOf([&] { store->read(1'000'000, 10, part.data()); }), "");
  EXPECT_EQ(errorOf([&] { store->read(12'288, 10, part.data()); }),
            "reading 4,096 bytes (4.0 KiB) at byte 12,288 of the nvme tier's "
            "file in " +
                (folder / "disk0") +
                ": this is not what was written there; the drive, its cable or "
                "the machine's memory has changed it");
}

TEST_F(Stores, ThatAreCutSayIt) {
  const auto store = make(2 * kMiB);
  for (const auto &entry :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code none;
    const auto target = std::filesystem::read_symlink(entry, none).string();
    if (target.find(folder / "disk0") == 0)
      std::filesystem::resize_file(entry.path(), kMiB);
  }
  std::vector<std::byte> all(2 * kMiB);
  EXPECT_HAS(errorOf([&] { store->read(0, all.size(), all.data()); }),
             "at byte 1,048,576 of the nvme tier's file in " +
                 (folder / "disk0") + ": the file ends there; it has been cut");
}

TEST(StoreFaults, AreRead) {
  EXPECT_TRUE(faultsOf("eio@7:1", 1)->is(Fault::Eio));
  EXPECT_TRUE(faultsOf("eio@7:1", 0)->is(Fault::None));
  EXPECT_TRUE(faultsOf("flip", 3)->is(Fault::Flip));
  for (const char *bad : {"fire", "eio@", "eio@x", "eio@0", "eio:x", "@3"})
    EXPECT_HAS(errorOf([&] { faultsOf(bad); }), "ZRT_STORE_FAULT=") << bad;
}

} // namespace
