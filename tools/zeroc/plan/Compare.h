//===- Compare.h - zeroc --compare ----------------------------------------===//
#pragma once

#include "passes/certify/Certificate.h"
#include "tools/zeroc/options/Requests.h"
#include <string>
#include <vector>

namespace mlir::zero {

/// A variant's plan, or why there is none.
struct ComparedPlan {
  Variant variant;
  Certificate certificate;
  /// Why the variant's options exclude each other; "" if there is a plan.
  std::string conflict;
};

/// Compiles `module`, at level kernels or before, to a plan, whose certificate
/// it returns.  A plan that exceeds its memory limit counts as a plan.
FailureOr<Certificate> compileCertificate(ModuleOp module,
                                          const PipelineOptions &options,
                                          PassManagerSetup setup);

/// Returns true if the refused plan in `module` is valid except for its size.
bool exceedsBudget(ModuleOp module);

/// Compiles `module`, at level kernels or before, to a plan of each variant.  A
/// plan that exceeds its memory limit counts as a plan.  Fails if a variant
/// does not compile for another reason, which has been reported.
FailureOr<std::vector<ComparedPlan>> comparePlans(ModuleOp module,
                                                  ArrayRef<Variant> variants,
                                                  PassManagerSetup setup);

/// Prints the plans as a table, one line each, with a sentence for each stage
/// that needs more device memory than stage 1.
std::string printComparison(StringRef model, ArrayRef<ComparedPlan> plans);
/// Prints the same numbers, and each plan's certificate, as a JSON object.
std::string toJson(StringRef model, ArrayRef<ComparedPlan> plans);

/// Searches the plans of `kernels`, at level kernels, that may need less memory
/// than the one of `given`.  Describes some that fit its limits; if none does,
/// the smallest one.
std::string findSmallerPlans(ModuleOp kernels, const PipelineOptions &given);

} // namespace mlir::zero
