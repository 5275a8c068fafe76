//===- DeviceKernelTest.cpp - A plan's own kernels on a GPU ---------------===//
//
// Compares updates, sums of squares and sums over ranks, of any number of
// elements, on an emulated GPU with those of CPUs, bit for bit.
//
//===----------------------------------------------------------------------===//

#include "CompiledKernel.h"
#include "EmulatedKernels.h"

#include "abi/zrt.h"
#include "runtime/device/cpu/SumSquares.h"
#include "runtime/transport/RankedSum.h"
#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace {

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

/// AdamW in f32, with all optional operands of its kernel.
constexpr char kAdamW[] = R"(
zero.axis @dp size 1
zero.bucket @b over @dp elements 64 members [#zero.member<"w", 64 at 0, init = #zero.constant<1.0>>]
zero.optimizer @adamw(%p: f32, %g: f32, %m: f32, %v: f32, %lr: f32, %decay: f32, %step: f32)
    state ["m", "v"] scalars ["lr", "decay", "step"] {
  %one = arith.constant 1.0 : f64
  %wide_step = arith.extf %step : f32 to f64
  %wide_lr = arith.extf %lr : f32 to f64
  %beta1 = arith.constant 0.9 : f64
  %power1 = math.powf %beta1, %wide_step : f64
  %correction1 = arith.subf %one, %power1 : f64
  %wide_rate = arith.divf %wide_lr, %correction1 : f64
  %rate = arith.truncf %wide_rate : f64 to f32
  %beta2 = arith.constant 0.999 : f64
  %power2 = math.powf %beta2, %wide_step : f64
  %correction2 = arith.subf %one, %power2 : f64
  %root2 = math.sqrt %correction2 : f64
  %wide_scale = arith.divf %one, %root2 : f64
  %scale = arith.truncf %wide_scale : f64 to f32
  %b1 = arith.constant 0.9 : f32
  %r1 = arith.constant 0.1 : f32
  %old1 = arith.mulf %m, %b1 : f32
  %new1 = arith.mulf %g, %r1 : f32
  %m1 = arith.addf %old1, %new1 : f32
  %b2 = arith.constant 0.999 : f32
  %r2 = arith.constant 0.001 : f32
  %old2 = arith.mulf %v, %b2 : f32
  %square = arith.mulf %g, %g : f32
  %new2 = arith.mulf %square, %r2 : f32
  %v1 = arith.addf %old2, %new2 : f32
  %root = math.sqrt %v1 : f32
  %scaled = arith.mulf %root, %scale : f32
  %eps = arith.constant 1.0e-8 : f32
  %divisor = arith.addf %scaled, %eps : f32
  %direction = arith.divf %m1, %divisor : f32
  %change = arith.mulf %rate, %direction : f32
  %shrink = arith.mulf %lr, %decay : f32
  %kept = arith.mulf %p, %shrink : f32
  %less = arith.subf %p, %kept : f32
  %p1 = arith.subf %less, %change : f32
  zero.yield %p1, %m1, %v1 : f32, f32, f32
}
zero.program @step(%p: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                   %m: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b, "m">},
                   %v: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b, "v">},
                   %g: tensor<64xf32> {zero.input = "g"}, %lr: tensor<f32> {zero.scalar = "lr"},
                   %step: tensor<f32> {zero.scalar = "step"})
    -> (!zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 1>) {
  %p1, %m1, %v1 = zero.update @adamw of @b (%p, %g, %m, %v) scalars(%lr, %step) {decay = 0.1 : f64}
    : (!zero.shard<64 x f32 by 1>, tensor<64xf32>, !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 1>),
      (tensor<f32>, tensor<f32>)
    -> !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 1>
  zero.return %p1, %m1, %v1 : !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 1>
})";

std::vector<float> drawKernel(size_t count, uint64_t seed,
                              bool arePositive = false) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> numbers;
  std::vector<float> values(count);
  for (float &value : values)
    value = arePositive ? std::abs(numbers(random)) : numbers(random);
  return values;
}

/// Runs of a bucket: with and without decay, of a single element, of less and
/// more than a block, beside each other and with padding between them.
constexpr struct {
  int64_t begin, end;
  bool decays;
} kRuns[] = {
    {0, 1, true},          {16, 17, false},      {32, 95, true},
    {96, 1120, false},     {1120, 2145, true},   {2160, 10352, true},
    {10352, 18545, false}, {18560, 35980, true}, {35984, 35987, false}};
