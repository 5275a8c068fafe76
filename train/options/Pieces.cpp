//===- Pieces.cpp - The texts of a tokenizer's tokens ---------------------===//
#include "train/options/Pieces.h"

#include "runtime/text/Error.h"
#include "train/state/io/Safetensors.h"

#include <algorithm>

using namespace zrt;

namespace {

/// The elements of a tensor of one dimension.
template <typename T>
void readAll(const SafetensorsFile &file, const char *name, const char *dtype,
             T &to) {
  const TensorEntry *tensor = file.find(name);
  if (!tensor || tensor->dtype != dtype || tensor->shape.size() != 1)
    fail("{} has no tensor {} of {} [n]; zeroc finetune writes such files",
         file.path(), name, dtype);
  to.resize(size_t(tensor->elements));
  file.read(*tensor, 0, to.data(), tensor->bytes);
}

} // namespace

Pieces::Pieces(const std::string &path) {
  const SafetensorsFile file(path);
  readAll(file, "bytes", "U8", bytes);
  readAll(file, "ends", "I64", ends);
  std::vector<int64_t> stops;
  readAll(file, "stops", "I64", stops);
  ending.insert(stops.begin(), stops.end());
  if (!std::ranges::is_sorted(ends) || (!ends.empty() && ends.front() < 0) ||
      (ends.empty() ? 0 : ends.back()) != int64_t(bytes.size()))
    fail("{}: the pieces do not end where the next begin", path);
}

std::string Pieces::textOf(const std::vector<int64_t> &ids) const {
  std::string text;
  for (const int64_t id : ids) {
    if (id < 0 || size_t(id) >= ends.size()) {
      text += fmt::format("<|{}|>", id);
      continue;
    }
    const auto begin = size_t(id == 0 ? 0 : ends[size_t(id) - 1]);
    text.append(bytes, begin, size_t(ends[size_t(id)]) - begin);
  }
  return text;
}
