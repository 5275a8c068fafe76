//===- SampleFile.h - Reads samples of an input from a file -----*- C++ -*-===//
//
// The first dimension of a tensor counts samples; the others are the input's.
// Only exact conversions are allowed:
//
//   to f32       from F32, F16 and BF16, integers of up to 16 bits, and BOOL
//   to integers  from integers and BOOL; each value is checked against the
//                valid values of the input
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/state/io/InputValues.h"
#include "train/state/io/Safetensors.h"

#include <memory>
#include <string>

namespace zrt {

class SampleFile {
public:
  /// Opens `place` for `input`: FILE.npy, FILE.safetensors with a single
  /// tensor, or FILE.safetensors:TENSOR.  Throws zrt::Error with both names and
  /// shapes if it does not fit.
  SampleFile(const std::string &place, const zrt_input &input);

  uint64_t samples() const { return static_cast<uint64_t>(entry.shape[0]); }
  uint64_t fileBytes() const { return entry.bytes; }
  /// "features.npy, F32, 1000 samples of 8 x 8"
  std::string text() const;

  /// Writes the values of a sample to `to`.  Throws zrt::Error for a value that
  /// is not valid for the input, and if the file has been truncated.
  void read(uint64_t sample, std::byte *to) const;

private:
  void find();
  void check() const;
  /// Reads the bytes of a sample without conversion.
  void fetch(uint64_t sample, std::byte *to) const;
  template <typename From>
  void copyIntegers(uint64_t sample, const std::byte *from,
                    std::byte *to) const;

  std::string place; ///< for messages
  const zrt_input &input;
  std::unique_ptr<const SafetensorsFile> safetensors; ///< this or npy is set
  std::unique_ptr<const InputFile> npy;
  TensorEntry entry;
  uint64_t elements; ///< per sample
};

/// The file of a place, without the name of a tensor.
std::string fileOfPlace(const std::string &place);

} // namespace zrt
