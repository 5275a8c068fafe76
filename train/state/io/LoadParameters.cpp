//===- LoadParameters.cpp - Loads weights from files ----------------------===//
//
// Loading takes two passes: the first finds and checks every tensor, the second
// reads them.  A file that does not fit changes nothing.
//
// A rank reads the header and its own pieces only.
//
//===----------------------------------------------------------------------===//
#include "train/state/io/Parameters.h"

#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Error.h"
#include "train/state/io/OtherTensors.h"
#include "train/state/io/PackParameters.h"
#include "train/state/io/Safetensors.h"
#include "train/state/io/WeightFiles.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>

using namespace zrt;

namespace {

/// Prefixes of names in Hugging Face's language models, which the bare models
/// inside lack: of GPT-2, of Llama and most others, of GPT-NeoX.
constexpr std::string_view kPrefixes[] = {"transformer.", "model.",
                                          "gpt_neox."};

std::string withoutPrefix(const std::string &name) {
  for (std::string_view prefix : kPrefixes)
    if (name.rfind(prefix, 0) == 0)
      return name.substr(prefix.size());
  return name;
}

/// Of models of images and text: the modules of transformers, and the names in
/// files that older versions wrote.
constexpr std::pair<std::string_view, std::string_view> kOfText[] = {
    {"model.language_model.", "language_model.model."},
    {"lm_head.", "language_model.lm_head."}};

/// The older name of a parameter, or "".
std::string olderName(const std::string &name) {
  for (const auto &[now, before] : kOfText)
    if (name.starts_with(now))
      return std::string(before) + name.substr(now.size());
  return "";
}

/// The tensor of `file` for parameter `name`, or nullptr; all names of the file
/// begin with `wrapper`.
const WeightFiles::Tensor *match(const WeightFiles &file,
                                 const std::string &wrapper,
                                 const std::string &name) {
  if (const WeightFiles::Tensor *exact = file.find(wrapper + name))
    return exact;
  if (const std::string older = olderName(name); !older.empty())
    if (const WeightFiles::Tensor *found = file.find(wrapper + older))
      return found;
  if (const std::string bare = withoutPrefix(name); bare != name)
    return file.find(wrapper + bare);
  for (std::string_view prefix : kPrefixes)
    if (const WeightFiles::Tensor *found =
            file.find(fmt::format("{}{}{}", wrapper, prefix, name)))
      return found;
  return nullptr;
}

/// The same, with the least of what all names of the file begin with: nothing,
/// "base_model.", "base_model.model.", ...
const WeightFiles::Tensor *match(const WeightFiles &file,
                                 const std::string &name) {
  const std::string &common = file.beginning();
  for (size_t end = 0;; end = common.find('.', end) + 1) {
    if (const auto *found = match(file, common.substr(0, end), name))
      return found;
    if (end == common.size())
      return nullptr;
  }
}

bool canConvert(const std::string &from, zrt_dtype to) {
  return from == "F32" || from == "BF16" || from == "F16" ||
         (from == "F64" && to == ZRT_F64);
}

/// Reads elements of `parameter` from `first` on.
template <typename T>
void read(const WeightFiles::Tensor &source, const std::string & /*path*/,
          const Parameter & /*parameter*/, uint64_t first,
          std::vector<T> &values) {
  source.file->readElements(*source.entry, first, values.size(), values.data());
}

/// Packs them; the first of these bytes is `first`.
void read(const WeightFiles::Tensor &source, const std::string &path,
          const Parameter &parameter, uint64_t first,
          std::vector<std::byte> &bytes) {
  const auto readFloats = [&](uint64_t from, uint64_t count, float *to) {
    source.file->readElements(*source.entry, from, count, to);
  };
  try {
    packBytes(parameter, first, readFloats, bytes);
  } catch (const Error &error) {
    fail("{}: {}", path, error.what());
  }
}

/// Throws for a parameter that `files` lack, and names what may be it: the
/// tensor whose name has the longest end in common.
[[noreturn]] void failMissing(const WeightFiles &files,
                              const std::string &name) {
  std::string_view nearest;
  size_t most = 0;
  for (const WeightFiles::Tensor &tensor : files.tensors()) {
    const std::string &other = tensor.entry->name;
    const auto [mine, end] =
        std::mismatch(name.rbegin(), name.rend(), other.rbegin(), other.rend());
    if (const auto common = size_t(mine - name.rbegin()); common > most) {
      most = common;
      nearest = other;
    }
  }
  fail("{}: tensor {} is missing; the file has {} tensors of another model{}",
       files.path(), name, files.tensors().size(),
       nearest.empty() ? "" : ", such as " + shown(nearest));
}

/// Says once that names are read without what wraps the model, or "".
std::string noteWrapped(const std::vector<Parameter> &parameters,
                        const std::vector<WeightFiles::Tensor> &sources) {
  for (size_t i = 0; i < sources.size(); ++i)
    if (const std::string &name = sources[i].entry->name;
        name != olderName(parameters[i].name) &&
        withoutPrefix(name) != withoutPrefix(parameters[i].name))
      return fmt::format(
          "its names are those of a wrapped model; {} is read as "
          "{}, and others alike",
          shown(name), parameters[i].name);
  return "";
}

} // namespace

