//===- Export.cpp - The command `zeroc export` ----------------------------===//
#include "tools/zeroc/Export.h"

#include "runtime/checkpoint/Export.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

llvm::Error zero::runExport(const ExportOptions &options) {
  zrt::ExportRequest request;
  request.checkpoint = options.checkpoint;
  request.output = options.output;
  request.config = options.config;
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
