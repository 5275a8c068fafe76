//===- ModelStep.cpp - Terms that the model computes ----------------------===//

#include "passes/verify/ModelStep.h"

#include "dialect/nn/Precision.h"
#include "passes/verify/RestKernels.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

using Leaf = TermTable::Leaf;
using Mean = TermTable::Mean;

//===----------------------------------------------------------------------===//
// Kernels, parameters and inputs
//===----------------------------------------------------------------------===//

/// A kernel of the rest of another one computes results of the model's kernel
/// of that name as that does, where one result is given.
static LogicalResult matchRest(KernelOp kernel, SymbolTable &model,
                               SymbolicExecutor &symbolic) {
  auto of = kernel->getAttrOfType<ArrayAttr>(kRestOfAttr);
  auto whole = model.lookup<KernelOp>(cast<FlatSymbolRefAttr>(of[0]).getAttr());
  SmallVector<unsigned> numbers;
  for (Attribute one : of.getValue().drop_front())
    if (auto number = cast<IntegerAttr>(one);
        whole && number.getValue().ult(whole.getNumResults()))
      numbers.push_back(unsigned(number.getInt()));
  if (numbers.size() + 1 != of.size()) // (V14)
    return kernel.emitOpError("is the rest of ")
           << of << ", which the model does not have (V14)";
  SymbolicExecutor::Rest rest{
      whole, numbers[0], SmallVector<unsigned>(llvm::drop_begin(numbers)), {}};
  std::optional<SmallVector<unsigned>> operands =
      matchRestOfKernel(kernel, whole, rest.given, rest.results);
  if (!operands) { // (V14)
    InFlightDiagnostic error =
        kernel.emitOpError("does not compute the results of ")
        << of << " as the model does (V14)";
    error.attachNote(whole.getLoc()) << "the model's";
    return error;
  }
  rest.operands = std::move(*operands);
  symbolic.identifyRest(kernel, std::move(rest));
  return success();
}

/// Every kernel of the plan has the same body as the model's kernel of that
/// name.
LogicalResult ModelStep::matchKernels(ModuleOp plan, ModuleOp model,
                                      SymbolicExecutor &symbolic) {
  SymbolTable symbols(model);
  for (auto kernel : plan.getOps<KernelOp>()) {
    if (kernel->hasAttr(kRestOfAttr)) {
      if (failed(matchRest(kernel, symbols, symbolic)))
        return failure();
      continue;
    }
    auto same = symbols.lookup<KernelOp>(kernel.getSymNameAttr());
    if (!same) // (V14)
      return kernel.emitOpError("is no kernel of the model (V14)");
    bool isSame = same.getFunctionType() == kernel.getFunctionType() &&
                  OperationEquivalence::isRegionEquivalentTo(
                      &same.getBody(), &kernel.getBody(),
                      OperationEquivalence::IgnoreLocations);
    // (S6) compares units and replaceable operands with the body.
    if (!isSame || kernel->getDiscardableAttrDictionary() !=
                       same->getDiscardableAttrDictionary()) { // (V14)
      InFlightDiagnostic error =
          kernel.emitOpError("has ")
          << (isSame ? "other attributes" : "another body")
          << " than the model's kernel of that name (V14)";
      error.attachNote(same.getLoc()) << "the model's";
      return error;
    }
    symbolic.identify(kernel, same);
  }
  return success();
}

LogicalResult ModelStep::matchParameters(ModuleOp plan) {
  DenseSet<StringAttr> found;
  for (auto bucket : plan.getOps<BucketOp>())
    for (auto member : bucket.getMembers().getAsRange<MemberAttr>()) {
      auto parameter = parameters.find(member.getName());
      if (parameter == parameters.end()) // (V14)
        return bucket.emitOpError("has a member ")
               << member.getName() << ", and the model no such parameter (V14)";
      auto &[type, init, isFrozen, packing, gradient] = parameter->second;
      if (isFrozen != bucket.getFrozen()) // (V14)
        return bucket.emitOpError("has a member ")
               << member.getName() << ", which is "
               << (isFrozen ? "frozen" : "trained") << " in the model (V14)";
      if (Attribute here = bucket.getPackingAttr(); here != packing) { // (V14)
        InFlightDiagnostic error = bucket.emitOpError("packs a member ")
                                   << member.getName() << " as ";
        (here ? error << here : error << "nothing") << ", and the model as ";
        return (packing ? error << packing : error << "nothing") << " (V14)";
      }
      if (type.getShape() != ArrayRef(member.getParameterShape())) // (V14)
        return bucket.emitOpError("has a member ")
               << member.getName() << " of a parameter of shape ["
               << member.getParameterShape() << "], and the model has " << type
               << " (V14)";
      if (init && init != member.getInit()) // (V14)
        return bucket.emitOpError("starts ")
               << member.getName() << " as " << member.getInit()
               << ", and the model as " << init << " (V14)";
      found.insert(member.getName());
    }
  for (auto &[name, parameter] : parameters)
    if (!found.contains(name)) // (V14)
      return plan.emitError("has no bucket for the model's parameter ")
             << name << " (V14)";
  return success();
}

/// The attributes of an input, without those that a plan adds.
static DictionaryAttr inputAttributes(FunctionOpInterface function,
                                      unsigned i) {
  NamedAttrList attributes(function.getArgAttrDict(i));
  attributes.erase(kBytesAttr);
  attributes.erase(kMicroAttr);
  return attributes.getDictionary(function.getContext());
}

