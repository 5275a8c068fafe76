//===- OutputFileTest.cpp - Whole files or none ---------------------------===//
#include "frontend/OutputFile.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir::frontend;
namespace fs = std::filesystem;

namespace {

struct OutputFile : testing::Test {
  fs::path folder = fs::path(testing::TempDir()) /
                    ("zero-output-" + std::to_string(getpid()));

  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }

  /// The error's text, or "" on success.
  static std::string write(const fs::path &path, llvm::StringRef text) {
    return llvm::toString(writeOutput(path.string(), text));
  }
  static std::string read(const fs::path &path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
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
  struct stat info = {};
  ASSERT_EQ(stat((folder / "a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0640u);
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
