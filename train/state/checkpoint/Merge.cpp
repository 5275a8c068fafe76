//===- Merge.cpp - Adds adapters to the weights they belong to ------------===//
#include "train/state/checkpoint/Merge.h"

#include "runtime/numbers/Shape.h"
#include "runtime/packing/Pack.h"
#include "runtime/text/Error.h"
#include "train/state/io/AdapterFolder.h"
#include "train/state/io/Json.h"

#include <algorithm>
#include <cmath>
#include <string_view>

using namespace zrt;

namespace {

constexpr std::string_view kDown = ".lora_A.weight", kUp = ".lora_B.weight",
                           kWeight = ".weight";

const ParameterRecord *findParameter(const CheckpointReader &reader,
                                     const std::string &name) {
  const auto &all = reader.manifest().parameters; // sorted by name
  const auto at =
      std::ranges::lower_bound(all, name, {}, &ParameterRecord::name);
  return at != all.end() && at->name == name ? &*at : nullptr;
}

} // namespace

AdapterMerger::AdapterMerger(const CheckpointReader &reader) {
  if (!reader.findAdapter())
    fail("{}: this run trained no adapters, so there is nothing to merge; drop "
         "--merge",
         reader.path());
  const std::string &text = reader.manifest().run.adapters;
  if (text.empty())
    fail("{} does not say how its adapters are scaled: it was written by an "
         "older version; write another checkpoint with train --resume",
         reader.path());
  const nlohmann::json config = nlohmann::json::parse(text);
  rank = config.at("r").get<uint64_t>();
  const double divisor = config.value("use_rslora", false)
                             ? std::sqrt(double(rank))
                             : double(rank);
  factor = float(config.at("lora_alpha").get<double>() / divisor);
  isSquareTransposed = config.at("fan_in_fan_out").get<bool>();
  for (const ParameterRecord &parameter : reader.manifest().parameters) {
    const std::string &name = parameter.name;
    if (!name.ends_with(kDown))
      continue;
    const std::string module =
        name.substr(kAdaptedModel.size(),
                    name.size() - kAdaptedModel.size() - kDown.size());
    const std::string of = module + std::string(kWeight);
    const ParameterRecord *weight = findParameter(reader, of);
    if (!weight || weight->shape.size() != 2)
      fail("{}: {} is the adapter of no matrix {}", reader.path(), name, of);
    for (const std::string_view table : {"embed_tokens", "wte", "embed_in"})
      if (module.ends_with(table))
        fail("{}: {} is the adapter of a head whose weight is the embedding, "
             "too; merged, it would change both; save the adapters with train "
             "--save instead, or leave the head out of --lora-targets",
             reader.path(), name);
    Adapter adapter = readAdapter(reader, *weight, module);
    if (config.value("use_dora", false))
      adapter.scales = readScales(reader, *weight,
                                  std::string(kAdaptedModel) + module +
                                      std::string(kMagnitude),
                                  adapter);
    adapters.emplace(of, std::move(adapter));
  }
}

AdapterMerger::Adapter
AdapterMerger::readAdapter(const CheckpointReader &reader,
                           const ParameterRecord &weight,
                           const std::string &module) const {
  const auto nameOf = [&](std::string_view suffix) {
    return std::string(kAdaptedModel) + module + std::string(suffix);
  };
  const int64_t rows = weight.shape[0], width = weight.shape[1];
  const ParameterRecord *down = findParameter(reader, nameOf(kDown));
  const bool isTransposed =
      rows == width ? isSquareTransposed
                    : down->shape == std::vector{int64_t(rank), rows};
  const int64_t inputs = isTransposed ? rows : width,
                outputs = isTransposed ? width : rows;
  const auto read = [&](std::string_view suffix, std::vector<int64_t> shape) {
    const std::string name = nameOf(suffix);
    const ParameterRecord *found = findParameter(reader, name);
    if (!found || found->shape != shape)
      fail("{}: {} is not [{}], as its weight {} needs", reader.path(), name,
           fmt::join(shape, ", "), weight.name);
    std::vector<float> values(size_t(shape[0] * shape[1]));
    reader.read(kTrainedSlot, name, 0, values);
    return values;
  };
  return {read(kDown, {int64_t(rank), inputs}),
          read(kUp, {outputs, int64_t(rank)}),
          uint64_t(width),
          isTransposed,
          {}};
}

std::vector<float> AdapterMerger::readScales(const CheckpointReader &reader,
                                             const ParameterRecord &weight,
                                             const std::string &magnitude,
                                             const Adapter &adapter) const {
  const ParameterRecord *found = findParameter(reader, magnitude);
  const uint64_t outputs = adapter.b.size() / rank;
  if (!found || found->shape != std::vector{int64_t(outputs)})
    fail("{}: {} is not [{}], as its weight {} needs", reader.path(), magnitude,
         outputs, weight.name);
  std::vector<float> scales(outputs), values;
  reader.read(kTrainedSlot, magnitude, 0, scales);
  std::vector<double> squares(outputs);
  const uint64_t elements = countedElements(weight.shape);
  for (uint64_t first = 0; first < elements; first += kPackedRun) {
    values.resize(std::min(kPackedRun, elements - first));
    reader.readNumbers(weight, first, values);
    add(adapter, first, values);
    for (uint64_t i = 0; i < values.size(); ++i)
      squares[outputOf(adapter, first + i)] +=
          double(values[i]) * double(values[i]);
  }
  for (uint64_t i = 0; i < outputs; ++i)
    scales[i] = float(scales[i] / std::sqrt(std::max(squares[i], 1e-30)));
  return scales;
}

void AdapterMerger::merge(const std::string &weight, uint64_t first,
                          std::vector<float> &values) const {
  const auto found = adapters.find(weight);
  if (found == adapters.end())
    return;
  add(found->second, first, values);
  if (!found->second.scales.empty())
    for (uint64_t i = 0; i < values.size(); ++i)
      values[i] *= found->second.scales[outputOf(found->second, first + i)];
}

uint64_t AdapterMerger::outputOf(const Adapter &adapter, uint64_t element) {
  return adapter.isTransposed ? element % adapter.width
                              : element / adapter.width;
}

void AdapterMerger::add(const Adapter &adapter, uint64_t first,
                        std::vector<float> &values) const {
  const auto &[a, b, width, isTransposed, scales] = adapter;
  const uint64_t inputs = a.size() / rank;
  std::vector<float> sums;
  for (uint64_t done = 0; done < values.size(); done += sums.size()) {
    const uint64_t row = (first + done) / width, begin = (first + done) % width;
    sums.assign(std::min(width - begin, values.size() - done), 0);
    for (uint64_t k = 0; k < rank; ++k)
      for (uint64_t i = 0; i < sums.size(); ++i) {
        const uint64_t in = isTransposed ? row : begin + i,
                       out = isTransposed ? begin + i : row;
        sums[i] += b[out * rank + k] * a[k * inputs + in];
      }
    for (uint64_t i = 0; i < sums.size(); ++i)
      values[done + i] += factor * sums[i];
  }
}
