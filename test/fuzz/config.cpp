//===- config.cpp - Fuzzes the import of config.json ----------------------===//
//
// The import must either build a model or explain its error in one line of
// printable text of bounded length.
//
//===----------------------------------------------------------------------===//
#include "MemoryFile.h"

#include "frontend/families/HuggingFace.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

/// Returns true if the text asks for many layers.  Building them takes long and
/// tests nothing new.
static bool isDeep(llvm::StringRef text) {
  for (llvm::StringRef key : {"\"n_layer\"", "\"num_hidden_layers\""}) {
    // The last of several keys counts.
    llvm::StringRef rest = text.rsplit(key).second.ltrim(" \t\r\n:");
    if (rest.take_while(llvm::isDigit).size() > 1)
      return true;
  }
  return false;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static zero::fuzz::MemoryFile file;
  std::string text(reinterpret_cast<const char *>(data), size);
  if (isDeep(text))
    return 0;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  auto model = frontend::importHuggingFace(
      context, file.write(text), {.batch = 2, .sequence = 4},
      [](StringRef note) { zero::fuzz::requireReadable(note); });
  if (!model)
    zero::fuzz::requireReadable(llvm::toString(model.takeError()));
  return 0;
}