constexpr size_t kElements = 36000;

/// The table of an update's blocks (zrt_device_kernel).
std::vector<int64_t> tableOfRuns() {
  std::vector<int64_t> table;
  for (size_t run = 0; run < std::size(kRuns); ++run)
    for (int64_t at = kRuns[run].begin; at < kRuns[run].end;
         at += ZRT_UPDATE_BLOCK)
      table.insert(table.end(),
                   {at,
                    std::min<int64_t>(at + ZRT_UPDATE_BLOCK, kRuns[run].end),
                    kRuns[run].decays, static_cast<int64_t>(run)});
  return table;
}

/// Updates the state in one launch of the kernel `decayed` of the plan `text`,
/// and run by run on the host; `scalars` are those of the plan.
void compareUpdates(const std::string &text, const std::string &decayed,
                    const std::string &plain, std::vector<float> scalars) {
  EmulatedKernels device(text);
  const CompiledKernel withDecay(text, decayed), without(text, plain);
  std::vector<float> g = drawKernel(kElements, 1);
  std::vector<float> p[] = {drawKernel(kElements, 2), {}},
                     m[] = {drawKernel(kElements, 3), {}},
                     v[] = {drawKernel(kElements, 4, true), {}};
  p[1] = p[0];
  m[1] = m[0];
  v[1] = v[0];
  for (const auto &run : kRuns) {
    // In place, as in a plan.
    std::vector<void *> buffers = {p[0].data(), g.data(), m[0].data(),
                                   v[0].data()};
    for (float &scalar : scalars)
      buffers.push_back(&scalar);
    buffers.insert(buffers.end(), {p[0].data(), m[0].data(), v[0].data()});
    (run.decays ? withDecay : without).call(buffers.data(), run.begin, run.end);
  }
  const std::vector<int64_t> table = tableOfRuns();
  std::vector<EmulatedKernels::Operand> operands = {
      EmulatedKernels::write(p[1]), EmulatedKernels::read(g),
      EmulatedKernels::write(m[1]), EmulatedKernels::write(v[1])};
  for (float &scalar : scalars)
    operands.push_back({&scalar, sizeof(scalar), false});
  for (auto *state : {p, m, v})
    operands.push_back(EmulatedKernels::write(state[1]));
  operands.push_back(EmulatedKernels::read(table));
  const auto units = static_cast<int64_t>(table.size() / 4);
  ASSERT_EQ(device.launch(decayed, operands, units, units), "");
  for (auto *state : {p, m, v})
    ASSERT_EQ(std::memcmp(state[0].data(), state[1].data(),
                          kElements * sizeof(float)),
              0)
        << decayed;
}

TEST(DeviceKernels, AdamWHasTheBitsOfProcessors) {
  for (float step : {1.0f, 2.0f, 10.0f, 999.0f, 123457.0f})
    compareUpdates(kAdamW, "adamw_decay0.1", "adamw_decay0", {3e-4f, step});
}

/// Returns `text` with `from` replaced by `to`, which is there once.
std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(DeviceKernels, UpdatesWithoutDecayHaveOneKernel) {
  compareUpdates(replaced(kAdamW, "{decay = 0.1 : f64}", "{decay = 0.0 : f64}"),
                 "adamw_decay0", "adamw_decay0", {3e-4f, 7.0f});
}

// As RAdam does: the step decides about the formula.
TEST(DeviceKernels, BoolsAreComputedOnce) {
  const std::string text =
      replaced(kAdamW, "%direction = arith.divf %m1, %divisor : f32",
               R"(%five = arith.constant 5.0 : f64
  %isLate = arith.cmpf ogt, %wide_step, %five : f64
  %quotient = arith.divf %m1, %divisor : f32
  %direction = arith.select %isLate, %quotient, %m1 : f32)");
  for (float step : {5.0f, 6.0f})
    compareUpdates(text, "adamw_decay0.1", "adamw_decay0", {3e-4f, step});
}

//===----------------------------------------------------------------------===//
// Sums of squares
//===----------------------------------------------------------------------===//

