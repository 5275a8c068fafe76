//===- EmitDeviceCode.cpp - From kernels to code for GPUs -----------------===//

#include "passes/codegen/gpu/EmitDeviceCode.h"

#include "abi/DeviceEntries.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "passes/codegen/gpu/GpuIntrinsics.h"
#include "passes/codegen/gpu/threads/BlockCode.h"
#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"
#include "passes/codegen/gpu/threads/Shuffle.h"
#include "passes/codegen/gpu/threads/Warp.h"
#include "passes/codegen/loops/VectorLoops.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// The entry's name for `name`, in characters that PTX accepts.
std::string entryOf(StringRef name, bool rounds = false) {
  std::string entry(rounds ? ::zrt::kRoundingEntry : ::zrt::kExactEntry);
  for (char c : name)
    if (llvm::isAlnum(c) || c == '_')
      entry += c;
    else
      entry += llvm::formatv("${0:x-2}", static_cast<unsigned>(c)).str();
  return entry;
}

/// Reads the launch parameters that lowering has left on the kernels.
std::vector<DeviceKernel> readKernels(ModuleOp kernels) {
  std::vector<DeviceKernel> found;
  for (auto function : kernels.getOps<LLVM::LLVMFuncOp>()) {
    auto numberOf = [&](StringRef name) -> uint32_t {
      auto number = function->getAttrOfType<IntegerAttr>(name);
      return number ? static_cast<uint32_t>(number.getInt()) : 0;
    };
    const uint32_t parts = numberOf(kUnitPartsAttr),
                   threads = numberOf(kBlockThreadsAttr),
                   bytes = numberOf(kSharedBytesAttr);
    const bool hasParts = function->hasAttr(kUnitPartsAttr);
    if (!hasParts && !function->hasAttr(kHalfWarpUnitsAttr))
      continue;
    DeviceKernel kernel;
    kernel.function = kernel.name = function.getName();
    if (auto whole = function->getAttrOfType<StringAttr>(kLaunchOfAttr))
      kernel.name = whole.str();
    kernel.rounds = function->hasAttr(kRoundsAttr);
    kernel.blocksAtOnce = numberOf(kBlocksAtOnceAttr);
    // Only functions that the runtime finds by name have unit elements.
    kernel.unitElements = numberOf(kUnitElementsAttr);
    kernel.entry = function->hasAttr(kUnitElementsAttr)
                       ? kernel.function
                       : entryOf(kernel.function, kernel.rounds);
    kernel.blocksPerUnit = parts;
    kernel.isBlock = !hasParts && threads;
    // Groups of a block, each with its own units and memory.
    uint32_t groups = 1;
    if (!hasParts && !threads) {
      groups = uint32_t{kBlockThreads / kHalfWarpThreads};
      while (int64_t{groups} * bytes > kMaxSharedBytes && groups > 1)
        groups /= 2;
    }
    kernel.threads = hasParts  ? uint32_t{kBlockThreads}
                     : threads ? threads
                               : groups * uint32_t{kHalfWarpThreads};
    kernel.unitsPerBlock = hasParts ? 1 : groups * numberOf(kHalfWarpUnitsAttr);
    kernel.sharedBytes = groups * bytes;
    found.push_back(kernel);
  }
  return found;
}

