//===- MarkArguments.cpp - Marks parameters and inputs --------------------===//
//
// A list names arguments by their indices:
//
//   0..17       these, called arg0, arg1, ...
//   w:0,b:1     each by a name of its own
//   FILE.json   ["w", "b"]: the names of the first ones, in order
//
//===----------------------------------------------------------------------===//
#include "tools/zeroc/model/MarkArguments.h"

#include "abi/Counts.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::zero;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

namespace {

struct Named {
  unsigned argument;
  std::string name;
};

Expected<unsigned> readArgumentNumber(StringRef option, StringRef text,
                                      func::FuncOp function) {
  unsigned number;
  if (text.getAsInteger(10, number))
    return createStringError(option + ": \"" + text +
                             "\" is no number of an argument; write 0..17, or "
                             "NAME:18");
  if (number >= function.getNumArguments())
    return createStringError(option + " names argument " + Twine(number) +
                             ", but @" + function.getSymName() + " has " +
                             Twine(function.getNumArguments()) +
                             ", numbered from 0");
  return number;
}

Expected<SmallVector<Named>> readList(StringRef option, StringRef list,
                                      func::FuncOp function) {
  SmallVector<Named> found;
  SmallVector<StringRef> items;
  list.split(items, ',');
  for (StringRef item : items) {
    auto [name, place] = item.rsplit(':');
    const bool isNamed = item.contains(':');
    auto [from, to] = (isNamed ? place : item).split("..");
    Expected<unsigned> first = readArgumentNumber(option, from, function);
    if (!first)
      return first.takeError();
    Expected<unsigned> last = to.empty()
                                  ? Expected<unsigned>(*first)
                                  : readArgumentNumber(option, to, function);
    if (!last)
      return last.takeError();
    if (*last < *first || (isNamed && (name.empty() || !to.empty())))
      return createStringError(
          option + ": \"" + item +
          "\" names no arguments; write FIRST..LAST, or NAME:NUMBER");
    for (unsigned i = *first; i <= *last; ++i)
      found.push_back({i, isNamed ? name.str() : "arg" + std::to_string(i)});
  }
  return found;
}

/// Reads the names of the first arguments.
Expected<SmallVector<Named>> readNameList(StringRef path,
                                          func::FuncOp function) {
  auto text = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!text)
    return createStringError("cannot read " + path + ": " +
                             text.getError().message());
  Expected<llvm::json::Value> json = llvm::json::parse((*text)->getBuffer());
  if (!json)
    return createStringError(path + ": " + llvm::toString(json.takeError()));
  auto wrong = [&](const Twine &what) {
    return createStringError(path + " " + what +
                             "; --params takes the names of the first "
                             "arguments, [\"fc.weight\", \"fc.bias\"]");
  };
  const llvm::json::Array *names = json->getAsArray();
  if (!names)
    return wrong("is no list");
  if (names->size() > function.getNumArguments())
    return wrong("has " + Twine(names->size()) + " names, but @" +
                 function.getSymName() + " has " +
                 Twine(function.getNumArguments()) + " arguments");
  SmallVector<Named> found;
  for (auto [i, name] : llvm::enumerate(*names)) {
    std::optional<StringRef> word = name.getAsString();
    if (!word)
      return wrong("has an entry " + Twine(i) + " that is no text");
    found.push_back({static_cast<unsigned>(i), word->str()});
  }
  return found;
}

Expected<func::FuncOp> findFunction(ModuleOp module, StringRef name,
                                    StringRef input) {
  SmallVector<func::FuncOp> all;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration() &&
        (name.empty() ? function.isPublic() : function.getSymName() == name))
      all.push_back(function);
  if (all.size() == 1)
    return all.front();
  if (!name.empty())
    return createStringError("--function=" + name + ": " + input +
                             " has no such function with a body");
  return createStringError(input + " has " + Twine(all.size()) +
                           " public functions; say which is the loss, "
                           "--function=NAME");
}

