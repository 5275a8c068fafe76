//===- ModelText.cpp - Tells a model from others by its text --------------===//
#include "tools/zeroc/model/ModelText.h"

#include "dialect/zero/Origin.h"
#include "dialect/zero/Zero.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::zero;

/// Appends "tokens: tensor<4x16xi32>" of each input of `function`.
static void addInputs(FunctionOpInterface function,
                      SmallVectorImpl<std::string> &inputs) {
  for (unsigned i = 0; i != function.getNumArguments(); ++i)
    if (auto name = function.getArgAttrOfType<StringAttr>(i, kInputAttr))
      inputs.push_back(llvm::formatv("{0}: {1}", name.getValue(),
                                     function.getArgument(i).getType()));
}

void zero::addModelText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  SmallVector<std::string> inputs;
  for (Operation &op : module.getOps()) {
    if (isa<OptimizerOp>(op))
      continue;
    OwningOpRef<Operation *> copy = op.clone();
    if (auto function = dyn_cast<FunctionOpInterface>(*copy)) {
      addInputs(function, inputs);
      for (unsigned i = 0; i != function.getNumArguments(); ++i)
        function.removeArgAttr(i, StringAttr::get(op.getContext(), kInitAttr));
    }
    copy->print(out, OpPrintingFlags().useLocalScope());
  }
  Builder b(module.getContext());
  NamedAttrList entries(module->getAttrOfType<DictionaryAttr>(kFunctionAttr));
  entries.set(kFunctionText,
              b.getStringAttr(
                  llvm::formatv("{0:x-16}", llvm::xxh3_64bits(text)).str()));
  entries.set(kFunctionInputs, b.getStringAttr(llvm::join(inputs, ", ")));
  module->setAttr(kFunctionAttr, entries.getDictionary(module.getContext()));
}