/// The arguments behind the operands of a thread, in a kernel of half-warps:
/// its index in the half-warp, the half-warp's memory, and its range of units.
SmallVector<llvm::Value *>
groupArguments(GpuIntrinsics &device, const DeviceKernel &kernel,
               llvm::Value *thread, llvm::Value *block, llvm::Value *units) {
  llvm::IRBuilder<> &b = device.b;
  SmallVector<llvm::Value *> args;
  const uint64_t size = kernel.isBlock ? kernel.threads : kHalfWarpThreads,
                 groups = kernel.threads / size,
                 unitsPerHalfWarp = kernel.unitsPerBlock / groups *
                                    std::max<uint64_t>(kernel.unitElements, 1);
  llvm::Value *group = b.CreateUDiv(thread, b.getInt64(size));
  args.push_back(b.CreateURem(thread, b.getInt64(size)));
  if (kernel.sharedBytes) {
    llvm::Value *shared = device.getShared(kernel.sharedBytes);
    args.push_back(b.CreateGEP(
        b.getInt8Ty(), shared,
        b.CreateMul(group, b.getInt64(kernel.sharedBytes / groups))));
  } else {
    args.push_back(llvm::ConstantPointerNull::get(b.getPtrTy()));
  }
  auto min = [&](llvm::Value *x, llvm::Value *y) {
    return b.CreateSelect(b.CreateICmpULT(x, y), x, y);
  };
  llvm::Value *index =
                  b.CreateAdd(b.CreateMul(block, b.getInt64(groups)), group),
              *begin = b.CreateMul(index, b.getInt64(unitsPerHalfWarp)),
              *end = b.CreateAdd(begin, b.getInt64(unitsPerHalfWarp));
  args.push_back(min(begin, units));
  args.push_back(min(end, units));
  return args;
}

/// The same where blocks share a unit: the thread's index in the block, the
/// block's memory, the unit and the part.
SmallVector<llvm::Value *> blockArguments(GpuIntrinsics &device,
                                          const DeviceKernel &kernel,
                                          llvm::Value *thread,
                                          llvm::Value *block) {
  llvm::IRBuilder<> &b = device.b;
  llvm::Value *parts = b.getInt64(kernel.blocksPerUnit);
  return {thread, device.getShared(kernel.sharedBytes),
          b.CreateUDiv(block, parts), b.CreateURem(block, parts)};
}

void addEntry(GpuIntrinsics &device, const DeviceKernel &kernel) {
  llvm::Function *body = device.module.getFunction(kernel.function);
  if (kernel.function == kernel.entry)
    body->setName(kernel.function + ".body");
  body->setLinkage(llvm::GlobalValue::InternalLinkage);
  body->addFnAttr(llvm::Attribute::AlwaysInline);
  llvm::IRBuilder<> &b = device.b;
  const unsigned operands = body->arg_size() - 4;
  SmallVector<llvm::Type *> types(operands, b.getPtrTy());
  types.push_back(b.getInt64Ty());
  device.createEntry(kernel, types);

  SmallVector<llvm::Value *> args;
  for (unsigned i = 0; i < operands; ++i)
    args.push_back(device.getParameter(i, b.getPtrTy()));
  llvm::Value *units = device.getParameter(operands, b.getInt64Ty());
  auto wide = [&](llvm::Value *value) {
    return b.CreateZExt(value, b.getInt64Ty());
  };
  llvm::Value *thread = wide(device.getThread()),
              *block = wide(device.getBlock());
  args.append(kernel.blocksPerUnit
                  ? blockArguments(device, kernel, thread, block)
                  : groupArguments(device, kernel, thread, block, units));
  b.CreateCall(body, args);
  b.CreateRetVoid();
}

/// A function that `body` needs and an NVIDIA GPU does not have, or has only in
/// an approximation; "" if there is none.
std::string findMissing(const llvm::Function &body) {
  for (const llvm::Instruction &instruction : llvm::instructions(body)) {
    auto *call = dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->getName().starts_with("zg."))
      continue;
    switch (callee->getIntrinsicID()) {
    case llvm::Intrinsic::not_intrinsic:
    case llvm::Intrinsic::pow:
    case llvm::Intrinsic::powi:
    case llvm::Intrinsic::exp:
    case llvm::Intrinsic::exp2:
    case llvm::Intrinsic::log:
    case llvm::Intrinsic::log2:
    case llvm::Intrinsic::log10:
    case llvm::Intrinsic::sin:
    case llvm::Intrinsic::cos:
    case llvm::Intrinsic::tan:
    case llvm::Intrinsic::tanh:
      return callee->getName().str();
    default:
      break;
    }
  }
  return "";
}