/// Returns a plan with sums of squares of type `type`.
std::string squaresOf(const std::string &type) {
  return R"(
zero.axis @dp size 1
zero.bucket @b over @dp elements 64 members [#zero.member<"w", 64 at 0, init = #zero.constant<1.0>>]
zero.program @step(%g: tensor<64x)" +
         type +
         R"(> {zero.input = "g"}) -> (tensor<1xf64> {zero.output = "s"}) {
  %s = zero.sum_squares %g of @b : tensor<64x)" +
         type + R"(> -> tensor<1xf64>
  zero.return %s : tensor<1xf64>
})";
}

/// `values` rounded to `dtype`, as bytes.
std::vector<std::byte> encode(const std::vector<float> &values,
                              zrt_dtype dtype) {
  const size_t size = dtype == ZRT_F32 ? 4 : 2;
  std::vector<std::byte> bytes(values.size() * size);
  for (size_t i = 0; i < values.size(); ++i) {
    uint32_t word = std::bit_cast<uint32_t>(values[i]);
    auto half = static_cast<uint16_t>(word >> 16);
    if (dtype == ZRT_F16)
      half = std::bit_cast<uint16_t>(static_cast<_Float16>(values[i]));
    if (dtype == ZRT_F32)
      std::memcpy(&bytes[i * size], &word, size);
    else
      std::memcpy(&bytes[i * size], &half, size);
  }
  return bytes;
}

TEST(DeviceKernels, SquaresHaveTheBitsOfProcessors) {
  constexpr size_t kBlock = ZRT_SQUARES_BLOCK;
  constexpr std::pair<const char *, zrt_dtype> kTypes[] = {
      {"f32", ZRT_F32}, {"bf16", ZRT_BF16}, {"f16", ZRT_F16}};
  for (auto [type, dtype] : kTypes) {
    EmulatedKernels device(squaresOf(type));
    for (size_t count : {size_t(1), size_t(2), size_t(15), size_t(16),
                         size_t(17), size_t(31), size_t(259), kBlock - 1,
                         kBlock, kBlock + 1, 3 * kBlock + 5, 9 * kBlock + 77}) {
      const std::vector<std::byte> gradient =
          encode(drawKernel(count, count), dtype);
      const size_t blocks = (count + kBlock - 1) / kBlock;
      std::vector<double> partials(blocks, -1);
      std::vector<int64_t> table;
      for (size_t i = 0; i < blocks; ++i)
        table.insert(table.end(), {int64_t(i * kBlock),
                                   int64_t(std::min((i + 1) * kBlock, count))});
      const EmulatedKernels::Operand operands[] = {
          EmulatedKernels::read(gradient), EmulatedKernels::write(partials),
          EmulatedKernels::read(table)};
      const auto units = static_cast<int64_t>(blocks);
      ASSERT_EQ(device.launch(std::string("zrt_squares_") + type, operands,
                              units, units, count),
                "");
      const size_t size = gradient.size() / count;
      for (size_t i = 0; i < blocks; ++i)
        ASSERT_EQ(partials[i],
                  zrt::sumSquares(gradient.data() + i * kBlock * size, dtype,
                                  std::min(kBlock, count - i * kBlock)))
            << "block " << i << " of " << count << " of " << type;
    }
  }
}

//===----------------------------------------------------------------------===//
// Sums over ranks
//===----------------------------------------------------------------------===//

struct SumCase {
  const char *from, *to;
  zrt_dtype fromType, toType;
};

/// Returns a plan of two ranks that sums `from` into `to`.
std::string sumOf(const SumCase &types) {
  const std::string from = types.from,
                    to = std::string("!zero.shard<64 x ") + types.to + " by 2>";
  return R"(
zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members [#zero.member<"w", 64 at 0, init = #zero.constant<1.0>>]
zero.program @step(%w: )" +
         to + R"( {zero.state = #zero.state<@b, "grad">}, %g: tensor<64x)" +
         from + R"(> {zero.input = "g"}) -> ()" + to + R"() {
  %s = zero.reduce_scatter %g of @b into %w {scale = 0.5 : f64} : tensor<64x)" +
         from + ">, " + to + " -> " + to + R"(
  zero.return %s : )" +
         to + R"(
})";
}

/// Parameters of a sum.
struct HowToAdd {
  int64_t ranks, stride;
  double scale;
  int64_t accumulates, isAligned;
};

