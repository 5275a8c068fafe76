//===- OptimizerFile.cpp - User-defined update rules ----------------------===//
#include "tools/zeroc/model/OptimizerFile.h"

#include "dialect/nn/Scalar.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::zero;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

namespace {

/// The attribute of a zero.optimizer in a file with its numbers and their
/// defaults.
constexpr llvm::StringLiteral kDefaults = "defaults";

using Numbers = llvm::StringMap<double>;

Error wrong(StringRef path, const Twine &what) {
  return createStringError(path + ": " + what);
}

std::string listed(ArrayRef<StringRef> names) {
  return names.empty() ? "none" : llvm::join(names, ", ");
}

/// Reads the numbers of the rule, with the file's defaults.
Expected<Numbers> readDefaults(OptimizerOp rule, StringRef path) {
  Numbers numbers;
  auto all = rule->getAttrOfType<DictionaryAttr>(kDefaults);
  if (!all && rule->hasAttr(kDefaults))
    return wrong(path, "defaults of @" + rule.getSymName() +
                           " must be a dictionary, {beta1 = 0.9}");
  for (NamedAttribute one : all ? all : DictionaryAttr::get(rule.getContext()))
    if (auto number = dyn_cast<FloatAttr>(one.getValue()))
      numbers[one.getName()] = number.getValueAsDouble();
    else
      return wrong(path, "the default of " + one.getName().getValue() +
                             " must be a number such as 0.9");
  return numbers;
}

Error changeNumbers(Numbers &numbers, StringRef settings, StringRef rule) {
  SmallVector<StringRef> parts, known;
  settings.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (const auto &entry : numbers)
    known.push_back(entry.getKey());
  llvm::sort(known);
  for (StringRef part : parts) {
    auto [name, text] = part.split('=');
    double value = 0;
    auto number = numbers.find(name);
    if (number == numbers.end())
      return createStringError("--optimizer-numbers: @" + rule +
                               " has no number " + name + "; it has " +
                               listed(known));
    if (text.getAsDouble(value) || !std::isfinite(value))
      return createStringError("--optimizer-numbers: " + name +
                               " must be a finite number, got \"" + text +
                               "\"");
    number->second = value;
  }
  return Error::success();
}

Error checkNames(OptimizerOp rule, const Numbers &numbers, StringRef path) {
  llvm::StringSet<> seen;
  for (StringRef slot : rule.getSlots().getAsValueRange<StringAttr>())
    if (slot.empty() || !seen.insert(slot).second || isSumSlot(slot) ||
        llvm::is_contained({"param", "master"}, slot))
      return wrong(path, "@" + rule.getSymName() + " keeps \"" + slot +
                             "\"; each state needs its own name, and param, "
                             "master and grad are taken");
  for (StringRef scalar : rule.getScalars().getAsValueRange<StringAttr>()) {
    if (!seen.insert(scalar).second)
      return wrong(path,
                   "@" + rule.getSymName() + " names \"" + scalar + "\" twice");
    if (scalar == kClipFactor)
      return wrong(path, "@" + rule.getSymName() +
                             " takes \"clip\"; drop it, for the gradient that "
                             "it takes is limited already");
    if (!numbers.contains(scalar) &&
        !llvm::is_contained({"lr", "decay", "step"}, scalar))
      return wrong(path, "@" + rule.getSymName() + " takes \"" + scalar +
                             "\", which is none of lr, decay and step; give it "
                             "a default: attributes {defaults = {" +
                             scalar + " = 0.9}}");
  }
  for (const auto &entry : numbers)
    if (!seen.contains(entry.getKey()))
      return wrong(path, "@" + rule.getSymName() + " has a default of " +
                             entry.getKey() + ", and takes no such scalar");
  return Error::success();
}

/// Replaces the numbers by constants.
void fixNumbers(OptimizerOp rule, const Numbers &numbers) {
  Block &body = rule.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  unsigned next = 2 + rule.getSlots().size();
  SmallVector<StringRef> left;
  for (StringRef scalar : rule.getScalars().getAsValueRange<StringAttr>()) {
    auto number = numbers.find(scalar);
    if (number == numbers.end()) {
      left.push_back(scalar);
      ++next;
      continue;
    }
    BlockArgument argument = body.getArgument(next);
    argument.replaceAllUsesWith(
        nn::constant(b, argument.getLoc(), argument.getType(), number->second));
    body.eraseArgument(next);
  }
  rule.setScalarsAttr(b.getStrArrayAttr(left));
  rule->removeAttr(kDefaults);
}

/// Checks a rule of the file at `path`, and sets its numbers.
Error complete(OptimizerOp rule, StringRef path, StringRef settings) {
  Expected<Numbers> numbers = readDefaults(rule, path);
  if (!numbers)
    return numbers.takeError();
  if (Error error = changeNumbers(*numbers, settings, rule.getSymName()))
    return error;
  if (Error error = checkNames(rule, *numbers, path))
    return error;
  fixNumbers(rule, *numbers);
  return Error::success();
}

} // namespace

Error zero::completeOptimizers(ModuleOp module, StringRef input) {
  for (auto own : module.getOps<OptimizerOp>())
    if (Error error = complete(own, input, ""))
      return error;
  return Error::success();
}

Error zero::adoptOptimizer(ModuleOp module, StringRef path,
                           StringRef settings) {
  for (auto own : module.getOps<OptimizerOp>())
    return createStringError("--optimizer=" + path +
                             ": the model brings an optimizer, @" +
                             own.getSymName() + "; drop one of them");
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, module.getContext());
  OwningOpRef<ModuleOp> file = parseSourceFile<ModuleOp>(
      path, sources, ParserConfig(module.getContext()));
  if (!file)
    return createStringError("--optimizer=" + path +
                             " is not an optimizer; the errors are above");
  auto rules = llvm::to_vector(file->getOps<OptimizerOp>());
  if (rules.size() != 1 || !llvm::hasSingleElement(*file->getBody()))
    return wrong(path, "must have one zero.optimizer and nothing else, has " +
                           Twine(rules.size()));
  OptimizerOp rule = rules.front();
  if (module.lookupSymbol(rule.getSymName()))
    return wrong(path, "@" + rule.getSymName() +
                           " is a name of the model, too; choose another");
  if (Error error = complete(rule, path, settings))
    return error;
  rule->moveBefore(module.getBody(), module.getBody()->begin());
  return Error::success();
}
