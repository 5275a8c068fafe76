//===- PrintCosts.cpp - Prints the cost of each operation of a plan -------===//

#include "dialect/zero/Cost.h"
#include "passes/plan/Lifetimes.h"
#include "passes/plan/Passes.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::zero {
#define GEN_PASS_DEF_PRINTCOSTS
#include "passes/plan/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

/// "members, slice -> whole": how much of operands and results is touched.
static std::string describeExtents(PlanOpInterface op) {
  auto join = [&](ValueRange values) {
    return llvm::join(
        llvm::map_range(values,
                        [&](Value value) {
                          return stringifyExtent(op.getExtent(value)).str();
                        }),
        ", ");
  };
  return join(op->getOperands()) + " -> " + join(op->getResults());
}

/// " read 64 device 32 host", without tiers of 0 bytes.
static std::string describeBytes(StringRef what,
                                 ArrayRef<int64_t> bytesByTier) {
  std::string text;
  for (auto [tier, bytes] : llvm::enumerate(bytesByTier))
    if (bytes)
      text +=
          (" " + Twine(bytes) + " " + stringifyTier(static_cast<Tier>(tier)))
              .str();
  return text.empty() ? "" : (" " + what + text).str();
}

namespace {
struct PrintCosts : zero::impl::PrintCostsBase<PrintCosts> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    for (ProgramOp program : getPrograms(getOperation())) {
      llvm::outs() << '@' << program.getName() << '\n';
      for (auto op : program.front().getOps<PlanOpInterface>()) {
        if (op.movesNothing())
          continue;
        Cost cost = getCost(op, symbols);
        llvm::outs() << "  " << stringifyStream(getStream(op)) << ' '
                     << op->getName().stripDialect();
        if (FlatSymbolRefAttr bucket = op.getBucketRef())
          llvm::outs() << " of " << bucket;
        llvm::outs() << ": " << describeExtents(op) << "; " << cost.flops
                     << " flops" << describeBytes("read", cost.read)
                     << describeBytes("write", cost.written);
        if (cost.wire)
          llvm::outs() << " receive " << cost.wire;
        llvm::outs() << '\n';
      }
    }
    llvm::outs().flush();
    markAllAnalysesPreserved();
  }
};
} // namespace
