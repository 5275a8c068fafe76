//===- EmitDevice.cpp - Code for the device of a plan ---------------------===//
//
// The kernels that the device's streams launch are lowered a second time, for
// the threads of a GPU (passes/codegen/gpu), and become images:
//
//   sm_90      cubin    machine code of this GPU, where ptxas is found in
//                       CUDA_HOME, on the PATH, or in /usr/local/cuda
//              ptx      text, which a driver compiles for this GPU or a later
//              one
//   emulated   emulated an x86-64 shared object for the tests' emulator
//
//===----------------------------------------------------------------------===//

#include "tools/zeroc/EmitDevice.h"

#include "dialect/zero/BytesText.h"
#include "passes/codegen/gpu/DeviceWork.h"
#include "passes/codegen/gpu/EmitDeviceCode.h"
#include "tools/zeroc/RunTool.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace mlir::zero;

static constexpr StringLiteral kEmulated = "emulated";

llvm::ArrayRef<StringRef> zero::getCudaArchs() {
  static constexpr StringRef kArchs[] = {"sm_80",  "sm_86",  "sm_87",  "sm_89",
                                         "sm_90",  "sm_100", "sm_103", "sm_110",
                                         "sm_120", "sm_121", kEmulated};
  return kArchs;
}

llvm::Error zero::checkTarget(ModuleOp plan, StringRef input, StringRef arch) {
  auto workspace = plan->getAttrOfType<BytesAttr>(kWorkspaceAttr);
  const int64_t has = workspace ? workspace.getSize() : 0,
                needs = arch.empty() ? 0 : getProductWorkspace(arch);
  if (has == needs)
    return llvm::Error::success();
  if (arch.empty())
    return llvm::createStringError(
        input + " is a plan for a GPU, with a workspace of " + bytesText(has) +
        " for products; add --target=cuda, or start from level scheduled or "
        "before");
  return llvm::createStringError(
      input + " is a plan " +
      (has ? "with a workspace of " + bytesText(has) + " for products"
           : std::string("for processors, without a workspace for products")) +
      ", and --cuda-arch=" + arch + " needs one of " + bytesText(needs) +
      "; start from level scheduled or before");
}

static llvm::Error writeFile(StringRef path, StringRef text) {
  return llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    os << text;
    return llvm::Error::success();
  });
}

/// Returns the path of ptxas, or "" if there is none.
static std::string findPtxas() {
  SmallVector<std::string> folders;
  if (const char *home = getenv("CUDA_HOME"))
    folders.push_back(std::string(home) + "/bin");
  if (!folders.empty())
    if (auto found = llvm::sys::findProgramByName("ptxas", {folders.front()}))
      return *found;
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  if (auto found =
          llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
    return *found;
  return "";
}

/// Adds the cubin, if ptxas exists, then the PTX.
static llvm::Error emitNvidia(llvm::Module &module, StringRef arch,
                              const TemporaryFolder &folder,
                              PlanDevice &device) {
  llvm::Expected<std::string> ptx = emitPtx(module, arch);
  if (!ptx)
    return ptx.takeError();
  if (std::string ptxas = findPtxas(); !ptxas.empty()) {
    std::string text = folder.file("kernels.ptx"),
                code = folder.file("kernels.cubin");
    if (llvm::Error error = writeFile(text, *ptx))
      return error;
    std::string target = ("-arch=" + arch).str();
    if (llvm::Error error =
            runTool({ptxas, target, "-O3", text, "-o", code}, folder))
      return error;
    llvm::Expected<std::string> cubin = readFile(code);
    if (!cubin)
      return cubin.takeError();
    device.images.push_back({"cubin", *cubin});
  }
  ptx->push_back('\0'); // included in the size
  device.images.push_back({"ptx", *ptx});
  return llvm::Error::success();
}

static llvm::Error emitEmulated(llvm::Module &module, const CpuTarget &cpu,
                                const TemporaryFolder &folder,
                                PlanDevice &device) {
  std::string object = folder.file("emulated.o"),
              library = folder.file("emulated.so");
  if (llvm::Error error =
          emitObject(module, cpu, /*optimise=*/false, object)) // a few steps
    return error;
  if (llvm::Error error =
          runTool({getLinker(), "-shared", "-Bsymbolic", object, "-o", "-"},
                  folder, library))
    return error;
  llvm::Expected<std::string> image = readFile(library);
  if (!image)
    return image.takeError();
  device.images.push_back({kEmulated.str(), *image});
  return llvm::Error::success();
}

/// "@a needs llvm.exp.f64, and 3 more"
static std::string nameMissing(const DeviceCode &code) {
  const auto &[kernel, function] = code.missing.front();
  std::string text = "@" + kernel + " needs " + function;
  if (code.missing.size() > 1)
    text += ", and " + std::to_string(code.missing.size() - 1) + " more do";
  return text;
}

llvm::Expected<PlanDevice>
zero::emitDevice(ModuleOp plan, StringRef arch, StringRef collectives,
                 StringRef attention, const CpuTarget &cpu,
                 const TemporaryFolder &folder, PassManagerSetup setup) {
  auto failed = [] {
    return llvm::createStringError("code generation for the GPU failed");
  };
  FailureOr<DeviceWork> work =
      findDeviceWork(plan, /*addsUp=*/collectives != "host");
  if (mlir::failed(work))
    return failed();
  OwningOpRef<ModuleOp> kernels =
      lowerDeviceWork(plan, *work, setup, attention);
  if (!kernels)
    return failed();
  const bool isEmulated = arch == kEmulated;
  llvm::LLVMContext context;
  DeviceCode code = isEmulated ? translateForEmulator(*kernels, context)
                               : translateForNvidia(*kernels, context, arch);
  if (!code.module)
    return failed();
  if (!code.missing.empty())
    return llvm::createStringError(
        "GPUs do not have a function that kernels need: " + nameMissing(code) +
        "; drop --target=cuda");
  PlanDevice device{"cuda", arch.str(),  collectives.str(), "zrt_cuda_device",
                    {},     code.kernels};
  if (llvm::Error error = isEmulated
                              ? emitEmulated(*code.module, cpu, folder, device)
                              : emitNvidia(*code.module, arch, folder, device))
    return std::move(error);
  return device;
}
