//===- GroupedMatmuls.cpp - Matmuls of groups of rows on a GPU ------------===//
#include "runtime/device/cuda/GroupedMatmuls.h"

#include "abi/DeviceEntries.h"
#include "runtime/device/cuda/driver/Streams.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Error.h"

#include <string>
#include <vector>

using namespace zrt;
using namespace zrt::cuda;

namespace {

/// The rows of a tile, and the alignment of operands.
constexpr int64_t kTileRows = 128;
constexpr uint64_t kAlignment = 16;

/// Returns the type of all matrices W.
zrt_dtype typeOfW(const zrt_grouped_desc &desc) {
  return desc.groups == 0 ? desc.x.dtype : desc.w[0].dtype;
}

std::string kernelOf(const zrt_grouped_desc &desc) {
  return groupedEntry(dtypeName(desc.x.dtype),
                      dtypeName(desc.sums ? typeOfW(desc) : desc.y.dtype),
                      desc.sums, desc.trans_w, desc.groups, desc.n, desc.k);
}

int64_t unitsOf(const zrt_grouped_desc &desc) {
  return desc.groups + (desc.sums ? 0 : desc.rows / kTileRows);
}

/// Calls `visit` for each grouped product on the GPU.
template <typename Visit>
void forEachMatmul(const zrt_plan &plan, Visit visit) {
  for (const zrt_op &op : opsOf(plan))
    if (op.kind == ZRT_GROUPED && isOfGpu(plan.streams[op.stream].stream_class))
      visit(groupedOf(op));
}

/// Appends the kernel's table for a product: the number of rows and the place
/// of each W.
void describe(const zrt_grouped_desc &desc, std::vector<int64_t> &to) {
  to.push_back(desc.rows);
  for (uint32_t g = 0; g < desc.groups; ++g)
    to.push_back(int64_t(desc.w[g].ref.offset / dtypeBytes(desc.w[g].dtype)));
}

uint64_t bytesOfTable(const zrt_plan &plan) {
  uint64_t numbers = 0;
  forEachMatmul(plan, [&](const zrt_grouped_desc &desc) {
    numbers += uint64_t{desc.groups} + 1;
  });
  return numbers * sizeof(int64_t);
}

} // namespace

GroupedMatmuls::GroupedMatmuls(const Gpu &gpu, const Kernels &theKernels,
                               const zrt_plan &plan)
    : kernels(theKernels),
      table(gpu, bytesOfTable(plan), "the places of experts") {
  std::vector<int64_t> numbers;
  forEachMatmul(plan, [&](const zrt_grouped_desc &desc) {
    if (places.emplace(&desc, numbers.size() * sizeof(int64_t)).second)
      describe(desc, numbers);
  });
  if (numbers.empty())
    return;
  gpu.enter();
  gpu.MemcpyHtoD(table.at(0), numbers.data(), numbers.size() * sizeof(int64_t));
  gpu.StreamSynchronize(nullptr);
}

void GroupedMatmuls::check(const zrt_grouped_desc &desc) const {
  const auto needAligned = [](const char *what, const zrt_operand &operand) {
    if (operand.ref.offset % kAlignment != 0)
      fail("operand {} lies at {} of the device arena, and this device "
           "multiplies what lies at multiples of {}; compile the model again",
           what, operand.ref.offset, kAlignment);
  };
  needAligned("x", desc.x);
  needAligned("y", desc.y);
  for (uint32_t g = 0; g < desc.groups; ++g)
    needAligned("w", desc.w[g]);
  kernels.checkUnits(kernels.find(kernelOf(desc)), unitsOf(desc));
}

void GroupedMatmuls::run(CUstream stream, const zrt_grouped_desc &desc,
                         CUdeviceptr x, CUdeviceptr y, CUdeviceptr offsets,
                         CUdeviceptr arena) const {
  const int64_t units = unitsOf(desc);
  const uint64_t parameters[] = {
      x, y, offsets, arena, table.at(places.at(&desc)), uint64_t(units)};
  kernels.launch(stream, kernels.find(kernelOf(desc)), units, parameters);
}
