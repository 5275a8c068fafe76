//===- Safetensors.h - The file format of weights ---------------*- C++ -*-===//
//
//   8 bytes   header length H, little endian
//   H bytes   JSON: {"name": {"dtype": "F32", "shape": [2, 3],
//                             "data_offsets": [0, 24]}, ...}
//   the rest  data; offsets count from here, without holes or overlaps
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/io/AtomicFile.h"
#include "runtime/io/InputFile.h"
#include "runtime/zrt.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zrt {

/// "2 x 3", or "scalar".
std::string shapeText(const std::vector<int64_t> &shape);

/// "F32": how the format spells the floats that weights and state are made of; ""
/// for other types.
const char *elementName(zrt_dtype dtype);
/// The reverse; 0 for other names.
zrt_dtype elementType(std::string_view name);

/// One tensor of a file.
struct TensorEntry {
  std::string name;
  std::string dtype; ///< as the file spells it: "F32", "BF16"
  std::vector<int64_t> shape;
  uint64_t offset; ///< of its data, in the file
  uint64_t bytes;
  uint64_t elements;
};

/// A file whose header has been checked whole: every tensor's bytes lie inside
/// the file and fit its shape.
class SafetensorsFile {
public:
  /// Throws zrt::Error; the message names the file and the tensor.
  explicit SafetensorsFile(const std::string &path);

  /// In the order of their data.
  const std::vector<TensorEntry> &tensors() const { return entries; }
  /// nullptr when there is none.
  const TensorEntry *find(std::string_view name) const;
  /// Copies `bytes` bytes of one of the tensors, from its byte `first` on.
  /// Throws zrt::Error when the file has been cut since it was opened.
  void read(const TensorEntry &tensor, uint64_t first, void *to,
            uint64_t bytes) const;
  const std::string &path() const { return file.path(); }

private:
  void readEntries();

  InputFile file;
  std::vector<TensorEntry> entries;
  /// Of names in `entries`.
  std::unordered_map<std::string_view, size_t> byName;
};

/// What the header says of a tensor to be written.
struct TensorHeader {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  uint64_t bytes;
};

/// The start of a file of these tensors, up to their data.  Throws zrt::Error
/// for what no file can say: a name that is not UTF-8, one that two have, one
/// with a meaning of its own.
std::string safetensorsHeader(const std::vector<TensorHeader> &tensors);

/// Replaces a file by one of the given tensors; their data follows in pieces,
/// in their order.  Until `commit`, and after any failure, the old file is as
/// it was.  All throw zrt::Error.
class SafetensorsWriter {
public:
  SafetensorsWriter(const std::string &path,
                    const std::vector<TensorHeader> &tensors);
  void write(const void *data, uint64_t bytes);
  /// Makes the file and its name durable, once all bytes have been written.
  void commit();

private:
  AtomicFile file;
  uint64_t missing = 0; ///< bytes that the header promises still
};

/// One tensor to be written, its data at one place.
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
