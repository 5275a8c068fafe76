//===- InitialValues.cpp - Initial values of parameters -------------------===//

#include "passes/model/InitialValues.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"

using namespace mlir;
using namespace mlir::zero;

/// The initial value of a norm's weight, with which the norm's factor is 1;
/// none for other parameters.
static std::optional<double> normWeightOf(BlockArgument parameter) {
  for (Operation *user : parameter.getUsers()) {
    if (auto norm = dyn_cast<nn::LayerNormOp>(user);
        norm && norm.getWeight() == parameter)
      return 1;
    if (auto norm = dyn_cast<nn::RmsNormOp>(user);
        norm && norm.getWeight() == parameter)
      return norm.getUnitOffset() ? 0 : 1;
  }
  return std::nullopt;
}

/// The numbers of `init`.
static SmallVector<APFloat> numbersOf(Attribute init) {
  if (auto normal = dyn_cast<NormalAttr>(init))
    return {normal.getStd()};
  if (auto uniform = dyn_cast<UniformAttr>(init))
    return {uniform.getLow(), uniform.getHigh()};
  if (auto constant = dyn_cast<ConstantAttr>(init))
    return {constant.getValue()};
  return {};
}

static LogicalResult checkInitialValue(Location loc, StringAttr name,
                                       Attribute init) {
  SmallVector<APFloat> numbers = numbersOf(init);
  if (numbers.empty())
    return emitError(loc, "parameter ")
           << name << " begins as " << init
           << "; it is #zero.normal, #zero.uniform or #zero.constant";
  for (const APFloat &number : numbers) {
    APFloat inF32 = number;
    bool loses;
    inF32.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
    if (!inF32.isFinite())
      return emitError(loc, "parameter ")
             << name << " begins as " << init
             << ", which is not finite in f32; use smaller numbers";
    if (inF32.isZero() && !number.isZero())
      return emitError(loc, "parameter ")
             << name << " begins as " << init
             << ", which is 0 in f32; use 0 or larger numbers";
  }
  if (numbers.size() == 2 && numbers[0] > numbers[1])
    return emitError(loc, "parameter ")
           << name << " begins as " << init
           << ", whose low lies above its high; exchange them";
  return success();
}

LogicalResult zero::setInitialValues(func::FuncOp model) {
  MLIRContext *context = model.getContext();
  for (BlockArgument parameter : model.getArguments()) {
    unsigned i = parameter.getArgNumber();
    auto name = model.getArgAttrOfType<StringAttr>(i, kParamAttr);
    if (!name)
      continue;
    if (Attribute init = model.getArgAttr(i, kInitAttr)) {
      if (failed(checkInitialValue(parameter.getLoc(), name, init)))
        return failure();
      continue;
    }
    auto constant = [&](double value) -> Attribute {
      return ConstantAttr::get(context, APFloat(value));
    };
    if (std::optional<double> value = normWeightOf(parameter)) {
      model.setArgAttr(i, kInitAttr, constant(*value));
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
  return success();
}
