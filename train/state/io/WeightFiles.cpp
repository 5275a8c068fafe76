//===- WeightFiles.cpp - Finds weights in one file or several -------------===//
#include "train/state/io/WeightFiles.h"

#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"
#include "train/state/io/Json.h"

#include <algorithm>
#include <filesystem>

using namespace zrt;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kAlone = "/model.safetensors",
                           kIndex = "/model.safetensors.index.json";

/// An index has about a hundred bytes per tensor.
constexpr uint64_t kMaxIndexBytes = uint64_t{32} << 20;

/// Components of names of a module in torch.compile, FSDP or a checkpoint of
/// activations; they may stand anywhere.
constexpr std::string_view kWrappers[] = {"_orig_mod.", "_fsdp_wrapped_module.",
                                          "_checkpoint_wrapped_module."};

std::string withoutWrappers(std::string name) {
  for (std::string_view wrapper : kWrappers)
    for (size_t at = 0; (at = name.find(wrapper, at)) != std::string::npos;)
      if (at == 0 || name[at - 1] == '.')
        name.erase(at, wrapper.size());
      else
        at += wrapper.size();
  return name;
}

/// Maps a tensor's name to its file's name.
std::map<std::string, std::string> readMap(const std::string &path) {
  const json index = readJson(path, kMaxIndexBytes, "an index");
  std::map<std::string, std::string> map;
  try {
    map = index.at("weight_map");
  } catch (const json::exception &error) {
    fail("{}: it is not an index of tensors: {}", path, shown(error.what()));
  }
  for (const auto &[tensor, name] : map)
    if (name.empty() || name[0] == '.' || name.find('/') != std::string::npos)
      fail("{}: tensor {} is in \"{}\", which is no name of a file beside it",
           path, shown(tensor), shown(name));
  return map;
}

/// The index of a folder, or "".
std::string indexOf(const std::string &path) {
  std::error_code error;
  const std::string index = path + std::string(kIndex);
  return fs::is_directory(path, error) && fs::exists(index, error) ? index : "";
}

} // namespace

std::vector<std::string> zrt::weightFiles(const std::string &path) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return {path};
  const std::string index = indexOf(path), alone = path + std::string(kAlone);
  if (!index.empty() && fs::exists(alone, error))
    fail("{}: the folder has {} and {}, and each names weights; move away the "
         "one that is not meant",
         path, kAlone.substr(1), kIndex.substr(1));
  if (index.empty()) {
    if (!fs::exists(alone, error))
      fail("{}: the folder has neither {} nor {}", path, kAlone.substr(1),
           kIndex.substr(1));
    return {alone};
  }
  std::vector<std::string> files = {index};
  std::map<std::string, bool> names;
  for (const auto &[tensor, name] : readMap(index))
    if (names.emplace(name, true).second)
      files.push_back(fmt::format("{}/{}", path, name));
  return files;
}

WeightFiles::WeightFiles(const std::string &path) : name(path) {
  const std::string index = indexOf(path);
  for (const std::string &file : weightFiles(path))
    if (file != index)
      files.push_back(std::make_unique<const SafetensorsFile>(file));
  for (const auto &file : files)
    for (const TensorEntry &entry : file->tensors()) {
      if (!byName.emplace(entry.name, all.size()).second)
        fail("{}: tensor {} is in {} as well", file->path(), shown(entry.name),
             all[byName[entry.name]].file->path());
      all.push_back({file.get(), &entry});
    }
  if (!index.empty())
    checkIndex(index);
  findWrappers();
}

void WeightFiles::findWrappers() {
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string plain = withoutWrappers(all[i].entry->name);
    byName.emplace(plain, i); // unless a tensor has this very name
    const size_t end =
        i == 0
            ? plain.size()
            : size_t(std::ranges::mismatch(common, plain).in1 - common.begin());
    // Up to the last dot.
    common = (i == 0 ? plain : common).substr(0, end);
    common.erase(common.rfind('.') + 1);
  }
}

void WeightFiles::checkIndex(const std::string &index) const {
  const std::map<std::string, std::string> map = readMap(index);
  for (const auto &[tensor, file] : map) {
    const Tensor *found = find(tensor);
    if (!found || fs::path(found->file->path()).filename() != file)
      fail("{}: it says that tensor {} is in {}, which does not have it", index,
           shown(tensor), shown(file));
  }
  for (const Tensor &tensor : all)
    if (map.find(tensor.entry->name) == map.end())
      fail("{}: it does not list tensor {}, which {} has", index,
           shown(tensor.entry->name), tensor.file->path());
}

const WeightFiles::Tensor *WeightFiles::find(std::string_view wanted) const {
  const auto found = byName.find(wanted);
  return found == byName.end() ? nullptr : &all[found->second];
}
