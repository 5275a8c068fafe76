//===- Kernels.cpp - The kernels of a plan on a GPU -----------------------===//
#include "runtime/device/cuda/driver/Kernels.h"

#include "runtime/text/Error.h"

#include <algorithm>
#include <climits>
#include <functional>
#include <string_view>

using namespace zrt;
using namespace zrt::cuda;

namespace {

/// Returns "?" if the plan has no text.
const char *text(const char *given) { return given ? given : "?"; }

bool comesBefore(zrt_kernel_fn a, zrt_kernel_fn b) {
  return std::less<>()(reinterpret_cast<const void *>(a),
                       reinterpret_cast<const void *>(b));
}

/// Returns the number of blocks of a launch; 0 on overflow.
int64_t blocksOf(const zrt_device_kernel &how, int64_t units) {
  if (how.blocks_per_unit == 0)
    return units / how.units_per_block + (units % how.units_per_block != 0);
  int64_t blocks = 0;
  return __builtin_mul_overflow(units, int64_t{how.blocks_per_unit}, &blocks)
             ? 0
             : blocks;
}

} // namespace

Kernels::Kernels(const Gpu &theGpu, const zrt_plan &plan)
    : gpu(theGpu), arch(text(plan.device_arch)) {
  if (plan.device_kernel_count == 0)
    return;
  load(plan);
  try {
    for (uint32_t i = 0; i < plan.device_kernel_count; ++i) {
      const zrt_device_kernel &how = plan.device_kernels[i];
      const auto place =
          std::upper_bound(all.begin(), all.end(), how.fn,
                           [](zrt_kernel_fn fn, const Kernel &kernel) {
                             return comesBefore(fn, kernel.how.fn);
                           });
      all.insert(place, {how, handleOf(how)});
    }
    growStack();
  } catch (...) {
    (void)gpu.driver().LibraryUnload(library);
    throw;
  }
}

void Kernels::growStack() const {
  size_t has = 0, needed = 0;
  gpu.CtxGetLimit(&has, CU_LIMIT_STACK_SIZE);
  for (const Kernel &kernel : all) {
    int bytes = 0;
    gpu.KernelGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
                           kernel.handle, gpu.number());
    needed = std::max(needed, size_t(bytes));
  }
  if (needed > has)
    gpu.CtxSetLimit(CU_LIMIT_STACK_SIZE, needed);
}

Kernels::~Kernels() {
  if (library)
    (void)gpu.driver().LibraryUnload(library);
}

void Kernels::load(const zrt_plan &plan) {
  std::string tried;
  for (uint32_t i = 0; i < plan.device_image_count; ++i) {
    const zrt_device_image &image = plan.device_images[i];
    const CUresult result = gpu.driver().LibraryLoadData(
        &library, image.data, nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (result == CUDA_SUCCESS) {
      isTranslated = std::string_view(text(image.kind)) == "ptx";
      return;
    }
    library = nullptr;
    tried += fmt::format("; {}: {}", text(image.kind),
                         gpu.driver().describe("cuLibraryLoadData", result));
  }
  fail("{} takes none of the program's {} images, which are for {}{}; compile "
       "with the --cuda-arch of this GPU",
       gpu.name(), plan.device_image_count, text(plan.device_arch), tried);
}

CUkernel Kernels::handleOf(const zrt_device_kernel &how) const {
  const Driver &driver = gpu.driver();
  CUkernel kernel = nullptr;
  const CUresult result = driver.LibraryGetKernel(&kernel, library, how.entry);
  if (result != CUDA_SUCCESS)
    fail("the program's image has no kernel {}: {}; compile the model again",
         text(how.entry), driver.describe("cuLibraryGetKernel", result));
  const auto need = [&](const char *what, uint32_t needed,
                        CUdevice_attribute limit) {
    const int has = gpu.attribute(limit);
    if (needed > uint32_t(std::max(has, 0)))
      fail("kernel {} needs {} {}, and {} has {}; compile with the --cuda-arch "
           "of this GPU",
           how.entry, needed, what, gpu.name(), has);
  };
  need("threads in a block", how.threads,
       CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  need("bytes of shared memory", how.shared_bytes,
       CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  if (how.threads == 0 ||
      (how.units_per_block == 0 && how.blocks_per_unit == 0))
    fail("kernel {} has {} threads and {} units in a block; compile the model "
         "again",
         how.entry, how.threads, how.units_per_block);
  if (how.shared_bytes > 0)
    gpu.KernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                           int(how.shared_bytes), kernel, gpu.number());
  // Loads the kernel now.  At its first launch, loading could wait for the GPU,
  // where a stream may wait for a peer that loads the same kernel.
  CUfunction loaded = nullptr;
  gpu.KernelGetFunction(&loaded, kernel);
  return kernel;
}

std::string Kernels::note() const {
  return isTranslated
             ? fmt::format(
                   "the driver has compiled the kernels for this GPU at "
                   "the start, as they are for {}; compile with its "
                   "--cuda-arch to save that time",
                   arch)
             : "";
}

std::span<const Kernel> Kernels::find(zrt_kernel_fn twin) const {
  const auto first = std::lower_bound(
      all.begin(), all.end(), twin, [](const Kernel &kernel, zrt_kernel_fn fn) {
        return comesBefore(kernel.how.fn, fn);
      });
  const auto last = std::find_if(first, all.end(), [&](const Kernel &kernel) {
    return kernel.how.fn != twin;
  });
  if (!twin || first == last)
    fail("the program has no kernel for GPUs that does it; compile the model "
         "again with --target=cuda");
  return {first, last};
}

const Kernel &Kernels::find(std::string_view entry) const {
  for (const Kernel &kernel : all)
    if (!kernel.how.fn && entry == kernel.how.entry)
      return kernel;
  fail("the program has no kernel {} for GPUs; compile the model again with "
       "--target=cuda",
       entry);
}

void Kernels::checkUnits(const Kernel &kernel, int64_t units) {
  const int64_t blocks = blocksOf(kernel.how, units);
  if ((blocks == 0 && units != 0) || blocks > INT_MAX)
    fail("{} units of kernel {} need more blocks than the {} that a GPU "
         "launches at once; compile with a smaller batch",
         units, kernel.how.entry, INT_MAX);
}

void Kernels::launch(CUstream stream, const Kernel &kernel, int64_t units,
                     std::span<const uint64_t> parameters) const {
  if (units == 0)
    return;
  CUlaunchConfig config = {};
  config.gridDimX = unsigned(blocksOf(kernel.how, units));
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = kernel.how.threads;
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = kernel.how.shared_bytes;
  config.hStream = stream;
  // All parameters have 8 bytes, so the list is itself the parameter buffer.
  size_t bytes = parameters.size_bytes();
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER,
                   const_cast<uint64_t *>(parameters.data()),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  gpu.LaunchKernelEx(&config, reinterpret_cast<CUfunction>(kernel.handle),
                     /*kernelParams=*/nullptr, extra);
}
