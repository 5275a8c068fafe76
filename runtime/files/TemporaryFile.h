//===- TemporaryFile.h - A file that will replace another one ---*- C++ -*-===//
//
// It lies in the folder of its target, so that a rename can replace the target:
//
//   .NAME.<16 random digits>.zrt
//
// Its process holds a lock on it (flock) while the process lives.  If another
// process gets that lock, the owner was killed and the file can be removed.
// Process ids would not tell, because containers that share a folder have equal
// ids.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/files/OpenFile.h"
#include "runtime/files/OutputPath.h"

#include <string>

namespace zrt {

class TemporaryFile {
public:
  /// Removes files that dead processes have left for the same target, and makes
  /// a new file with the target's mode and, if permitted, its owner.  `target`
  /// must outlive this.  Throws zrt::Error.
  explicit TemporaryFile(const OutputPath &target);
  /// Removes the file unless it has replaced the target.
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  int descriptor() const { return file.number(); }
  /// Renames the file to the target.  If that fails, keeps it under a name that
  /// is in the message, and throws.
  void replaceTarget();

private:
  void takeMode();

  const OutputPath &target;
  std::string path; ///< "" after replaceTarget
  OpenFile file;    ///< closing it releases the lock, too
};

} // namespace zrt
