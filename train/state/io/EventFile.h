//===- EventFile.h - Writes scalars for TensorBoard -------------*- C++ -*-===//
//
// TensorBoard reads a folder of event files.  Each event is a record:
//
//   length of the event (u64), its checksum, the event, its checksum
//
// in little endian; a checksum is the masked CRC-32C of TFRecord.  An event is
// a protocol buffer (tensorboard/compat/proto/event.proto), of which we write
// these fields:
//
//   1 wall_time (double, seconds)   2 step (int64)   3 file_version (string)
//   5 summary: 1 value, repeated: 1 tag (string), 2 simple_value (float)
//   7 session_log: 1 status (START)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/files/LineFile.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace zrt {

class EventFile {
public:
  /// A tagged value of a step.
  struct Scalar {
    std::string_view tag;
    double value;
  };

  /// Makes a file in `folder`, and the folder if it does not exist.
  /// TensorBoard then hides the steps from `step` on of earlier files there.
  /// Throws zrt::Error.
  void open(const std::string &folder, int64_t step);
  bool isOpen() const { return file.isOpen(); }
  /// Appends one event.  On an error the file ends with a complete event, and
  /// zrt::Error is thrown.
  void write(int64_t step, std::span<const Scalar> scalars);
  /// See LineFile.
  void close() { file.close(); }
  void abandon() { file.abandon(); }

private:
  void append(const std::string &event, std::string_view part);

  LineFile file{"events", kEventsFile};
};

} // namespace zrt
