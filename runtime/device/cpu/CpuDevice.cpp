//===- CpuDevice.cpp - Runs plans on the processors of a host -------------===//
#include "runtime/device/cpu/CpuDevice.h"

#include "runtime/core/CopyAround.h"
#include "runtime/device/cpu/BucketWork.h"
#include "runtime/device/cpu/Matmul.h"
#include "runtime/device/cpu/gemm/CpuFeatures.h"
#include "runtime/numbers/HalfArrays.h"
#include "runtime/numbers/NumberBlocks.h"
#include "runtime/packing/Pack.h"
#include "runtime/packing/Unpack.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/system/Clock.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <cstring>

using namespace zrt;

namespace {

void need(const char *what, const zrt_operand &operand, zrt_dtype dtype) {
  if (operand.dtype != dtype)
    fail("{}: it is {}, and this device needs {} there", what,
         dtypeName(operand.dtype), dtypeName(dtype));
}

/// Checks the type of a product's factors; `kernel` shall multiply 16 bits.
void needFactor(const char *what, zrt_dtype dtype, Kernel16 kernel) {
  if (dtype != ZRT_F32 && dtype != ZRT_F64 && !is16Bits(dtype))
    fail("{}: it is {}, and this device multiplies f64, f32, bf16 and f16",
         what, dtypeName(dtype));
  enable(kernel, dtype);
}

// Kernels of a plan are compiled for their types.

void checkTypes(const zrt_launch_desc &, Kernel16) {}
void checkTypes(const zrt_update_desc &, Kernel16) {}

void checkTypes(const zrt_matmul_desc &d, Kernel16 kernel) {
  const bool isHalf = is16Bits(d.a.dtype);
  needFactor("A", d.a.dtype, kernel);
  if (d.packing == ZRT_UNPACKED)
    need("B", d.b, d.a.dtype);
  else if (!isConvertible(d.a.dtype))
    fail("A: it is {}, and a packed B stands for f32, bf16 or f16",
         dtypeName(d.a.dtype));
  if (!isHalf || d.c.dtype != ZRT_F32)
    need("C", d.c, d.a.dtype);
  if (d.has_bias && (!isHalf || d.bias.dtype != ZRT_F32))
    need("bias", d.bias, d.a.dtype);
}

void checkTypes(const zrt_grouped_desc &d, Kernel16 kernel) {
  needFactor("x", d.x.dtype, kernel);
  const bool maySum = is16Bits(d.x.dtype);
  if (d.sums || !maySum || d.y.dtype != ZRT_F32)
    need("y", d.y, d.x.dtype);
  for (uint32_t i = 0; i < d.groups; ++i)
    if (!d.sums || !maySum || d.w[i].dtype != ZRT_F32)
      need(fmt::format("W{}", i).c_str(), d.w[i], d.x.dtype);
}

void checkTypes(const zrt_unpack_desc &d, Kernel16) {
  if (!isConvertible(d.result.dtype))
    fail("result: it is {}, and this device makes f32, bf16 and f16 of packed "
         "parameters",
         dtypeName(d.result.dtype));
}

void checkElements(const zrt_operand &wide, const zrt_operand &narrow) {
  if (!isConvertible(wide.dtype) ||
      !(isBlock(narrow.dtype) || narrow.dtype == ZRT_BF16))
    fail("this device makes blocks of f32, bf16 or f16, and bf16 of f32, got "
         "{} and {}",
         dtypeName(narrow.dtype), dtypeName(wide.dtype));
}
void checkTypes(const zrt_quantize_desc &d, Kernel16) {
  checkElements(d.source, d.result);
}
void checkTypes(const zrt_dequantize_desc &d, Kernel16) {
  checkElements(d.result, d.source);
}

void checkTypes(const zrt_squares_desc &d, Kernel16) {
  if (!isConvertible(d.grad.dtype))
    fail("gradient: it is {}, and this device squares f32, bf16 and f16",
         dtypeName(d.grad.dtype));
  need("partials", d.partials, ZRT_F64);
}

/// Returns the gradient of a micro-step that a launch adds, element by element;
/// nullptr if it adds none.
const zrt_operand *gradientAmong(const zrt_launch_desc &desc) {
  const zrt_operand *end = desc.args + desc.arg_count,
                    *found = std::find_if(desc.args, end, [](auto &operand) {
                      return operand.ref.gradient_of != 0;
                    });
  return found == end ? nullptr : found;
}

} // namespace

void zrt::checkMachine(const zrt_plan &plan) {
  checkFeatures(plan.features ? plan.features : "", plan.cpu ? plan.cpu : "?",
                cpuFlags());
}

