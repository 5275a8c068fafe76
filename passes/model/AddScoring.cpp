//===- AddScoring.cpp - A function that returns values of samples ---------===//

#include "passes/model/ModelFunction.h"
#include "passes/model/Passes.h"

#include "dialect/zero/Origin.h"
#include "dialect/zero/Zero.h"

namespace mlir::zero {
#define GEN_PASS_DEF_ADDSCORING
#include "passes/model/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

struct AddScoringPass : zero::impl::AddScoringBase<AddScoringPass> {
  using AddScoringBase::AddScoringBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> model = findModelFunction(getOperation());
    if (failed(model))
      return signalPassFailure();
    const bool isMeasured =
        eval && hasObjective() && model->getNumResults() > 1;
    if ((score || isMeasured) && failed(addScore(*model)))
      return signalPassFailure();
    if (model->getNumResults() > 1)
      keepResult(*model, 0);
  }

private:
  bool hasObjective() {
    auto function =
        getOperation()->getAttrOfType<DictionaryAttr>(kFunctionAttr);
    return function && function.contains(kFunctionObjective);
  }

  LogicalResult addScore(func::FuncOp model) {
    if (model.getNumResults() < 2)
      return model.emitError(
          "returns a loss alone, and --score-only needs the values of samples "
          "as a second result; import it with --objective, or drop the option");
    if (Operation *other = getOperation().lookupSymbol(kScore))
      return other->emitError("is called as the function that returns values "
                              "of samples is, @")
             << kScore << "; rename it";
    OpBuilder b(model);
    b.setInsertionPointAfter(model);
    auto function = cast<func::FuncOp>(b.clone(*model));
    function.setName(kScore);
    function.setPrivate();
    removeDropout(function);
    keepResult(function, 1);
    generalize(function);
    function.setResultAttr(0, kOutputAttr, b.getStringAttr(kValues));
    return success();
  }

  static void keepResult(func::FuncOp function, unsigned kept) {
    Block &body = function.front();
    Operation *returned = body.getTerminator();
    returned->setOperands(returned->getOperand(kept));
    function.setFunctionType(
        FunctionType::get(function.getContext(), function.getArgumentTypes(),
                          function.getFunctionType().getResult(kept)));
    function.removeResAttrsAttr();
    eraseDead(body);
  }
};

} // namespace
