//===- StoreTest.cpp - The nvme tier's files, and what may befall them ----===//
#include "runtime/store/Store.h"

#include "runtime/Error.h"

#include "TestFiles.h"

#include <algorithm>
#include <cstring>
#include <random>

using namespace zrt;

namespace {

constexpr uint64_t kMiB = 1 << 20;

std::shared_ptr<Faults> faultsOf(const char *text, int rank = 0) {
  return *text ? Faults::parse(text, rank) : std::make_shared<Faults>();
}

/// Reproducible bytes.
std::vector<std::byte> some(uint64_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte &byte : bytes)
    byte = std::byte(random());
  return bytes;
}

/// A store in `count` folders of its own.
class Stores : public testing::Test {
protected:
  std::unique_ptr<Store> make(uint64_t bytes, int count = 1,
                              const char *fault = "", bool verifies = false) {
    std::string path;
    for (int i = 0; i < count; ++i) {
      const std::string name = folder / ("disk" + std::to_string(i));
      std::filesystem::create_directories(name);
      path += (i ? "," : "") + name;
    }
    return std::make_unique<Store>(bytes, path, faultsOf(fault), verifies);
  }
  TestFolder folder;
};

//===----------------------------------------------------------------------===//
// Places
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
// What is written is read
//===----------------------------------------------------------------------===//

/// Writes and reads transfers of odd sizes; memory beyond them stays.
void checkTransfers(Store &store, uint64_t size) {
  const auto lane = store.lane();
  const BlockMemory memory(8 * kMiB);
  for (const uint64_t bytes :
       {uint64_t{0}, uint64_t{1}, uint64_t{4095}, uint64_t{4096},
        uint64_t{4100}, uint64_t{300'000}, kMiB, kMiB + 12,
        5 * kMiB - 4096 + 7}) {
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
  for (const char *fault :
       {"nouring", "nodirect", "eagain@3", "eintr@2", "short@2", "short@3"})
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

TEST_F(Stores, SayWhatMakesThemSlow) {
  EXPECT_EQ(make(kMiB)->note(), "");
  EXPECT_NE(make(kMiB, 1, "nouring")
                ->note()
                .find("no io_uring here (operation "
                      "not permitted)"),
            std::string::npos);
  EXPECT_NE(make(kMiB, 1, "nodirect")->note().find("disk0 refuses O_DIRECT"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

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
                            " is no folder; name one on the drive to use");
  EXPECT_NE(open("/proc").find("--nvme-path: cannot make a file in /proc: "),
            std::string::npos)
      << open("/proc");
  EXPECT_NE(open("").find("--nvme-path: : no such file"), std::string::npos);
  const std::string here = folder / ".";
  EXPECT_EQ(open(here + "," + here), "--nvme-path: " + here + " and " + here +
                                         " are one folder; name each once");
  const std::string full = open(here, uint64_t{1} << 55);
  EXPECT_EQ(
      full.find("--nvme-path: the nvme tier needs 36028797018963968 bytes "
                "in " +
                here + ", which has "),
      0u)
      << full;
  EXPECT_NE(full.find(" free; make room, or name more folders, as "
                      "--nvme-path=A,B"),
            std::string::npos);
}

TEST_F(Stores, RefuseAFolderThatFillsUp) {
  EXPECT_NE(
      errorOf([&] { make(kMiB, 1, "full"); }).find("needs 1048576 bytes in"),
      std::string::npos);
}

/// What a read, or else a write, of 4 MiB fails with under a fault.
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
            "reading 262144 bytes at 0 of the nvme tier's file in " + disk0 +
                ": input/output error; the kernel's log (dmesg) may say more "
                "of the drive");
  EXPECT_NE(errorUnder(*make(4 * kMiB, 2, "eio@9"), true)
                .find("in " + (folder / "disk")),
            std::string::npos);
  EXPECT_EQ(errorUnder(*make(4 * kMiB, 1, "enospc"), true),
            "writing 262144 bytes at 0 of the nvme tier's file in " + disk0 +
                ": no space left on device, though it was reserved; make room "
                "there");
  EXPECT_EQ(errorUnder(*make(4 * kMiB, 1, "enospc"), false), "");
  EXPECT_EQ(errorUnder(*make(4 * kMiB, 1, "cut"), false),
            "reading 262144 bytes at 0 of the nvme tier's file in " + disk0 +
                ": the file ends there; it has been cut");
}

TEST_F(Stores, AfterAnErrorNobodyTouchesMemoryAnyMore) {
  const auto store = make(4 * kMiB, 1, "eio@3");
  const auto lane = store->lane();
  auto memory = std::make_unique<BlockMemory>(4 * kMiB);
  EXPECT_NE(errorOf([&] { lane->read(0, 4 * kMiB, memory->data()); }), "");
  memory.reset(); // sanitizers and the allocator would notice
  const BlockMemory other(4 * kMiB);
  std::memset(other.data(), 7, 4 * kMiB);
  EXPECT_NE(errorOf([&] { lane->read(0, 4 * kMiB, other.data()); }), "");
}

TEST_F(Stores, ThatVerifyNoticeAFlippedBit) {
  EXPECT_EQ(errorUnder(*make(4 * kMiB, 1, "flip@4"), false), "");
  const std::string error =
      errorUnder(*make(4 * kMiB, 1, "flip@4", /*verifies=*/true), false);
  EXPECT_NE(error.find("this is not what was written there"), std::string::npos)
      << error;
  // In whichever pieces it is read.
  const auto store = make(4 * kMiB, 1, "flip@5", /*verifies=*/true);
  const auto sent = some(3 * kMiB, 1);
  store->write(0, sent.size(), sent.data());
  std::vector<std::byte> part(777);
  const std::string found = errorOf([&] {
    for (uint64_t at = 1; at < 3 * kMiB; at += 100'000)
      store->read(at, part.size(), part.data());
  });
  EXPECT_NE(found.find("this is not what was written there"),
            std::string::npos);
}

TEST_F(Stores, ThatVerifyNoticeAChangedFile) {
  const auto store = make(2 * kMiB, 1, "", /*verifies=*/true);
  const auto sent = some(2 * kMiB, 1);
  store->write(0, sent.size(), sent.data());
  // The only open file of that folder.
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
            "reading 4096 bytes at 12288 of the nvme tier's file in " +
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
  EXPECT_NE(errorOf([&] { store->read(0, all.size(), all.data()); })
                .find("bytes at 1048576 of the nvme tier's file in " +
                      (folder / "disk0") +
                      ": the file ends there; it has been cut"),
            std::string::npos);
}

TEST(StoreFaults, AreRead) {
  EXPECT_TRUE(faultsOf("eio@7:1", 1)->is(Fault::Eio));
  EXPECT_TRUE(faultsOf("eio@7:1", 0)->is(Fault::None));
  EXPECT_TRUE(faultsOf("flip", 3)->is(Fault::Flip));
  for (const char *bad : {"fire", "eio@", "eio@x", "eio@0", "eio:x", "@3"})
    EXPECT_NE(errorOf([&] { faultsOf(bad); }).find("ZRT_STORE_FAULT="),
              std::string::npos)
        << bad;
}

} // namespace
