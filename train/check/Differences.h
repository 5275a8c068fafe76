//===- Differences.h - Compares two results ---------------------*- C++ -*-===//
//
// If two results must have the same bits, their bytes are compared.  Otherwise
// each element is compared with an error bound of its own.
//
// Products.  The rounding error of a sum of k terms, in any order and with unit
// roundoff u, is a small multiple of sqrt(k) u |a||b| (Higham and Mary, "A new
// approach to probabilistic rounding error analysis", 2019), where a and b are
// the row and column, and |a||b| is at least the sum of |a_p b_p|.  Two such
// sums differ by at most
//
//   16 sqrt(k) u |a||b| + 4 u (|c| + |bias|) + one unit in c's last place
//
// where the last term applies only if c has 16 bits, as both sums are rounded
// once.  u is 2^-24, or 2^-53 for f64.  Products in TF32 differ more, for k up
// to a thousand.
//
// Values with 16-bit intermediate results, such as scores of attention on
// tensor cores, may differ by 4 units in the last place of the largest value.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace zrt::check {

/// The difference between a result and the expected one.
struct Difference {
  uint64_t elements = 0; ///< number of elements compared
  uint64_t wrong = 0;    ///< elements beyond their bound, or with other bits
  double worst = 0;      ///< largest error, as a share of its bound
  std::string where;     ///< the first wrong one: "element 12: 1.5, and 1.25"

  /// Adds the difference of another part of the result.
  void add(const Difference &other);
};

/// Finds elements whose bits differ.  NaNs with equal bits are equal.
Difference compareBits(zrt_dtype dtype, const std::byte *found,
                       const std::byte *expected, uint64_t bytes);

/// Compares values with 16-bit intermediate results: allows a few units in the
/// last place of the largest value nearby.
Difference compareRounded(zrt_dtype dtype, const std::byte *found,
                          const std::byte *expected, uint64_t bytes);

/// The operands of a product; `bias` is used only if it has one.
struct Factors {
  const std::byte *a, *b, *bias;
};
Difference compareMatmuls(const zrt_matmul_desc &desc, const Factors &factors,
                          const std::byte *found, const std::byte *expected);

/// Returns true if the operand at `offset` is a result of `desc`.
bool isResult(const zrt_grouped_desc &desc, uint64_t offset);

/// Compares `found` with the expected content of `result`, group by group; each
/// group is a product of its own.  `at` returns operands and expected results.
Difference
compareGroups(const zrt_grouped_desc &desc, const zrt_ref &result,
              const std::function<const std::byte *(const zrt_ref &)> &at,
              const std::byte *found);

} // namespace zrt::check
