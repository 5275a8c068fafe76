//===- Safetensors.h - The file format of weights ---------------*- C++ -*-===//
//
//   8 bytes   header length H, little endian
//   H bytes   JSON: {"name": {"dtype": "F32", "shape": [2, 3],
//                             "data_offsets": [0, 24]}, ...}
//   the rest  data; offsets count from here, without holes or overlaps
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/files/AtomicFile.h"
#include "runtime/numbers/Shape.h"
#include "train/state/io/InputFile.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zrt {

/// The format's name ("F32") of a type of weights or state; "" for other types.
const char *elementName(zrt_dtype dtype);
/// The inverse of elementName; 0 for other names.
zrt_dtype elementType(std::string_view name);

/// One tensor of a file.
struct TensorEntry {
  std::string name;
  std::string dtype; ///< the format's name: "F32", "BF16"
  std::vector<int64_t> shape;
  uint64_t offset; ///< of its data, in the file
  uint64_t bytes;
  uint64_t elements;
};

/// A file with a checked header: every tensor's bytes lie inside the file and
/// fit its shape.
class SafetensorsFile {
public:
  /// Throws zrt::Error; the message names the file and the tensor.
  explicit SafetensorsFile(const std::string &path);

  /// All tensors, in the order of their data.
  const std::vector<TensorEntry> &tensors() const { return entries; }
  /// Returns nullptr if there is no such tensor.
  const TensorEntry *find(std::string_view name) const;
  /// Copies `bytes` bytes of one of the tensors, from its byte `first` on.
  /// Throws zrt::Error if the file has been truncated since it was opened.
  void read(const TensorEntry &tensor, uint64_t first, void *to,
            uint64_t bytes) const;
  /// Reads elements [first, first + count) of a tensor, whose type is T, or one
  /// that is widened to it: 16-bit floats to float and double, float to double.
  template <typename T>
  void readElements(const TensorEntry &tensor, uint64_t first, uint64_t count,
                    T *to) const;
  const std::string &path() const { return file.path(); }

private:
  void readEntries();

  InputFile file;
  std::vector<TensorEntry> entries;
  /// Indices in `entries`.
  std::unordered_map<std::string_view, size_t> byName;
};

/// The header's entry of a tensor to write.
struct TensorHeader {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  uint64_t bytes;
};

/// The start of a file of these tensors, up to their data.  Throws zrt::Error
/// for an invalid name: not UTF-8, duplicate, or reserved.
std::string safetensorsHeader(const std::vector<TensorHeader> &tensors);

/// Writes a file of the given tensors; the caller passes their data in pieces,
/// in order.  Until `commit`, and after any failure, an old file is unchanged.
/// All functions throw zrt::Error.
class SafetensorsWriter {
public:
  SafetensorsWriter(const std::string &path,
                    const std::vector<TensorHeader> &tensors);
  void write(const void *data, uint64_t bytes);
  /// Makes the file and its name durable, once all bytes have been written.
  void commit();

private:
  AtomicFile file;
  uint64_t missing = 0; ///< bytes still to be written
};

/// A tensor to write, with contiguous data.
struct TensorToWrite {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  const void *data;
  uint64_t bytes;
};

/// Writes them with a SafetensorsWriter.
void writeSafetensors(const std::string &path,
                      const std::vector<TensorToWrite> &tensors);

} // namespace zrt
