//===- Matmuls.cpp - Matmuls on a GPU -------------------------------------===//
#include "runtime/device/cuda/Matmuls.h"

#include "abi/DeviceEntries.h"
#include "runtime/device/cuda/LtProduct.h"
#include "runtime/device/cuda/MatmulPieces.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

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
    parts.push_back(std::make_unique<LtProduct>(*library, part));
    parts.back()->describe();
    parts.back()->choose(workspaceOf(part));
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

void Matmuls::run(CUstream stream, const zrt_matmul_desc &desc, CUdeviceptr a,
                  CUdeviceptr b, CUdeviceptr bias, CUdeviceptr c) const {
  if (isEmpty(desc))
    return;
  for (const auto &part : products.at(&desc)) {
    const auto within = [](CUdeviceptr address, const zrt_operand &of,
                           const zrt_operand &whole) {
      return address + (of.ref.offset - whole.ref.offset);
    };
    const zrt_matmul_desc &d = part->d;
    run(stream, *part, within(a, d.a, desc.a), within(b, d.b, desc.b),
        within(bias, d.bias, desc.bias), within(c, d.c, desc.c));
  }
}

void Matmuls::run(CUstream stream, const LtProduct &product, CUdeviceptr a,
                  CUdeviceptr b, CUdeviceptr bias, CUdeviceptr c) const {
  const zrt_matmul_desc &desc = product.d;
  const auto pointer = [](CUdeviceptr address) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<void *>(address);
  };
  if (biasBytes(desc) != 0)
    bias = copyBias(stream, desc, bias);
  if (desc.has_bias)
    product.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, pointer(bias));
  const bool isDouble = desc.a.dtype == ZRT_F64;
  const double one = 1, zero = 0;
  const float floatOne = 1, floatZero = 0;
  const auto number = [&](const double &wide, const float &narrow) {
    return isDouble ? static_cast<const void *>(&wide) : &narrow;
  };
  library->Matmul(library->handle, product.operation, number(one, floatOne),
                  pointer(b), product.first, pointer(a), product.second,
                  desc.accumulate ? number(one, floatOne)
                                  : number(zero, floatZero),
                  pointer(c), product.result, pointer(c), product.result,
                  &product.algorithm, pointer(workspace), workspaceOf(desc),
                  reinterpret_cast<cudaStream_t>(stream));
}
