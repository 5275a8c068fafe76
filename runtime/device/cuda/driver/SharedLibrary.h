//===- SharedLibrary.h - Loads a library by name ----------------*- C++ -*-===//
#pragma once

#include <string>

namespace zrt::cuda {

/// A library that stays loaded until the process ends.
class SharedLibrary {
public:
  /// `what` describes the library in messages.  Throws zrt::Error.
  SharedLibrary(const char *file, const char *what);

  template <typename Function>
  void find(const char *symbol, Function *&function) const {
    function = reinterpret_cast<Function *>(address(symbol));
  }

private:
  /// Throws if the library has no such symbol.
  void *address(const char *symbol) const;

  const std::string file, what;
  void *handle;
};

} // namespace zrt::cuda
