//===- GroupedProducts.h - Comparing products of groups ---------*- C++ -*-===//
#pragma once

#include "runtime/check/Differences.h"

#include <functional>

namespace zrt::check {

/// Whether what begins at `offset` is a result of `desc`.
bool isResult(const zrt_grouped_desc &desc, uint64_t offset);

/// Compares the result at `result` with `found`, group by group, each of which is a
/// product of its own.  `at` gives the operands, and results as they should be.
Difference
compareGroups(const zrt_grouped_desc &desc, const zrt_ref &result,
              const std::function<const std::byte *(const zrt_ref &)> &at,
              const std::byte *found);

} // namespace zrt::check
