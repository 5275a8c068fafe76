//===- Rows.h - Samples that requests give ----------------------*- C++ -*-===//
//
// A request has a list of rows for each input of the plan, and a row has the
// values of a sample in their order.  Values are checked as those of files are
// (train/state/io/InputValues.h).  A shorter row is padded, and so is a batch
// with fewer rows than it has room for, by what no loss counts:
//
//   targets, choices    their ignored value
//   samples, labels     the last value, which stands for none, of objectives
//                       that have it
//   other inputs        0
//
// A model without an ignored value counts all that it reads: its rows and
// batches must be full.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "train/state/io/Json.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace zrt {

/// The bytes of a sample, of all inputs that samples fill, in their order.
using Row = std::vector<std::byte>;

class RowReader {
public:
  explicit RowReader(const zrt_plan &plan);

  /// Reads {"tokens": [[1, 2], ...], ...}.  Inputs that `program` does not work
  /// on may be missing.  Throws zrt::Error.
  std::vector<Row> read(const nlohmann::json &inputs, uint32_t program) const;

  /// Whether the loss is a sum over tokens, and ZRT_SCORE gives the log
  /// probability of each.
  bool isOfPolicies() const { return objective == "grpo"; }

  const Row &padding() const { return empty; }
  /// Throws zrt::Error if no loss counts anything of `rows`.
  void checkCounts(const std::vector<Row> &rows) const;
  /// Throws zrt::Error if so many rows do not fill batches of `atOnce`, and
  /// cannot be padded.
  void checkFull(uint64_t rows, uint64_t atOnce) const;

  /// Where the values of an input begin in a row.
  size_t offset(size_t input) const { return offsets[input]; }
  size_t bytes(size_t input) const {
    return offsets[input + 1] - offsets[input];
  }

private:
  void readInput(size_t input, const nlohmann::json &given,
                 std::vector<Row> &rows) const;
  void readRow(size_t input, const nlohmann::json &values, size_t number,
               std::byte *to) const;
  bool isNeeded(const zrt_input &input, uint32_t program) const;
  bool areLabels(const zrt_input &input) const; ///< of kto
  int64_t paddingOf(const zrt_input &input) const;
  /// Whether a loss may count a value of an input in `row`.
  bool counts(size_t input, const Row &row) const;

  const zrt_plan &plan;
  const std::vector<const zrt_input *> inputs;
  std::string objective; ///< as in zrt_plan.function
  std::vector<size_t> offsets{0};
  Row empty;
  bool mayPad = false;
};

} // namespace zrt
