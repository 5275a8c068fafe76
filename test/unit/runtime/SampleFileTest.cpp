//===- SampleFileTest.cpp - Samples in NumPy and safetensors files --------===//
#include "train/state/io/SampleFile.h"

#include "TestFiles.h"

#include <cstring>

using namespace zrt;

namespace {

std::string npy(const std::string &header, const std::string &data,
                const std::string &version = std::string("\1\0", 2)) {
  std::string length;
  for (size_t i = 0; i < (version[0] == 1 ? 2 : 4); ++i)
    length += static_cast<char>(header.size() >> (8 * i));
  return "\x93NUMPY" + version + length + header + data;
}

std::string npyFile(const std::string &descr, const std::string &shape,
                    const std::string &data) {
  return npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " +
                 shape + ", }          \n",
             data);
}

template <typename T>
std::string bytesOfSamples(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

const int64_t kShape[] = {2, 3}; // batches of 2, samples of 3

zrt_input inputOf(zrt_dtype dtype, int64_t bound = 0, int64_t ignored = 0,
                  uint32_t rank = 2) {
  return {"x", dtype, rank, kShape, {}, bound, ignored, 0, 0};
}

class Samples : public testing::Test {
protected:
  TestFolder folder;

  template <typename T>
  std::vector<T> read(const std::string &place, const zrt_input &input) {
    const SampleFile file(place, input);
    std::vector<T> values;
    for (uint64_t i = 0; i < file.samples(); ++i) {
      std::vector<T> sample(sampleElements(input));
      file.read(i, reinterpret_cast<std::byte *>(sample.data()));
      values.insert(values.end(), sample.begin(), sample.end());
    }
    return values;
  }
  std::vector<float> readFloats(const std::string &descr,
                                const std::string &data) {
    return read<float>(folder.write("f", npyFile(descr, "(2, 3)", data)),
                       inputOf(ZRT_F32));
  }
  std::string error(const std::string &bytes, const zrt_input &input) {
    return errorOf([&] { read<int64_t>(folder.write("f", bytes), input); });
  }
};

TEST_F(Samples, AreFloatsWhereNoValueChanges) {
  const std::vector<float> small = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(readFloats("<f4",
                       bytesOfSamples(std::vector<float>{0.1f, 1, 2, 3, 4, 5})),
            (std::vector<float>{0.1f, 1, 2, 3, 4, 5}));
  EXPECT_EQ(readFloats("|u1", std::string("\0\1\2\3\4\5", 6)), small);
  EXPECT_EQ(readFloats("|i1", std::string("\0\1\2\3\4\377", 6)),
            (std::vector<float>{0, 1, 2, 3, 4, -1}));
  EXPECT_EQ(readFloats("|b1", std::string("\0\1\0\1\0\1", 6)),
            (std::vector<float>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(readFloats("<u2", bytesOfSamples(
                                  std::vector<uint16_t>{0, 1, 2, 3, 4, 65535})),
            (std::vector<float>{0, 1, 2, 3, 4, 65535}));
  EXPECT_EQ(readFloats("<f2", bytesOfSamples(std::vector<uint16_t>{
                                  0, 0x3c00, 0x4000, 0xc000, 0x7bff, 1})),
            (std::vector<float>{0, 1, 2, -2, 65504, 0x1p-24f}));
  for (const char *descr : {"<f8", "<i4", "<u4", "<i8", "<u8"}) {
    const std::string data(descr[2] == '4' ? 24 : 48, '\0');
    EXPECT_HAS(error(npyFile(descr, "(2, 3)", data), inputOf(ZRT_F32)),
               "whose values need not be; write it as F32, "
               "x.astype('float32')")
        << descr;
  }
}

TEST_F(Samples, AreIntegersThatTheInputMayHold) {
  const std::vector<int64_t> large = {0, -1, 2, INT64_MAX, INT64_MIN, 5};
  const std::string place =
      folder.write("l", npyFile("<i8", "(2, 3)", bytesOfSamples(large)));
  EXPECT_EQ(read<int64_t>(place, inputOf(ZRT_I64)), large);
  EXPECT_HAS(errorOf([&] { read<int32_t>(place, inputOf(ZRT_I32)); }),
             "sample 1 holds 9223372036854775807, which is not what "
             "fits input \"x\", i32");
  const std::vector<int64_t> labels = {0, 4, -100, 1, 2, 3};
  const std::string file = npyFile("<i8", "(2, 3)", bytesOfSamples(labels));
  EXPECT_EQ(read<int32_t>(folder.write("f", file), inputOf(ZRT_I32, 5, -100)),
            (std::vector<int32_t>{0, 4, -100, 1, 2, 3}));
  EXPECT_HAS(error(file, inputOf(ZRT_I32, 5)),
             "sample 0 holds -100, which is not 0 to 4, the "
             "vocabulary of input \"x\"");
  EXPECT_HAS(error(file, inputOf(ZRT_I64, 4, -100)),
             "sample 0 holds 4, which is not 0 to 3 or -100, ");
  EXPECT_HAS(error(npyFile("<u8", "(2, 3)", std::string(48, '\377')),
                   inputOf(ZRT_I64)),
             "holds 18446744073709551615");
  EXPECT_HAS(
      error(npyFile("<f4", "(2, 3)", std::string(24, '\0')), inputOf(ZRT_I32)),
      "input \"x\" is i32, but ");
}

TEST_F(Samples, MustHaveTheShapeOfTheInput) {
  const auto shaped = [&](const std::string &shape, uint64_t values,
                          uint32_t rank = 2) {
    return error(npyFile("|u1", shape, std::string(values, '\0')),
                 inputOf(ZRT_F32, 0, 0, rank));
  };
  EXPECT_EQ(shaped("(5, 3)", 15), "");
  EXPECT_EQ(shaped("(5,)", 5, 1), "");
  for (const auto &[shape, values] :
       {std::pair{"(2, 4)", 8}, {"(6,)", 6}, {"(2, 3, 1)", 6}, {"()", 1}})
    EXPECT_HAS(shaped(shape, uint64_t(values)),
               "input \"x\" is 2 x 3, a batch of 2, but ")
        << shape;
  EXPECT_HAS(shaped("(0, 3)", 0), "has no samples");
}

TEST_F(Samples, RefuseHeadersThatLie) {
  const zrt_input input = inputOf(ZRT_F32);
  const std::string data(6, '\0');
  EXPECT_EQ(error(npyFile("|u1", "(2, 3)", data), input), "");
  EXPECT_EQ(error(npy("{'shape': (2,3), 'fortran_order': False,"
                      "'descr': '|u1'}",
                      data, std::string("\2\0", 2)),
                  input),
            "");
  const std::string good = npyFile("|u1", "(2, 3)", data);
  for (size_t size = 6; size < good.size(); ++size)
    EXPECT_NE(error(good.substr(0, size), input), "") << size;
  for (const char *shape : {"(2, 3", "2, 3", "(2,, 3)", "(-2, 3)", "(2 3)",
                            "(2.0, 3)", "None", "(99999999999999999999, 3)"})
    EXPECT_HAS(error(npyFile("|u1", shape, data), input), "its NumPy header")
        << shape;
  for (const char *shape :
       {"(3, 3)", "(1, 3)", "(4611686018427387904, 4611686018427387904)"})
    EXPECT_HAS(error(npyFile("|u1", shape, data), input),
               "cut short or damaged")
        << shape;
  for (const char *header :
       {"", "{}", "{'descr': '|u1', 'shape': (2, 3)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)} x",
        "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': "
        "(2, 3)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3)}"})
    EXPECT_HAS(error(npy(header, data), input), "its NumPy header") << header;
  EXPECT_HAS(error(npyFile(">f4", "(2, 3)", std::string(24, '\0')), input),
             "its elements are >f4");
  EXPECT_HAS(error(npyFile("<U40000000000", "(2, 3)", data), input),
             "its elements are not numbers");
  EXPECT_HAS(error(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, "
                       "3), }",
                       data),
                   input),
             "fortran_order");
  EXPECT_HAS(error(npy("{}", data, std::string("\4\0", 2)), input),
             "NumPy format 4.0 is unknown");
}

TEST_F(Samples, MayBeTensorsOfSafetensors) {
  const std::string one = folder.write(
      "one.safetensors",
      fileOf(R"({"a":{"dtype":"U8","shape":[2,3],"data_offsets":[0,6]}})",
             std::string("\0\1\2\3\4\5", 6)));
  const std::string two = folder.write(
      "two.safetensors",
      fileOf(R"({"a":{"dtype":"U8","shape":[2,3],"data_offsets":[0,6]},)"
             R"("b:c":{"dtype":"BF16","shape":[1,3],"data_offsets":[6,12]}})",
             std::string("\0\1\2\3\4\5\0\0\200\77\200\277", 12)));
  const std::vector<float> a = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(read<float>(one, inputOf(ZRT_F32)), a);
  EXPECT_EQ(read<float>(two + ":a", inputOf(ZRT_F32)), a);
  EXPECT_EQ(read<float>(two + ":b:c", inputOf(ZRT_F32)),
            (std::vector<float>{0, 1, -1}));
  EXPECT_EQ(fileOfPlace(two + ":b:c"), two);
  EXPECT_ERROR("has 2 tensors; say which one feeds \"x\", --input x=",
               read<float>(two, inputOf(ZRT_F32)));
  EXPECT_ERROR("has no tensor \"d\"",
               read<float>(two + ":d", inputOf(ZRT_F32)));
  EXPECT_ERROR("no such file",
               read<float>(folder / "none.npy", inputOf(ZRT_F32)));
  EXPECT_ERROR("not a safetensors file",
               read<float>(folder.write("t", "text"), inputOf(ZRT_F32)));
}

} // namespace
