//===- Magnitudes.cpp - Initial magnitudes of adapters --------------------===//
#include "train/state/initialize/Magnitudes.h"

#include "runtime/numbers/Shape.h"
#include "runtime/text/Error.h"
#include "train/state/io/AdapterFolder.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

using namespace zrt;

namespace {

/// Whole runs of packed parameters.
constexpr uint64_t kAtOnce = uint64_t{ZRT_PACKED_BLOCK} * ZRT_PACKED_RUN;

std::vector<double> rowNorms(const Parameter &weight, bool isTransposed,
                             const ElementSource &source) {
  const auto width = uint64_t(weight.shape[1]);
  std::vector<double> norms(uint64_t(weight.shape[isTransposed ? 1 : 0]));
  std::vector<float> values;
  const uint64_t elements = countedElements(weight.shape);
  for (uint64_t first = 0; first < elements; first += kAtOnce) {
    values.resize(std::min(kAtOnce, elements - first));
    source(first, values.size(), values.data());
    roundAsStored(weight, values);
    for (uint64_t i = 0; i < values.size();) {
      const uint64_t row = (first + i) / width, begin = (first + i) % width;
      for (uint64_t column = begin; column < width && i < values.size();
           ++column, ++i)
        norms[isTransposed ? column : row] +=
            double(values[i]) * double(values[i]);
    }
  }
  for (double &norm : norms)
    norm = std::sqrt(norm);
  return norms;
}

} // namespace

void zrt::initializeMagnitudes(
    const std::vector<Parameter> &adapters, const std::vector<Parameter> &base,
    bool isSquareTransposed,
    const std::function<ElementSource(const Parameter &)> &sourceOf,
    const ParameterMemory &memory) {
  for (const Parameter &magnitude : adapters) {
    if (!magnitude.name.ends_with(kMagnitude) ||
        std::ranges::none_of(magnitude.pieces, &ParameterPiece::here))
      continue;
    const std::string module = magnitude.name.substr(
        kAdaptedModel.size(),
        magnitude.name.size() - kAdaptedModel.size() - kMagnitude.size());
    const auto weight =
        std::ranges::find_if(base, [&](const Parameter &parameter) {
          return parameter.name == module ||
                 parameter.name == module + ".weight";
        });
    if (weight == base.end() || weight->shape.size() != 2)
      fail("{} is of no matrix {}.weight", magnitude.name, module);
    const bool isTransposed =
        weight->shape[0] == weight->shape[1]
            ? isSquareTransposed
            : uint64_t(weight->shape[0]) != magnitude.elements;
    const std::vector<double> norms =
        rowNorms(*weight, isTransposed, sourceOf(*weight));
    fillPieces(magnitude, memory, [&](uint64_t first, auto &values) {
      for (uint64_t i = 0; i < values.size(); ++i)
        if constexpr (!std::is_same_v<decltype(values[i]), std::byte &>)
          values[i] = float(norms[first + i]);
    });
  }
}
