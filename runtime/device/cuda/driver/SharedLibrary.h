//===- SharedLibrary.h - Loads a library by name ----------------*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

namespace zrt::cuda {

/// A library that stays loaded until the process ends.
class SharedLibrary {
public:
  /// Opens the first of `files` that is there; `what` describes the library in
  /// messages.  Throws zrt::Error.
  SharedLibrary(const std::vector<const char *> &files, const char *what);

  template <typename Function>
  void find(const char *symbol, Function *&function) const {
    function = reinterpret_cast<Function *>(address(symbol));
  }

private:
  /// Throws if the library has no such symbol.
  void *address(const char *symbol) const;

  std::string file;
  const std::string what;
  void *handle = nullptr;
};

} // namespace zrt::cuda
