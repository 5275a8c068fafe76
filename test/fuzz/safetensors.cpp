//===- safetensors.cpp - Fuzzes the reader of weights ---------------------===//
//
// An input is `F` and a file, or any other byte, a number of data bytes and a
// header.  In the second form the length before the header is correct, so
// mutations affect the header.
//
//===----------------------------------------------------------------------===//
#include "train/state/io/Safetensors.h"

#include "runtime/text/Error.h"

#include "MemoryFile.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

std::string fileOf(const std::string &input) {
  if (input.size() < 2 || input[0] == 'F')
    return input.substr(input.empty() ? 0 : 1);
  const std::string header = input.substr(2);
  const uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header +
         std::string(static_cast<unsigned char>(input[1]), 'x');
}

/// Checks the guarantees of an accepted file.
void check(const zrt::SafetensorsFile &file) {
  for (const zrt::TensorEntry &tensor : file.tensors()) {
    uint64_t elements = 1;
    for (const int64_t extent : tensor.shape)
      elements *= static_cast<uint64_t>(extent);
    if (file.find(tensor.name) != &tensor || elements != tensor.elements)
      std::abort();
    std::vector<std::byte> bytes(tensor.bytes);
    file.read(tensor, 0, bytes.data(), bytes.size());
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static zero::fuzz::MemoryFile input;
  const std::string path =
      input.write(fileOf({reinterpret_cast<const char *>(data), size}));
  try {
    check(zrt::SafetensorsFile(path));
  } catch (const zrt::Error &error) {
    zero::fuzz::requireReadable(error.what());
  }
  return 0;
}
