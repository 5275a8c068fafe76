//===- OptionConflicts.cpp - Options of a plan that exclude each other ----===//

#include "tools/zeroc/OptionConflicts.h"

using namespace mlir;
using namespace mlir::zero;

bool zero::mayOffloadParameters(const PipelineOptions &p) {
  return p.worldSize == 1 || p.stage == 3;
}

/// Of updates in host memory that run in the next step.
static std::string findUpdateConflict(const PipelineOptions &p) {
  std::string several = " needs steps of one micro-step, got --accumulate=" +
                        std::to_string(p.accumulate);
  if (p.overlapUpdate && p.offloadOptimizer == "none")
    return "--overlap-update is for updates in host memory; add "
           "--offload-optimizer=cpu or nvme, or --offload";
  if (p.overlapUpdate && p.accumulate > 1)
    return "--overlap-update" + several;
  if (p.delayedUpdate && p.overlapUpdate)
    return "--overlap-update and --delayed-update run updates at different "
           "times; use one of them";
  if (p.delayedUpdate && p.offloadOptimizer == "none")
    return "--delayed-update is for updates in host memory; add "
           "--offload-optimizer=cpu or nvme";
  if (p.delayedUpdate && p.offloadParams != "none")
    return "--delayed-update needs parameters on the device, which the step "
           "reads while the host makes the next ones; replace --offload by "
           "--offload-optimizer=" +
           p.offloadOptimizer + ", or take --overlap-update";
  if (p.delayedUpdate && p.accumulate > 1)
    return "--delayed-update" + several;
  return "";
}

std::string zero::findConflict(const PipelineOptions &p) {
  bool offloadsState =
      p.offloadParams != "none" || p.offloadOptimizer != "none";
  if (!p.gradDtype.empty() && p.gradDtype != "f32" &&
      p.gradDtype != p.precision)
    return "--grad-dtype=" + p.gradDtype + " needs --precision=" + p.gradDtype +
           ", got --precision=" + p.precision +
           "; gradients are f32, or what parameters are";
  if (p.reference && (p.worldSize > 1 || p.accumulate > 1))
    return "--reference is one rank and one micro-step, got --world-size=" +
           std::to_string(p.worldSize) +
           " --accumulate=" + std::to_string(p.accumulate) +
           "; drop them for the comparison";
  if (p.offloadParams != "none" && !mayOffloadParameters(p))
    return "--offload-params=" + p.offloadParams +
           " needs --stage=3, got --stage=" + std::to_string(p.stage) + " on " +
           std::to_string(p.worldSize) +
           " ranks, where parameters are whole on every rank";
  if (p.master == "none" && offloadsState)
    return "--master=none keeps all state on the device; drop --offload, or "
           "keep masters";
  if (p.reference && offloadsState)
    return "--reference keeps all state on the device; drop --offload for the "
           "comparison";
  if (p.reference && (p.offloadActivations != "none" || p.remat != "none"))
    return std::string(
               "--reference keeps all activations on the device; drop ") +
           (p.remat != "none" ? "--remat" : "--offload-activations") +
           " for the comparison";
  if (p.accumulateOrder == "block" && p.accumulate == 1)
    return "--accumulate-order=block is for steps of several micro-steps; add "
           "--accumulate=K, or drop it";
  if (p.sample == "only" &&
      (p.accumulate > 1 || p.eval || p.remat != "none" ||
       p.offloadActivations != "none" || p.overlapUpdate || p.delayedUpdate ||
       (p.offloadOptimizer != "none" && p.offloadParams == "none")))
    return "--sample-only is for a program that does not train; drop "
           "--accumulate, --eval, --remat, --offload-activations, "
           "--overlap-update and --delayed-update, and of --offload take "
           "--offload-params";
  return findUpdateConflict(p);
}
