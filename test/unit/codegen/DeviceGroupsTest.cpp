//===- DeviceGroupsTest.cpp - Products of groups of rows on a GPU ---------===//
//
// Compares grouped products on an emulated GPU with those of CPUs, bit for bit.
// That holds on emulated tensor cores, too, for sums of one run: the emulator
// adds exact products in order.
//
//===----------------------------------------------------------------------===//
#include "EmulatedKernels.h"

#include "runtime/device/cpu/Matmul.h"
#include "runtime/device/cpu/Team.h"
#include "runtime/numbers/HalfFloats.h"
#include "runtime/plan/Vocabulary.h"
#include "gtest/gtest.h"

#include "llvm/Support/FormatVariadic.h"
#include <cstring>
#include <numeric>
#include <random>

using namespace zrt;

namespace {

using Bytes = std::vector<std::byte>;

Bytes draw(int64_t count, zrt_dtype dtype, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> numbers;
  const uint64_t size = dtypeBytes(dtype);
  Bytes bytes(uint64_t(count) * size);
  for (int64_t i = 0; i < count; ++i) {
    const float wide = numbers(random);
    uint16_t narrow = dtype == ZRT_BF16 ? narrowBrain(wide) : narrowHalf(wide);
    std::memcpy(&bytes[uint64_t(i) * size],
                dtype == ZRT_F32 ? static_cast<const void *>(&wide) : &narrow,
                size);
  }
  return bytes;
}

struct Shape {
  const char *form; ///< "xw", "xwt" or "sums"
  zrt_dtype from, to;
  int64_t n, k;
  std::vector<int32_t> sizes; ///< rows of each group
  bool sums() const { return *form == 's'; }
};

/// Returns a plan with such a product.
std::string planOf(const Shape &shape) {
  const auto groups = int64_t(shape.sizes.size());
  const auto tensor = [](int64_t m, int64_t n, const char *type) {
    return llvm::formatv("tensor<{0}x{1}x{2}>", m, n, type).str();
  };
  const char *from = dtypeName(shape.from), *to = dtypeName(shape.to);
  const std::string x = tensor(16, shape.k, from),
                    y = tensor(16, shape.n, from),
                    w = shape.form == std::string("xwt")
                            ? tensor(shape.n, shape.k, from)
                            : tensor(shape.k, shape.n, from),
                    offsets =
                        llvm::formatv("tensor<{0}xi32>", groups + 1).str();
  std::string results, types, names;
  for (int64_t g = 0; g < groups; ++g) {
    const std::string comma = g ? ", " : "";
    names += comma + (shape.sums() ? llvm::formatv("%r#{0}", g).str() : "%w");
    types += comma + tensor(shape.k, shape.n, to);
  }
  const std::string head = "zero.axis @dp size 1\nzero.program @step(%x: " + x +
                           " {zero.input = \"x\"}, %o: " + offsets +
                           " {zero.input = \"o\"}, ";
  if (shape.sums())
    return head + "%y: " + y + " {zero.input = \"y\"}) -> (" + types + ") {\n" +
           llvm::formatv(
               "%r:{0} = nn.grouped_matmul_backward %x, %y by %o : {1}, "
               "{2}, {3} -> {4}\nzero.return {5} : {6}\n}",
               groups, x, y, offsets, types, names, types)
               .str();
  const std::string result = tensor(16, shape.n, to);
  return head + "%w: " + w + " {zero.input = \"w\"}) -> (" + result + ") {\n" +
         llvm::formatv(
             "%y = nn.grouped_matmul %x by %o ({0}){1} : {2}, {3}, {4} -> "
             "{5}\nzero.return %y : {6}\n}",
             names, shape.form == std::string("xw") ? " {transposed}" : "", x,
             offsets, w, result, result)
             .str();
}

/// Runs the product on `device` and on CPUs, and compares all bits.
void expectBits(EmulatedKernels &device, const Shape &shape, uint64_t seed) {
  const auto groups = int64_t(shape.sizes.size());
  const int64_t rows =
      std::accumulate(shape.sizes.begin(), shape.sizes.end(), int64_t{0});
  std::vector<int32_t> offsets(1);
  for (int32_t size : shape.sizes)
    offsets.push_back(offsets.back() + size);
  // Matrices begin at multiples of 16 elements.
  const int64_t apart = (shape.n * shape.k + 47) / 16 * 16;
  const Bytes x = draw(rows * shape.k, shape.from, seed);
  Bytes y = draw(rows * shape.n, shape.sums() ? shape.from : shape.to,
                 seed + 1),
        w = draw(groups * apart, shape.sums() ? shape.to : shape.from,
                 seed + 2);
  Bytes expectedY = y, expectedW = w;
  std::vector<int64_t> table = {rows};
  std::vector<zrt_operand> ofW(shape.sizes.size());
  std::vector<void *> matrices;
  zrt_grouped_desc d = {};
  d.sums = shape.sums();
  d.trans_w = shape.form == std::string("xwt");
  d.groups = uint32_t(groups);
  d.rows = rows;
  d.n = shape.n;
  d.k = shape.k;
  d.x.dtype = shape.from;
  d.y.dtype = d.sums ? shape.from : shape.to;
  d.w = ofW.data();
  for (int64_t g = 0; g < groups; ++g) {
    table.push_back(g * apart);
    ofW[size_t(g)].dtype = d.sums ? shape.to : shape.from;
    matrices.push_back(expectedW.data() +
                       uint64_t(g * apart) * dtypeBytes(ofW[0].dtype));
  }
  Team team(1);
  runGroupedMatmul(d, x.data(), expectedY.data(), offsets.data(),
                   matrices.data(), team);
  const EmulatedKernels::Operand operands[] = {
      EmulatedKernels::read(x),
      d.sums ? EmulatedKernels::read(y) : EmulatedKernels::write(y),
      EmulatedKernels::read(offsets),
      d.sums ? EmulatedKernels::write(w) : EmulatedKernels::read(w),
      EmulatedKernels::read(table)};
  const std::string name =
      llvm::formatv("zrt_grouped_{0}_{1}_{2}_{3}x{4}x{5}",
                    dtypeName(shape.from), dtypeName(shape.to), shape.form,
                    groups, shape.n, shape.k)
          .str();
  const int64_t units = d.sums ? groups : rows / 128 + groups;
  ASSERT_EQ(device.launch(name, operands, units, units, seed), "") << name;
  EXPECT_TRUE(y == expectedY) << name << " of " << rows << " rows";
  EXPECT_TRUE(w == expectedW) << name << " of " << rows << " rows";
}

void expectBits(Shape shape, const std::vector<std::vector<int32_t>> &all) {
  shape.sizes = all.front();
  EmulatedKernels device(planOf(shape));
  uint64_t seed = 1;
  for (const std::vector<int32_t> &sizes : all) {
    shape.sizes = sizes;
    expectBits(device, shape, seed++);
  }
}

/// Empty groups, groups of one row, and sizes around the tile size of 128.
const std::vector<std::vector<int32_t>> kSizes = {
    {0, 1, 128, 0, 129, 2}, {3, 0, 0, 130, 127, 0}, {0, 0, 0, 0, 0, 5}};

TEST(DeviceGroups, HaveTheBitsOfProcessors) {
  constexpr std::pair<zrt_dtype, zrt_dtype> kTypes[] = {{ZRT_F32, ZRT_F32},
                                                        {ZRT_BF16, ZRT_BF16},
                                                        {ZRT_BF16, ZRT_F32},
                                                        {ZRT_F16, ZRT_F16}};
  for (auto [from, to] : kTypes)
    for (const char *form : {"xw", "xwt", "sums"})
      for (auto [n, k] : {std::pair(72, 40), {136, 200}, {67, 13}, {1, 130}}) {
        const bool sums = *form == 's';
        // Only sums of the rows have f32 results; the largest shape takes most of the time.
        if ((from != to && !sums) || (n == 136 && from != ZRT_F32))
          continue;
        expectBits({form, from, to, n, k, {}}, kSizes);
      }
}

TEST(DeviceGroups, AddRunsInTheOrderOfProcessors) {
  for (auto [n, k] : {std::pair(20, 385), {12, 1024}, {9, 801}}) {
    expectBits({"xw", ZRT_F32, ZRT_F32, n, k, {}}, {{1, 4}});
    expectBits({"xwt", ZRT_BF16, ZRT_BF16, n, k, {}}, {{1, 4}});
  }
  expectBits({"sums", ZRT_F32, ZRT_F32, 24, 8, {}},
             {{384, 385}, {771, 0}, {8, 1000}});
  expectBits({"sums", ZRT_BF16, ZRT_F32, 5, 3, {}}, {{384, 385}, {771, 7}});
}

TEST(DeviceGroups, OfOneGroupAndOfMany) {
  expectBits({"xw", ZRT_F32, ZRT_F32, 12, 16, {}}, {{300}, {0}, {128}});
  std::vector<int32_t> many(37);
  for (size_t g = 0; g < many.size(); ++g)
    many[g] = int32_t(g * g % 11);
  expectBits({"xwt", ZRT_F32, ZRT_F32, 12, 16, {}}, {many});
  expectBits({"sums", ZRT_F32, ZRT_F32, 12, 16, {}}, {many});
}

} // namespace
