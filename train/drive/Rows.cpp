//===- Rows.cpp - Samples that requests give ------------------------------===//
#include "train/drive/Rows.h"

#include "abi/Counts.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/text/Error.h"
#include "train/data/BatchSource.h"
#include "train/generate/RequestFields.h"
#include "train/state/io/InputValues.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/ranges.h>
#include <limits>
#include <optional>

using namespace zrt;
using nlohmann::json;

namespace {

int64_t integerAt(const zrt_input &input, const std::byte *values, size_t i) {
  int64_t wide = 0;
  int32_t narrow = 0;
  if (input.dtype == ZRT_I64)
    std::memcpy(&wide, values + i * sizeof(wide), sizeof(wide));
  else
    std::memcpy(&narrow, values + i * sizeof(narrow), sizeof(narrow));
  return input.dtype == ZRT_I64 ? wide : narrow;
}

} // namespace

RowReader::RowReader(const zrt_plan &plan)
    : plan(plan), inputs(fedInputs(plan)) {
  if (const json function = parsePlanJson(plan.function); !function.is_null())
    objective = function.value("--objective", "");
  for (const zrt_input *input : inputs) {
    const uint64_t elements = sampleElements(*input);
    empty.resize(offsets.back() + elements * dtypeBytes(input->dtype));
    for (uint64_t i = 0; input->dtype != ZRT_F32 && i < elements; ++i)
      putInteger(*input, &empty[offsets.back()], i, paddingOf(*input));
    offsets.push_back(empty.size());
    mayPad |= ignoredValue(*input).has_value() || areWeights(*input);
  }
}

bool RowReader::areLabels(const zrt_input &input) const {
  return objective == "kto" && std::string_view(input.name) == "labels";
}

int64_t RowReader::paddingOf(const zrt_input &input) const {
  const bool hasNone =
      areLabels(input) ||
      ((objective == "dpo" || objective == "kto" || objective == "reward") &&
       std::string_view(input.name) == "samples");
  return ignoredValue(input).value_or(hasNone ? input.bound - 1 : 0);
}

bool RowReader::isNeeded(const zrt_input &input, uint32_t program) const {
  // Losses read all inputs of a model.
  if (program != ZRT_SCORE)
    return true;
  bool found = false;
  for (const zrt_op &op : opsOf(plan.programs[program]))
    if (isWork(op))
      forEachOperand(op, [&](const std::string &, const zrt_operand &operand) {
        const zrt_ref &ref = operand.ref;
        found |= ref.tier == input.ref.tier &&
                 ref.offset < input.ref.offset + input.ref.bytes &&
                 input.ref.offset < ref.offset + ref.bytes;
      });
  return found;
}

void RowReader::readRow(size_t number, const json &values, size_t row,
                        std::byte *to) const {
  const zrt_input &input = *inputs[number];
  const auto where = [&] {
    return fmt::format("row {} of \"{}\"", row, input.name);
  };
  const uint64_t elements = sampleElements(input);
  if (!values.is_array())
    fail("{} is {}; give it a list of numbers", where(), shownValue(values));
  if (values.size() > elements)
    fail("{} has {}, and a sample has {}; give it fewer, or import the model "
         "for more",
         where(), plural(values.size(), "number"), withCommas(elements));
  if (values.size() < elements && !mayPad)
    fail("{} has {} of {}, and this model has no target that is ignored; give "
         "it all",
         where(), plural(values.size(), "number"), withCommas(elements));
  for (size_t i = 0; i < values.size(); ++i) {
    const json &value = values[i];
    std::string problem;
    if (input.dtype == ZRT_F32) {
      const double wide = value.is_number() ? value.get<double>() : NAN;
      if (!(std::fabs(wide) <= double(std::numeric_limits<float>::max())))
        fail("{} holds {}, which is no number that a float32 holds", where(),
             shownValue(value));
      const auto single = float(wide);
      problem = problemWith(input, single);
      std::memcpy(to + i * sizeof(single), &single, sizeof(single));
    } else if (!value.is_number_integer() ||
               (value.is_number_unsigned() &&
                value.get<uint64_t>() > uint64_t(INT64_MAX))) {
      problem = fmt::format(", which is not {}", allowedText(input));
    } else {
      problem = problemWith(input, value.get<int64_t>(), i);
      putInteger(input, to, i, value.get<int64_t>());
    }
    if (!problem.empty())
      fail("{} holds {}{}", where(), shownValue(value), problem);
  }
}

