//===- TemporaryFile.h - A file that will take another's place --*- C++ -*-===//
//
// It lies beside its target, so that a rename can put it there:
//
//   .NAME.<16 random digits>.zrt
//
// and its process holds a lock on it (flock) as long as it lives.  Whoever can
// take that lock knows that the file was left behind, by a process that was
// killed, and removes it.  Numbers of processes would not tell: containers that
// share a folder have the same ones.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/io/OutputPath.h"

#include <string>

namespace zrt {

class TemporaryFile {
public:
  /// Removes what dead processes have left of the same target, and makes a new
  /// file with the target's mode and, where permitted, its owner.  `target`
  /// outlives this.  Throws zrt::Error.
  explicit TemporaryFile(const OutputPath &target);
  /// Removes it unless it took the target's place.
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  int descriptor() const { return file; }
  /// Puts it in the target's place.  Throws when that cannot be done: the file
  /// then stays, under a name that the message tells.
  void replaceTarget();

private:
  void takeMode();

  const OutputPath &target;
  std::string path; ///< "" once it is no longer temporary
  int file = -1;
};

} // namespace zrt