CpuDevice::CpuDevice(const zrt_plan &plan, bool shallGuard,
                     std::unique_ptr<Store> theStore)
    : kernel16(kernel16For(plan.features ? plan.features : "")),
      store(std::move(theStore)), isGuarded(shallGuard) {
  for (const uint32_t tier : {ZRT_DEVICE, ZRT_HOST})
    arenas[tier].allocate(plan.arena_bytes[tier], tier,
                          tier == ZRT_DEVICE && plan.world_size > 1
                              ? plan.exported_begin
                              : plan.arena_bytes[tier],
                          isGuarded);
}

void CpuDevice::startThreads(const zrt_plan &plan, int threads,
                             std::vector<int> processors, int hostThreads) {
  const size_t size =
      threads ? size_t(threads) : std::max<size_t>(processors.size(), 1);
  // With fewer threads than processors, other programs may need the rest.
  if (processors.size() != size)
    processors.clear();
  computeThreads = static_cast<int>(size);
  hostStreamThreads = hostThreads ? hostThreads : computeThreads;
  const auto teamOf = [&](uint32_t streamClass) {
    if (streamClass == ZRT_COMPUTE)
      return std::make_unique<Team>(computeThreads, processors);
    // It runs beside `compute` and must not take a processor from it by
    // spinning.
    if (streamClass == ZRT_HOST_STREAM)
      return std::make_unique<Team>(hostStreamThreads, std::vector<int>(),
                                    /*watchful=*/false);
    return std::make_unique<Team>(1);
  };
  streams.resize(plan.stream_count);
  for (zrt_stream i = 0; i < plan.stream_count; ++i)
    streams[i].team = teamOf(plan.streams[i].stream_class);
  if (!store)
    return;
  for (zrt_stream i = 0; i < plan.stream_count; ++i)
    if (plan.streams[i].stream_class == ZRT_NVME_READ ||
        plan.streams[i].stream_class == ZRT_NVME_WRITE)
      streams[i].lane = openLane();
}

std::unique_ptr<Lane> CpuDevice::openLane() {
  std::unique_ptr<Lane> lane = store->lane();
  // A closed arena cannot be pinned.
  if (!isGuarded)
    pinNote = lane->pin(arenas[ZRT_HOST].data(), arenas[ZRT_HOST].size());
  return lane;
}

std::string CpuDevice::note() const {
  std::string all = store ? store->note() : "";
  if (!pinNote.empty())
    all += (all.empty() ? "" : "\n") + pinNote;
  return all;
}

void CpuDevice::check(const zrt_op &op) const {
  visitDevice(op, [&](const auto &desc) { checkTypes(desc, kernel16); });
}

void CpuDevice::read(const zrt_ref &from, void *to) {
  if (from.tier == ZRT_NVME)
    store->read(from.offset, from.bytes, static_cast<std::byte *>(to));
  else if (from.bytes != 0)
    copyAround(static_cast<std::byte *>(to), hostMemory(from), from.bytes);
}

void CpuDevice::write(const zrt_ref &to, const void *from) {
  if (to.tier == ZRT_NVME)
    store->write(to.offset, to.bytes, static_cast<const std::byte *>(from));
  else if (to.bytes != 0)
    std::memcpy(hostMemory(to), from, to.bytes);
}

void CpuDevice::fill(const zrt_ref &to, unsigned char byte) {
  if (to.tier == ZRT_NVME)
    store->fill(to.offset, to.bytes, byte);
  else if (to.bytes != 0)
    std::memset(hostMemory(to), byte, to.bytes);
}

double CpuDevice::matmulRate(zrt_dtype dtype) {
  // As large as products of a model, so that no operand fits into the caches.
  constexpr int64_t kSize = 1536;
  constexpr double kSeconds = 0.1;
  // All values are zero; only denormals would change the speed.
  const uint64_t bytes = kSize * kSize * dtypeBytes(dtype);
  const std::vector<std::byte> a(bytes), b(bytes);
  std::vector<std::byte> c(bytes);
  zrt_matmul_desc desc = {};
  desc.scale = 1;
  desc.name = "a product to measure";
  desc.batch = 1;
  desc.m = desc.n = desc.k = kSize;
  desc.a.dtype = desc.b.dtype = desc.c.dtype = dtype;
  double best = 0, all = 0;
  while (all < kSeconds) {
    const auto start = Clock::now();
    runMatmul(desc, a.data(), b.data(), nullptr, c.data(),
              *streams[ZRT_COMPUTE].team, kernel16);
    const double seconds = secondsSince(start);
    best = std::max(best, 2.0 * kSize * kSize * kSize / seconds);
    all += seconds;
  }
  return best;
}

void CpuDevice::beginProgram() {
  for (Arena &arena : arenas)
    arena.open();
}

void CpuDevice::endProgram() {
  for (Arena &arena : arenas)
    arena.close();
}

