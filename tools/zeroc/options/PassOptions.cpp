//===- PassOptions.cpp - MLIR's options of pass managers ------------------===//
//
// The IR before and after passes, and files that repeat a failure:
//
//   zeroc model.mlir --mlir-print-ir-after=zero-partition-state
//   zeroc model.mlir --mlir-pass-pipeline-crash-reproducer=failure.mlir
//   zero-opt --run-reproducer failure.mlir
//
// MLIR declares them, for all of its tools, and says what they do.
//
//===----------------------------------------------------------------------===//

#include "tools/zeroc/options/CommandLine.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Pipeline.h"
#include "passes/codegen/Passes.h"
#include "tools/DebugOnly.h"

using namespace mlir;
using namespace mlir::zero;
namespace cl = llvm::cl;

constexpr StringRef kThreads = "mlir-disable-threading";

void zero::declarePassOptions(cl::OptionCategory &category) {
  // Of which IR is printed, by name.
  registerPipelinePasses();
  registerCodegenPasses();
  registerPassManagerCLOptions();
  registerMLIRContextCLOptions();
  declareDebugOnly();
  for (auto [name, option] : cl::getRegisteredOptions())
    if (isPassOption(*option)) {
      option->setHiddenFlag(cl::Hidden);
      option->addCategory(category);
    }
}

bool zero::isPassOption(const cl::Option &option) {
  return option.ArgStr.starts_with("mlir-print-ir-") ||
         option.ArgStr.starts_with("mlir-pass-pipeline-") ||
         option.ArgStr == kThreads || option.ArgStr == "debug-only";
}

llvm::Error zero::checkPassOptions() {
  auto isGiven = [](StringRef name) {
    return cl::getRegisteredOptions().at(name)->getNumOccurrences() > 0;
  };
  // MLIR ignores the first, or ends the program.
  struct {
    StringRef option;
    SmallVector<StringRef> needs; ///< one of them
  } rules[] = {
      {"mlir-print-ir-after-change",
       {"mlir-print-ir-after-all", "mlir-print-ir-after"}},
      {"mlir-print-ir-tree-dir",
       {"mlir-print-ir-after-all", "mlir-print-ir-after",
        "mlir-print-ir-before-all", "mlir-print-ir-before",
        "mlir-print-ir-after-failure"}},
      {"mlir-print-ir-module-scope", {kThreads}},
      {"mlir-pass-pipeline-local-reproducer",
       {"mlir-pass-pipeline-crash-reproducer"}},
      {"mlir-pass-pipeline-local-reproducer", {kThreads}},
  };
  for (const auto &[option, needs] : rules)
    if (isGiven(option) && llvm::none_of(needs, isGiven))
      return llvm::createStringError("--" + option + " needs --" +
                                     needs.front());
  return llvm::Error::success();
}
