//===- InitialValues.cpp - How parameters begin ---------------------------===//

#include "dialect/zero/InitialValues.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"

using namespace mlir;
using namespace mlir::zero;

static bool isNormWeight(BlockArgument parameter) {
  return llvm::any_of(parameter.getUsers(), [&](Operation *user) {
    auto norm = dyn_cast<nn::LayerNormOp>(user);
    return norm && norm.getWeight() == parameter;
  });
}

void zero::setInitialValues(func::FuncOp model) {
  MLIRContext *context = model.getContext();
  for (BlockArgument parameter : model.getArguments()) {
    unsigned i = parameter.getArgNumber();
    auto name = model.getArgAttrOfType<StringAttr>(i, kParamAttr);
    if (!name || model.getArgAttr(i, kInitAttr))
      continue;
    auto constant = [&](double value) -> Attribute {
      return ConstantAttr::get(context, APFloat(value));
    };
    if (isNormWeight(parameter)) {
      model.setArgAttr(i, kInitAttr, constant(1));
      continue;
    }
    auto type = dyn_cast<RankedTensorType>(parameter.getType());
    Attribute init = type && type.getRank() >= 2
                         ? NormalAttr::get(context, APFloat(0.02))
                         : constant(0);
    emitWarning(parameter.getLoc(), "parameter ")
        << name << " has no zero.init and begins as " << init
        << "; say how it begins";
    model.setArgAttr(i, kInitAttr, init);
  }
}
