//===- Differences.cpp - Compares two results -----------------------------===//
#include "train/check/Differences.h"

#include "runtime/numbers/HalfArrays.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/plan/Vocabulary.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <vector>

using namespace zrt;
using namespace zrt::check;

namespace {

/// Converts `count` numbers of f64, f32, bf16 or f16.
void readNumbers(zrt_dtype dtype, const std::byte *from, size_t count,
                 double *to) {
  if (dtype == ZRT_F64) {
    std::memcpy(to, from, count * sizeof(double));
    return;
  }
  static thread_local std::vector<float> floats;
  floats.resize(count);
  widen(from, dtype, count, floats.data());
  std::copy(floats.begin(), floats.end(), to);
}

bool isNumber(zrt_dtype dtype) {
  return dtype == ZRT_F64 || isConvertible(dtype);
}

/// The unit roundoff: half a unit in the last place of 1.
double roundoffOf(zrt_dtype dtype) {
  switch (dtype) {
  case ZRT_F64:
    return std::ldexp(1.0, -53);
  case ZRT_BF16:
    return std::ldexp(1.0, -8);
  case ZRT_F16:
    return std::ldexp(1.0, -11);
  default:
    return std::ldexp(1.0, -24);
  }
}

/// The distance between subnormal numbers of f16; a tiny number otherwise.
double spacingOf(zrt_dtype dtype) {
  return dtype == ZRT_F16 ? std::ldexp(1.0, -24) : std::ldexp(1.0, -100);
}

std::string text(uint64_t element, double found, double expected) {
  return fmt::format("element {}: {}, and {} on processors", element, found,
                     expected);
}

void addElement(Difference &sum, uint64_t element, double found,
                double expected, double bound) {
  double share = 0;
  if (std::isfinite(expected) && std::isfinite(found))
    share = std::fabs(found - expected) / bound;
  else if (!(std::isnan(expected) && std::isnan(found)) && found != expected)
    share = HUGE_VAL;
  sum.worst = std::max(sum.worst, share);
  if (share > 1 && sum.wrong++ == 0)
    sum.where = text(element, found, expected);
}

/// The norms of the rows, or columns, of a matrix.
std::vector<double> lengths(zrt_dtype dtype, const std::byte *at,
                            const StoredMatrix &matrix, bool ofRows) {
  std::vector<double> sums(size_t(ofRows ? matrix.rows : matrix.columns)),
      row(static_cast<size_t>(matrix.columns));
  for (int64_t i = 0; i < matrix.rows; ++i) {
    readNumbers(dtype, at + uint64_t(i * matrix.ld) * dtypeBytes(dtype),
                row.size(), row.data());
    for (size_t j = 0; j < row.size(); ++j)
      sums[ofRows ? size_t(i) : j] += row[j] * row[j];
  }
  for (double &sum : sums)
    sum = std::sqrt(sum);
  return sums;
}

} // namespace

void Difference::add(const Difference &other) {
  if (wrong == 0)
    where = other.where;
  elements += other.elements;
  wrong += other.wrong;
  worst = std::max(worst, other.worst);
}

Difference check::compareBits(zrt_dtype dtype, const std::byte *found,
                              const std::byte *expected, uint64_t bytes) {
  const uint64_t size = dtypeBytes(dtype);
  Difference difference;
  difference.elements = bytes / size;
  if (bytes == 0 || std::memcmp(found, expected, bytes) == 0)
    return difference;
  for (uint64_t i = 0; i < difference.elements; ++i) {
    if (std::memcmp(found + i * size, expected + i * size, size) == 0 ||
        difference.wrong++ != 0)
      continue;
    if (isNumber(dtype)) {
      double mine = 0, other = 0;
      readNumbers(dtype, found + i * size, 1, &mine);
      readNumbers(dtype, expected + i * size, 1, &other);
      difference.where = text(i, mine, other);
    } else {
      difference.where = fmt::format("element {}", i);
    }
  }
  return difference;
}

/// Rows may differ much in magnitude, as gradients of early and late tokens do.
/// So the bound of an element depends on the largest of its group of kNear
/// elements, and on a share of the largest of all, because sums may cancel.
static constexpr size_t kNear = 16;
static constexpr double kShareOfLargest = 1.0 / 64;

static double largestOf(std::span<const double> values) {
  double largest = 0;
  for (const double value : values)
    if (std::isfinite(value))
      largest = std::max(largest, std::fabs(value));
  return largest;
}

