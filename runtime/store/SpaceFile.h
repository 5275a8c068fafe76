//===- SpaceFile.h - The file of a store in one folder ----------*- C++ -*-===//
//
// A file without a name: it vanishes with its process, however that ends, no
// two runs can share it, and no one can remove or truncate it.  All of its
// space is reserved in the file system before the first step.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/files/OpenFile.h"
#include "runtime/store/Faults.h"

#include <cstdint>
#include <string>

namespace zrt {

class SpaceFile {
public:
  /// Reserves `bytes`, whole blocks, in `folder`.  Throws zrt::Error, which
  /// names the folder.
  SpaceFile(const std::string &folder, uint64_t bytes, const Faults &faults);

  int number() const { return file.number(); }
  const std::string &folder() const { return where; }
  /// Why it is slower than a drive could be, one line each; "" if it is not.
  const std::string &note() const { return remark; }
  /// Returns true if both files lie in the same folder.
  bool isBeside(const SpaceFile &other) const {
    return device == other.device && inode == other.inode;
  }

private:
  void open(bool direct);
  void checkRoom(uint64_t bytes, const Faults &faults) const;
  void reserve(uint64_t bytes);
  void writeZeros(uint64_t bytes);
  bool readsDirectly() const;
  [[noreturn]] void failForRoom(uint64_t bytes) const;

  const std::string where;
  OpenFile file;
  uint64_t device = 0, inode = 0; ///< of the folder
  std::string remark;
};

} // namespace zrt
