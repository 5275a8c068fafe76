//===- PackParameters.cpp - Packs parameters ------------------------------===//
#include "runtime/io/PackParameters.h"

#include "runtime/Error.h"
#include "runtime/Shape.h"
#include "runtime/Vocabulary.h"
#include "runtime/packing/Pack.h"

#include <algorithm>
#include <cmath>

using namespace zrt;

void zrt::packBytes(const Parameter &parameter, uint64_t first,
                    const ElementSource &source, std::span<std::byte> to) {
  const uint64_t all = countElements(parameter.shape).value();
  const uint64_t groupBytes = zrt_packed_bytes(parameter.packing, kPackedGroup);
  std::vector<float> values;
  std::vector<std::byte> group;
  const uint64_t end = first + to.size();
  for (uint64_t g = first / groupBytes; g * groupBytes < end; ++g) {
    const uint64_t element = g * kPackedGroup, start = g * groupBytes;
    values.resize(std::min(kPackedGroup, all - element));
    source(element, values.size(), values.data());
    for (size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i]))
        fail("parameter {} is {} at element {}, which {} cannot hold",
             shown(parameter.name), values[i], element + i,
             packingName(parameter.packing));
    group.resize(zrt_packed_bytes(parameter.packing, values.size()));
    packGroup(parameter.packing, values.data(), values.size(), group.data());
    const uint64_t from = std::max(first, start),
                   until = std::min(end, start + group.size());
    std::copy(group.begin() + long(from - start),
              group.begin() + long(until - start),
              to.begin() + long(from - first));
  }
}
