//===- Safetensors.h - The file format of weights ---------------*- C++ -*-===//
//
//   8 bytes   header length H, little endian
//   H bytes   JSON: {"name": {"dtype": "F32", "shape": [2, 3],
//                             "data_offsets": [0, 24]}, ...}
//   the rest  data; offsets count from here, without holes or overlaps
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_IO_SAFETENSORS_H
#define ZRT_IO_SAFETENSORS_H

#include "runtime/io/MappedFile.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zrt {

/// "2 x 3", or "scalar".
std::string shapeText(const std::vector<int64_t> &shape);

/// One tensor of a file.
struct TensorEntry {
  std::string name;
  std::string dtype; ///< as the file spells it: "F32", "BF16"
  std::vector<int64_t> shape;
  const std::byte *data; ///< may be unaligned
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
  const TensorEntry *find(const std::string &name) const;
  const std::string &path() const { return file.path(); }

private:
  MappedFile file;
  std::vector<TensorEntry> entries;
  std::unordered_map<std::string, size_t> byName;
};

/// One tensor to be written: `bytes` bytes at `data`.
struct TensorToWrite {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  const void *data;
  uint64_t bytes;
};

/// Replaces `path` by a file of `tensors`, in this order; on failure the old
/// file stays as it was.  Throws zrt::Error.
void writeSafetensors(const std::string &path,
                      const std::vector<TensorToWrite> &tensors);

} // namespace zrt

#endif // ZRT_IO_SAFETENSORS_H
