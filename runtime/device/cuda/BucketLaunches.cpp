//===- BucketLaunches.cpp - Launches updates and norms --------------------===//
#include "runtime/device/cuda/BucketLaunches.h"

#include "abi/DeviceEntries.h"
#include "runtime/device/cuda/driver/Streams.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/text/Error.h"

#include <string_view>

using namespace zrt;
using namespace zrt::cuda;

namespace {

/// Calls `visit` for the descriptor of each update and each sum of squares of
/// the GPU.
template <typename Visit>
void forEachUpdate(const zrt_plan &plan, Visit visit) {
  for (const zrt_op &op : opsOf(plan))
    if (op.kind == ZRT_UPDATE && isOfGpu(plan.streams[op.stream].stream_class))
      visit(updateOf(op));
}
template <typename Visit>
void forEachSquares(const zrt_plan &plan, Visit visit) {
  for (const zrt_op &op : opsOf(plan))
    if (op.kind == ZRT_SQUARES && isOfGpu(plan.streams[op.stream].stream_class))
      visit(squaresOf(op));
}

/// Returns the runs of an update that rounds stochastically.
const std::vector<MemberRun> &runsOf(const zrt_update_desc &desc,
                                     const BucketPart &bucket) {
  return isSliced(desc) ? bucket.ownedRuns : bucket.memberRuns;
}

/// Returns the elements of each run of an update.
std::vector<Segment> segmentsOf(const zrt_update_desc &desc,
                                const BucketPart &bucket) {
  if (desc.rounding == 0)
    return isSliced(desc) ? bucket.owned : bucket.members;
  std::vector<Segment> segments;
  for (const MemberRun &run : runsOf(desc, bucket))
    segments.push_back(run.segment);
  return segments;
}

std::vector<BucketPart> partsOf(const zrt_plan &plan, int rank) {
  std::vector<BucketPart> parts;
  parts.reserve(plan.bucket_count);
  for (const zrt_bucket &bucket : bucketsOf(plan))
    parts.push_back(partOf(bucket, uint32_t(rank), RankGroups(plan)));
  return parts;
}

} // namespace

BucketLaunches::BucketLaunches(const Gpu &theGpu, const Kernels &theKernels,
                               const zrt_plan &thePlan, int rank)
    : gpu(theGpu), kernels(theKernels), plan(thePlan),
      parts(partsOf(thePlan, rank)) {
  std::vector<uint64_t> words;
  size_t runs = 0;
  forEachUpdate(plan, [&](const zrt_update_desc &desc) {
    Blocks &mine = blocks[&desc] = {words.size() * sizeof(uint64_t), 0};
    const auto segments = segmentsOf(desc, parts[desc.bucket]);
    for (uint64_t run = 0; run < segments.size(); ++run)
      for (const Segment &block :
           cutSegments({segments[run]}, ZRT_UPDATE_BLOCK)) {
        words.insert(words.end(), {block.begin, block.end, block.decays, run});
        ++mine.count;
      }
    if (desc.rounding == 0)
      return;
    firstBits[&desc] = runs;
    runs += segments.size();
  });
  forEachSquares(plan, [&](const zrt_squares_desc &desc) {
    const auto &mine = parts[desc.bucket].blocks;
    blocks[&desc] = {words.size() * sizeof(uint64_t), int64_t(mine.size())};
    for (const Segment &block : mine)
      words.insert(words.end(), {block.begin, block.end});
  });
  if (runs != 0) {
    bits.resize(runs);
    tableOfBits = std::make_unique<GpuMemory>(gpu, runs * sizeof(RoundingBits),
                                              "the random bits of updates");
  }
  if (words.empty())
    return;
  const uint64_t bytes = words.size() * sizeof(uint64_t);
  tableOfBlocks = std::make_unique<GpuMemory>(
      gpu, bytes, "the blocks of updates and norms");
  gpu.enter();
  gpu.MemcpyHtoD(tableOfBlocks->at(0), words.data(), bytes);
  gpu.StreamSynchronize(nullptr);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void BucketLaunches::check(const zrt_update_desc &desc) const {
  kernels.checkUnits(desc.decayed, blocks.at(&desc).count);
  if (desc.rounding == 0)
    return;
  const zrt_ref &needed = desc.args[desc.rounding].ref;
  for (const zrt_input &input : inputsOf(plan))
    if (std::string_view("rounding") == input.name &&
        input.ref.tier == needed.tier && input.ref.offset == needed.offset)
      return;
  fail("operand {}: its random bits are not the input \"rounding\", and this "
       "device reads that before a program; compile the model again",
       desc.rounding);
}

void BucketLaunches::check(const zrt_squares_desc &desc) const {
  (void)kernels.find(squaresEntry(dtypeName(desc.grad.dtype)));
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

void BucketLaunches::prepare(
    const std::function<uint64_t(const zrt_ref &)> &read) {
  if (bits.empty())
    return;
  for (const auto &[desc, first] : firstBits) {
    const uint64_t step = read(desc->args[desc->rounding].ref);
    size_t i = first;
    for (const MemberRun &run : runsOf(*desc, parts[desc->bucket]))
      bits[i++] = roundingBits(step, run);
  }
  gpu.MemcpyHtoD(tableOfBits->at(0), bits.data(),
                 bits.size() * sizeof(RoundingBits));
  gpu.StreamSynchronize(nullptr);
}

void BucketLaunches::update(CUstream stream, const zrt_update_desc &desc,
                            const BucketPart &bucket,
                            std::vector<uint64_t> args) const {
  const auto [offset, count] = blocks.at(&desc);
  if (count == 0)
    return;
  for (uint32_t i = 0; i < desc.arg_count; ++i)
    args[i] +=
        bucket.firstIn(desc.args[i].extent) * dtypeBytes(desc.args[i].dtype);
  if (desc.rounding != 0)
    args[desc.rounding] =
        tableOfBits->at(firstBits.at(&desc) * sizeof(RoundingBits));
  args.insert(args.end(), {tableOfBlocks->at(offset), uint64_t(count)});
  kernels.launch(stream, desc.decayed, count, args);
}

void BucketLaunches::sumSquares(CUstream stream, const zrt_squares_desc &desc,
                                const BucketPart &bucket, CUdeviceptr grad,
                                CUdeviceptr partials) const {
  const uint64_t size = dtypeBytes(desc.grad.dtype);
  grad += bucket.firstIn(desc.grad.extent) * size;
  const auto [offset, count] = blocks.at(&desc);
  if (count != 0) {
    const uint64_t parameters[] = {grad, partials, tableOfBlocks->at(offset),
                                   uint64_t(count)};
    kernels.launch(stream,
                   kernels.find(squaresEntry(dtypeName(desc.grad.dtype))),
                   count, parameters);
  }
  const uint64_t rest = elementsIn(desc.partials) - uint64_t(count);
  if (rest != 0)
    gpu.MemsetD8Async(partials + uint64_t(count) * sizeof(double), 0,
                      rest * sizeof(double), stream);
}
