//===- LoadParametersTest.cpp - Loads weights that fit, and others --------===//
#include "train/state/io/Parameters.h"

#include "TestFiles.h"
#include "TestMemory.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace zrt;
using namespace zrt::test;

namespace {

/// A parameter that this rank holds completely.
Parameter wholeParameter(const char *name, std::vector<int64_t> shape,
                         float *data) {
  uint64_t elements = 1;
  for (int64_t extent : shape)
    elements *= static_cast<uint64_t>(extent);
  return {name,
          std::move(shape),
          elements,
          ZRT_F32,
          {},
          {{0, elements, kEveryRank, refOf(data, elements * sizeof(float))}}};
}

/// Parameters "transformer.w" (2 x 3) and "b" (2), with padding between.
class Weights : public testing::Test {
protected:
  Weights() { reset(); }
  void reset() { std::fill(std::begin(data), std::end(data), -1.0f); }
  std::vector<Parameter> parameters() {
    return {wholeParameter("transformer.w", {2, 3}, data),
            wholeParameter("b", {2}, data + 8)};
  }
  std::string load(const std::string &bytes) {
    return loadParameters(parameters(), folder.write("in", bytes),
                          TestMemory());
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
  float data[10];
  const std::string eight = floats({1, 2, 3, 4, 5, 6, 7, 8});
  const std::string wEntry = entry("transformer.w", "F32", "[2,3]", 0, 24);
  const std::string bEntry = entry("b", "F32", "[2]", 24, 32);
};

TEST_F(Weights, AreFoundWithAndWithoutThePrefix) {
  EXPECT_EQ(load(fileOf("{" + entry("w", "F32", "[2,3]", 0, 24) + "," +
                            entry("transformer.b", "F32", "[2]", 24, 32) + "}",
                        eight)),
            "");
  EXPECT_EQ(data[5], 6.0f);
  EXPECT_EQ(data[9], 8.0f);
}

TEST_F(Weights, HaveThePrefixOfTheirFamily) {
  for (const std::string prefix : {"model.", "gpt_neox."}) {
    reset();
    const std::string name = prefix + "w";
    const std::vector<Parameter> named = {
        wholeParameter(name.c_str(), {2}, data),
        wholeParameter("b", {2}, data + 8)};
    const std::string bytes =
        fileOf("{" + entry("w", "F32", "[2]", 0, 8) + "," +
                   entry(prefix + "b", "F32", "[2]", 8, 16) + "}",
               eight.substr(0, 16));
    EXPECT_EQ(loadParameters(named, folder.write("in", bytes), TestMemory()),
              "");
    EXPECT_EQ(data[1], 2.0f);
    EXPECT_EQ(data[9], 4.0f);
  }
}

TEST_F(Weights, TakeTheExactNameFirst) {
  const std::string warning = load(fileOf("{" + entry("w", "F32", "[0]", 0, 0) +
                                              "," + wEntry + "," + bEntry + "}",
                                          eight));
  EXPECT_EQ(data[0], 1.0f);
  EXPECT_HAS(warning, "1 tensor is not in the model, ignored: w");
}

/// Tensors beside the weights of `eight`.
struct Others {
  std::string entries, data;
  void add(const std::string &name, const std::string &dtype,
           const std::string &shape, const std::string &bytes) {
    const size_t begin = 32 + data.size();
    entries += ",\"" + name + "\":{\"dtype\":\"" + dtype +
               "\",\"shape\":" + shape + ",\"data_offsets\":[" +
               std::to_string(begin) + "," +
               std::to_string(begin + bytes.size()) + "]}";
    data += bytes;
  }
};

TEST_F(Weights, LeaveBuffersOutInSilenceForWhatTheyHold) {
  const auto warningOf = [&](const std::string &name, const std::string &dtype,
                             const std::string &shape,
                             const std::string &bytes) {
    Others others;
    others.add(name, dtype, shape, bytes);
    return load(fileOf("{" + wEntry + "," + bEntry + others.entries + "}",
                       eight + others.data));
  };
  const std::string mask = {1, 0, 0, 1, 1, 0, 1, 1, 1};
  for (const char *name : {"h.0.attn.bias", "gpt_neox.layers.0.attention.bias"})
    for (const char *dtype : {"U8", "BOOL"}) {
      EXPECT_EQ(warningOf(name, dtype, "[1,1,3,3]", mask), "");
      for (size_t i = 0; i < mask.size(); ++i) {
        std::string other = mask;
        other[i] ^= 1;
        EXPECT_HAS(warningOf(name, dtype, "[1,1,3,3]", other), name);
      }
    }
  EXPECT_EQ(warningOf("h.0.attn.bias", "F32", "[2,2]", floats({1, 0, 1, 1})),
            "");
  EXPECT_HAS(warningOf("h.0.attn.bias", "F32", "[4]", floats({1, 0, 1, 1})),
             "1 tensor is not in the model, ignored: h.0.attn.bias");
  EXPECT_HAS(warningOf("h.0.bias", "U8", "[1,1,3,3]", mask), "h.0.bias");
  EXPECT_HAS(warningOf("h.0.attn.bias", "I8", "[3,3]", mask), "h.0.attn.bias");

  for (const float score : {-1e4F, -1e9F}) {
    EXPECT_EQ(warningOf("h.0.attn.masked_bias", "F32", "[]", floats({score})),
              "");
    EXPECT_HAS(warningOf("h.0.attn.masked_bias", "F32", "[]", floats({-score})),
               "h.0.attn.masked_bias");
  }
  const char *rotary = "model.layers.0.self_attn.rotary_emb.inv_freq";
  EXPECT_EQ(warningOf(rotary, "F32", "[2]", floats({1, 0.01F})), "");
  EXPECT_HAS(warningOf(rotary, "F32", "[2]", floats({1, 0.001F})), rotary);
}

TEST_F(Weights, CompareAnOutputLayerWithTheEmbedding) {
  const auto loaded = [&](const std::string &dtype, const std::string &bytes,
                          bool needsHead) {
    Others others;
    others.add("lm_head.weight", dtype, "[2,3]", bytes);
    return loadParameters(
        parameters(),
        folder.write("in",
                     fileOf("{" + wEntry + "," + bEntry + others.entries + "}",
                            eight + others.data)),
        TestMemory(), needsHead);
  };
  const uint16_t halves[] = {0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0, 0x40c0};
  for (const bool needsHead : {false, true}) {
    EXPECT_EQ(loaded("F32", eight.substr(0, 24), needsHead), "");
    EXPECT_EQ(
        loaded("BF16", {reinterpret_cast<const char *>(halves), 12}, needsHead),
        "");
  }
  reset();
  const std::string other = floats({1, 2, 3, 4, 5, 7});
  EXPECT_HAS(
      errorOf([&] { loaded("F32", other, true); }),
      "tensor lm_head.weight differs from transformer.w from element 5 on, and "
      "the model has no output layer but the embedding; set "
      "\"tie_word_embeddings\" to false in its config.json");
  EXPECT_EQ(data[0], -1.0F);
  // A model of scores has none.
  EXPECT_HAS(loaded("F32", other, false),
             "1 tensor is not in the model, ignored: lm_head.weight");
}

TEST_F(Weights, AreFoundInWrappedModels) {
  for (const std::string wrapper :
       {"module.", "_orig_mod.", "base_model.model.", "module._orig_mod.",
        "_fsdp_wrapped_module.net."}) {
    reset();
    const std::string name = wrapper + "transformer.w";
    EXPECT_HAS(load(fileOf("{" + entry(name, "F32", "[2,3]", 0, 24) + "," +
                               entry(wrapper + "b", "F32", "[2]", 24, 32) + "}",
                           eight)),
               "its names are those of a wrapped model; " + name +
                   " is read as transformer.w, and others alike");
    EXPECT_EQ(data[5], 6.0F);
    EXPECT_EQ(data[9], 8.0F);
  }
  // Blocks that are compiled one by one.
  reset();
  load(fileOf("{" +
                  entry("transformer._orig_mod._checkpoint_wrapped_module.w",
                        "F32", "[2,3]", 0, 24) +
                  "," + bEntry + "}",
              eight));
  EXPECT_EQ(data[5], 6.0F);
}

TEST_F(Weights, ThatAreMissingShowTheNearest) {
  EXPECT_HAS(
      loadError(fileOf("{" + entry("net.transformer.w", "F32", "[2,3]", 0, 24) +
                           "," + bEntry + "}",
                       eight)),
      "tensor transformer.w is missing; the file has 2 tensors of another "
      "model, such as net.transformer.w");
}

TEST_F(Weights, ThatDoNotFitChangeNothing) {
  EXPECT_HAS(loadError(fileOf("{" + wEntry + "}", eight.substr(0, 24))),
             "tensor b is missing");
  EXPECT_HAS(loadError(fileOf("{" + wEntry + "," +
                                  entry("b", "F32", "[2,1]", 24, 32) + "}",
                              eight)),
             "tensor b is 2 x 1, but the model's is 2");
  EXPECT_HAS(
      loadError(fileOf(
          "{" + entry("w", "F32", "[3,2]", 0, 24) + "," + bEntry + "}", eight)),
      "tensor w is 3 x 2, but the model's is 2 x 3");
  for (const char *dtype : {"I32", "U32"})
    EXPECT_HAS(loadError(fileOf("{" + wEntry + "," +
                                    entry("b", dtype, "[2]", 24, 32) + "}",
                                eight)),
               std::string("tensor b is ") + dtype);
  EXPECT_HAS(loadError(fileOf("{" + wEntry + "," +
                                  entry("b", "F64", "[2]", 24, 40) + "}",
                              eight + "12345678")),
             "cannot become f32 exactly");
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
  std::vector<float> out(65536);
  loadParameters(
      {wholeParameter("x", {65536}, out.data())},
      folder.write(
          "half",
          fileOf("{" + entry("x", "F16", "[65536]", 0, 131072) + "}",
                 {reinterpret_cast<const char *>(bits.data()), 131072})),
      TestMemory());
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

TEST_F(Weights, WidenToDoublesPieceByPiece) {
  // Elements 1 to 3 and 5 of six; the others are another rank's.
  std::vector<double> out(5, -1);
  const Parameter parameter = {"x",
                               {6},
                               6,
                               ZRT_F64,
                               {},
                               {{0, 1, 1, {}},
                                {1, 3, 0, refOf(&out[0], 24)},
                                {4, 1, 1, {}},
                                {5, 1, 0, refOf(&out[4], 8)}}};
  loadParameters(
      {parameter},
      folder.write("f32", fileOf("{" + entry("x", "F32", "[6]", 0, 24) + "}",
                                 eight.substr(0, 24))),
      TestMemory());
  EXPECT_EQ(out, (std::vector<double>{2, 3, 4, -1, 6}));
  const double wide[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  loadParameters(
      {parameter},
      folder.write("f64", fileOf("{" + entry("x", "F64", "[6]", 0, 48) + "}",
                                 {reinterpret_cast<const char *>(wide), 48})),
      TestMemory());
  EXPECT_EQ(out, (std::vector<double>{0.2, 0.3, 0.4, -1, 0.6}));
}

} // namespace
