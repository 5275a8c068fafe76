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

/// Returns the twin of the kernel that updates a segment.
zrt_kernel_fn twinOf(const zrt_update_desc &desc, const Segment &segment) {
  return segment.decays ? desc.decayed : desc.plain;
}

/// Calls `visit` for each update of the GPU that rounds stochastically.
template <typename Visit>
void forEachChance(const zrt_plan &plan, Visit visit) {
  for (const zrt_op &op : opsOf(plan))
    if (op.kind == ZRT_UPDATE && updateOf(op).rounding != 0 &&
        isOfGpu(plan.streams[op.stream].stream_class))
      visit(updateOf(op));
}

/// Calls `visit` for each sum of squares of the GPU.
template <typename Visit>
void forEachSquares(const zrt_plan &plan, Visit visit) {
  for (const zrt_op &op : opsOf(plan))
    if (op.kind == ZRT_SQUARES && isOfGpu(plan.streams[op.stream].stream_class))
      visit(squaresOf(op));
}

/// Returns the number of table entries: the runs of all such updates.
size_t countBits(const zrt_plan &plan, const std::vector<BucketPart> &parts) {
  size_t count = 0;
  forEachChance(plan, [&](const zrt_update_desc &desc) {
    const BucketPart &part = parts[desc.bucket];
    count += (isSliced(desc) ? part.ownedRuns : part.memberRuns).size();
  });
  return count;
}

/// Returns the size of the blocks' table: begin and end of each.
uint64_t bytesOfBlocks(const zrt_plan &plan,
                       const std::vector<BucketPart> &parts) {
  uint64_t blocks = 0;
  forEachSquares(plan, [&](const zrt_squares_desc &desc) {
    blocks += parts[desc.bucket].blocks.size();
  });
  return blocks * 2 * sizeof(uint64_t);
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
      parts(partsOf(thePlan, rank)), bits(countBits(thePlan, parts)),
      table(theGpu, bits.size() * sizeof(RoundingBits),
            "the random bits of updates"),
      tableOfBlocks(theGpu, bytesOfBlocks(thePlan, parts),
                    "the blocks of norms") {
  size_t first = 0;
  forEachChance(plan, [&](const zrt_update_desc &desc) {
    firstBits[&desc] = first;
    first += runsOf(desc, parts[desc.bucket]).size();
  });
  std::vector<uint64_t> blocks;
  forEachSquares(plan, [&](const zrt_squares_desc &desc) {
    firstBlocks[&desc] = blocks.size() * sizeof(uint64_t);
    for (const Segment &block : parts[desc.bucket].blocks)
      blocks.insert(blocks.end(), {block.begin, block.end});
  });
  if (blocks.empty())
    return;
  gpu.enter();
  gpu.MemcpyHtoD(tableOfBlocks.at(0), blocks.data(),
                 blocks.size() * sizeof(uint64_t));
  gpu.StreamSynchronize(nullptr);
}

const std::vector<MemberRun> &
BucketLaunches::runsOf(const zrt_update_desc &desc,
                       const BucketPart &bucket) const {
  return isSliced(desc) ? bucket.ownedRuns : bucket.memberRuns;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void BucketLaunches::check(const zrt_update_desc &desc) const {
  for (const MemberRun &run : runsOf(desc, parts[desc.bucket]))
    kernels.checkUnits(twinOf(desc, run.segment),
                       int64_t(run.segment.end - run.segment.begin));
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
      bits[i++] = roundingBits(step, run, run.segment.begin);
  }
  gpu.MemcpyHtoD(table.at(0), bits.data(), bits.size() * sizeof(RoundingBits));
  gpu.StreamSynchronize(nullptr);
}

void BucketLaunches::update(CUstream stream, const zrt_update_desc &desc,
                            const BucketPart &bucket,
                            std::vector<uint64_t> args) const {
  for (uint32_t i = 0; i < desc.arg_count; ++i)
    args[i] +=
        bucket.firstIn(desc.args[i].extent) * dtypeBytes(desc.args[i].dtype);
  std::vector<uint64_t> mine(args.size() + 1);
  const auto run = [&](const Segment &segment, CUdeviceptr chance) {
    for (uint32_t i = 0; i < desc.arg_count; ++i)
      mine[i] =
          args[i] + (desc.args[i].extent == ZRT_SCALAR
                         ? 0
                         : segment.begin * dtypeBytes(desc.args[i].dtype));
    if (desc.rounding != 0)
      mine[desc.rounding] = chance;
    mine.back() = segment.end - segment.begin;
    kernels.launch(stream, twinOf(desc, segment), int64_t(mine.back()), mine);
  };
  if (desc.rounding == 0) {
    for (const Segment &segment :
         isSliced(desc) ? bucket.owned : bucket.members)
      run(segment, 0);
    return;
  }
  size_t i = firstBits.at(&desc);
  for (const MemberRun &each : runsOf(desc, bucket))
    run(each.segment, table.at(i++ * sizeof(RoundingBits)));
}

void BucketLaunches::sumSquares(CUstream stream, const zrt_squares_desc &desc,
                                const BucketPart &bucket, CUdeviceptr grad,
                                CUdeviceptr partials) const {
  const uint64_t size = dtypeBytes(desc.grad.dtype);
  grad += bucket.firstIn(desc.grad.extent) * size;
  const uint64_t blocks = bucket.blocks.size();
  if (blocks != 0) {
    const uint64_t parameters[] = {
        grad, partials, tableOfBlocks.at(firstBlocks.at(&desc)), blocks};
    kernels.launch(stream,
                   kernels.find(squaresEntry(dtypeName(desc.grad.dtype))),
                   int64_t(blocks), parameters);
  }
  const uint64_t rest = elementsIn(desc.partials) - blocks;
  if (rest != 0)
    gpu.MemsetD8Async(partials + blocks * sizeof(double), 0,
                      rest * sizeof(double), stream);
}