Difference check::compareRounded(zrt_dtype dtype, const std::byte *found,
                                 const std::byte *expected, uint64_t bytes) {
  if (!isNumber(dtype))
    return compareBits(dtype, found, expected, bytes);
  const size_t count = bytes / dtypeBytes(dtype);
  std::vector<double> mine(count), others(count);
  readNumbers(dtype, found, count, mine.data());
  readNumbers(dtype, expected, count, others.data());
  const double unit = 2 * std::max(roundoffOf(dtype), roundoffOf(ZRT_BF16)),
               everywhere = largestOf(others) * kShareOfLargest;
  Difference difference;
  difference.elements = count;
  for (size_t first = 0; first < count; first += kNear) {
    const size_t length = std::min(kNear, count - first);
    const double bound =
        4 * unit *
            std::max(everywhere,
                     largestOf(std::span(others).subspan(first, length))) +
        spacingOf(dtype);
    for (size_t i = first; i < first + length; ++i)
      addElement(difference, i, mine[i], others[i], bound);
  }
  return difference;
}

Difference check::compareMatmuls(const zrt_matmul_desc &d,
                                 const Factors &factors, const std::byte *found,
                                 const std::byte *expected) {
  const auto bytesOf = [](const zrt_operand &operand, int64_t elements) {
    return uint64_t(elements) * dtypeBytes(operand.dtype);
  };
  const double u = roundoffOf(d.a.dtype == ZRT_F64 ? ZRT_F64 : ZRT_F32);
  const double last = is16Bits(d.c.dtype) ? 2 * roundoffOf(d.c.dtype) : 0;
  const double sums = 16 * std::sqrt(double(d.k)) * u * std::fabs(d.scale);
  std::vector<double> bias(size_t(d.n)), mine(size_t(d.n)), other(size_t(d.n));
  if (d.has_bias)
    readNumbers(d.bias.dtype, factors.bias, bias.size(), bias.data());
  Difference difference;
  difference.elements = uint64_t(d.batch * d.m * d.n);
  for (int64_t batch = 0; batch < d.batch; ++batch) {
    const std::byte *a = factors.a + bytesOf(d.a, batch * d.m * d.k),
                    *b = factors.b + bytesOf(d.b, batch * d.k * d.n);
    const auto rows = lengths(d.a.dtype, a, storedA(d), d.trans_a == 0);
    const auto columns = lengths(d.b.dtype, b, storedB(d), d.trans_b != 0);
    for (int64_t i = 0; i < d.m; ++i) {
      const int64_t first = (batch * d.m + i) * storedC(d).ld;
      readNumbers(d.c.dtype, found + bytesOf(d.c, first), size_t(d.n),
                  mine.data());
      readNumbers(d.c.dtype, expected + bytesOf(d.c, first), size_t(d.n),
                  other.data());
      for (size_t j = 0; j < size_t(d.n); ++j)
        addElement(difference, uint64_t(first) + j, mine[j], other[j],
                   sums * rows[size_t(i)] * columns[j] +
                       4 * u * (std::fabs(other[j]) + std::fabs(bias[j])) +
                       last * std::fabs(other[j]) + spacingOf(d.c.dtype));
    }
  }
  return difference;
}

//===----------------------------------------------------------------------===//
// Grouped products
//===----------------------------------------------------------------------===//

bool check::isResult(const zrt_grouped_desc &desc, uint64_t offset) {
  if (!desc.sums)
    return offset == desc.y.ref.offset;
  for (uint32_t g = 0; g < desc.groups; ++g)
    if (offset == desc.w[g].ref.offset)
      return true;
  return false;
}

Difference check::compareGroups(
    const zrt_grouped_desc &d, const zrt_ref &result,
    const std::function<const std::byte *(const zrt_ref &)> &at,
    const std::byte *found) {
  std::vector<int32_t> offsets(d.groups + 1);
  std::memcpy(offsets.data(), at(d.offsets.ref),
              offsets.size() * sizeof(int32_t));
  Difference all;
  for (uint32_t g = 0; g < d.groups; ++g) {
    const int64_t first = offsets[g], rows = offsets[g + 1] - first;
    const std::byte *x =
        at(d.x.ref) + uint64_t(first * d.k) * dtypeBytes(d.x.dtype);
    const uint64_t y = uint64_t(first * d.n) * dtypeBytes(d.y.dtype);
    zrt_matmul_desc one = {};
    one.scale = 1;
    one.batch = 1;
    one.n = d.n;
    one.a = d.x;
    if (!d.sums) {
      one.m = rows;
      one.k = d.k;
      one.trans_b = d.trans_w;
      one.b = d.w[g];
      one.c = d.y;
      all.add(compareMatmuls(one, {x, at(d.w[g].ref), nullptr}, found + y,
                             at(d.y.ref) + y));
    } else if (d.w[g].ref.offset == result.offset) {
      one.m = d.k;
      one.k = rows;
      one.trans_a = 1;
      one.b = d.y;
      one.c = d.w[g];
      all.add(compareMatmuls(one, {x, at(d.y.ref) + y, nullptr}, found,
                             at(d.w[g].ref)));
    }
  }
  return all;
}
