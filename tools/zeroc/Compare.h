//===- Compare.h - zeroc --compare ----------------------------------------===//
#pragma once

#include "passes/Pipeline.h"
#include "passes/plan/Certificate.h"
#include <string>
#include <vector>

namespace mlir::zero {

/// One way to keep a model's state.
struct Variant {
  /// "3" of stages, "cpu" of tiers.
  std::string label;
  PipelineOptions options;
};

/// A variant's plan, or why there is none.
struct ComparedPlan {
  Variant variant;
  Certificate certificate;
  /// What options exclude each other; "" where there is a plan.
  std::string conflict;
};

/// Whether the plan in `module`, which was refused, is one but for its size.
bool exceedsBudget(ModuleOp module);

/// Compiles `module`, of level kernels or before, to a plan of each variant.
/// One that needs more memory than it may have is a plan, too.  Fails where a
/// variant does not compile for another reason, which has been reported.
FailureOr<std::vector<ComparedPlan>> comparePlans(ModuleOp module,
                                                  ArrayRef<Variant> variants,
                                                  PassManagerSetup setup);

/// The plans as a table, a line each, with a sentence for each stage that needs
/// more of the device than stage 1 does.
std::string printComparison(StringRef model, ArrayRef<ComparedPlan> plans);
/// The same numbers, and each plan's certificate, as an object of JSON.
std::string toJson(StringRef model, ArrayRef<ComparedPlan> plans);

} // namespace mlir::zero
