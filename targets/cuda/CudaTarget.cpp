//===- CudaTarget.cpp - Plans for GPUs of NVIDIA --------------------------===//
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

#include "dialect/zero/PlanPrograms.h"
#include "numerics/NcclMemory.h"
#include "passes/codegen/gpu/EmitDeviceCode.h"
#include "runtime/program/Attachments.h"
#include "targets/RunTool.h"
#include "targets/Target.h"
#include "targets/cuda/DeviceWork.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <map>

using namespace mlir;
using namespace mlir::zero;

static constexpr StringLiteral kEmulated = "emulated";

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

/// Bytes that NCCL is expected to take for a plan: it has a communicator for
/// each stream and each kind of party that meets there.
static int64_t countNccl(ModuleOp plan) {
  const int64_t ranks = getNumRanks(plan), members = getGroupSize(plan);
  if (ranks == 1)
    return 0;
  std::map<std::pair<Stream, std::optional<Over>>, bool> exchanges;
  for (auto program : plan.getOps<ProgramOp>())
    program.walk([&](CollectiveOpInterface op) {
      exchanges[{getStream(op), op.getRanksOver()}] |=
          op.getKind() == CollectiveKind::ReduceScatter ||
          op.getKind() == CollectiveKind::AllToAll;
    });
  int64_t bytes = 0;
  for (auto [where, exchange] : exchanges) {
    const int64_t party = !where.second                    ? ranks
                          : *where.second == Over::Members ? members
                          : *where.second == Over::Context
                              ? getContextSize(plan)
                              : ranks / members;
    bytes += zrt::ncclRingBytes(party);
    if (exchange)
      bytes += zrt::ncclExchangeBytes(party, zrt::kNcclChannels);
  }
  return bytes;
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
  const std::vector<std::string> linker = getLinker();
  SmallVector<StringRef> command(linker.begin(), linker.end());
  command.append({"-shared", "-Bsymbolic", object, "-o", "-"});
  if (llvm::Error error = runTool(command, folder, library))
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

namespace {

class CudaTarget final : public Target {
public:
  StringRef getName() const override { return "cuda"; }

  ArrayRef<StringRef> getArchs() const override {
    static constexpr StringRef kArchs[] = {
        "sm_80",  "sm_86",  "sm_87",  "sm_89",  "sm_90",  "sm_100",
        "sm_103", "sm_110", "sm_120", "sm_121", kEmulated};
    return kArchs;
  }

  bool multipliesOnHost() const override { return false; }

  /// The size that cuBLASLt's authors recommend from sm_90 on, where programs
  /// for earlier GPUs run, too; the emulator needs less.
  int64_t getWorkspace(StringRef arch) const override {
    constexpr int64_t kEmulated = 4 << 20, kUsual = 32 << 20;
    return arch.starts_with("sm_") ? kUsual : kEmulated;
  }

  std::vector<std::string>
  listOutside(ModuleOp plan, const TargetOptions &options) const override {
    std::vector<std::string> lines = {
        "on the GPU, what its driver and libraries keep there, and kernels"};
    if (const int64_t bytes =
            options.collectives == "nccl" ? countNccl(plan) : 0)
      lines.push_back(
          "on the GPU, what ranks contribute to sums, up to 32 MiB, "
          "and NCCL's buffers, some " +
          std::to_string(bytes >> 20) + " MiB");
    return lines;
  }

  llvm::Expected<std::optional<PlanDevice>>
  emitDevice(ModuleOp plan, const TargetOptions &options, const CpuTarget &cpu,
             const TemporaryFolder &folder,
             PassManagerSetup setup) const override;

  StringRef getAttachment() const override { return zrt::kCudaAttachment; }

  std::string explainMissing(const std::string &why) const override {
    return "this build has no CUDA: " + why +
           "; CMake builds it where the CUDA toolkit (12 or later) is "
           "installed";
  }
};

} // namespace

const Target &zero::getCudaTarget() {
  static const CudaTarget target;
  return target;
}

llvm::Expected<std::optional<PlanDevice>>
CudaTarget::emitDevice(ModuleOp plan, const TargetOptions &options,
                       const CpuTarget &cpu, const TemporaryFolder &folder,
                       PassManagerSetup setup) const {
  const std::string &arch = options.arch;
  auto failed = [] {
    return llvm::createStringError("code generation for the GPU failed");
  };
  std::optional<DeviceWork> work =
      findDeviceWork(plan, /*addsUp=*/options.collectives != "host");
  if (!work)
    return failed();
  OwningOpRef<ModuleOp> kernels = lowerDeviceWork(
      plan, *work, setup, options.attention == kCudnn ? "" : options.attention,
      arch);
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
  PlanDevice device{getName().str(),   arch, options.collectives,
                    "zrt_cuda_device", {},   code.kernels};
  for (KernelOp kernel : work->libraries) {
    FailureOr<LibraryAttention> attention = describeLibraryAttention(kernel);
    if (mlir::failed(attention))
      return failed();
    device.attentions.push_back(*attention);
  }
  if (llvm::Error error = isEmulated
                              ? emitEmulated(*code.module, cpu, folder, device)
                              : emitNvidia(*code.module, arch, folder, device))
    return std::move(error);
  return device;
}