/// Records kernels that the device cannot run; with `leavesOut`, drops their
/// code.
void findMissing(DeviceCode &code, bool leavesOut) {
  llvm::erase_if(code.kernels, [&](const DeviceKernel &kernel) {
    llvm::Function *body = code.module->getFunction(kernel.function);
    std::string what = findMissing(*body);
    if (what.empty())
      return false;
    code.missing.push_back({kernel.name, what});
    if (leavesOut)
      body->eraseFromParent();
    return leavesOut;
  });
}

DeviceCode translate(ModuleOp kernels, llvm::LLVMContext &context) {
  registerBuiltinDialectTranslation(*kernels.getContext());
  registerLLVMDialectTranslation(*kernels.getContext());
  return {translateModuleToLLVMIR(kernels, context, "device"),
          readKernels(kernels),
          {}};
}

/// Defines the functions that kernels call.
void defineCalls(GpuIntrinsics &device) {
  using Args = GpuIntrinsics::Args;
  using Half = GpuIntrinsics::Half;
  auto define = [&](StringRef name,
                    llvm::function_ref<llvm::Value *(Args)> emit) {
    llvm::Function *function = device.module.getFunction(name);
    if (!function)
      return;
    device.begin(function);
    auto args = llvm::map_to_vector(
        function->args(),
        [](llvm::Argument &arg) -> llvm::Value * { return &arg; });
    llvm::Value *result = emit(args);
    if (function->getReturnType()->isVoidTy())
      device.b.CreateRetVoid();
    else
      device.b.CreateRet(result);
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
    function->addFnAttr(llvm::Attribute::AlwaysInline);
    function->addFnAttr(llvm::Attribute::Convergent);
  };
  define(kShuffle, [&](Args args) { return device.shuffle(args); });
  define(kSync, [&](Args) { return device.sync(); });
  define(kBarrier, [&](Args) { return device.barrier(); });
  for (auto [type, mma, pack] : {std::tuple(Half::BF16, kMmaBF16, kPackBF16),
                                 {Half::F16, kMmaF16, kPackF16}}) {
    define(mma, [&](Args args) { return device.mma(args, type); });
    define(pack, [&](Args args) { return device.pack(args, type); });
  }
  define(kFragment, [&](Args args) { return device.fragment(args, false); });
  define(kTransposed, [&](Args args) { return device.fragment(args, true); });
  define(kSwap, [&](Args args) { return device.swap(args); });
  define(kExp2, [&](Args args) { return device.exp2(args); });
  define(kCopy, [&](Args args) { return device.copy(args); });
  define(kEndCopies, [&](Args) { return device.endCopies(); });
  define(kWaitForCopies, [&](Args) { return device.waitForCopies(); });
  define(kWaitForOlderCopies,
         [&](Args) { return device.waitForOlderCopies(); });
}

void addEntries(GpuIntrinsics &device, const DeviceCode &code) {
  for (const DeviceKernel &kernel : code.kernels) {
    device.prepare(*device.module.getFunction(kernel.function));
    addEntry(device, kernel);
  }
  defineCalls(device);
}

} // namespace

DeviceCode zero::translateForNvidia(ModuleOp kernels,
                                    llvm::LLVMContext &context,
                                    StringRef arch) {
  DeviceCode code = translate(kernels, context);
  std::unique_ptr<llvm::TargetMachine> machine = createNvidiaMachine(arch);
  if (!code.module || !machine)
    return {};
  code.module->setTargetTriple(machine->getTargetTriple());
  code.module->setDataLayout(machine->createDataLayout());
  findMissing(code, /*leavesOut=*/true);
  addEntries(*createNvidia(*code.module), code);
  return code;
}

DeviceCode zero::translateForEmulator(ModuleOp kernels,
                                      llvm::LLVMContext &context) {
  DeviceCode code = translate(kernels, context);
  if (!code.module)
    return {};
  findMissing(code, /*leavesOut=*/false);
  addEntries(*createEmulated(*code.module), code);
  return code;
}