bool zrt::holdsAny(const std::string &path,
                   const std::vector<Parameter> &parameters) {
  const WeightFiles files(path);
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const Parameter &parameter) {
                       return match(files, parameter.name) != nullptr;
                     });
}

bool zrt::isOfText(std::string_view tensor) {
  return std::ranges::any_of(kOfText, [&](const auto &names) {
    return tensor.starts_with(names.first) || tensor.starts_with(names.second);
  });
}

std::string zrt::tensorFor(const WeightFiles &files, const std::string &name) {
  const WeightFiles::Tensor *found = match(files, name);
  return found ? found->entry->name : "";
}

ElementSource zrt::elementsIn(const std::string &path,
                              const Parameter &parameter) {
  const auto files = std::make_shared<const WeightFiles>(path);
  const WeightFiles::Tensor *found = match(*files, parameter.name);
  if (!found || found->entry->shape != parameter.shape)
    fail("{}: tensor {} is missing", path, parameter.name);
  return [files, found](uint64_t first, uint64_t count, float *to) {
    found->file->readElements(*found->entry, first, count, to);
  };
}

std::string zrt::loadParameters(const std::vector<Parameter> &parameters,
                                const std::string &path,
                                const ParameterMemory &memory, bool needsHead) {
  const WeightFiles files(path);
  std::vector<WeightFiles::Tensor> sources;
  std::set<const TensorEntry *> used;
  for (const Parameter &parameter : parameters) {
    const std::string &name = parameter.name;
    const WeightFiles::Tensor *found = match(files, name);
    if (!found)
      failMissing(files, name);
    const TensorEntry *tensor = found->entry;
    if (tensor->shape != parameter.shape)
      fail("{}: tensor {} is {}, but the model's is {}; compile the model with "
           "the sizes of this file",
           path, shown(tensor->name), shown(shapeText(tensor->shape)),
           shapeText(parameter.shape));
    if (!canConvert(tensor->dtype, parameter.dtype))
      fail("{}: tensor {} is {}, which cannot become {} exactly; convert it to "
           "F32, BF16 or F16",
           path, shown(tensor->name), tensor->dtype,
           dtypeName(parameter.dtype));
    if (!used.insert(tensor).second)
      fail("{}: tensor {} would fill two parameters", path,
           shown(tensor->name));
    sources.push_back(*found);
  }
  std::string warning = noteWrapped(parameters, sources);
  if (const std::string others = checkOthers(files, used, needsHead);
      !others.empty())
    warning += (warning.empty() ? "" : "; ") + others;
  for (size_t i = 0; i < parameters.size(); ++i)
    fillPieces(parameters[i], memory, [&](uint64_t first, auto &values) {
      read(sources[i], path, parameters[i], first, values);
    });
  return warning.empty() ? "" : fmt::format("{}: {}", path, warning);
}
