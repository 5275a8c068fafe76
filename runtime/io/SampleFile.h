//===- SampleFile.h - Samples of an input, in a file ------------*- C++ -*-===//
//
// The first dimension of a tensor counts samples; the others are the input's.
// Values are converted where no value changes:
//
//   to f32       from F32, F16 and BF16, integers of up to 16 bits, and BOOL
//   to integers  from integers and BOOL; each value is compared with what the
//                input may hold
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/io/InputValues.h"
#include "runtime/io/Safetensors.h"

#include <memory>
#include <string>

namespace zrt {

class SampleFile {
public:
  /// Opens `place`, which is FILE.npy, FILE.safetensors if there is one tensor
  /// in it, or FILE.safetensors:TENSOR, for `input`.  Throws zrt::Error, with
  /// the names of both and both shapes, when it does not fit.
  SampleFile(const std::string &place, const zrt_input &input);

  uint64_t samples() const { return static_cast<uint64_t>(entry.shape[0]); }
  uint64_t fileBytes() const { return entry.bytes; }
  /// "features.npy, F32, 1000 samples of 8 x 8"
  std::string text() const;

  /// Writes the values of a sample to `to`.  Throws zrt::Error for one that the
  /// input may not hold, and when the file has been cut.
  void read(uint64_t sample, std::byte *to) const;

private:
  void find();
  void check() const;
  /// The bytes of a sample, as the file has them.
  void fetch(uint64_t sample, std::byte *to) const;
  template <typename From>
  void copyIntegers(uint64_t sample, const std::byte *from,
                    std::byte *to) const;

  std::string place; ///< for messages
  const zrt_input &input;
  std::unique_ptr<const SafetensorsFile> safetensors; ///< or
  std::unique_ptr<const InputFile> npy;
  TensorEntry entry;
  uint64_t elements; ///< of a sample
};

/// The file of a place: without the name of a tensor.
std::string fileOfPlace(const std::string &place);

} // namespace zrt
