//===- SafetensorsWriter.cpp - Writing weights ----------------------------===//
//
// The header is what Hugging Face's writer makes, padded with spaces so that
// the data starts at a multiple of 8.  Data is streamed behind it.
//
//===----------------------------------------------------------------------===//
#include "runtime/io/Safetensors.h"

#include "runtime/Error.h"

#include <nlohmann/json.hpp>

using namespace zrt;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "safetensors are little endian, and tensors are written as is");

namespace {

/// The length of the header, and the header.
std::string headerOf(const std::string &path,
                     const std::vector<TensorHeader> &tensors) {
  nlohmann::ordered_json header;
  header["__metadata__"] = {{"format", "pt"}};
  uint64_t offset = 0;
  for (const TensorHeader &tensor : tensors) {
    nlohmann::ordered_json entry;
    entry["dtype"] = tensor.dtype;
    entry["shape"] = tensor.shape;
    entry["data_offsets"] = {offset, offset + tensor.bytes};
    offset += tensor.bytes;
    if (header.contains(tensor.name))
      fail("cannot write {}: two tensors are named {}", path, tensor.name);
    header[tensor.name] = std::move(entry);
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception &) {
    fail("cannot write {}: a parameter's name is not valid UTF-8", path);
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  const uint64_t length = text.size();
  return std::string(reinterpret_cast<const char *>(&length), sizeof(length)) +
         text;
}

} // namespace

SafetensorsWriter::SafetensorsWriter(const std::string &path,
                                     const std::vector<TensorHeader> &tensors)
    : file(path) {
  const std::string header = headerOf(path, tensors);
  file.write(header.data(), header.size());
  for (const TensorHeader &tensor : tensors)
    missing += tensor.bytes;
}

void SafetensorsWriter::write(const void *data, uint64_t bytes) {
  if (bytes > missing)
    fail("{} bytes of tensors are written where the header promises {}", bytes,
         missing);
  file.write(data, bytes);
  missing -= bytes;
}

void SafetensorsWriter::commit() {
  if (missing != 0)
    fail("the header promises {} bytes of tensors that were not written",
         missing);
  file.commit();
}

void zrt::writeSafetensors(const std::string &path,
                           const std::vector<TensorToWrite> &tensors) {
  std::vector<TensorHeader> headers;
  headers.reserve(tensors.size());
  for (const TensorToWrite &tensor : tensors)
    headers.push_back({tensor.name, tensor.dtype, tensor.shape, tensor.bytes});
  SafetensorsWriter writer(path, headers);
  for (const TensorToWrite &tensor : tensors)
    writer.write(tensor.data, tensor.bytes);
  writer.commit();
}
