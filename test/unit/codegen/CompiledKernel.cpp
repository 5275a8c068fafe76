//===- CompiledKernel.cpp - A kernel as zeroc compiles it -----------------===//

#include "CompiledKernel.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/UpstreamDialects.h"
#include "passes/codegen/KernelPipeline.h"
#include "passes/codegen/machine/EmitObject.h"
#include "passes/kernels/Passes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

static void require(bool holds, const char *what) {
  if (!holds)
    llvm::report_fatal_error(what);
}

/// Replaces `op` by its derivative.
static void differentiate(nn::GeluOp op) {
  OpBuilder b(op);
  auto type = op.getX().getType();
  Value one = arith::ConstantOp::create(b, op.getLoc(),
                                        DenseElementsAttr::get(type, 1.0f));
  SmallVector<Value> derivative;
  require(succeeded(op.differentiate(b, {one}, {true}, derivative)),
          "no derivative");
  op.replaceAllUsesWith(derivative[0]);
  op.erase();
}

/// Returns the lowered kernels in an LLVM module.
static std::unique_ptr<llvm::Module>
lowerKernels(StringRef text, bool derivative, llvm::LLVMContext &llvmContext,
             const zero::CpuTarget &target) {
  DialectRegistry registry;
  zero::registerUpstreamDialects(registry);
  registry.insert<nn::NNDialect, zero::ZeroDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceString<ModuleOp>(text, &context);
  require(static_cast<bool>(module), "the kernel's text is wrong");
  if (derivative)
    module->walk(differentiate);
  PassManager pm(&context);
  pm.addPass(zero::createLowerToGenerics());
  require(succeeded(pm.run(*module)) &&
              succeeded(zero::formPlanKernels(*module)) &&
              succeeded(zero::lowerKernelsToCpu(*module, /*reference=*/false)),
          "the kernel cannot be lowered");
  return zero::translateKernels(*module, llvmContext, target);
}

CompiledKernel::CompiledKernel(const Body &body, int64_t rows, int64_t columns,
                               const char *cpu)
    : rows(rows), columns(columns) {
  std::string type = llvm::formatv("tensor<{0}x{1}xf32>", rows, columns);
  std::string operation = body.text;
  for (size_t at; (at = operation.find("$T")) != std::string::npos;)
    operation.replace(at, 2, type);
  std::string text =
      llvm::formatv("zero.kernel @kernel(%x: {0}) -> {0} units rows [{1}] {{\n"
                    "  %y = {2}\n  zero.return %y : {0}\n}",
                    type, rows, operation);

  compile(text, body.derivative, "kernel", cpu);
}

CompiledKernel::CompiledKernel(const std::string &text, const std::string &name,
                               const char *cpu) {
  compile(text, /*derivative=*/false, name, cpu);
}

void CompiledKernel::compile(const std::string &text, bool derivative,
                             const std::string &name, const char *cpu) {
  zero::CpuTarget target = llvm::cantFail(zero::resolveCpu(cpu));
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      lowerKernels(text, derivative, context, target);
  SmallString<64> path;
  require(!llvm::sys::fs::createTemporaryFile("kernel", "o", path),
          "cannot make a temporary file");
  llvm::FileRemover remover(path);
  llvm::cantFail(zero::emitObject(*module, target, /*optimise=*/true, path));
  auto object = llvm::MemoryBuffer::getFile(path);
  require(static_cast<bool>(object), "cannot read the object file");

  code = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  llvm::cantFail(code->addObjectFile(std::move(*object)));
  entry = llvm::cantFail(code->lookup("zk." + name))
              .toPtr<void (*)(void *const *, int64_t, int64_t)>();
}

std::vector<float>
CompiledKernel::operator()(const std::vector<float> &x) const {
  require(static_cast<int64_t>(x.size()) == rows * columns,
          "the kernel has another size");
  std::vector<float> y(x.size());
  void *buffers[] = {const_cast<float *>(x.data()), y.data()};
  entry(buffers, 0, rows);
  return y;
}
