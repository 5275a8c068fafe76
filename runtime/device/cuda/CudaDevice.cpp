//===- CudaDevice.cpp - Runs plans on a GPU -------------------------------===//
#include "runtime/device/cuda/CudaDevice.h"

#include "abi/DeviceEntries.h"
#include "runtime/device/MakeDevice.h"
#include "runtime/device/cuda/collectives/NcclMemory.h"
#include "runtime/device/cuda/driver/NearProcessors.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/system/Environment.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <vector>

using namespace zrt;
using namespace zrt::cuda;

namespace {

/// Pins the host's arena; opens it first, as it may be closed between programs.
PinnedMemory pinHost(const Gpu &gpu, Device &host) {
  struct Opened {
    explicit Opened(Device &device) : device(device) { device.beginProgram(); }
    ~Opened() { device.endProgram(); }
    Device &device;
  };
  const Opened opened(host);
  return {gpu, host.memory({ZRT_HOST, 0, 0, 0}), host.arenaBytes(ZRT_HOST),
          "the host arena"};
}

/// Stays near the GPU if other processors have other ranks, or nothing to do:
/// with work on the host one rank uses all of them.  Returns a text for users.
std::string chooseProcessors(const Gpu &gpu, const zrt_plan &plan) {
  bool worksOnHost = false;
  for (zrt_stream stream = 0; stream < plan.stream_count; ++stream)
    worksOnHost |= !isOfGpu(plan.streams[stream].stream_class);
  return worksOnHost && plan.world_size == 1 ? "" : stayNear(gpu);
}

/// Returns the size of the device arena.  Throws if it would leave too little
/// memory to libraries, which take theirs later and would fail in their own
/// words.
uint64_t bytesBesideLibraries(const Gpu &gpu, const zrt_plan &plan) {
  // The driver and the kernels already have theirs.
  constexpr int64_t kProducts = 128 << 20, kAttention = 128 << 20;
  const auto reserved = uint64_t(environmentNumber(
      "ZRT_GPU_RESERVE",
      kProducts + (plan.device_attention_count ? kAttention : 0) +
          int64_t(ncclBytes(plan)),
      INT64_MAX));
  const uint64_t arena = plan.arena_bytes[ZRT_DEVICE];
  const Gpu::Memory has = gpu.memory();
  // Less than the arena is an error when it is taken.  A GPU whose memory is
  // the host's counts neither its caches nor its swap as free.
  if (has.free >= arena && has.free - arena < reserved &&
      !gpu.attribute(CU_DEVICE_ATTRIBUTE_INTEGRATED))
    fail("{} has {} free of {}: {} for the device arena (the certificate's "
         "size of device) leave less than {} for libraries; compile with a "
         "smaller batch, offload state to another tier, or end what else runs "
         "there; ZRT_GPU_RESERVE=BYTES reserves less",
         gpu.name(), shownBytes(has.free), shownBytes(has.total),
         shownBytes(arena), shownBytes(reserved));
  return arena;
}

} // namespace

CudaDevice::CudaDevice(const zrt_plan &thePlan, int rank, int rankOnHost,
                       std::unique_ptr<Device> theHost)
    : plan(thePlan), gpu(rankOnHost), ofHost(chooseProcessors(gpu, plan)),
      host(std::move(theHost)), kernels(gpu, plan),
      arena(gpu, bytesBesideLibraries(gpu, plan), "the device arena",
            communicatesBy(plan, "direct") ? Place{rank, int(plan.world_size)}
                                           : Place{}),
      pinned(pinHost(gpu, *host)), mirror(gpu, plan),
      products(gpu, kernels, arena.at(plan.workspace.offset),
               plan.workspace.bytes),
      groups(gpu, kernels, plan), attentions(gpu, plan),
      buckets(gpu, kernels, plan, rank), streams(gpu, plan),
      graphs(gpu, plan, streams) {
  checkMatmulStreams();
}

CudaDevice::~CudaDevice() { (void)gpu.tryEnter(); }

