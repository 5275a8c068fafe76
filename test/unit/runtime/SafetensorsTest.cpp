//===- SafetensorsTest.cpp - Valid and invalid weight files ---------------===//
#include "train/state/io/Safetensors.h"

#include "TestFiles.h"

#include <cstring>

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
    EXPECT_HAS(error, part) << "error: " << error;
    EXPECT_HAS(error, "a.safetensors");
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
  expectError(std::string(8, '\xff') + "{}",
              "18,446,744,073,709,551,615 bytes (16.0 EiB)");
  expectError(fileOf("", ""), "not valid JSON");
  expectError(fileOf("{\"a\":", ""), "not valid JSON");
  expectError(fileOf("\xff\xfe", ""), "not valid JSON");
  expectError(fileOf("[1]", ""), "not a JSON object");
  expectError(fileOf("{}", "x"), "1 byte follow the last tensor");
  expectError(fileOf("{} trailing", ""), "not valid JSON");
  expectError(fileOf(std::string("{}\0trailing", 11), ""), "zero byte at 2");
  expectError(fileOf(R"({"__metadata__":{"a":{"b":"c"}}})", ""),
              "not an object of strings");
}

/// Writes a file of `bytes` bytes whose header claims the length `length`.
std::string sparseFile(const TestFolder &folder, uint64_t length,
                       uint64_t bytes) {
  const std::string path = folder.write(
      "sparse", {reinterpret_cast<const char *>(&length), sizeof(length)});
  std::filesystem::resize_file(path, bytes);
  return path;
}

TEST_F(Header, ThatIsDeepOrLongIsRefusedAtOnce) {
  // A recursive parser overflows its stack on 200,000 brackets; one that stores
  // 16 million of them takes a gigabyte.
  for (const size_t depth : {200'000, 16'000'000}) {
    expectError(fileOf(std::string(depth, '['), ""), "not a JSON object");
    expectError(fileOf(R"({"w":{"shape":)" + std::string(depth, '['), ""),
                "tensor w: its shape is not a list of sizes");
    expectError(fileOf(R"({"__metadata__":)" + std::string(depth, '['), ""),
                "not an object of strings");
  }
  EXPECT_ERROR("100,000,001 bytes (95.4 MiB), more than the 100,000,000 bytes "
               "(95.4 MiB)",
               SafetensorsFile(sparseFile(folder, 100'000'001, 200'000'000)));
}

TEST_F(Header, OfManyTensorsIsReadInProportionalTime) {
  // Takes two hours if reading is quadratic, a second if it is not.
  constexpr size_t kCount = 500'000;
  std::string header = "{";
  for (size_t i = 0; i < kCount; ++i)
    header += (i ? ",\"w" : "\"w") + std::to_string(i) +
              R"(":{"dtype":"U8","shape":[],"data_offsets":[)" +
              std::to_string(i) + "," + std::to_string(i + 1) + "]}";
  const SafetensorsFile file(
      folder.write("many", fileOf(header + "}", std::string(kCount, 'x'))));
  EXPECT_EQ(file.tensors().size(), kCount);
  EXPECT_EQ(file.find("w7")->elements, 1u);
}

TEST_F(Header, IsQuotedBrieflyAndWithoutControlCharacters) {
  const std::string name = "\\u001b[2J\\n\\u009b" + std::string(1'000'000, 'n');
  const std::string entry = R"(":{"dtype":"F32","shape":[2],"data_offsets":)";
  std::string sizes;
  for (int i = 0; i < 32; ++i)
    sizes += "1000000000000000000,";
  for (const std::string &header :
       {"{\"" + name + "\":3}", "{\"" + name + entry + "[0,4]}}",
        "{\"" + name + entry + "[0,8]},\"" + name + entry + "[0,8]}}",
        "{\"w\":{\"" + name + "\":1}}",
        "{\"w\":{\"data_offsets\":[0,8],\"dtype\":\"" + name +
            "\",\"shape\":[2]}}",
        "{\"w\":{\"data_offsets\":[0,8],\"dtype\":\"F32\",\"shape\":[" +
            sizes.substr(0, sizes.size() - 1) + "]}}"}) {
    const std::string error = errorFor(fileOf(header, std::string(8, 'x')));
    EXPECT_NE(error, "");
    EXPECT_LT(error.size(), 400u) << error;
    for (const char c : error)
      ASSERT_TRUE(c >= ' ' && c < 0x7f) << error;
  }
}

TEST_F(Header, OfAFileThatIsCutLaterIsAnErrorThatNamesIt) {
  const std::string path = folder.write(
      "a.safetensors",
      fileOf(R"({"w":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
             "1234"));
  const SafetensorsFile file(path);
  std::filesystem::resize_file(path, 0);
  char bytes[4];
  EXPECT_ERROR("a.safetensors ends at byte",
               file.read(file.tensors()[0], 0, bytes, 4));
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
  expectError(entry("7", "[2]", "[0,8]"), "its dtype is not a string");
  expectError(entry("\"F32\"", "2", "[0,8]"), "its shape is not a list");
  expectError(entry("\"F32\"", "[-2]", "[0,8]"), "its shape is not a list");
  expectError(entry("\"F32\"", "[2.0]", "[0,8]"), "its shape is not a list");
  expectError(entry("\"F32\"", "[4294967296,4294967296]", "[0,8]"),
              "4294967296 x 4294967296 of F32 has more bytes than any file");
  expectError(entry("\"F32\"", "[4611686018427387906]", "[0,8]"),
              "more bytes than any file"); // they wrap around to 8
  expectError(entry("\"F32\"", "[18446744073709551615]", "[0,8]"),
              "its shape is not a list of sizes below 2^63");
  expectError(entry(
                  "\"F32\"",
                  "[1" +
                      [] {
                        std::string ones;
                        for (int i = 0; i < 32; ++i)
                          ones += ",1";
                        return ones;
                      }() +
                      "]",
                  "[0,8]"),
              "its shape has more than 32 sizes");
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
      R"({"__metadata__":{"format":"pt","zeroc":"weights"},"b":)"
      R"({"dtype":"F32","shape":[2,2],)"
      R"("data_offsets":[0,16]},"a \"quoted\"":{"dtype":"F32","shape":[],)"
      R"("data_offsets":[16,20]}})";
  EXPECT_EQ(bytes.substr(8, header.size()), header);
  EXPECT_EQ(bytes.substr(8 + length), floats({1, 2, 3, 4, 5}));
  const SafetensorsFile file(path);
  EXPECT_EQ(file.find("a \"quoted\"")->bytes, 4u);
}

TEST_F(Header, OfManyTensorsIsWrittenInProportionalTime) {
  std::vector<TensorHeader> tensors;
  for (size_t i = 0; i < 500'000; ++i)
    tensors.push_back({"w" + std::to_string(i), "F32", {1}, 4});
  const std::string header = safetensorsHeader(tensors);
  EXPECT_HAS(header, R"("w499999":{"dtype":"F32","shape":[1],)"
                     R"("data_offsets":[1999996,2000000]})");
}

TEST_F(Header, RefusesNamesThatNoFileCanHold) {
  EXPECT_ERROR("parameter __metadata__: a safetensors file has this name "
               "already",
               safetensorsHeader({{"__metadata__", "F32", {}, 4}}));
  EXPECT_ERROR("parameter w: a safetensors file has this name already",
               safetensorsHeader({{"w", "F32", {}, 4}, {"w", "F32", {}, 4}}));
  EXPECT_ERROR("parameter w\\xff: its name is not valid UTF-8",
               safetensorsHeader({{"w\xff", "F32", {}, 4}}));
}

} // namespace