LogicalResult ModelStep::matchInputs(ProgramOp program) {
  for (BlockArgument argument : program.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto name = program.getInput(i);
    if (!name)
      continue;
    auto known = inputs.find(name);
    if (known == inputs.end()) // (V14)
      return program.emitOpError("takes input ")
             << name << ", and the model has no such input (V14)";
    auto [type, attributes] = known->second;
    if (type != argument.getType()) // (V14)
      return program.emitOpError("takes input ")
             << name << " as " << argument.getType()
             << ", and the model has it as " << type << " (V14)";
    if (DictionaryAttr here = inputAttributes(program, i);
        here != attributes) // (V14)
      return program.emitOpError("takes input ")
             << name << " with " << here << ", and the model has it with "
             << attributes << " (V14)";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

LogicalResult ModelStep::enter(func::FuncOp function,
                               SymbolicExecutor &symbolic) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto parameter = function.getArgAttrOfType<StringAttr>(i, kParamAttr);
    auto input = function.getArgAttrOfType<StringAttr>(i, kInputAttr);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (auto cache = function.getArgAttrOfType<StringAttr>(i, kCacheAttr);
        cache && type && !parameter && !input) {
      symbolic.set(argument, symbolic.terms.leaf(Leaf::Cache, cache, type));
      caches.push_back({cache, type, 0});
      continue;
    }
    if (auto scalar = function.getArgAttrOfType<StringAttr>(i, kScalarAttr);
        scalar && type && !parameter && !input) {
      symbolic.set(argument, symbolic.terms.leaf(Leaf::Scalar, scalar, type));
      continue;
    }
    if (!type || !parameter == !input) // (V14)
      return function.emitOpError("takes argument ")
             << i << ", which must be a parameter or an input (V14)";
    StringAttr name = parameter ? parameter : input;
    symbolic.set(argument,
                 symbolic.terms.leaf(parameter ? Leaf::Parameter : Leaf::Input,
                                     name, type));
    bool isNew =
        parameter
            ? parameters
                  .insert({name,
                           {type, function.getArgAttr(i, kInitAttr),
                            function.getArgAttr(i, kFrozenAttr) != nullptr,
                            function.getArgAttr(i, kPackingAttr)}})
                  .second
            : inputs.insert({name, {type, inputAttributes(function, i)}})
                  .second;
    if (!isNew) // (V14)
      return function.emitOpError("takes two ")
             << (input ? "inputs" : "parameters") << " called " << name
             << " (V14)";
  }
  return success();
}

LogicalResult ModelStep::execute(ModuleOp model, SymbolicExecutor &symbolic) {
  auto function = model.lookupSymbol<func::FuncOp>("step");
  if (!function || !function.getBody().hasOneBlock()) // (V14)
    return model.emitError("has no function @step of one block, and the plan "
                           "is to be compared with it (V14)");
  symbolic.clear();
  if (failed(enter(function, symbolic)))
    return failure();
  for (Operation &op : function.front().without_terminator()) {
    if (auto average = dyn_cast<AverageOp>(op)) {
      averages.push_back(symbolic.mean(
          Mean::MicroSteps,
          symbolic.mean(Mean::Ranks, symbolic.termOf(average.getValue()))));
      symbolic.set(average.getResult(), averages.back());
    } else {
      symbolic.execute(&op);
    }
  }
  Operation *returned = function.front().getTerminator();
  auto trained = llvm::make_filter_range(
      parameters, [](auto &entry) { return !entry.second.isFrozen; });
  size_t gradients = llvm::range_size(trained);
  if (returned->getNumOperands() != 1 + gradients) // (V14)
    return function.emitOpError("returns ")
           << returned->getNumOperands() << " values, and needs the loss and "
           << gradients << " gradients (V14)";
  loss = symbolic.termOf(returned->getOperand(0));
  // Gradients follow the loss in the parameters' order.
  for (auto [entry, gradient] :
       llvm::zip(trained, returned->getOperands().drop_front())) {
    auto &[name, parameter] = entry;
    // A gradient of 16 bits may also be f32 ((S7) checks which).
    Type wide =
        parameter.type.clone(nn::getSumType(parameter.type.getElementType()));
    if (gradient.getType() != parameter.type &&
        gradient.getType() != wide) // (V14)
      return function.emitOpError("returns ")
             << gradient.getType() << " as the gradient of " << name
             << ", which is " << parameter.type << " (V14)";
    parameter.gradient = symbolic.termOf(gradient);
  }
  return success();
}

LogicalResult ModelStep::executeForward(ModuleOp model, StringRef name,
                                        SymbolicExecutor &symbolic) {
  auto function = model.lookupSymbol<func::FuncOp>(name);
  if (!function || !function.getBody().hasOneBlock() ||
      function.getNumResults() == 0) // (V14)
    return model.emitError("has no function @")
           << name
           << " of one block with results, and the plan has a program of that "
              "name (V14)";
  symbolic.clear();
  if (failed(enter(function, symbolic)))
    return failure();
  for (Operation &op : function.front().without_terminator())
    symbolic.execute(&op);
  Operation *returned = function.front().getTerminator();
  if (returned->getNumOperands() != 1 + caches.size()) // (V14)
    return function.emitOpError("returns ")
           << returned->getNumOperands() << " values, and needs a result and "
           << caches.size() << " next caches (V14)";
  result = symbolic.termOf(returned->getOperand(0));
  for (auto [cache, next] :
       llvm::zip_equal(caches, returned->getOperands().drop_front()))
    std::get<Term>(cache) = symbolic.termOf(next);
  return success();
}
