//===- SafetensorsTest.cpp - Weight files, true and lying -----------------===//
#include "runtime/io/Safetensors.h"

#include "runtime/io/AtomicFile.h"
#include "runtime/io/Parameters.h"

#include "TestFiles.h"
#include "TestPlan.h"

#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace zrt;

namespace {

std::string fileOf(const std::string &header, const std::string &data) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char *>(&length), 8) + header +
         data;
}

std::string floats(const std::vector<float> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * 4};
}

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
// Parameters
//===----------------------------------------------------------------------===//

/// Parameters "transformer.w" (2 x 3) and "b" (2), with padding between.
class Weights : public testing::Test {
protected:
  Weights() { reset(); }
  void reset() { std::fill(std::begin(data), std::end(data), -1.0f); }
  std::vector<Parameter> parameters() {
    auto *bytes = reinterpret_cast<std::byte *>(data);
    return {{&w, ZRT_F32, bytes}, {&b, ZRT_F32, bytes + 8 * 4}};
  }
  std::string load(const std::string &bytes) {
    return loadParameters(parameters(), folder.write("in", bytes));
  }
  std::string loadError(const std::string &bytes) {
    const std::string error = errorOf([&] { load(bytes); });
    for (float x : data)
      EXPECT_EQ(x, -1.0f) << "changed before all was checked: " << error;
    return error;
  }
  static std::string entry(const std::string &name, const std::string &dtype,
                           const std::string &shape, int begin, int end) {
    return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
           ",\"data_offsets\":[" + std::to_string(begin) + "," +
           std::to_string(end) + "]}";
  }

  TestFolder folder;
  const int64_t wShape[2] = {2, 3}, bShape[1] = {2};
  const zrt_member w = {"transformer.w", 2, 1, wShape, 0, 6, {}};
  const zrt_member b = {"b", 1, 0, bShape, 8, 2, {}};
  float data[10];
  const std::string eight = floats({1, 2, 3, 4, 5, 6, 7, 8});
  const std::string wEntry = entry("transformer.w", "F32", "[2,3]", 0, 24);
  const std::string bEntry = entry("b", "F32", "[2]", 24, 32);
};

TEST_F(Weights, SurviveARoundTrip) {
  for (int i = 0; i < 10; ++i)
    data[i] = float(i) / 3;
  data[1] = -0.0f;
  data[2] = std::numeric_limits<float>::infinity();
  data[3] = std::numeric_limits<float>::denorm_min();
  const std::vector<float> before(data, data + 10);
  saveParameters(parameters(), folder / "out");
  reset();
  EXPECT_EQ(loadParameters(parameters(), folder / "out"), "");
  EXPECT_EQ(std::memcmp(data, before.data(), 24), 0);
  EXPECT_EQ(std::memcmp(data + 8, before.data() + 8, 8), 0);
  EXPECT_EQ(data[6], -1.0f); // padding is not the file's business
}

TEST_F(Weights, AreFoundWithAndWithoutThePrefix) {
  EXPECT_EQ(load(fileOf("{" + entry("w", "F32", "[2,3]", 0, 24) + "," +
                            entry("transformer.b", "F32", "[2]", 24, 32) + "}",
                        eight)),
            "");
  EXPECT_EQ(data[5], 6.0f);
  EXPECT_EQ(data[9], 8.0f);
}

TEST_F(Weights, TakeTheExactNameFirst) {
  const std::string warning = load(fileOf("{" + entry("w", "F32", "[0]", 0, 0) +
                                              "," + wEntry + "," + bEntry + "}",
                                          eight));
  EXPECT_EQ(data[0], 1.0f);
  EXPECT_NE(warning.find("1 tensor is not in the model, left out: w"),
            std::string::npos)
      << warning;
}

TEST_F(Weights, LeaveKnownBuffersOutInSilence) {
  EXPECT_EQ(
      load(fileOf(
          "{" + wEntry + "," + bEntry + "," +
              entry("h.0.attn.bias", "U8", "[1]", 32, 33) + "," +
              entry("transformer.h.0.attn.masked_bias", "U8", "[1]", 33, 34) +
              "," + entry("lm_head.weight", "U8", "[1]", 34, 35) + "}",
          eight + "123")),
      "");
  EXPECT_NE(load(fileOf("{" + wEntry + "," + bEntry + "," +
                            entry("h.0.bias", "U8", "[1]", 32, 33) + "}",
                        eight + "1"))
                .find("h.0.bias"),
            std::string::npos);
}

TEST_F(Weights, ThatDoNotFitChangeNothing) {
  EXPECT_NE(loadError(fileOf("{" + wEntry + "}", eight.substr(0, 24)))
                .find("tensor b is missing"),
            std::string::npos);
  EXPECT_NE(loadError(fileOf("{" + wEntry + "," +
                                 entry("b", "F32", "[2,1]", 24, 32) + "}",
                             eight))
                .find("tensor b is 2 x 1, but the model's is 2"),
            std::string::npos);
  EXPECT_NE(loadError(fileOf("{" + entry("w", "F32", "[3,2]", 0, 24) + "," +
                                 bEntry + "}",
                             eight))
                .find("tensor w is 3 x 2, but the model's is 2 x 3"),
            std::string::npos);
  for (const char *dtype : {"I32", "U32"})
    EXPECT_NE(loadError(fileOf("{" + wEntry + "," +
                                   entry("b", dtype, "[2]", 24, 32) + "}",
                               eight))
                  .find(std::string("tensor b is ") + dtype),
              std::string::npos);
  EXPECT_NE(loadError(fileOf("{" + wEntry + "," +
                                 entry("b", "F64", "[2]", 24, 40) + "}",
                             eight + "12345678"))
                .find("cannot become f32 exactly"),
            std::string::npos);
}

