//===- Target.cpp - What runs the device's streams of a plan --------------===//

#include "targets/Target.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include <functional>

using namespace mlir;
using namespace mlir::zero;

static ArrayRef<const Target *> getTargets() {
  static const Target *const targets[] = {&getCpuTarget(), &getCudaTarget()};
  return targets;
}

ArrayRef<StringRef> zero::getTargetNames() {
  static const SmallVector<StringRef> names =
      llvm::map_to_vector(getTargets(), std::mem_fn(&Target::getName));
  return names;
}

const Target &zero::getTarget(StringRef name) {
  return **llvm::find_if(getTargets(), [&](const Target *target) {
    return target->getName() == name;
  });
}

static TargetAttr getAttr(MLIRContext *context, const Target &target,
                          StringRef arch) {
  return target.getArchs().empty()
             ? TargetAttr()
             : TargetAttr::get(context, target.getName(), arch,
                               target.getWorkspace(arch));
}

void zero::setTarget(ModuleOp plan, const Target &target, StringRef arch) {
  plan->removeAttr(kTargetAttr);
  if (TargetAttr attr = getAttr(plan.getContext(), target, arch))
    plan->setAttr(kTargetAttr, attr);
}

/// "cuda with --cuda-arch=sm_90", or "the host's processors".
static std::string describe(TargetAttr attr) {
  return attr ? (attr.getName() + " with --cuda-arch=" + attr.getArch()).str()
              : "the host's processors";
}

llvm::Error zero::checkTarget(ModuleOp plan, StringRef input,
                              const Target &target, StringRef arch) {
  auto has = plan->getAttrOfType<TargetAttr>(kTargetAttr);
  TargetAttr wanted = getAttr(plan.getContext(), target, arch);
  if (!has && plan->hasAttr(kWorkspaceAttr))
    return llvm::createStringError(
        input + " is a plan for a GPU that an older zeroc printed, without "
                "zero.target; start from level scheduled or before");
  if (has == wanted)
    return llvm::Error::success();
  return llvm::createStringError(
      input + " is a plan for " + describe(has) + ", got " + describe(wanted) +
      (has ? "; add --target=" + has.getName() +
                 " --cuda-arch=" + has.getArch() + ", or"
           : Twine("; drop --target, or")) +
      " start from level scheduled or before");
}
