//===- RunTool.cpp - Runs other programs ----------------------------------===//

#include "targets/RunTool.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace mlir;
using llvm::SmallVector;
using llvm::StringRef;

llvm::Error zero::runTool(llvm::ArrayRef<StringRef> args,
                          const TemporaryFolder &folder, StringRef output) {
  auto program = llvm::sys::findProgramByName(args[0]);
  if (!program)
    return llvm::createStringError("cannot find the program %s",
                                   args[0].str().c_str());
  SmallVector<StringRef> command = {*program};
  llvm::append_range(command, args.drop_front());
  std::string log = folder.file("tool.log");
  std::optional<StringRef> redirects[] = {
      StringRef(""), output.empty() ? StringRef(log) : output, StringRef(log)};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(*program, command, std::nullopt,
                                         redirects, 0, 0, &message);
  if (status == 0)
    return llvm::Error::success();
  if (auto text = llvm::MemoryBuffer::getFile(log))
    message += (*text)->getBuffer().str();
  return llvm::createStringError("%s failed with status %d: %s",
                                 args[0].str().c_str(), status,
                                 StringRef(message).trim().str().c_str());
}

llvm::Expected<std::string> zero::readFile(StringRef path) {
  auto content = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
  if (!content)
    return llvm::createStringError("cannot read " + path + ": " +
                                   content.getError().message());
  return (*content)->getBuffer().str();
}

std::vector<std::string> zero::getLinker() {
  if (const char *linker = getenv("ZERO_LINKER"))
    return {linker};
  // Tools that link, too, are beside zeroc.
  static int anchor;
  llvm::SmallString<128> path(llvm::sys::path::parent_path(
      llvm::sys::fs::getMainExecutable(nullptr, &anchor)));
  llvm::sys::path::append(path, "zeroc");
  return {path.str().str(), "lld"};
}