void CudaDevice::startThreads(const zrt_plan &plan, int threads,
                              std::vector<int> processors, int hostThreads) {
  if (hostThreads == 0)
    hostThreads = threads;
  if (hostThreads == 0)
    hostThreads = int(std::max<size_t>(processors.size(), 1));
  // The host's `compute` does no work.
  host->startThreads(plan, /*threads=*/1, {}, hostThreads);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

uint64_t CudaDevice::arenaBytes(uint32_t tier) const {
  return tier == ZRT_DEVICE ? plan.arena_bytes[tier] : host->arenaBytes(tier);
}

std::byte *CudaDevice::memory(const zrt_ref &ref) const {
  return ref.tier == ZRT_DEVICE ? mirror.at(ref.offset) : host->memory(ref);
}

CUdeviceptr CudaDevice::address(const zrt_ref &ref) const {
  return ref.tier == ZRT_DEVICE
             ? arena.at(ref.offset)
             : reinterpret_cast<CUdeviceptr>(host->memory(ref));
}

std::vector<uint64_t> CudaDevice::addresses(const zrt_operand *args,
                                            uint32_t count) const {
  std::vector<uint64_t> list(count);
  for (uint32_t i = 0; i < count; ++i)
    list[i] = address(args[i].ref);
  return list;
}

void CudaDevice::read(const zrt_ref &from, void *to) {
  if (from.tier != ZRT_DEVICE)
    return host->read(from, to);
  if (from.bytes == 0)
    return;
  gpu.enter();
  gpu.MemcpyDtoH(to, address(from), from.bytes);
}

void CudaDevice::write(const zrt_ref &to, const void *from) {
  if (to.tier != ZRT_DEVICE)
    return host->write(to, from);
  if (to.bytes == 0)
    return;
  gpu.enter();
  gpu.MemcpyHtoD(address(to), from, to.bytes);
  // The copy has read `from`, but may not have written to the GPU yet.
  gpu.StreamSynchronize(nullptr);
}

void CudaDevice::fill(const zrt_ref &to, unsigned char byte) {
  if (to.tier != ZRT_DEVICE)
    return host->fill(to, byte);
  if (to.bytes == 0)
    return;
  gpu.enter();
  gpu.MemsetD8Async(address(to), byte, to.bytes, nullptr);
  gpu.StreamSynchronize(nullptr);
}

std::string CudaDevice::note() const {
  gpu.enter();
  const Gpu::Memory has = gpu.memory();
  const uint64_t own = plan.arena_bytes[ZRT_DEVICE], used = has.used();
  std::string all = fmt::format(
      "the device tier is on {}, where {} are in use beside it and {} are free",
      gpu.name(), shownBytes(used - std::min(own, used)), shownBytes(has.free));
  for (const std::string &more : {ofHost, kernels.note()})
    all += (more.empty() ? "" : "\n") + more;
  if (plan.world_size > 1 && !communicatesOnGpus(plan))
    all += "\nranks exchange what is on their GPUs through host memory, which "
           "is slower than between the GPUs";
  const std::string others = host->note();
  return all + (others.empty() ? "" : "\n" + others);
}

std::optional<uint64_t> CudaDevice::bytesInUse() const {
  gpu.enter();
  return gpu.memory().used();
}

Connect CudaDevice::connection() {
  if (!communicatesOnGpus(plan))
    return {};
  return connectGpus({gpu, plan, kernels, streams, arena,
                      [this](const zrt_ref &ref) { return address(ref); }});
}

void CudaDevice::bringToHost(zrt_stream stream, const zrt_ref &ref) {
  finish(stream);
  if (ref.tier == ZRT_DEVICE)
    read(ref, memory(ref));
}

void CudaDevice::bringBack(zrt_stream /*stream*/, const zrt_ref &ref) {
  if (ref.tier == ZRT_DEVICE)
    write(ref, memory(ref));
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

std::string CudaDevice::unpackKernel(const zrt_unpack_desc &desc) {
  return unpackEntry(packingName(desc.packing), dtypeName(desc.result.dtype));
}

void CudaDevice::fillMemory() {
  const auto percent = uint64_t(environmentNumber("ZRT_GPU_FILL", 0, 100));
  if (percent == 0 || ballast)
    return;
  gpu.enter();
  const Gpu::Memory has = gpu.memory();
  const uint64_t left = has.total / 100 * (100 - percent);
  if (has.free > left)
    ballast = std::make_unique<GpuMemory>(gpu, has.free - left, "a full GPU");
}

void CudaDevice::beginProgram() {
  fillMemory();
  host->beginProgram();
  buckets.prepare([this](const zrt_ref &ref) {
    uint64_t value = 0;
    read({ref.tier, 0, ref.offset, sizeof(value)}, &value);
    return value;
  });
}

void CudaDevice::endProgram() { host->endProgram(); }

bool CudaDevice::replay(uint32_t program) {
  gpu.enter();
  return graphs.replay(program);
}

void CudaDevice::endIssue(bool isWhole) {
  gpu.enter();
  graphs.endIssue(isWhole);
}

void CudaDevice::work(const zrt_op &op, const BucketPart *bucket) {
  if (!streams.isOnGpu(op.stream))
    return host->work(op, bucket);
  gpu.enter();
  const CUstream queue = streams.of(op.stream, nameOf(op));
  const auto turn = graphs.turn();
  try {
    visitDevice(op, bucket, [&](const auto &...work) { run(queue, work...); });
  } catch (const Error &error) {
    fail("{}: {}", nameOf(op), error.what());
  }
}

void CudaDevice::run(CUstream queue, const zrt_launch_desc &desc) {
  std::vector<uint64_t> parameters = addresses(desc.args, desc.arg_count);
  if (attentions.has(desc.fn))
    return attentions.run(queue, desc, parameters);
  parameters.push_back(uint64_t(desc.units));
  kernels.launch(queue, desc.fn, desc.units, parameters);
}

void CudaDevice::run(CUstream queue, const zrt_matmul_desc &desc) {
  products.run(queue, desc, operandsOf(desc));
}

void CudaDevice::run(CUstream queue, const zrt_grouped_desc &desc) {
  groups.run(queue, desc, address(desc.x.ref), address(desc.y.ref),
             address(desc.offsets.ref), arena.at(0));
}

void CudaDevice::run(CUstream queue, const zrt_unpack_desc &desc) {
  constexpr auto kUnit = uint64_t{ZRT_PACKED_RUN} * ZRT_PACKED_BLOCK;
  const uint64_t parameters[] = {address(desc.source.ref),
                                 address(desc.result.ref), desc.elements};
  kernels.launch(queue, kernels.find(unpackKernel(desc)),
                 int64_t((desc.elements + kUnit - 1) / kUnit), parameters);
}

void CudaDevice::run(CUstream queue, const zrt_update_desc &desc,
                     const BucketPart &bucket) {
  buckets.update(queue, desc, bucket, addresses(desc.args, desc.arg_count));
}

void CudaDevice::run(CUstream queue, const zrt_squares_desc &desc,
                     const BucketPart &bucket) {
  buckets.sumSquares(queue, desc, bucket, address(desc.grad.ref),
                     address(desc.partials.ref));
}

uint64_t CudaDevice::copy(zrt_stream stream, const zrt_ref &from,
                          const zrt_ref &to) {
  if (!streams.isOnGpu(stream))
    return host->copy(stream, from, to);
  // The caller adds the operation's name to errors.
  gpu.enter();
  const auto turn = graphs.turn();
  if (from.bytes != 0)
    gpu.MemcpyAsync(address(to), address(from), from.bytes,
                    streams.of(stream, "a copy"));
  return from.bytes;
}

void CudaDevice::record(zrt_stream stream, uint32_t event) {
  gpu.enter();
  const auto turn = graphs.turn();
  streams.record(stream, event);
}

void CudaDevice::wait(zrt_stream stream, uint32_t event) {
  gpu.enter();
  const auto turn = graphs.turn();
  streams.wait(stream, event);
}

void CudaDevice::finish(zrt_stream stream) {
  gpu.enter();
  streams.finish(stream);
}

//===----------------------------------------------------------------------===//
// Entry point for plans
//===----------------------------------------------------------------------===//

/// The function that a plan with target cuda names as its maker.
extern "C" void zrt_cuda_device(zrt_device_request *request) {
  auto device = std::make_unique<CudaDevice>(request->plan, request->rank,
                                             request->rankOnHost,
                                             std::move(request->host));
  request->connect = device->connection();
  request->device = std::move(device);
}
