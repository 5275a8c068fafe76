//===- Import.cpp - The command `zeroc import` ----------------------------===//
#include "tools/zeroc/Import.h"

#include "frontend/OutputFile.h"
#include "frontend/PrintModel.h"
#include "frontend/families/HuggingFace.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::frontend;

llvm::Error zero::runImport(const ImportOptions &options) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ImportedBatch batch = {options.batch, options.sequence};
  if (options.separator >= 0)
    batch.separator = options.separator;
  auto model =
      importHuggingFace(context, options.config, batch, [](StringRef line) {
        llvm::errs() << "note: " << line << "\n";
      });
  if (!model)
    return model.takeError();
  return writeOutput(options.output, printModel(**model));
}
