//===- Differences.h - How far two results are apart ------------*- C++ -*-===//
//
// Where a result must have the bits of another, bytes are compared.  Where it need
// not, each element is compared with a bound of its own.
//
// Products.  A sum of k terms that is rounded in any order by a unit roundoff u is
// off by a small multiple of sqrt(k) u |a||b| (Higham and Mary, "A new approach to
// probabilistic rounding error analysis", 2019), where a and b are the row and
// column and |a||b| is at least the sum of |a_p b_p|.  Two such sums differ by
//
//   16 sqrt(k) u |a||b| + 4 u (|c| + |bias|) + one unit of c's last place
//
// at most; the last where c has 16 bits, since either is rounded once.  u is
// 2^-24, or 2^-53 of f64.  Products in TF32 are further apart, up to k of a thousand.
//
// Values that pass through numbers of 16 bits on the way, as scores of attention
// on tensor cores, may be off by 4 units of the last place of the largest value.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/zrt.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace zrt::check {

/// Of one result from what it should be.
struct Difference {
  uint64_t elements = 0; ///< compared
  uint64_t wrong = 0; ///< beyond their bound; where bits must be equal, other
  double worst = 0;   ///< largest error, as a share of its bound
  std::string where;  ///< the first wrong one: "element 12: 1.5, and 1.25"

  /// Of two parts of a result.
  void add(const Difference &other);
};

/// Elements of which any bit differs.  Equal bits of NaNs are equal.
Difference compareBits(zrt_dtype dtype, const std::byte *found,
                       const std::byte *expected, uint64_t bytes);

/// Of values that pass through 16 bits: within a few units of the last place of the
/// largest nearby.
Difference compareRounded(zrt_dtype dtype, const std::byte *found,
                          const std::byte *expected, uint64_t bytes);

/// The operands of a product; `bias` only where it has one.
struct Factors {
  const std::byte *a, *b, *bias;
};
Difference compareProducts(const zrt_matmul_desc &desc, const Factors &factors,
                           const std::byte *found, const std::byte *expected);

} // namespace zrt::check
