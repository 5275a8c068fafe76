//===- CpuTarget.cpp - Plans for the host's processors --------------------===//

#include "abi/zrt.h"
#include "targets/Target.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

class HostProcessors final : public Target {
public:
  StringRef getName() const override { return "cpu"; }
  std::vector<std::string> listOutside(ModuleOp,
                                       const TargetOptions &) const override {
    return {llvm::formatv("copies of blocks of matrices, {0} MiB for each "
                          "thread",
                          ZRT_PACKING_BYTES >> 20)};
  }
  llvm::Expected<std::optional<PlanDevice>>
  emitDevice(ModuleOp, const TargetOptions &, const CpuTarget &,
             const TemporaryFolder &, PassManagerSetup) const override {
    return std::nullopt;
  }
};

} // namespace

const Target &zero::getCpuTarget() {
  static const HostProcessors target;
  return target;
}
