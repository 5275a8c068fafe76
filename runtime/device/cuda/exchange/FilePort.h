//===- FilePort.h - Open files go from process to process -------*- C++ -*-===//
//
// The driver exports memory as an open file that has no name and can be opened by
// nobody else: it can only be sent, through a socket of this host (SCM_RIGHTS).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/world/World.h"

#include <array>
#include <vector>

namespace zrt::cuda {

/// An open file, closed at the end.
class OpenFile {
public:
  explicit OpenFile(int number = -1) : file(number) {}
  ~OpenFile();
  OpenFile(OpenFile &&other) noexcept : file(other.file) { other.file = -1; }
  OpenFile &operator=(OpenFile &&other) noexcept {
    std::swap(file, other.file);
    return *this;
  }
  int number() const { return file; }

private:
  int file;
};

/// Sends `mine` to all other ranks of `world`, which share a host, and returns
/// theirs, by rank; nothing in the place of this one.  All ranks call it together,
/// and it throws zrt::Error on all of them.
std::vector<OpenFile> exchangeFiles(World &world, const OpenFile &mine);

} // namespace zrt::cuda