std::vector<void *> &CpuDevice::addresses(zrt_stream stream,
                                          const zrt_operand *args,
                                          uint32_t count) {
  std::vector<void *> &list = streams[stream].arguments;
  list.resize(count);
  for (uint32_t i = 0; i < count; ++i)
    list[i] = memory(args[i].ref);
  return list;
}

void CpuDevice::work(const zrt_op &op, const BucketPart *bucket) {
  visitDevice(op, bucket,
              [&](const auto &...work) { run(op.stream, work...); });
}

void CpuDevice::run(zrt_stream stream, const zrt_launch_desc &desc) {
  const std::vector<void *> &args =
      addresses(stream, desc.args, desc.arg_count);
  const int64_t pieces =
      desc.units / desc.grain + (desc.units % desc.grain != 0);
  const zrt_operand *gradient = digest ? gradientAmong(desc) : nullptr;
  const uint32_t ofRank =
      gradient ? digest->beginGradient(gradient->ref.gradient_of - 1) : 0;
  streams[stream].team->parallelFor(pieces, [&](int64_t first, int64_t last) {
    for (int64_t piece = first; piece < last; ++piece) {
      const int64_t begin = piece * desc.grain;
      const int64_t size = std::min(desc.grain, desc.units - begin);
      if (gradient)
        digest->addGradient(gradient->ref.gradient_of - 1, ofRank,
                            memory(gradient->ref), gradient->dtype,
                            uint64_t(begin), uint64_t(begin + size));
      desc.fn(args.data(), begin, begin + size);
    }
  });
}

void CpuDevice::run(zrt_stream stream, const zrt_matmul_desc &desc) {
  runMatmul(desc, memory(desc.a.ref), memory(desc.b.ref),
            desc.has_bias ? memory(desc.bias.ref) : nullptr, memory(desc.c.ref),
            *streams[stream].team, kernel16);
}

void CpuDevice::run(zrt_stream stream, const zrt_grouped_desc &desc) {
  const std::vector<void *> &w = addresses(stream, desc.w, desc.groups);
  runGroupedMatmul(desc, memory(desc.x.ref), memory(desc.y.ref),
                   reinterpret_cast<const int32_t *>(memory(desc.offsets.ref)),
                   w.data(), *streams[stream].team, kernel16);
}

void CpuDevice::run(zrt_stream stream, const zrt_unpack_desc &desc) {
  // A thread takes this many blocks at once.
  constexpr uint64_t kShare = 16;
  const uint64_t blocks = (desc.elements + kPackedBlock - 1) / kPackedBlock;
  const std::byte *source = memory(desc.source.ref);
  std::byte *result = memory(desc.result.ref);
  streams[stream].team->parallelFor(
      static_cast<int64_t>((blocks + kShare - 1) / kShare),
      [&](int64_t first, int64_t last) {
        const uint64_t begin = uint64_t(first) * kShare;
        zrt::unpack(
            desc.packing, source, desc.elements, begin,
            std::min(blocks, uint64_t(last) * kShare), desc.result.dtype,
            result + begin * kPackedBlock * dtypeBytes(desc.result.dtype));
      });
}

void CpuDevice::run(zrt_stream stream, const zrt_update_desc &desc,
                    const BucketPart &bucket) {
  updateBucket(desc, bucket, addresses(stream, desc.args, desc.arg_count),
               *streams[stream].team, digest);
}

void CpuDevice::run(zrt_stream stream, const zrt_squares_desc &desc,
                    const BucketPart &bucket) {
  sumSquaresOfBucket(desc, bucket, memory(desc.grad.ref),
                     reinterpret_cast<double *>(memory(desc.partials.ref)),
                     *streams[stream].team);
}

void CpuDevice::run(zrt_stream stream, const zrt_quantize_desc &desc,
                    const BucketPart &bucket) {
  if (digest && desc.source.ref.gradient_of)
    digest->addGradient(desc.bucket, digest->beginGradient(desc.bucket),
                        memory(desc.source.ref), desc.source.dtype, 0,
                        bucket.elements);
  quantizeBucket(desc, bucket, memory(desc.source.ref), memory(desc.result.ref),
                 *streams[stream].team);
}

void CpuDevice::run(zrt_stream stream, const zrt_dequantize_desc &desc,
                    const BucketPart &) {
  dequantizeBucket(desc, memory(desc.source.ref), memory(desc.result.ref),
                   *streams[stream].team);
}

uint64_t CpuDevice::copy(zrt_stream stream, const zrt_ref &from,
                         const zrt_ref &to) {
  if (from.tier == ZRT_NVME)
    return streams[stream].lane->read(from.offset, from.bytes, memory(to));
  if (to.tier == ZRT_NVME)
    return streams[stream].lane->write(to.offset, from.bytes, memory(from));
  if (from.bytes != 0)
    std::memcpy(memory(to), memory(from), from.bytes);
  return from.bytes;
}
