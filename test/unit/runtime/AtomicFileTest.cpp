//===- AtomicFileTest.cpp - Files appear whole or not at all --------------===//
#include "runtime/files/AtomicFile.h"

#include "TestFiles.h"

#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace zrt;

namespace {

/// An old file, in a folder of its own.
struct AtomicFileOut : testing::Test {
  const TestFolder folder;
  const std::string path = folder.write("out", "old");
};

TEST_F(AtomicFileOut, ReplacesAnOldFile) {
  {
    AtomicFile file(path);
    file.write("new", 3);
    EXPECT_EQ(readFile(path), "old");
    file.commit();
  }
  EXPECT_EQ(readFile(path), "new");
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST_F(AtomicFileOut, ThatIsNotCommittedLeavesNothing) {
  AtomicFile(path).write("new", 3);
  checkWritable(path, 1);
  checkWritable(folder / "other", 1);
  EXPECT_EQ(readFile(path), "old");
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST_F(AtomicFileOut, OnAFullDiskKeepsTheOldFile) {
  // A file size limit fails like a full disk: some bytes are written first.
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 5000;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const std::vector<float> big(10000, 1.0f);
  const std::string error =
      errorOf([&] { AtomicFile(path).write(big.data(), 40000); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_HAS(error, "file too large; the old file is unchanged");
  EXPECT_EQ(readFile(path), "old");
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST(AtomicFile, RefusesWhatIsNoFile) {
  const TestFolder folder;
  std::filesystem::create_symlink("nowhere", folder / "link");
  EXPECT_ERROR("names no file", checkWritable(folder / "", 1));
  EXPECT_ERROR("it is a folder", checkWritable(folder / ".", 1));
  EXPECT_ERROR("no such file or directory",
               checkWritable(folder / "none/out", 1));
  EXPECT_ERROR("a link to a file that does not exist",
               checkWritable(folder / "link", 1));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
}

TEST(AtomicFile, WritesThroughDevicesAndFifos) {
  checkWritable("/dev/null", 1);
  AtomicFile null("/dev/null");
  null.write("new", 3);
  null.commit();
  struct stat info = {};
  ASSERT_EQ(stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));

  const TestFolder folder;
  const std::string path = folder / "fifo";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  checkWritable(path, 1); // there is no reader yet
  std::string read;
  std::thread reader([&] { read = readFile(path); });
  AtomicFile fifo(path);
  fifo.write("new", 3);
  fifo.commit();
  reader.join();
  EXPECT_EQ(read, "new");
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST(AtomicFile, KeepsTheModeOfAnOldFile) {
  const TestFolder folder;
  const auto modeOf = [&](const char *name) {
    struct stat info = {};
    EXPECT_EQ(stat((folder / name).c_str(), &info), 0);
    return info.st_mode & 07777;
  };
  const auto write = [&](const char *name) {
    AtomicFile file(folder / name);
    file.write("new", 3);
    file.commit();
  };
  for (const mode_t mode : {0600u, 0644u, 0606u, 0777u}) {
    chmod(folder.write("old", "old").c_str(), mode);
    write("old");
    EXPECT_EQ(modeOf("old"), mode);
  }
  const mode_t before = umask(027);
  write("new");
  umask(before);
  EXPECT_EQ(modeOf("new"), 0640u);
}

TEST_F(AtomicFileOut, LetsTwoRunsWriteOnePath) {
  // Two containers may have the same process number.
  AtomicFile one(path);
  one.write("on", 2);
  AtomicFile two(path);
  two.write("two", 3);
  one.write("e", 1);
  one.commit();
  EXPECT_EQ(readFile(path), "one");
  two.commit();
  EXPECT_EQ(readFile(path), "two");
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST_F(AtomicFileOut, RemovesWhatKilledRunsHaveLeft) {
  for (int run = 0; run < 3; ++run) {
    const pid_t child = fork();
    if (child == 0) {
      AtomicFile file(path);
      file.write("half", 4);
      raise(SIGKILL);
    }
    waitpid(child, nullptr, 0);
    // The previous file has been removed.
    EXPECT_EQ(folder.fileCount(), 2u);
  }
  const std::string other =
      folder.write(".out.0123456789abcdef.zr", "not ours");
  checkWritable(path, 1);
  EXPECT_EQ(folder.fileCount(), 2u);
  EXPECT_EQ(readFile(path), "old");
  EXPECT_EQ(readFile(other), "not ours");
}

TEST(AtomicFile, ThatCannotTakeItsPlaceStays) {
  const TestFolder folder;
  std::string error;
  {
    AtomicFile file(folder / "out");
    file.write("new", 3);
    std::filesystem::create_directory(folder / "out");
    error = errorOf([&] { file.commit(); });
  }
  const std::string name = error.substr(error.rfind(' ') + 1);
  EXPECT_EQ(name.rfind(folder / "out.", 0), 0u) << error;
  EXPECT_EQ(readFile(name), "new");
}

TEST(AtomicFile, KnowsWhetherThereIsRoom) {
  const TestFolder folder;
  // More than the file system can address, or has.
  EXPECT_ERROR(
      "cannot find room for the 1,152,921,504,606,846,976 bytes (1.0 EiB)",
      checkWritable(folder / "out", uint64_t{1} << 60));
  EXPECT_EQ(folder.fileCount(), 0u);
}

TEST(AtomicFile, FollowsASymbolicLink) {
  const TestFolder folder;
  const std::string path = folder.write("real", "old");
  std::filesystem::create_symlink("real", folder / "link");
  AtomicFile file(folder / "link");
  file.write("new", 3);
  file.commit();
  EXPECT_EQ(readFile(path), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
}

} // namespace
