//===- Measures.cpp - Measures of an evaluation beside the loss -----------===//
#include "train/run/Measures.h"

#include "runtime/plan/PlanTable.h"
#include "runtime/text/Error.h"
#include "train/data/HostAccess.h"
#include "train/run/Scoring.h"
#include "train/state/io/Json.h"

#include <algorithm>

using namespace zrt;

namespace {

/// Indices of sums: of pairs; of answers; of each label.
enum { kChosen, kRejected, kWins, kPairs };
enum { kDesirable = 0, kUndesirable = 2, kOfAnswers = 4 };
enum { kHits, kTrue, kPredicted, kOfLabel };

/// Labels of the input "labels" of kto.
constexpr double kIsUndesirable = 0, kIsDesirable = 1;

template <typename T>
std::vector<double> readAs(zrt_context *ctx, const zrt_ref &ref) {
  std::vector<T> values(ref.bytes / sizeof(T));
  readBytes(ctx, ref, values.data());
  return {values.begin(), values.end()};
}

} // namespace

Measures::Measures(const zrt_plan &thePlan) : plan(thePlan) {
  const nlohmann::json function = parsePlanJson(plan.function);
  if (function.is_null() || !plan.programs[ZRT_SCORE].ops)
    return;
  const std::string found = function.value("--objective", "");
  if (found == "dpo" || found == "kto")
    beta = std::stod(function.value("--beta", "0.1"));
  else if (found == "classify")
    labels = std::stoul(function.value("--labels", "0"));
  else if (found != "reward")
    return;
  objective = found;
}

size_t Measures::size() const {
  return objective.empty()         ? 0
         : objective == "kto"      ? size_t{kOfAnswers}
         : objective == "classify" ? labels * kOfLabel
                                   : size_t{kPairs} + 1;
}

std::vector<double> Measures::read(zrt_context *ctx,
                                   std::string_view name) const {
  for (const zrt_input &input : inputsOf(plan))
    if (input.name == name && input.micro_step == 0)
      return input.dtype == ZRT_F32   ? readAs<float>(ctx, input.ref)
             : input.dtype == ZRT_I64 ? readAs<int64_t>(ctx, input.ref)
                                      : readAs<int32_t>(ctx, input.ref);
  fail("the model of --objective={} has no input \"{}\"; compile it again",
       objective, name);
}

void Measures::addPairs(zrt_context *ctx, const std::vector<double> &gains,
                        std::vector<double> &sums) const {
  const std::vector<double> choices = read(ctx, "choices");
  for (size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] < 0) // no pair is there
      continue;
    const double chosen = beta * gains[2 * i],
                 rejected = beta * gains[2 * i + 1];
    sums[kChosen] += chosen;
    sums[kRejected] += rejected;
    sums[kWins] += chosen > rejected ? 1 : 0;
    sums[kPairs] += 1;
  }
}

void Measures::addAnswers(zrt_context *ctx, const std::vector<double> &gains,
                          std::vector<double> &sums) const {
  const std::vector<double> kinds = read(ctx, "labels");
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] != kIsDesirable && kinds[i] != kIsUndesirable)
      continue;
    const size_t at = kinds[i] == kIsDesirable ? kDesirable : kUndesirable;
    sums[at] += beta * gains[i];
    sums[at + 1] += 1;
  }
}

void Measures::addLabels(zrt_context *ctx, const std::vector<double> &scores,
                         std::vector<double> &sums) const {
  const std::vector<double> targets = read(ctx, "targets");
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] < 0) // no sample ends here
      continue;
    const auto row = scores.begin() + long(i * labels);
    const auto found = size_t(std::max_element(row, row + long(labels)) - row);
    const auto label = size_t(targets[i]);
    sums[label * kOfLabel + kTrue] += 1;
    sums[found * kOfLabel + kPredicted] += 1;
    sums[label * kOfLabel + kHits] += found == label ? 1 : 0;
  }
}

std::vector<double> Measures::sumBatch(zrt_context *ctx) const {
  std::vector<double> sums(size()),
      values = readAs<float>(ctx, findValues(plan).ref);
  if (objective == "dpo" || objective == "kto") {
    const std::vector<double> reference = read(ctx, "reference");
    for (size_t i = 0; i < values.size(); ++i)
      values[i] -= reference[i];
  }
  if (objective == "classify")
    addLabels(ctx, values, sums);
  else if (objective == "kto")
    addAnswers(ctx, values, sums);
  else
    addPairs(ctx, values, sums);
  return sums;
}

void Measures::add(zrt_context *ctx, World &world,
                   std::vector<double> &sums) const {
  const std::vector<double> mine = sumBatch(ctx);
  std::vector<double> all(mine.size() * size_t(world.size()));
  world.allGather(mine.data(), mine.size() * sizeof(double), all.data());
  // Batch by batch, in their order: more ranks only take more of them at once.
  for (size_t i = 0; i < all.size(); ++i)
    sums[i % sums.size()] += all[i];
}

std::vector<std::pair<std::string, double>>
Measures::of(const std::vector<double> &sums) const {
  std::vector<std::pair<std::string, double>> found;
  const auto add = [&](const char *name, double sum, double count) {
    if (count > 0)
      found.emplace_back(name, sum / count);
  };
  if (objective == "dpo") {
    add("rewards/chosen", sums[kChosen], sums[kPairs]);
    add("rewards/rejected", sums[kRejected], sums[kPairs]);
    add("rewards/accuracies", sums[kWins], sums[kPairs]);
    add("rewards/margins", sums[kChosen] - sums[kRejected], sums[kPairs]);
  } else if (objective == "reward") {
    add("accuracy", sums[kWins], sums[kPairs]);
    add("margin", sums[kChosen] - sums[kRejected], sums[kPairs]);
  } else if (objective == "kto") {
    add("rewards/chosen", sums[kDesirable], sums[kDesirable + 1]);
    add("rewards/rejected", sums[kUndesirable], sums[kUndesirable + 1]);
    if (found.size() == 2)
      add("rewards/margins", found[0].second - found[1].second, 1);
  }
  double hits = 0, samples = 0, f1 = 0, there = 0;
  for (size_t label = 0; label < labels; ++label) {
    const double *of = &sums[label * kOfLabel];
    hits += of[kHits];
    samples += of[kTrue];
    if (of[kTrue] + of[kPredicted] == 0)
      continue;
    f1 += 2 * of[kHits] / (of[kTrue] + of[kPredicted]);
    there += 1;
  }
  add("accuracy", hits, samples);
  add("f1", f1, there);
  return found;
}
