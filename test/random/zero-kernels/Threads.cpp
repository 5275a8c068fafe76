//===- Threads.cpp - Runs a kernel on emulated GPU threads ----------------===//

#include "Runs.h"

#include "test/emulator/Emulator.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::zero;

std::string zero::runThreads(const Launch &launch, uint8_t *arena,
                             uint64_t seed) {
  const Case &of = *launch.of;
  zge::Emulator emulator;
  KernelOp kernel = of.kernel;
  const unsigned operands = kernel.getNumArguments();
  SmallVector<void *> args;
  // Results come after operands, so bytes that a result shares become writable.
  for (auto [i, ref] : llvm::enumerate(launch.args)) {
    args.push_back(arena + ref.offset);
    emulator.memory.add(args.back(), ref.bytes, /*isWritable=*/i >= operands);
  }
  int64_t units = of.extent;
  SmallVector<void *> params;
  for (void *&arg : args)
    params.push_back(static_cast<void *>(&arg));
  params.push_back(&units);
  for (const auto &[device, entry] : of.device) {
    const uint64_t blocks =
        device.blocksPerUnit
            ? uint64_t(units) * device.blocksPerUnit
            : llvm::divideCeil(uint64_t(units), device.unitsPerBlock);
    std::string error = emulator.tryRun(
        {device.function.c_str(), entry, params.data(), uint32_t(blocks),
         device.threads, device.sharedBytes, seed});
    if (!error.empty())
      return error;
  }
  return "";
}
