//===- Matmuls.cpp - Matmuls on a GPU -------------------------------------===//
#include "runtime/device/cuda/Matmuls.h"

#include "abi/DeviceEntries.h"
#include "runtime/device/cuda/LtProduct.h"
#include "runtime/device/cuda/MatmulChoices.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <limits>
#include <vector>

using namespace zrt;
using namespace zrt::cuda;

namespace {

/// Returns true if the bias is copied to an address where cuBLASLt can load it
/// as vectors.
bool movesBias(const zrt_matmul_desc &d) {
  constexpr uint64_t kVector = 16;
  return d.has_bias && !widensBias(d) && d.bias.ref.offset % kVector != 0;
}

/// Returns the bytes of a bias that is copied into the workspace; otherwise 0.
uint64_t biasBytes(const zrt_matmul_desc &d) {
  constexpr uint64_t kAlignment = 256;
  if (widensBias(d))
    return roundUp(uint64_t(d.n) * sizeof(float), kAlignment);
  return movesBias(d)
             ? roundUp(uint64_t(d.n) * dtypeBytes(d.bias.dtype), kAlignment)
             : 0;
}

} // namespace

Matmuls::Matmuls(const Gpu &theGpu, const Kernels &theKernels,
                 CUdeviceptr theWorkspace, uint64_t bytes)
    : gpu(theGpu), kernels(theKernels), workspace(theWorkspace),
      workspaceBytes(bytes) {}

Matmuls::~Matmuls() = default;

static bool isEmpty(const zrt_matmul_desc &d) {
  return d.batch == 0 || d.m == 0 || d.n == 0;
}

uint64_t Matmuls::workspaceOf(const zrt_matmul_desc &desc) const {
  return workspaceBytes - biasBytes(desc);
}

CUdeviceptr Matmuls::copyBias(CUstream stream, const zrt_matmul_desc &desc,
                              CUdeviceptr bias) const {
  const CUdeviceptr copy = workspace + workspaceOf(desc);
  if (!widensBias(desc)) {
    gpu.MemcpyAsync(copy, bias, uint64_t(desc.n) * dtypeBytes(desc.bias.dtype),
                    stream);
    return copy;
  }
  const uint64_t parameters[] = {bias, copy, uint64_t(desc.n)};
  kernels.launch(stream, kernels.find(widenEntry(dtypeName(desc.bias.dtype))),
                 desc.n, parameters);
  return copy;
}

void Matmuls::prepare(const zrt_matmul_desc &desc) {
  if (isEmpty(desc))
    return;
  if (desc.k == 0)
    fail(
        "k is 0, and this device multiplies matrices with at least one column");
  if (desc.batch > INT32_MAX)
    fail("{} products at once, and this device does at most {}", desc.batch,
         INT32_MAX);
  if (biasBytes(desc) > workspaceBytes)
    fail("its bias of {} is copied to {} bytes of the workspace, which has {}; "
         "compile the model again",
         dtypeName(desc.bias.dtype), biasBytes(desc), workspaceBytes);
  if (widensBias(desc))
    (void)kernels.find(widenEntry(dtypeName(desc.bias.dtype)));
  const std::lock_guard<std::mutex> lock(mutex);
  gpu.enter();
  if (!library)
    library = std::make_unique<LtLibrary>(gpu.driver());
  std::vector<std::unique_ptr<LtProduct>> &parts = products[&desc];
  for (const zrt_matmul_desc &part : piecesOf(desc)) {
    parts.push_back(
        std::make_unique<LtProduct>(*library, part, workspaceOf(part)));
    parts.back()->describe();
    parts.back()->algorithm = parts.back()->candidates(/*most=*/1).front();
  }
}

std::string Matmuls::text(const zrt_matmul_desc &desc) const {
  std::string result;
  const auto found = products.find(&desc);
  if (found != products.end())
    for (const auto &part : found->second) {
      if (!result.empty())
        result += ", and ";
      if (found->second.size() > 1)
        result +=
            fmt::format("{} x {} x {} by ", part->d.m, part->d.n, part->d.k);
      result += part->text();
    }
  return result;
}

