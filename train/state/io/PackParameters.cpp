//===- PackParameters.cpp - Packs parameters ------------------------------===//
#include "train/state/io/PackParameters.h"

#include "runtime/numbers/HalfArrays.h"
#include "runtime/numbers/Shape.h"
#include "runtime/packing/Pack.h"
#include "runtime/packing/Unpack.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <cmath>

using namespace zrt;

void zrt::roundAsStored(const Parameter &parameter,
                        std::vector<float> &values) {
  const uint64_t count = values.size();
  if (parameter.packing != ZRT_UNPACKED) {
    std::vector<std::byte> packed(zrt_packed_bytes(parameter.packing, count));
    packRun(parameter.packing, values.data(), count, packed.data());
    unpack(parameter.packing, packed.data(), count, 0,
           (count + kPackedBlock - 1) / kPackedBlock, ZRT_F32, values.data());
  } else if (is16Bits(parameter.dtype)) {
    std::vector<uint16_t> narrowed(count);
    narrow(values.data(), count, parameter.dtype, narrowed.data());
    widen(narrowed.data(), parameter.dtype, count, values.data());
  }
}

void zrt::packBytes(const Parameter &parameter, uint64_t first,
                    const ElementSource &source, std::span<std::byte> to) {
  const uint64_t all = countedElements(parameter.shape);
  const uint64_t runBytes = zrt_packed_bytes(parameter.packing, kPackedRun);
  std::vector<float> values;
  std::vector<std::byte> run;
  const uint64_t end = first + to.size();
  for (uint64_t g = first / runBytes; g * runBytes < end; ++g) {
    const uint64_t element = g * kPackedRun, start = g * runBytes;
    values.resize(std::min(kPackedRun, all - element));
    source(element, values.size(), values.data());
    for (size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i]))
        fail("parameter {} is {} at element {}, which {} cannot hold",
             shown(parameter.name), values[i], element + i,
             packingName(parameter.packing));
    run.resize(zrt_packed_bytes(parameter.packing, values.size()));
    packRun(parameter.packing, values.data(), values.size(), run.data());
    const uint64_t from = std::max(first, start),
                   until = std::min(end, start + run.size());
    std::copy(run.begin() + long(from - start),
              run.begin() + long(until - start),
              to.begin() + long(from - first));
  }
}
