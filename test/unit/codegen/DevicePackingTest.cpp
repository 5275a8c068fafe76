//===- DevicePackingTest.cpp - Packed weights on a GPU --------------------===//
#include "EmulatedKernels.h"

#include "runtime/packing/Pack.h"
#include "runtime/packing/Unpack.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace zrt;

namespace {

/// Returns a plan that dequantizes a weight.
std::string planOfPacking(const char *packing, const char *to) {
  const std::string type = std::string("tensor<64x64x") + to + ">",
                    bytes = std::string("tensor<") +
                            (packing[0] == 'n' ? "2120" : "4352") + "xi8>";
  return R"(
zero.axis @dp size 1
zero.program @step(%b: )" +
         bytes + R"( {zero.input = "b"}) -> ()" + type +
         R"( {zero.output = "w"}) {
  %w = zero.unpack %b as <)" +
         packing + "> : " + bytes + " -> " + type + R"(
  zero.return %w : )" +
         type + "\n}";
}

/// Packs weights of different magnitudes; the last block is multiplied by
/// `last`.
std::vector<std::byte> pack(uint32_t packing, size_t count, float last) {
  constexpr float kMost = std::numeric_limits<float>::max();
  std::mt19937_64 random(count);
  std::normal_distribution<float> numbers;
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = numbers(random) * std::exp2(float(i / 64 % 7) - 3);
  for (size_t i = (count - 1) / 64 * 64; i < count; ++i)
    values[i] = std::clamp(values[i] * last, -kMost, kMost);
  std::vector<std::byte> bytes(zrt_packed_bytes(packing, count));
  for (size_t first = 0; first < count; first += kPackedRun)
    packRun(packing, values.data() + first,
            std::min<size_t>(kPackedRun, count - first),
            bytes.data() + zrt_packed_bytes(packing, first));
  return bytes;
}

TEST(DevicePacking, HasTheBitsOfProcessors) {
  constexpr std::tuple<const char *, zrt_dtype, size_t> kTypes[] = {
      {"f32", ZRT_F32, 4}, {"bf16", ZRT_BF16, 2}, {"f16", ZRT_F16, 2}};
  for (auto [name, packing] :
       {std::pair("nf4", ZRT_NF4), std::pair("int8", ZRT_INT8)})
    for (auto [type, dtype, size] : kTypes) {
      EmulatedKernels device(planOfPacking(name, type));
      for (size_t count :
           {size_t(1), size_t(7), size_t(8), size_t(33), size_t(63), size_t(64),
            size_t(65), size_t(4096), size_t(kPackedRun - 9),
            size_t(kPackedRun), size_t(kPackedRun + 1), size_t(50000)})
        for (float last : {0.0f, 0x1p126f}) {
          const std::vector<std::byte> packed = pack(packing, count, last);
          std::vector<std::byte> expected(count * size), found(count * size);
          unpack(packing, packed.data(), count, 0,
                 (count + kPackedBlock - 1) / kPackedBlock, dtype,
                 expected.data());
          const EmulatedKernels::Operand operands[] = {
              EmulatedKernels::read(packed), EmulatedKernels::write(found)};
          ASSERT_EQ(
              device.launch(std::string("zrt_unpack_") + name + "_" + type,
                            operands,
                            int64_t((count + kPackedRun - 1) / kPackedRun),
                            int64_t(count), count),
              "");
          ASSERT_EQ(found, expected) << count << " of " << name << ", " << type;
        }
    }
}

} // namespace
