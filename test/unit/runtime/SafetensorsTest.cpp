//===- SafetensorsTest.cpp - Weight files, true and lying -----------------===//
#include "runtime/io/Safetensors.h"

#include "runtime/io/AtomicFile.h"

#include "TestFiles.h"

#include <csignal>
#include <cstring>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace zrt;

namespace {

//===----------------------------------------------------------------------===//
// The format
//===----------------------------------------------------------------------===//

class Header : public testing::Test {
protected:
  TestFolder folder;

  std::string errorFor(const std::string &bytes) {
    const std::string path = folder.write("a.safetensors", bytes);
    return errorOf([&] { SafetensorsFile file(path); });
  }
  void expectError(const std::string &bytes, const std::string &part) {
    const std::string error = errorFor(bytes);
    EXPECT_NE(error.find(part), std::string::npos) << "error: " << error;
    EXPECT_NE(error.find("a.safetensors"), std::string::npos) << error;
  }
};

TEST_F(Header, OfAGoodFileIsRead) {
  const SafetensorsFile file(folder.write(
      "a",
      fileOf(R"({"__metadata__":{"format":"pt"},)"
             R"("b":{"dtype":"F32","shape":[2,1],"data_offsets":[4,12]},)"
             R"("none":{"dtype":"F32","shape":[0,3],"data_offsets":[4,4]},)"
             R"("a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]},)"
             R"("s":{"dtype":"I64","shape":[],"data_offsets":[12,20]}}  )",
             std::string(20, 'x'))));
  ASSERT_EQ(file.tensors().size(), 4u);
  EXPECT_EQ(file.tensors()[0].name, "a");
  EXPECT_EQ(file.tensors()[1].name, "none");
  ASSERT_TRUE(file.find("b"));
  EXPECT_EQ(file.find("b")->shape, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(file.find("b")->bytes, 8u);
  EXPECT_EQ(file.find("s")->elements, 1u);
  EXPECT_EQ(file.find("c"), nullptr);
}

TEST_F(Header, ThatLiesIsRefused) {
  expectError("", "it has 0 bytes");
  expectError("1234567", "it has 7 bytes");
  expectError(fileOf("{}", "").substr(0, 9), "says its header has 2 bytes");
  expectError(std::string(8, '\xff') + "{}", "18446744073709551615 bytes");
  expectError(fileOf("", ""), "not valid JSON");
  expectError(fileOf("{\"a\":", ""), "not valid JSON");
  expectError(fileOf("\xff\xfe", ""), "not valid JSON");
  expectError(fileOf("[1]", ""), "not a JSON object");
  expectError(fileOf("{}", "x"), "1 bytes follow the last tensor");
  expectError(fileOf("{} trailing", ""), "not valid JSON");
}

TEST_F(Header, EntriesThatLieAreRefused) {
  const auto entry = [](const std::string &dtype, const std::string &shape,
                        const std::string &offsets) {
    return fileOf("{\"w\":{\"dtype\":" + dtype + ",\"shape\":" + shape +
                      ",\"data_offsets\":" + offsets + "}}",
                  std::string(8, 'x'));
  };
  EXPECT_EQ(errorFor(entry("\"F32\"", "[2]", "[0,8]")), "");
  expectError(entry("\"F31\"", "[2]", "[0,8]"), "unknown dtype \"F31\"");
  expectError(entry("7", "[2]", "[0,8]"), "unknown dtype 7");
  expectError(entry("\"F32\"", "2", "[0,8]"), "is not a shape");
  expectError(entry("\"F32\"", "[-2]", "[0,8]"), "is not a shape");
  expectError(entry("\"F32\"", "[2.0]", "[0,8]"), "is not a shape");
  expectError(entry("\"F32\"", "[4294967296,4294967296]", "[0,8]"),
              "is not a shape");
  expectError(entry("\"F32\"", "[4611686018427387906]", "[0,8]"),
              "is not a shape"); // its bytes wrap around to 8
  expectError(entry("\"F32\"", "[3]", "[0,8]"),
              "shape 3 of F32 needs 12 bytes, but its offsets span 8");
  expectError(entry("\"F32\"", "[2]", "[0]"), "not two offsets");
  expectError(entry("\"F32\"", "[2]", "[-8,0]"), "not two offsets");
  expectError(entry("\"F32\"", "[2]", "[8,0]"), "not inside the 8 bytes");
  expectError(entry("\"F32\"", "[3]", "[0,12]"), "not inside the 8 bytes");
  expectError(entry("\"F32\"", "[2]", "[8,16]"), "not inside the 8 bytes");
  expectError(entry("\"F32\"", "[1]", "[4,8]"),
              "starts at byte 4, but the tensors before it end at 0");
  expectError(entry("\"F32\"", "[1]", "[0,4]"), "4 bytes follow");
  expectError(entry("\"F32\"", "[2]", "[0,8],\"more\":1"), "its entry is not");
  expectError(fileOf(R"({"w":3})", ""), "its entry is not");
  expectError(fileOf(R"({"w":{"dtype":"F32","shape":[2]}})", ""),
              "its entry is not");
}

