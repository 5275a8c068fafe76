//===- GivenRows.h - Feeds rows of requests ---------------------*- C++ -*-===//
//
// Rows fill batches in the order in which a file of them would be read
// (BatchPlace): with B rows in a batch and N ranks, row i is row i mod B of
// rank i / B mod N, in micro-step i / (B N).  What is left is padding.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/data/BatchSource.h"
#include "train/drive/Rows.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zrt {

class GivenRows final : public BatchSource {
public:
  /// Without a seed there is no dropout.
  GivenRows(const zrt_plan &plan, std::optional<uint64_t> keySeed)
      : BatchSource(plan, keySeed), own(plan) {}

  const RowReader &reader() const { return own; }

  /// From now on these are the rows, of which the first is at `position`.
  void set(std::vector<Row> some, uint64_t position) {
    rows = std::move(some);
    first = position;
  }

  std::string text() const override {
    return "data      the rows of requests\n";
  }
  std::string mixText(uint64_t) const override { return ""; }
  std::string format() const override { return ""; }
  uint64_t samples() const override {
    return std::numeric_limits<uint64_t>::max();
  }

private:
  void read(size_t input, const BatchPlace &place, uint64_t row,
            std::byte *to) const override {
    const uint64_t i = place.position(row, samplesPerBatch()) - first;
    const Row &from = i < rows.size() ? rows[i] : own.padding();
    std::copy_n(&from[own.offset(input)], own.bytes(input), to);
  }

  const RowReader own;
  std::vector<Row> rows;
  uint64_t first = 0;
};

} // namespace zrt
