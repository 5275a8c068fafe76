//===- OtherTensors.cpp - Tensors of files that no parameter takes --------===//
//
// Hugging Face's files hold more than parameters.  A name says what a tensor
// may be; only its elements say that nothing is lost without it:
//
//   attn.bias              1 on and below a diagonal, else 0
//   attn.masked_bias       one number, far below 0
//   rotary_emb.inv_freq    10000^(-i/n), of n elements
//   lm_head.weight         the embedding, again
//
// What has other elements, or another name, is named in a warning.  An output
// layer with other elements is an error for a model that predicts tokens: it
// would do so with the embedding.
//
//===----------------------------------------------------------------------===//
#include "train/state/io/OtherTensors.h"

#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"
#include "train/state/io/Parameters.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace zrt;

namespace {

using Tensor = WeightFiles::Tensor;

bool isNumeric(const TensorEntry &entry) {
  return entry.dtype == "F64" || entry.dtype == "F32" ||
         entry.dtype == "BF16" || entry.dtype == "F16" ||
         entry.dtype == "BOOL" || entry.dtype == "U8";
}

/// The elements of a tensor, which are read some at a time.
class Numbers {
public:
  explicit Numbers(const Tensor &tensor) : tensor(tensor) {}
  double operator[](uint64_t at) {
    if (at - first >= values.size())
      read(at);
    return values[at - first];
  }

private:
  void read(uint64_t at) {
    constexpr uint64_t kAtOnce = uint64_t{64} << 10;
    const auto &[file, entry] = tensor;
    first = at;
    values.resize(std::min(kAtOnce, entry->elements - at));
    if (entry->dtype != "BOOL" && entry->dtype != "U8")
      return file->readElements(*entry, at, values.size(), values.data());
    std::vector<uint8_t> bytes(values.size());
    file->read(*entry, at, bytes.data(), bytes.size());
    std::ranges::copy(bytes, values.begin());
  }

  const Tensor tensor;
  uint64_t first = 0;
  std::vector<double> values;
};

/// The first element of `tensor` for which `isRight(index, value)` is false.
template <typename IsRight>
std::optional<uint64_t> findWrong(const Tensor &tensor, IsRight isRight) {
  Numbers numbers(tensor);
  for (uint64_t at = 0; at < tensor.entry->elements; ++at)
    if (!isRight(at, numbers[at]))
      return at;
  return std::nullopt;
}

bool isCausalMask(const Tensor &tensor) {
  const std::vector<int64_t> &shape = tensor.entry->shape;
  if (shape.size() < 2 || shape.back() != shape[shape.size() - 2])
    return false;
  const auto n = uint64_t(shape.back());
  return !findWrong(tensor, [n](uint64_t at, double value) {
    return value == (at % n <= at / n % n ? 1 : 0);
  });
}

/// -1e4 or -1e9, perhaps rounded to 16 bits.
bool isScoreOfMasked(const Tensor &tensor) {
  return tensor.entry->elements == 1 &&
         !findWrong(tensor,
                    [](uint64_t, double value) { return value < -9000; });
}

bool isOfRotary(const Tensor &tensor) {
  const auto n = double(tensor.entry->elements);
  return !findWrong(tensor, [n](uint64_t at, double value) {
    const double expected = std::pow(10000, -double(at) / n);
    return std::abs(value - expected) <= expected / 128; // of bf16
  });
}

constexpr struct {
  std::string_view name;
  bool (*isKnown)(const Tensor &);
} kBuffers[] = {{"attn.bias", isCausalMask},
                {"attention.bias", isCausalMask},
                {"attn.masked_bias", isScoreOfMasked},
                {"attention.masked_bias", isScoreOfMasked},
                {"rotary_emb.inv_freq", isOfRotary}};

bool hasName(const Tensor &tensor, std::string_view name) {
  const std::string &whole = tensor.entry->name;
  return whole == name || whole.ends_with("." + std::string(name));
}

/// Whether it is that output layer which is in `used` by another name.
bool isTied(const WeightFiles &files, const Tensor &head,
            const std::set<const TensorEntry *> &used, bool needsHead) {
  std::string other;
  for (const Tensor &tensor : files.tensors()) {
    if (!used.contains(tensor.entry) ||
        tensor.entry->shape != head.entry->shape || !isNumeric(*tensor.entry))
      continue;
    Numbers numbers(tensor);
    const auto wrong = findWrong(head, [&](uint64_t at, double value) {
      const double mine = numbers[at];
      return value == mine || (std::isnan(value) && std::isnan(mine));
    });
    if (!wrong)
      return true;
    other = fmt::format("{} from element {} on", shown(tensor.entry->name),
                        withCommas(*wrong));
  }
  if (needsHead && !other.empty())
    fail("{}: tensor {} differs from {}, and the model has no output layer "
         "but the embedding; set \"tie_word_embeddings\" to false in its "
         "config.json and compile it again, or remove the tensor from the file",
         files.path(), shown(head.entry->name), other);
  return false;
}

bool isKnown(const WeightFiles &files, const Tensor &tensor,
             const std::set<const TensorEntry *> &used, bool needsHead) {
  if (!isNumeric(*tensor.entry))
    return false;
  if (hasName(tensor, "lm_head.weight") || hasName(tensor, "embed_out.weight"))
    return isTied(files, tensor, used, needsHead);
  return std::ranges::any_of(kBuffers, [&](const auto &buffer) {
    return hasName(tensor, buffer.name) && buffer.isKnown(tensor);
  });
}

} // namespace

std::string zrt::checkOthers(const WeightFiles &files,
                             const std::set<const TensorEntry *> &used,
                             bool needsHead) {
  std::string names;
  size_t count = 0;
  // Of a model of images and text the import has said what is not trained.
  const bool ofImages = std::ranges::any_of(used, [](const TensorEntry *entry) {
    return entry->name.find("language_model.") != std::string::npos;
  });
  for (const Tensor &tensor : files.tensors()) {
    if (used.contains(tensor.entry) ||
        (ofImages && !isOfText(tensor.entry->name)) ||
        isKnown(files, tensor, used, needsHead))
      continue;
    if (++count <= 5)
      names += (count > 1 ? ", " : "") + shown(tensor.entry->name);
  }
  if (count == 0)
    return "";
  if (count > 5)
    names += fmt::format(" and {} more", count - 5);
  return fmt::format("{} tensor{} not in the model, ignored: {}", count,
                     count == 1 ? " is" : "s are", names);
}
