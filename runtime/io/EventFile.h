//===- EventFile.h - Numbers for TensorBoard --------------------*- C++ -*-===//
//
// A folder of TensorBoard holds files of events, each a record:
//
//   length of the event (u64), its checksum, the event, its checksum
//
// in little endian; a checksum is the masked CRC-32C of TFRecord.  An event is a
// protocol buffer (tensorboard/compat/proto/event.proto), of which these fields
// are written:
//
//   1 wall_time (double, seconds)   2 step (int64)   3 file_version (string)
//   5 summary: 1 value, repeated: 1 tag (string), 2 simple_value (float)
//   7 session_log: 1 status (START)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/io/LineFile.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace zrt {

/// CRC-32C (Castagnoli) of `data`.
uint32_t crc32c(std::string_view data);

class EventFile {
public:
  /// A number of a step.
  struct Scalar {
    std::string_view tag;
    double value;
  };

  /// Makes a file in `folder`, which is made if it does not exist.  Of other files
  /// there TensorBoard shows no step from `step` on.  Throws zrt::Error.
  void open(const std::string &folder, int64_t step);
  bool isOpen() const { return file.isOpen(); }
  /// Appends one event.  Throws zrt::Error; the file then ends with a whole one.
  void write(int64_t step, std::span<const Scalar> scalars);
  /// As of LineFile.
  void close() { file.close(); }
  void abandon() { file.abandon(); }

private:
  void append(const std::string &event, std::string_view part);

  LineFile file{"events"};
};

} // namespace zrt