void RowReader::readInput(size_t number, const json &given,
                          std::vector<Row> &rows) const {
  const char *name = inputs[number]->name;
  if (!given.is_array())
    fail("\"{}\" is {}; give it a list of rows", name, shownValue(given));
  if (given.empty())
    fail("\"{}\" has 0 rows; give it one at least", name);
  if (rows.empty())
    rows.assign(given.size(), empty);
  if (given.size() != rows.size())
    fail("\"{}\" has {}, and another input has {}; give them equally many",
         name, plural(given.size(), "row"), withCommas(rows.size()));
  for (size_t row = 0; row < rows.size(); ++row) {
    std::byte *const to = &rows[row][offsets[number]];
    // A sample of one value may be that value.
    if (inputs[number]->rank == 1 && given[row].is_number())
      readRow(number, json::array({given[row]}), row, to);
    else
      readRow(number, given[row], row, to);
  }
}

std::vector<Row> RowReader::read(const json &given, uint32_t program) const {
  if (!given.is_object())
    fail("\"inputs\" is {}; give it an object with rows of each input",
         shownValue(given));
  std::vector<std::string_view> names;
  names.reserve(inputs.size());
  for (const zrt_input *input : inputs)
    names.emplace_back(input->name);
  for (const auto &[name, rows] : given.items())
    if (std::ranges::find(names, name) == names.end())
      fail("\"inputs\" has \"{}\", and the model has no such input; it has {}",
           shown(name), fmt::join(names, ", "));
  std::vector<Row> rows;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (const auto at = given.find(inputs[i]->name); at != given.end())
      readInput(i, *at, rows);
    else if (isNeeded(*inputs[i], program))
      fail("\"inputs\" lacks \"{0}\"; the model takes \"{0}\", {1}",
           inputs[i]->name, typeText(*inputs[i]));
  return rows;
}

bool RowReader::counts(size_t number, const Row &row) const {
  const zrt_input &input = *inputs[number];
  const std::byte *const values = &row[offsets[number]];
  const std::optional<int64_t> ignored = ignoredValue(input);
  for (size_t i = 0; i < sampleElements(input); ++i) {
    float weight = 0;
    if (areWeights(input))
      std::memcpy(&weight, values + i * sizeof(weight), sizeof(weight));
    const int64_t value = areWeights(input) ? 0 : integerAt(input, values, i);
    if (areWeights(input) ? weight > 0
        : ignored         ? value != *ignored
                          : value < 2) // labels of answers that are trained on
      return true;
  }
  return false;
}

void RowReader::checkCounts(const std::vector<Row> &rows) const {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (((areWeights(*inputs[i]) && !isOfPolicies()) ||
         ignoredValue(*inputs[i]) || areLabels(*inputs[i])) &&
        std::ranges::none_of(rows,
                             [&](const Row &row) { return counts(i, row); }))
      fail("\"{}\" has no value that the loss counts; give a row one that does",
           inputs[i]->name);
}

void RowReader::checkFull(uint64_t rows, uint64_t atOnce) const {
  if (!mayPad && rows % atOnce != 0)
    fail("there {} {}, and this model, which has no target that is ignored, "
         "reads {} at once; give it that many",
         rows == 1 ? "is" : "are", plural(rows, "row"), withCommas(atOnce));
}