Error markAs(func::FuncOp function, ArrayRef<Named> arguments,
             StringRef attribute) {
  for (const Named &one : arguments) {
    if (function.getArgAttr(one.argument, kParamAttr) ||
        function.getArgAttr(one.argument, kInputAttr))
      return createStringError(
          "argument " + Twine(one.argument) + " of @" + function.getSymName() +
          " is marked twice; name it once, in --params or --inputs, and not in "
          "the module");
    function.setArgAttr(one.argument, attribute,
                        StringAttr::get(function.getContext(), one.name));
  }
  return Error::success();
}

/// Marks all other arguments as inputs, unless inputs are listed.
Error markRest(func::FuncOp function, bool listed) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (function.getArgAttr(i, kParamAttr) ||
        function.getArgAttr(i, kInputAttr))
      continue;
    if (listed)
      return createStringError("argument " + Twine(i) + " of @" +
                               function.getSymName() +
                               " is neither in --params nor in --inputs; add "
                               "it to one of them");
    if (Error error =
            markAs(function, Named{i, "arg" + std::to_string(i)}, kInputAttr))
      return error;
  }
  return Error::success();
}

Error keepLoss(func::FuncOp function, int64_t loss) {
  int64_t count = function.getNumResults();
  if (loss < 0 && count != 1)
    return createStringError("@" + function.getSymName() + " returns " +
                             Twine(count) +
                             " values; say which is the loss, --loss=0 for "
                             "the first");
  if (loss >= count)
    return createStringError(
        "--loss=" + Twine(loss) + ": @" + function.getSymName() + " has " +
        zrt::plural(count, "result") + ", numbered from 0");
  unsigned kept = std::max<int64_t>(loss, 0);
  for (func::ReturnOp op : function.getOps<func::ReturnOp>())
    op->setOperands(op.getOperand(kept));
  function.setType(FunctionType::get(function.getContext(),
                                     function.getArgumentTypes(),
                                     function.getResultTypes()[kept]));
  function.removeResAttrsAttr();
  return Error::success();
}

/// Makes `function` the only public one and inlines its calls.
Error isolate(ModuleOp module, func::FuncOp function) {
  for (auto other : module.getOps<func::FuncOp>())
    if (other != function)
      other.setPrivate();
  function.setPublic();
  DialectRegistry registry;
  func::registerInlinerExtension(registry);
  module.getContext()->appendDialectRegistry(registry);
  PassManager pm(module->getName());
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addPass(createSymbolDCEPass());
  if (failed(pm.run(module)))
    return createStringError("what @" + function.getSymName() +
                             " calls cannot be inlined");
  return Error::success();
}

} // namespace

Error zero::markArguments(ModuleOp module, const ArgumentMarks &marks,
                          StringRef input) {
  // The parser does not load it, since the module contains nothing of it.
  module.getContext()->loadDialect<ZeroDialect>();
  Expected<func::FuncOp> found = findFunction(module, marks.function, input);
  if (!found)
    return found.takeError();
  func::FuncOp function = *found;
  if (Error error = keepLoss(function, marks.loss))
    return error;
  auto read = [&](StringRef option,
                  StringRef list) -> Expected<SmallVector<Named>> {
    if (list.empty())
      return SmallVector<Named>();
    return StringRef(list).ends_with(".json")
               ? readNameList(list, function)
               : readList(option, list, function);
  };
  Expected<SmallVector<Named>> params = read("--params", marks.params);
  if (!params)
    return params.takeError();
  Expected<SmallVector<Named>> inputs = read("--inputs", marks.inputs);
  if (!inputs)
    return inputs.takeError();
  if (Error error = markAs(function, *params, kParamAttr))
    return error;
  if (Error error = markAs(function, *inputs, kInputAttr))
    return error;
  if (Error error = markRest(function, !marks.inputs.empty()))
    return error;
  if (Error error = isolate(module, function))
    return error;
  return marks.constants.empty() ? Error::success()
                                 : takeConstants(function, marks.constants);
}