TEST_F(Header, TensorsThatOverlapOrAppearTwiceAreRefused) {
  const std::string w =
      R"("w":{"dtype":"U8","shape":[4],"data_offsets":[0,4]})";
  expectError(fileOf("{" + w + "," + w + "}", "1234"), "\"w\" appears twice");
  expectError(fileOf("{" + w +
                         R"(,"v":{"dtype":"U8","shape":[4],)"
                         R"("data_offsets":[2,6]}})",
                     "123456"),
              "must follow each other without holes");
  expectError(fileOf(R"({"w":{"dtype":"U8","dtype":"U8","shape":[0],)"
                     R"("data_offsets":[0,0]}})",
                     ""),
              "\"dtype\" appears twice");
}

TEST_F(Header, WrittenIsWhatHuggingFaceWrites) {
  const std::string path = folder / "w";
  const float data[] = {1, 2, 3, 4, 5, 6};
  writeSafetensors(path, {{"b", "F32", {2, 2}, data, 16},
                          {"a \"quoted\"", "F32", {}, data + 4, 4}});
  const std::string bytes = readFile(path);
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2,2],)"
      R"("data_offsets":[0,16]},"a \"quoted\"":{"dtype":"F32","shape":[],)"
      R"("data_offsets":[16,20]}})";
  EXPECT_EQ(bytes.substr(8, header.size()), header);
  EXPECT_EQ(bytes.substr(8 + length), floats({1, 2, 3, 4, 5}));
  const SafetensorsFile file(path);
  EXPECT_EQ(file.find("a \"quoted\"")->bytes, 4u);
}

//===----------------------------------------------------------------------===//
// Files that appear whole or not at all
//===----------------------------------------------------------------------===//

TEST(AtomicFile, ReplacesAnOldFile) {
  const TestFolder folder;
  const std::string path = folder.write("out", "old");
  {
    AtomicFile file(path);
    file.write("new", 3);
    EXPECT_EQ(readFile(path), "old");
    file.commit();
  }
  EXPECT_EQ(readFile(path), "new");
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST(AtomicFile, ThatIsNotCommittedLeavesNothing) {
  const TestFolder folder;
  const std::string path = folder.write("out", "old");
  AtomicFile(path).write("new", 3);
  checkWritable(path);
  checkWritable(folder / "other");
  EXPECT_EQ(readFile(path), "old");
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST(AtomicFile, OnAFullDiskKeepsTheOldFile) {
  // A file size limit fails like a full disk: some bytes are written first.
  const TestFolder folder;
  const std::string path = folder.write("out", "old");
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 5000;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const std::vector<float> big(10000, 1.0f);
  const std::string error = errorOf([&] {
    writeSafetensors(path, {{"w", "F32", {10000}, big.data(), 40000}});
  });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(error.find("file too large; the old file is unchanged"),
            std::string::npos)
      << error;
  EXPECT_EQ(readFile(path), "old");
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST(AtomicFile, RefusesTargetsItWouldDestroy) {
  const TestFolder folder;
  EXPECT_ERROR("not a regular file", checkWritable("/dev/null"));
  EXPECT_ERROR("not a regular file", checkWritable(folder / ""));
  EXPECT_ERROR("no such file or directory", checkWritable(folder / "none/out"));
  struct stat info = {};
  ASSERT_EQ(stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
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
