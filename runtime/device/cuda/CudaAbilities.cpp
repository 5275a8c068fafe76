//===- CudaAbilities.cpp - Checks operations and measures products --------===//
#include "runtime/device/cuda/CudaDevice.h"

#include "runtime/device/cuda/MatmulChoices.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/system/Clock.h"
#include "runtime/text/Error.h"

#include <algorithm>

using namespace zrt;
using namespace zrt::cuda;

void CudaDevice::checkMatmulStreams() const {
  const zrt_stream none = plan.stream_count;
  zrt_stream first = none;
  for (const zrt_op &op : opsOf(plan)) {
    const bool isOfLibrary =
        op.kind == ZRT_LAUNCH && attentions.has(launchOf(op).fn);
    if ((op.kind != ZRT_MATMUL && !isOfLibrary) || !streams.isOnGpu(op.stream))
      continue;
    if (first == none)
      first = op.stream;
    if (op.stream != first && (plan.workspace.bytes != 0 || isOfLibrary))
      fail("{} run on the streams {} and {}, and the plan has one "
           "workspace for them; compile the model again",
           isOfLibrary ? "products and cuDNN's attention" : "products",
           plan.streams[first].name, plan.streams[op.stream].name);
  }
}

void CudaDevice::check(const zrt_op &op) const {
  // The host checks the types, which are the same on all devices.
  host->check(op);
  const bool isOnGpu = streams.isOnGpu(op.stream);
  forEachOperand(op, [&](const std::string &what, const zrt_operand &one) {
    const bool isOnDevice = one.ref.tier == ZRT_DEVICE;
    if (op.kind != ZRT_COPY && isOnDevice != isOnGpu)
      fail("{}: it lies on {}, and what stream {} does is done {}; compile the "
           "model again",
           what, tierName(one.ref.tier), plan.streams[op.stream].name,
           isOnGpu ? "by the GPU, in its own memory"
                   : "by the host, which cannot reach the GPU's memory");
    if (op.kind == ZRT_COPY && !isOnGpu && isOnDevice)
      fail("{}: it lies on device, which the host cannot reach from stream {}",
           what, plan.streams[op.stream].name);
  });
  if (isOnGpu)
    visitDevice(op, [&](const auto &desc) { check(op.stream, desc); });
}

/// Runs a product on the arena's zeros, so that cuBLASLt loads its kernels now.
/// At the first use, loading could wait for the GPU, where a stream may wait
/// for a peer that loads the same kernel; here no stream waits yet.
void CudaDevice::loadProduct(zrt_stream stream,
                             const zrt_matmul_desc &desc) const {
  if (!communicatesOnGpus(plan))
    return;
  const CUstream queue = streams.handle(stream);
  products.run(queue, desc, operandsOf(desc));
  gpu.StreamSynchronize(queue);
}

void CudaDevice::check(zrt_stream stream, const zrt_launch_desc &desc) const {
  if (attentions.has(desc.fn))
    return attentions.prepare(streams.handle(stream), desc,
                              addresses(desc.args, desc.arg_count));
  kernels.checkUnits(desc.fn, desc.units);
}

void CudaDevice::check(zrt_stream stream, const zrt_matmul_desc &desc) const {
  if (desc.packing != ZRT_UNPACKED)
    fail("B is packed, and GPUs dequantize it first");
  products.prepare(desc);
  loadProduct(stream, desc);
}

void CudaDevice::check(zrt_stream, const zrt_grouped_desc &desc) const {
  groups.check(desc);
}

void CudaDevice::check(zrt_stream, const zrt_unpack_desc &desc) const {
  (void)kernels.find(unpackKernel(desc));
}

void CudaDevice::check(zrt_stream, const zrt_update_desc &desc) const {
  buckets.check(desc);
}

void CudaDevice::check(zrt_stream, const zrt_squares_desc &desc) const {
  buckets.check(desc);
}

void CudaDevice::check(zrt_stream, const zrt_quantize_desc &) const {
  fail("GPUs exchange what they have; only processors quantize it");
}

void CudaDevice::check(zrt_stream, const zrt_dequantize_desc &) const {
  fail("GPUs exchange what they have; only processors quantize it");
}

std::string CudaDevice::chooseMatmuls(int most, const std::string &chosen) {
  const std::string version = products.version(),
                    ofAttention = attentions.version();
  if (version.empty() && ofAttention.empty())
    return "";
  // Operands are zeros at their places in the arena: so are the results, and
  // the arena stays as it is, but for the workspace.
  MatmulChoices choices(chosen, gpu.name(), version, ofAttention);
  for (const auto &[attention, engine] : attentions.engines())
    if (const std::string *kept = choices.findEngine(attention))
      attentions.take(attention, *kept);
    else
      choices.addEngine(attention, engine);
  for (const zrt_op &op : opsOf(plan)) {
    if (!streams.isOnGpu(op.stream))
      continue;
    if (op.kind == ZRT_LAUNCH && attentions.has(launchOf(op).fn))
      check(op.stream, launchOf(op));
    if (op.kind != ZRT_MATMUL)
      continue;
    try {
      products.choose(matmulOf(op), operandsOf(matmulOf(op)), most, choices);
    } catch (const Error &error) {
      fail("{}: {}", nameOf(op), error.what());
    }
  }
  return choices.text();
}

double CudaDevice::matmulRate(zrt_dtype dtype) {
  constexpr int64_t kSize = 1536;
  constexpr double kSeconds = 0.1;
  zrt_matmul_desc desc = {};
  desc.scale = 1;
  desc.name = "a product to measure";
  desc.batch = 1;
  desc.m = desc.n = desc.k = kSize;
  desc.a.dtype = desc.b.dtype = desc.c.dtype = dtype;
  gpu.enter();
  const uint64_t bytes = kSize * kSize * dtypeBytes(dtype);
  const GpuMemory operands(gpu, 3 * bytes, "products to measure");
  Matmuls measured(gpu, kernels, arena.at(plan.workspace.offset),
                   plan.workspace.bytes);
  measured.prepare(desc);
  double best = 0, all = 0;
  // Issues more and more products at once, so that the time of issuing is
  // negligible.
  for (int times = 1; all < kSeconds; times *= 2) {
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i)
      measured.run(
          nullptr, desc,
          {operands.at(0), operands.at(bytes), 0, operands.at(2 * bytes)});
    gpu.StreamSynchronize(nullptr);
    const double seconds = secondsSince(start);
    best = std::max(best, 2.0 * times * kSize * kSize * kSize / seconds);
    all += seconds;
  }
  return best;
}