void Matmuls::run(CUstream stream, const zrt_matmul_desc &desc,
                  const MatmulOperands &operands) const {
  if (isEmpty(desc))
    return;
  for (const auto &part : products.at(&desc))
    run(stream, *part, operandsOf(part->d, desc, operands));
}

void Matmuls::run(CUstream stream, const LtProduct &part,
                  const MatmulOperands &operands) const {
  library->check("cublasLtMatmul",
                 cublasStatus_t(issue(stream, part, operands)));
}

int Matmuls::issue(CUstream stream, const LtProduct &part,
                   const MatmulOperands &operands) const {
  MatmulOperands now = operands;
  if (biasBytes(part.d) != 0)
    now.bias = copyBias(stream, part.d, operands.bias);
  return part.issue(stream, now, workspace);
}

//===----------------------------------------------------------------------===//
// The choice by time
//===----------------------------------------------------------------------===//

std::string Matmuls::version() const {
  return library ? fmt::format("cuBLASLt {}", library->raw.GetVersion()) : "";
}

void Matmuls::choose(const zrt_matmul_desc &desc,
                     const MatmulOperands &operands, int most,
                     MatmulChoices &choices) {
  if (isEmpty(desc))
    return;
  gpu.enter();
  for (const auto &part : products.at(&desc)) {
    const MatmulOperands at = operandsOf(part->d, desc, operands);
    const std::string name = part->name();
    if (const cublasLtMatmulAlgo_t *kept = choices.find(name)) {
      part->take(*kept);
    } else {
      chooseFastest(*part, at, most);
      choices.add(name, part->algorithm, part->text());
    }
    // Loads its kernels, since nothing may be loaded in a step.
    run(nullptr, *part, at);
  }
  gpu.StreamSynchronize(nullptr);
}

namespace {

/// Measures the time of what is issued to the default stream.
class GpuClock {
public:
  explicit GpuClock(const Gpu &theGpu) : gpu(theGpu) {
    gpu.EventCreate(&begin, CU_EVENT_DEFAULT);
    gpu.EventCreate(&end, CU_EVENT_DEFAULT);
  }
  ~GpuClock() {
    for (const CUevent event : {begin, end})
      (void)gpu.driver().EventDestroy(event);
  }
  GpuClock(const GpuClock &) = delete;
  GpuClock &operator=(const GpuClock &) = delete;

  /// Calls `issue` so many times; returns the milliseconds of one.
  template <typename Issue>
  double time(int times, Issue issue) const {
    gpu.EventRecord(begin, nullptr);
    for (int i = 0; i < times; ++i)
      issue();
    gpu.EventRecord(end, nullptr);
    gpu.EventSynchronize(end);
    float milliseconds = 0;
    gpu.EventElapsedTime(&milliseconds, begin, end);
    return double(milliseconds) / times;
  }

private:
  const Gpu &gpu;
  CUevent begin = nullptr, end = nullptr;
};

} // namespace

void Matmuls::chooseFastest(LtProduct &part, const MatmulOperands &operands,
                            int most) const {
  const std::vector<cublasLtMatmulAlgo_t> candidates = part.candidates(most);
  part.algorithm = candidates.front();
  if (candidates.size() == 1)
    return;
  // As many repetitions as take this time, within these limits.
  constexpr double kMilliseconds = 5;
  constexpr double kLeast = 2, kMost = 50;
  const GpuClock clock(gpu);
  double best = std::numeric_limits<double>::infinity();
  cublasLtMatmulAlgo_t fastest = part.algorithm;
  for (const cublasLtMatmulAlgo_t &candidate : candidates) {
    part.algorithm = candidate;
    const auto issue = [&] { return this->issue(nullptr, part, operands); };
    // Loads the kernels, which the time is not to include.
    if (issue() != CUBLAS_STATUS_SUCCESS)
      continue;
    const double once = clock.time(1, issue);
    const double now =
        clock.time(int(std::clamp(kMilliseconds / once, kLeast, kMost)), issue);
    if (now < best) {
      best = now;
      fastest = candidate;
    }
  }
  part.algorithm = fastest;
}
