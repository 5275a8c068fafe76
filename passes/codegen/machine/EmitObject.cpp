//===- EmitObject.cpp - From kernels to machine code ----------------------===//

#include "passes/codegen/machine/EmitObject.h"
#include "passes/codegen/machine/OptimizeModule.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

std::unique_ptr<llvm::TargetMachine> createMachine(const CpuTarget &target,
                                                   bool optimise) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string error;
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return nullptr;
  llvm::TargetOptions options;
  // One rounding per operation, on every machine and in every tail.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(triple, target.cpu, target.features, options,
                                 llvm::Reloc::PIC_, std::nullopt,
                                 optimise ? llvm::CodeGenOptLevel::Aggressive
                                          : llvm::CodeGenOptLevel::None));
}

/// Instruction sets that generated code may use, by the names of zrt.
constexpr std::pair<const char *, const char *> kRequired[] = {
    {"+sse4.2", "sse4_2"},     {"+avx", "avx"},
    {"+avx2", "avx2"},         {"+fma", "fma"},
    {"+avx512f", "avx512f"},   {"+avx512bw", "avx512bw"},
    {"+avx512dq", "avx512dq"}, {"+avx512vl", "avx512vl"},
    {"+avx512cd", "avx512cd"}};

/// More instruction sets, for products of 16 bits: the runtime has kernels for
/// them.
constexpr std::pair<const char *, const char *> kDots[] = {
    {"+avx512bf16", "avx512bf16"}};
constexpr std::pair<const char *, const char *> kTiles[] = {
    {"+avx512bf16", "avx512bf16"},
    {"+amx-tile", "amx-tile"},
    {"+amx-bf16", "amx-bf16"},
    {"+amx-fp16", "amx-fp16"}};

} // namespace

llvm::Expected<CpuTarget> zero::resolveCpu(StringRef option) {
  CpuTarget target;
  if (option == "native") {
    target.cpu = llvm::sys::getHostCPUName().str();
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      target.features += (target.features.empty() ? "" : ",") +
                         std::string(feature.second ? "+" : "-") +
                         feature.first().str();
    target.description = "native (" + target.cpu + ")";
  } else {
    target.cpu = option.str();
    target.description = option.str();
  }
  CpuTarget probe{"x86-64", "", "", "", ""};
  std::unique_ptr<llvm::TargetMachine> generic = createMachine(probe, false);
  if (!generic)
    return llvm::createStringError(
        "this build of LLVM has no target for this machine");
  if (!generic->getMCSubtargetInfo()->isCPUStringValid(target.cpu))
    return llvm::createStringError(
        "--cpu=%s is not a CPU that LLVM knows; use native, x86-64-v3, "
        "x86-64-v4 or a name such as znver4",
        target.cpu.c_str());
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(target, false);
  auto add = [&](auto &features, std::string &list) {
    for (auto [feature, name] : features)
      if (machine->getMCSubtargetInfo()->checkFeatures(feature))
        list += (list.empty() ? "" : ",") + std::string(name);
  };
  add(kRequired, target.required);
  const auto has = [&](StringRef feature) {
    return machine->getMCSubtargetInfo()->checkFeatures(feature.str());
  };
  if (has("+amx-tile,+amx-bf16,+avx512bf16"))
    add(kTiles, target.ofHalves);
  // Where AVX512_FP16 is (Intel, from Sapphire Rapids on), VDPBF16PS has half
  // the rate of f32's FMA; on Zen 4 and 5 it has twice that rate.
  else if (!has("+avx512fp16"))
    add(kDots, target.ofHalves);
  return target;
}

std::unique_ptr<llvm::Module> zero::translateKernels(ModuleOp kernels,
                                                     llvm::LLVMContext &context,
                                                     const CpuTarget &target) {
  registerBuiltinDialectTranslation(*kernels.getContext());
  registerLLVMDialectTranslation(*kernels.getContext());
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(kernels, context, "kernels");
  if (!module)
    return nullptr;
  llvm::IRBuilder<> b(context);
  llvm::Type *pointer = b.getPtrTy(), *i64 = b.getInt64Ty();
  SmallVector<llvm::Function *> bodies;
  for (llvm::Function &function : *module)
    if (!function.isDeclaration())
      bodies.push_back(&function);
  for (llvm::Function *body : bodies) {
    body->setLinkage(llvm::GlobalValue::InternalLinkage);
    auto *type =
        llvm::FunctionType::get(b.getVoidTy(), {pointer, i64, i64}, false);
    auto *entry =
        llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                               "zk." + body->getName(), *module);
    b.SetInsertPoint(llvm::BasicBlock::Create(context, "", entry));
    SmallVector<llvm::Value *> args;
    unsigned count = body->arg_size() - 2;
    for (unsigned i = 0; i < count; ++i)
      args.push_back(b.CreateLoad(
          pointer, b.CreateConstGEP1_64(pointer, entry->getArg(0), i)));
    args.push_back(entry->getArg(1));
    args.push_back(entry->getArg(2));
    b.CreateCall(body, args);
    b.CreateRetVoid();
  }
  for (llvm::Function &function : *module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr("min-legal-vector-width", "512");
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  return module;
}

llvm::Error zero::emitObject(llvm::Module &module, const CpuTarget &target,
                             bool optimise, StringRef path) {
  std::unique_ptr<llvm::TargetMachine> machine =
      createMachine(target, optimise);
  if (!machine)
    return llvm::createStringError(
        "this build of LLVM has no target for this machine");
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  if (optimise)
    optimizeKernels(module, *machine);
  std::error_code failure;
  llvm::raw_fd_ostream out(path, failure, llvm::sys::fs::OF_None);
  if (failure)
    return llvm::createStringError(failure, "cannot write %s",
                                   path.str().c_str());
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, out, nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("this target emits no object files");
  passes.run(module);
  out.close();
  if (std::error_code error = out.error()) {
    out.clear_error(); // else its destructor ends the program
    return llvm::createStringError("cannot write " + path + ": " +
                                   error.message());
  }
  return llvm::Error::success();
}
