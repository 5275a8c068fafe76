//===- ImportExport.cpp - The commands import and export ------------------===//
#include "tools/zeroc/model/ImportExport.h"

#include "frontend/OutputFile.h"
#include "frontend/PrintModel.h"
#include "frontend/families/HuggingFace.h"
#include "mlir/IR/MLIRContext.h"
#include "train/state/checkpoint/Export.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::frontend;

llvm::Error zero::runImport(const ImportOptions &options) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ImportedBatch batch = {options.batch, options.sequence};
  if (options.separator >= 0)
    batch.separator = options.separator;
  batch.packed = options.packed;
  batch.loss = options.loss;
  batch.dropout = options.dropout;
  auto model =
      importHuggingFace(context, options.config, batch, [](StringRef line) {
        llvm::errs() << "note: " << line << "\n";
      });
  if (!model)
    return model.takeError();
  return writeOutput(options.output, printModel(**model));
}

llvm::Error zero::runExport(const ExportOptions &options) {
  zrt::ExportRequest request;
  request.checkpoint = options.checkpoint;
  request.base = options.base;
  request.output = options.output;
  request.config = options.config;
  request.others = options.others;
  request.merge = options.merge;
  request.best = options.best;
  request.force = options.force;
  request.maxShardBytes = uint64_t(options.maxShardBytes);
  request.dtype = options.dtype == "f32"    ? ZRT_F32
                  : options.dtype == "bf16" ? ZRT_BF16
                                            : ZRT_F16;
  const zrt::ExportResult result = zrt::exportCheckpoint(request);
  if (!result.error.empty())
    return llvm::createStringError(result.error);
  for (const std::string &note : result.notes)
    llvm::errs() << "note: " << note << "\n";
  for (const std::string &file : result.files)
    llvm::outs() << "wrote " << file << "\n";
  return llvm::Error::success();
}