TEST_F(Weights, OfHalfPrecisionWidenExactly) {
  // BF16: 1.0, -0, the smallest subnormal, infinity, NaN, 3.140625.
  const uint16_t brain[] = {0x3f80, 0x8000, 0x0001, 0x7f80, 0x7fc0, 0x4049};
  // F16: the smallest subnormal, the largest number.
  const uint16_t half[] = {0x0001, 0x7bff};
  load(fileOf("{" + entry("w", "BF16", "[2,3]", 0, 12) + "," +
                  entry("b", "F16", "[2]", 12, 16) + "}",
              std::string(reinterpret_cast<const char *>(brain), 12) +
                  std::string(reinterpret_cast<const char *>(half), 4)));
  EXPECT_EQ(data[0], 1.0f);
  EXPECT_TRUE(data[1] == 0.0f && std::signbit(data[1]));
  EXPECT_EQ(data[2], 0x1p-133f);
  EXPECT_EQ(data[3], std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(data[4]));
  EXPECT_EQ(data[5], 3.140625f);
  EXPECT_EQ(data[8], 0x1p-24f);
  EXPECT_EQ(data[9], 65504.0f);
}

TEST_F(Weights, OfEveryHalfFloatAreItsValue) {
  std::vector<uint16_t> bits(65536);
  for (size_t i = 0; i < bits.size(); ++i)
    bits[i] = static_cast<uint16_t>(i);
  const int64_t shape[] = {65536};
  const zrt_member member = {"x", 1, 0, shape, 0, 65536, {}};
  std::vector<float> out(65536);
  loadParameters(
      {{&member, ZRT_F32, reinterpret_cast<std::byte *>(out.data())}},
      folder.write(
          "half",
          fileOf("{" + entry("x", "F16", "[65536]", 0, 131072) + "}",
                 {reinterpret_cast<const char *>(bits.data()), 131072})));
  for (size_t i = 0; i < bits.size(); ++i) {
    const int exponent = int(i >> 10) & 31, mantissa = int(i) & 1023;
    const float magnitude =
        exponent == 31
            ? (mantissa ? NAN : std::numeric_limits<float>::infinity())
        : exponent == 0 ? std::ldexp(float(mantissa), -24)
                        : std::ldexp(float(1024 + mantissa), exponent - 25);
    if (std::isnan(magnitude))
      ASSERT_TRUE(std::isnan(out[i])) << i;
    else
      ASSERT_EQ(std::fabs(out[i]), magnitude) << i;
    ASSERT_EQ(std::signbit(out[i]), i >= 32768) << i;
  }
}

TEST(FindParameters, ReadsThePlanAndChecksIt) {
  const int64_t shape[] = {2, 3};
  zrt_member members[] = {{"w", 2, 1, shape, 0, 6, {}},
                          {"b", 1, 0, shape, 8, 2, {}}};
  const zrt_bucket bucket = {"b0", 16, 2, 0, members};
  zrt_state states[] = {{"m", 0, ZRT_F32, deviceRef(0, 64)},
                        {"param", 0, ZRT_F32, deviceRef(64, 64)}};
  zrt_plan plan = testPlan([](zrt_context *) { return zrt_status{0}; });
  plan.buckets = &bucket;
  plan.bucket_count = 1;
  plan.states = states;
  plan.state_count = 2;
  const ContextPtr ctx = create(plan);
  ASSERT_TRUE(ctx) << zrt_error_message(nullptr);
  const auto found = findParameters(plan, ctx.get());
  ASSERT_EQ(found.size(), 2u);
  const zrt_ref start = deviceRef(0, 1);
  EXPECT_EQ(found[1].data,
            static_cast<std::byte *>(zrt_address(ctx.get(), &start)) + 64 + 32);

  members[1].name = "w";
  EXPECT_ERROR("two parameters are named w", findParameters(plan, ctx.get()));
  members[1].name = "b";
  members[1].offset = 15;
  EXPECT_ERROR("reach past bucket b0", findParameters(plan, ctx.get()));
  members[1].offset = 8;
  members[1].count = 3;
  EXPECT_ERROR("does not have 3 elements", findParameters(plan, ctx.get()));
  members[1].count = 2;
  plan.state_count = 1;
  EXPECT_ERROR("no \"param\" state", findParameters(plan, ctx.get()));
  plan.state_count = 2;
  states[0].slot = "param";
  EXPECT_ERROR("two \"param\" states", findParameters(plan, ctx.get()));
  states[0].slot = "m";
  states[1].ref.bytes = 60;
  EXPECT_EQ(create(plan), nullptr);
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
