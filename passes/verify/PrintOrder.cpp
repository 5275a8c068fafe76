//===- PrintOrder.cpp - Prints the order of the operations of a plan ------===//

#include "dialect/zero/PlanPrograms.h"
#include "passes/verify/Diagnostics.h"
#include "passes/verify/HappensBefore.h"
#include "passes/verify/KnownOperations.h"
#include "passes/verify/Passes.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::zero {
#define GEN_PASS_DEF_PRINTORDER
#include "passes/verify/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {
struct PrintOrder : zero::impl::PrintOrderBase<PrintOrder> {
  void runOnOperation() override {
    for (ProgramOp program : findPrograms(getOperation()))
      if (failed(print(program)))
        return signalPassFailure();
    markAllAnalysesPreserved();
  }

  static LogicalResult print(ProgramOp program) {
    FailureOr<HappensBefore> order = simulate({{program, 0}});
    if (failed(order))
      return failure();
    llvm::outs() << "order of @" << program.getSymName() << '\n';
    for (Operation &op : program.front()) {
      if (namesBytes(&op))
        continue;
      const Place &place = order->at(&op);
      Stream own = getStream(&op);
      llvm::outs() << "  " << stringifyStream(own) << ' ' << place.number
                   << ": " << describe(&op);
      StringRef separator = ", after ";
      for (int stream = 0; stream < kStreams; ++stream)
        if (stream != int(own) && place.over[stream]) {
          llvm::outs() << separator << stringifyStream(Stream(stream)) << ' '
                       << place.over[stream];
          separator = ", ";
        }
      llvm::outs() << '\n';
    }
    return success();
  }
};
} // namespace
