//===- SafetensorsWriter.cpp - Writes safetensors files -------------------===//
//
// The header equals that of Hugging Face's writer, padded with spaces so that
// the data starts at a multiple of 8.  The data follows it as a stream.
//
//===----------------------------------------------------------------------===//
#include "runtime/text/Bytes.h"
#include "train/state/io/Safetensors.h"

#include "runtime/text/Error.h"
#include "train/state/io/SafetensorsHeader.h"

#include <nlohmann/json.hpp>
#include <unordered_set>

using namespace zrt;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "safetensors are little endian, and tensors are written as is");

std::string zrt::safetensorsHeader(const std::vector<TensorHeader> &tensors) {
  std::string text = R"({"__metadata__":{"format":"pt","zeroc":"weights"})";
  std::unordered_set<std::string_view> names = {kMetadataName};
  uint64_t offset = 0;
  for (const TensorHeader &tensor : tensors) {
    if (!names.insert(tensor.name).second)
      fail("parameter {}: a safetensors file has this name already; rename it "
           "in the model",
           shown(tensor.name));
    std::string name;
    try {
      name = nlohmann::json(tensor.name).dump();
    } catch (const nlohmann::json::exception &) {
      fail("parameter {}: its name is not valid UTF-8, as safetensors files "
           "need; rename it in the model",
           shown(tensor.name));
    }
    text += fmt::format(
        R"(,{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", name,
        tensor.dtype, fmt::join(tensor.shape, ","), offset,
        offset + tensor.bytes);
    offset += tensor.bytes;
  }
  text += '}';
  text.append((8 - text.size() % 8) % 8, ' ');
  const uint64_t length = text.size();
  if (length > kMaxHeaderBytes)
    fail("the names of all parameters make a header of {}, more than "
         "the {} that it may have",
         shownBytes(length), shownBytes(kMaxHeaderBytes));
  return std::string(reinterpret_cast<const char *>(&length), sizeof(length)) +
         text;
}

SafetensorsWriter::SafetensorsWriter(const std::string &path,
                                     const std::vector<TensorHeader> &tensors)
    : file(path) {
  const std::string header = safetensorsHeader(tensors);
  file.write(header.data(), header.size());
  for (const TensorHeader &tensor : tensors)
    missing += tensor.bytes;
}

void SafetensorsWriter::write(const void *data, uint64_t bytes) {
  if (bytes > missing)
    fail("{} of tensors are written where the header promises {}",
         shownBytes(bytes), shownBytes(missing));
  file.write(data, bytes);
  missing -= bytes;
}

void SafetensorsWriter::commit() {
  if (missing != 0)
    fail("the header promises {} of tensors that were not written",
         shownBytes(missing));
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
