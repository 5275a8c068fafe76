//===- OutputFileTest.cpp - Files are written whole or not at all ---------===//
#include "frontend/OutputFile.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace mlir::frontend;
namespace fs = std::filesystem;

namespace {

struct OutputFile : testing::Test {
  fs::path folder = fs::path(testing::TempDir()) /
                    ("zero-output-" + std::to_string(getpid()));

  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }

  /// Returns the error's text, or "" on success.
  static std::string write(const fs::path &path, llvm::StringRef text) {
    return llvm::toString(writeOutput(path.string(), text));
  }
  static std::string read(const fs::path &path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static mode_t modeOf(const fs::path &path) {
    struct stat info = {};
    return stat(path.c_str(), &info) == 0 ? info.st_mode & 0777u : 0;
  }
  size_t countFiles() const {
    return std::distance(fs::directory_iterator(folder), {});
  }
};

TEST_F(OutputFile, ReplacesAndLeavesNothingElse) {
  EXPECT_EQ(write(folder / "a", "one"), "");
  EXPECT_EQ(write(folder / "a", "two"), "");
  EXPECT_EQ(read(folder / "a"), "two");
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(OutputFile, HonoursTheMaskOfModes) {
  mode_t old = umask(027);
  EXPECT_EQ(write(folder / "a", "one"), "");
  umask(old);
  EXPECT_EQ(modeOf(folder / "a"), 0640u);
}

TEST_F(OutputFile, MayBeRunByWhoeverMayReadIt) {
  mode_t old = umask(027);
  EXPECT_EQ(llvm::toString(writeOutput((folder / "a").string(), "one", true)),
            "");
  umask(old);
  EXPECT_EQ(modeOf(folder / "a"), 0750u);
}

TEST_F(OutputFile, KeepsTheModeOfAnOlderFile) {
  EXPECT_EQ(write(folder / "a", "one"), "");
  ASSERT_EQ(chmod((folder / "a").c_str(), 0600), 0);
  EXPECT_EQ(write(folder / "a", "two"), "");
  EXPECT_EQ(modeOf(folder / "a"), 0600u);
  EXPECT_EQ(llvm::toString(writeOutput((folder / "a").string(), "one", true)),
            "");
  EXPECT_EQ(modeOf(folder / "a"), 0700u);
}

TEST_F(OutputFile, TakesAnyNameOfAFolder) {
  fs::create_directories(folder / "50%%.%6");
  EXPECT_EQ(write(folder / "50%%.%6" / "a%%%", "one"), "");
  EXPECT_EQ(read(folder / "50%%.%6" / "a%%%"), "one");
}

// An attacker could place a link at a predictable name.
TEST_F(OutputFile, FollowsNoLinkToItsTemporaryName) {
  for (const char *suffix : {".tmp", ".tmp."})
    fs::create_symlink("victim",
                       folder / ("a" + (suffix + std::to_string(getpid()))));
  EXPECT_EQ(write(folder / "a", "one"), "");
  EXPECT_FALSE(fs::is_symlink(folder / "a"));
  EXPECT_FALSE(fs::exists(folder / "victim"));
}

TEST_F(OutputFile, WritesThroughPipes) {
  fs::path pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read(pipe); });
  EXPECT_EQ(write(pipe, "one"), "");
  reader.join();
  EXPECT_EQ(got, "one");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(OutputFile, ChecksBeforehand) {
  EXPECT_EQ(llvm::toString(checkOutput((folder / "no" / "a").string())),
            "cannot write " + (folder / "no" / "a").string() +
                ": No such file or directory");
  EXPECT_EQ(llvm::toString(checkOutput("/dev/null")), "");
  EXPECT_EQ(llvm::toString(checkOutput((folder / "a").string())), "");
  EXPECT_EQ(countFiles(), 0u);
}

TEST_F(OutputFile, KeepsLinks) {
  EXPECT_EQ(write(folder / "a", "one"), "");
  fs::create_symlink("a", folder / "link");
  EXPECT_EQ(write(folder / "link", "two"), "");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read(folder / "a"), "two");
}

TEST_F(OutputFile, WritesThroughLinksToNothing) {
  fs::create_symlink("missing", folder / "link");
  EXPECT_EQ(write(folder / "link", "one"), "");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read(folder / "missing"), "one");
}

TEST_F(OutputFile, NamesTheMissingFolder) {
  fs::path path = folder / "no" / "a";
  EXPECT_EQ(write(path, "one"),
            "cannot write " + path.string() + ": No such file or directory");
}

TEST_F(OutputFile, RejectsFolders) {
  EXPECT_EQ(write(folder, "one"), "cannot write " + folder.string() +
                                      ": it is a folder; name a file in it");
}

TEST_F(OutputFile, ReportsAFullDevice) {
  if (!fs::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full here";
  EXPECT_EQ(write("/dev/full", "one"),
            "cannot write /dev/full: No space left on device");
}

} // namespace
