//===- GroupedProducts.h - Compares grouped products ------------*- C++ -*-===//
#pragma once

#include "runtime/check/Differences.h"

#include <functional>

namespace zrt::check {

/// Returns true if the operand at `offset` is a result of `desc`.
bool isResult(const zrt_grouped_desc &desc, uint64_t offset);

/// Compares `found` with the expected content of `result`, group by group; each
/// group is a product of its own.  `at` returns operands and expected results.
Difference
compareGroups(const zrt_grouped_desc &desc, const zrt_ref &result,
              const std::function<const std::byte *(const zrt_ref &)> &at,
              const std::byte *found);

} // namespace zrt::check
