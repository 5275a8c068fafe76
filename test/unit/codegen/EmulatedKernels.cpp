//===- EmulatedKernels.cpp - Runs kernels on an emulated GPU --------------===//

#include "EmulatedKernels.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "passes/UpstreamDialects.h"
#include "passes/codegen/KernelPipeline.h"
#include "passes/codegen/machine/EmitObject.h"
#include "targets/cuda/DeviceWork.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

static void requireEmulated(bool holds, const char *what) {
  if (!holds)
    llvm::report_fatal_error(what);
}

EmulatedKernels::EmulatedKernels(const std::string &text) {
  DialectRegistry registry;
  zero::registerUpstreamDialects(registry);
  registry.insert<nn::NNDialect, zero::ZeroDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto plan = parseSourceString<ModuleOp>(text, &context);
  requireEmulated(plan && succeeded(zero::formPlanKernels(*plan)),
                  "the plan's text is wrong");
  FailureOr<zero::DeviceWork> work =
      zero::findDeviceWork(*plan, /*addsUp=*/true);
  requireEmulated(succeeded(work), "a GPU cannot do the plan");
  OwningOpRef<ModuleOp> lowered = zero::lowerDeviceWork(*plan, *work);
  requireEmulated(static_cast<bool>(lowered), "the kernels cannot be lowered");
  llvm::LLVMContext llvmContext;
  zero::DeviceCode device = zero::translateForEmulator(*lowered, llvmContext);
  requireEmulated(static_cast<bool>(device.module), "the kernels have no code");
  kernels = device.kernels;

  SmallString<64> path;
  requireEmulated(!llvm::sys::fs::createTemporaryFile("device", "o", path),
                  "cannot make a temporary file");
  llvm::FileRemover remover(path);
  zero::CpuTarget target = llvm::cantFail(zero::resolveCpu("native"));
  llvm::cantFail(
      zero::emitObject(*device.module, target, /*optimise=*/true, path));
  code = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  llvm::orc::MangleAndInterner mangle(code->getExecutionSession(),
                                      code->getDataLayout());
  llvm::orc::SymbolMap symbols;
  for (auto [name, address] : zge::listCalls())
    symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                             llvm::JITSymbolFlags::Exported};
  llvm::cantFail(code->getMainJITDylib().define(
      llvm::orc::absoluteSymbols(std::move(symbols))));
  llvm::cantFail(code->addObjectFile(llvm::cantFail(
      llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(path)))));
}

std::string EmulatedKernels::launch(const std::string &name,
                                    std::span<const Operand> operands,
                                    int64_t units, int64_t count,
                                    uint64_t seed) {
  bool isKnown = false;
  for (const zero::DeviceKernel &kernel : kernels) {
    if (kernel.name != name)
      continue;
    isKnown = true;
    zge::Emulator emulator;
    std::vector<void *> addresses, params;
    for (const Operand &operand : operands) {
      addresses.push_back(operand.address);
      emulator.memory.add(operand.address, operand.bytes, operand.isWritten);
    }
    for (void *&address : addresses)
      params.push_back(static_cast<void *>(&address));
    params.push_back(&count);
    auto entry =
        llvm::cantFail(code->lookup(kernel.entry)).toPtr<void (*)(void **)>();
    const auto blocks = static_cast<uint32_t>(
        kernel.blocksPerUnit ? units * kernel.blocksPerUnit
                             : llvm::divideCeil(units, kernel.unitsPerBlock));
    std::string error =
        emulator.tryRun({name.c_str(), entry, params.data(), blocks,
                         kernel.threads, kernel.sharedBytes, seed});
    if (!error.empty())
      return error;
  }
  return isKnown ? "" : "there is no kernel " + name;
}
