//===- SharedLibrary.h - A library that is loaded by name -------*- C++ -*-===//
#pragma once

#include <string>

namespace zrt::cuda {

/// Stays loaded until the process ends.
class SharedLibrary {
public:
  /// Throws zrt::Error; `what` says whose `file` it is.
  SharedLibrary(const char *file, const char *what);

  template <typename Function>
  void find(const char *symbol, Function *&function) const {
    function = reinterpret_cast<Function *>(address(symbol));
  }

private:
  /// Throws when there is none.
  void *address(const char *symbol) const;

  const std::string file, what;
  void *handle;
};

} // namespace zrt::cuda
