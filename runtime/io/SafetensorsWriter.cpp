//===- SafetensorsWriter.cpp - Writing weights ----------------------------===//
//
// The header is what Hugging Face's writer makes, padded with spaces so that
// the data starts at a multiple of 8.  Tensors are streamed from where they
// are.
//
//===----------------------------------------------------------------------===//
#include "runtime/io/Safetensors.h"

#include "runtime/Error.h"
#include "runtime/io/AtomicFile.h"

#include <nlohmann/json.hpp>

using namespace zrt;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "safetensors are little endian, and tensors are written as is");

void zrt::writeSafetensors(const std::string &path,
                           const std::vector<TensorToWrite> &tensors) {
  nlohmann::ordered_json header;
  header["__metadata__"] = {{"format", "pt"}};
  uint64_t offset = 0;
  for (const TensorToWrite &tensor : tensors) {
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

  AtomicFile file(path);
  const uint64_t length = text.size();
  file.write(&length, sizeof(length));
  file.write(text.data(), text.size());
  for (const TensorToWrite &tensor : tensors)
    file.write(tensor.data, tensor.bytes);
  file.commit();
}
