//===- BatchSource.cpp - Feeds batches to a plan --------------------------===//
#include "train/data/BatchSource.h"

#include "runtime/hash/ContentHash.h"
#include "runtime/numbers/Shape.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Error.h"
#include "train/data/HostAccess.h"
#include "train/schedule/RandomBits.h"

#include <algorithm>

using namespace zrt;

namespace {

/// The input of keys of dropout, of one micro-step.
constexpr std::string_view kDropout = "dropout";

/// The memory of an input's batches, by micro-step of a program.
std::vector<zrt_ref> refsOf(const zrt_plan &plan, const zrt_input &first) {
  std::vector<zrt_ref> refs(microStepsAtOnce(plan));
  size_t found = 0;
  for (uint32_t i = 0; i < plan.input_count; ++i) {
    const zrt_input &input = plan.inputs[i];
    if (std::string_view(input.name) != first.name)
      continue;
    if (input.micro_step >= refs.size() || input.dtype != first.dtype ||
        input.ref.bytes != first.ref.bytes)
      fail("input \"{}\" of micro-step {} is unlike that of the first",
           input.name, input.micro_step);
    refs[input.micro_step] = input.ref;
    ++found;
  }
  if (found != refs.size())
    fail("the plan has input \"{}\" {} times, in {} micro-steps", first.name,
         found, refs.size());
  return refs;
}

/// Whether generation reads an input, and no step.
bool isOfGeneration(const zrt_input &input) {
  const std::string_view name = input.name;
  return name == "begin" || name == "count" || name == "prompt" ||
         name == "token" || name == "document";
}

} // namespace

bool zrt::isText(const zrt_input &input, std::string_view name) {
  return input.name == name && input.rank == 2 &&
         (input.dtype == ZRT_I32 || input.dtype == ZRT_I64);
}

std::string zrt::typeText(const zrt_input &input) {
  return fmt::format("{} of {}", dtypeName(input.dtype),
                     shapeText({input.shape, input.shape + input.rank}));
}

std::vector<const zrt_input *> zrt::fedInputs(const zrt_plan &plan) {
  std::vector<const zrt_input *> inputs;
  const bool generates = plan.programs[ZRT_PREFILL].ops != nullptr;
  for (uint32_t i = 0; i < plan.input_count; ++i)
    if (plan.inputs[i].rank > 0 && plan.inputs[i].micro_step == 0 &&
        std::string_view(plan.inputs[i].name) != kDropout &&
        !(generates && isOfGeneration(plan.inputs[i])))
      inputs.push_back(&plan.inputs[i]);
  return inputs;
}

uint64_t zrt::samplesPerStep(const zrt_plan &plan) {
  uint64_t batch = 1;
  for (const zrt_input *input : fedInputs(plan))
    batch = uint64_t(input->shape[0]);
  return batch * plan.accumulate * sequenceGroups(plan);
}

BatchSource::BatchSource(const zrt_plan &plan, std::optional<uint64_t> keySeed)
    : fed(fedInputs(plan)), keySeed(keySeed) {
  for (const zrt_input *input : fed) {
    if (input->dtype != ZRT_F32 && input->dtype != ZRT_I32 &&
        input->dtype != ZRT_I64)
      fail("input \"{}\" is {}; this program feeds f32, i32 and i64",
           input->name, dtypeName(input->dtype));
    refs.push_back(refsOf(plan, *input));
    batch = static_cast<uint64_t>(input->shape[0]);
    if (isText(*input, "tokens"))
      length = static_cast<uint64_t>(input->shape[1]);
  }
  for (const zrt_input *input : fed)
    if (static_cast<uint64_t>(input->shape[0]) != batch)
      fail("input \"{}\" is {}, but the batch of \"{}\" is {}; all inputs have "
           "one first dimension",
           input->name, typeText(*input), fed.back()->name, batch);
  for (const zrt_input &input : inputsOf(plan))
    if (input.name == kDropout && input.micro_step == 0) {
      keys = refsOf(plan, input);
      if (input.dtype != ZRT_I64 || keys[0].bytes != batch * sizeof(uint64_t))
        fail("input \"{}\" is {}, and a batch has {} keys, i64", kDropout,
             typeText(input), batch);
    }
}

uint64_t BatchSource::write(zrt_context *ctx, const BatchPlace &place,
                            uint32_t micro, const std::string &where,
                            uint64_t before) const try {
  uint64_t hash = before;
  std::vector<std::byte> rows;
  for (size_t i = 0; i < fed.size(); ++i) {
    const uint64_t bytes = sampleElements(*fed[i]) * dtypeBytes(fed[i]->dtype);
    rows.resize(batch * bytes);
    for (uint64_t row = 0; row < batch; ++row)
      read(i, place, row, &rows[row * bytes]);
    zrt_ref to = refs[i].at(micro);
    to.bytes = rows.size();
    writeBytes(ctx, to, rows.data());
    hash = contentHash(rows.data(), rows.size(), hash);
  }
  if (keys.empty())
    return hash;
  std::vector<uint64_t> values(batch); // 0: no dropout
  for (uint64_t row = 0; keySeed && row < batch; ++row)
    values[row] = dropoutKey(*keySeed, place.position(row, batch));
  writeBytes(ctx, keys.at(micro), values.data());
  return hash;
} catch (const Error &error) {
  fail("{}: {}", where, error.what());
}

bool BatchSource::isOfText() const {
  const auto boundOf = [&](std::string_view name) {
    const auto found = std::ranges::find_if(
        fed, [&](const zrt_input *input) { return input->name == name; });
    return found == fed.end() ? std::nullopt : std::optional((*found)->bound);
  };
  const auto tokens = boundOf("tokens");
  return !boundOf("samples") && !boundOf("advantages") &&
         (!tokens || tokens == boundOf("targets"));
}