TEST(DeviceKernels, SumsOverRanksHaveTheBitsOfProcessors) {
  constexpr SumCase kTypes[] = {{"f32", "f32", ZRT_F32, ZRT_F32},
                                {"bf16", "f32", ZRT_BF16, ZRT_F32},
                                {"bf16", "bf16", ZRT_BF16, ZRT_BF16},
                                {"f16", "f32", ZRT_F16, ZRT_F32},
                                {"f16", "f16", ZRT_F16, ZRT_F16}};
  for (const SumCase &types : kTypes) {
    EmulatedKernels device(sumOf(types));
    for (size_t count : {1, 15, 16, 255, 256, 257, 2049})
      for (size_t ranks : {2, 3, 8})
        for (int bits : {0, 1, 2, 3}) {
          const bool accumulates = bits & 1, isAligned = bits & 2;
          // The stride exceeds the number of elements, as in the last chunk of
          // a slice.
          const size_t stride = isAligned ? (count + 47) / 16 * 16 : count + 23,
                       size = types.fromType == ZRT_F32 ? 4 : 2;
          const float scale = 1.0f / static_cast<float>(ranks);
          const std::vector<std::byte> given =
              encode(drawKernel(ranks * stride, count), types.fromType);
          std::vector<std::byte> found =
              encode(drawKernel(count, ranks), types.toType);
          std::vector<std::byte> expected = found;
          std::vector<const std::byte *> sources;
          for (size_t rank = 0; rank < ranks; ++rank)
            sources.push_back(given.data() + rank * stride * size);
          zrt::rankedSum(sources.data(), ranks, types.fromType, count, scale,
                         accumulates, false, types.toType, expected.data());
          const std::vector<HowToAdd> how = {{static_cast<int64_t>(ranks),
                                              static_cast<int64_t>(stride),
                                              scale, accumulates, isAligned}};
          ASSERT_EQ(reinterpret_cast<uintptr_t>(given.data()) % 16, 0U);
          ASSERT_EQ(reinterpret_cast<uintptr_t>(found.data()) % 16, 0U);
          const EmulatedKernels::Operand operands[] = {
              EmulatedKernels::read(given), EmulatedKernels::read(how),
              EmulatedKernels::write(found)};
          const std::string name =
              std::string("zrt_ranked_sum_") + types.from + "_" + types.to;
          ASSERT_EQ(device.launch(name, operands, static_cast<int64_t>(count),
                                  static_cast<int64_t>(count), count),
                    "");
          ASSERT_EQ(found, expected)
              << name << ", " << count << " elements of " << ranks << " ranks";
        }
  }
}

//===----------------------------------------------------------------------===//
// Biases
//===----------------------------------------------------------------------===//

/// Returns a plan with a 16-bit product with a bias, whose result is f32.
std::string productOf(const std::string &type) {
  return R"(
zero.axis @dp size 1
zero.program @step(%a: tensor<4x8x)" +
         type + R"(> {zero.input = "a"}, %b: tensor<8x6x)" + type +
         R"(> {zero.input = "b"}, %c: tensor<6x)" + type +
         R"(> {zero.input = "c"}) -> (tensor<4x6xf32> {zero.output = "r"}) {
  %r = nn.matmul %a, %b bias(%c) : (tensor<4x8x)" +
         type + ">, tensor<8x6x" + type + ">, tensor<6x" + type +
         R"(>) -> tensor<4x6xf32>
  zero.return %r : tensor<4x6xf32>
})";
}

TEST(DeviceKernels, BiasesAreWidened) {
  constexpr std::pair<const char *, zrt_dtype> kTypes[] = {{"bf16", ZRT_BF16},
                                                           {"f16", ZRT_F16}};
  for (auto [type, dtype] : kTypes) {
    EmulatedKernels device(productOf(type));
    for (size_t count : {1, 63, 64, 65, 1000}) {
      const std::vector<float> values = drawKernel(count, count);
      const std::vector<std::byte> narrow = encode(values, dtype);
      std::vector<float> wide(count);
      const EmulatedKernels::Operand operands[] = {
          EmulatedKernels::read(narrow), EmulatedKernels::write(wide)};
      const auto units = static_cast<int64_t>(count);
      ASSERT_EQ(device.launch(std::string("zrt_widen_") + type, operands, units,
                              units, count),
                "");
      EXPECT_EQ(encode(wide, dtype), narrow) << count << " of " << type;
    }
  }
}

} // namespace
