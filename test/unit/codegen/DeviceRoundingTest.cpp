//===- DeviceRoundingTest.cpp - Numbers of 16 bits on a GPU ---------------===//
//
// Compares casts to bf16, and exponentials, of an emulated GPU with those of
// CPUs, bit for bit: a GPU rounds and clamps by instructions of its own, which
// have other NaNs.
//
//===----------------------------------------------------------------------===//

#include "CompiledKernel.h"
#include "EmulatedKernels.h"

#include "gtest/gtest.h"

#include <bit>
#include <random>

namespace {

/// Columns in vectors, and one that is alone.
constexpr size_t kNumbers = 1025;

constexpr char kRoundingKernels[] = R"(
zero.kernel @round(%x: tensor<1025xf32>) -> (tensor<1025xbf16>, tensor<1025xbf16>) units columns [1025] {
  %e = tensor.empty() : tensor<1025xbf16>
  %y, %z = linalg.generic {
    indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>, affine_map<(c) -> (c)>],
    iterator_types = ["parallel"]
  } ins(%x : tensor<1025xf32>) outs(%e, %e : tensor<1025xbf16>, tensor<1025xbf16>) {
  ^bb0(%a: f32, %o: bf16, %p: bf16):
    %r = arith.truncf %a : f32 to bf16
    %exp = math.exp %a : f32
    %s = arith.truncf %exp : f32 to bf16
    linalg.yield %r, %s : bf16, bf16
  } -> (tensor<1025xbf16>, tensor<1025xbf16>)
  zero.return %y, %z : tensor<1025xbf16>, tensor<1025xbf16>
}
zero.kernel @round_one(%x: tensor<4xf32>) -> tensor<4xbf16> units rows [4] {
  %e = tensor.empty() : tensor<4xbf16>
  %y = linalg.generic {
    indexing_maps = [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>],
    iterator_types = ["parallel"]
  } ins(%x : tensor<4xf32>) outs(%e : tensor<4xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<4xbf16>
  zero.return %y : tensor<4xbf16>
}
zero.program @step(%x: tensor<1025xf32> {zero.input = "x"}, %s: tensor<4xf32> {zero.input = "s"}) {
  %y, %z = zero.launch @round(%x) : (tensor<1025xf32>) -> (tensor<1025xbf16>, tensor<1025xbf16>)
  %t = zero.launch @round_one(%s) : (tensor<4xf32>) -> tensor<4xbf16>
  zero.return
})";

/// Signs, zeros, denormals, ties, the largest numbers, infinities, NaNs with
/// payloads; the rest is of any bits.
std::vector<float> drawNumbers() {
  std::vector<float> numbers;
  for (uint32_t sign : {0u, 0x80000000u})
    for (uint32_t bits :
         {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0x18000u, 0x3f808000u, 0x3f818000u,
          0x42aeac50u, 0x42b17218u, 0x7f7f7fffu, 0x7f7f8000u, 0x7f7fffffu,
          0x7f800000u, 0x7f800001u, 0x7fc00000u, 0x7fffffffu})
      numbers.push_back(std::bit_cast<float>(sign | bits));
  std::mt19937 random(1);
  while (numbers.size() < kNumbers)
    numbers.push_back(std::bit_cast<float>(uint32_t(random())));
  return numbers;
}

TEST(DeviceRounding, HasTheBitsOfProcessors) {
  EmulatedKernels kernels(kRoundingKernels);
  const std::vector<float> x = drawNumbers();
  std::vector<uint16_t> rounded(kNumbers), powers(kNumbers),
      expectedRounded(kNumbers), expectedPowers(kNumbers);
  void *buffers[] = {const_cast<float *>(x.data()), expectedRounded.data(),
                     expectedPowers.data()};
  CompiledKernel(kRoundingKernels, "round").call(buffers, 0, kNumbers);
  const EmulatedKernels::Operand operands[] = {EmulatedKernels::read(x),
                                               EmulatedKernels::write(rounded),
                                               EmulatedKernels::write(powers)};
  ASSERT_EQ(kernels.launch("round", operands, kNumbers, kNumbers), "");
  EXPECT_EQ(rounded, expectedRounded);
  EXPECT_EQ(powers, expectedPowers);
}

TEST(DeviceRounding, OfSingleNumbersToo) {
  EmulatedKernels kernels(kRoundingKernels);
  const std::vector<float> x = {1.00390625f, -1.01171875f,
                                std::bit_cast<float>(0xffc12345u), 1e-40f};
  std::vector<uint16_t> rounded(x.size());
  const EmulatedKernels::Operand operands[] = {EmulatedKernels::read(x),
                                               EmulatedKernels::write(rounded)};
  ASSERT_EQ(kernels.launch("round_one", operands, 4, 4), "");
  EXPECT_EQ(rounded, (std::vector<uint16_t>{0x3f80, 0xbf82, 0x7fc0, 0x0001}));
}

} // namespace
