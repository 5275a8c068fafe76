//===- DebugOnly.h - Declares --debug-only --------------------------------===//
#pragma once

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Debug.h"
#include <string>
#include <vector>

namespace mlir::zero {

/// Declares --debug-only=TYPE,... unless it exists: LLVM declares it only if
/// LLVM itself was built with assertions.  A release build has no debug output,
/// and no such option.
inline void declareDebugOnly() {
#ifndef NDEBUG
  if (llvm::cl::getRegisteredOptions().count("debug-only"))
    return;
  static llvm::cl::list<std::string> types(
      "debug-only", llvm::cl::CommaSeparated, llvm::cl::Hidden,
      llvm::cl::desc("Print what the passes of these DEBUG_TYPEs decide"),
      llvm::cl::value_desc("type"),
      llvm::cl::callback([](const std::string &type) {
        static std::vector<std::string> names;
        names.push_back(type);
        std::vector<const char *> list;
        for (const std::string &name : names)
          list.push_back(name.c_str());
        llvm::DebugFlag = true;
        llvm::setCurrentDebugTypes(list.data(), list.size());
      }));
#endif
}

} // namespace mlir::zero
