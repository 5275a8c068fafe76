//===- Export.cpp - Exports weights in standard formats -------------------===//
#include "train/state/checkpoint/Export.h"

#include "runtime/files/AtomicFile.h"
#include "runtime/files/OwnFiles.h"
#include "runtime/numbers/HalfFloats.h"
#include "runtime/packing/Pack.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Error.h"
#include "train/state/checkpoint/Merge.h"
#include "train/state/checkpoint/OtherParts.h"
#include "train/state/checkpoint/RankFile.h"
#include "train/state/checkpoint/Reader.h"
#include "train/state/io/AdapterFolder.h"
#include "train/state/io/Json.h"
#include "train/state/io/Parameters.h"
#include "train/state/io/Safetensors.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>

using namespace zrt;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Elements per read and conversion.
constexpr uint64_t kAtOnce = uint64_t{1} << 20;
constexpr std::string_view kSafetensors = ".safetensors";
constexpr const char *kAlone = "model.safetensors",
                     *kIndex = "model.safetensors.index.json",
                     *kConfig = "config.json",
                     *kGeneration = "generation_config.json";

/// A tensor of the export: a parameter, or one that is copied.
struct Tensor {
  std::string name;
  const ParameterRecord *parameter;
  zrt_dtype dtype; ///< in the file
  uint64_t elements;
  const WeightFiles::Tensor *copied = nullptr;
  bool isWide = false; ///< f32 in the model's folder, beside 16 bits

  uint64_t bytes() const {
    return copied ? copied->entry->bytes : elements * dtypeBytes(dtype);
  }
  TensorHeader header() const {
    return {name, copied ? copied->entry->dtype : elementName(dtype),
            copied ? copied->entry->shape : parameter->shape, bytes()};
  }
};

class Exporter {
public:
  explicit Exporter(const ExportRequest &request)
      : request(request),
        reader(request.best ? findBestCheckpoint(request.checkpoint)
                            : findCheckpoint(request.checkpoint)) {}

  ExportResult run() {
    const int threads = int(std::thread::hardware_concurrency());
    reader.verify(0, 1, threads);
    reader.openBase(request.base);
    reader.verifyBase({.threads = threads});
    const RunPosition &run = reader.manifest().run;
    result.notes.push_back(
        fmt::format("{}: after {} steps", reader.path(), run.step));
    notePacked();
    if (run.pending)
      result.notes.push_back(
          "the update of the last step is left, and not in these weights; a "
          "run with --resume and --save makes it");
    if (request.merge) {
      merger.emplace(reader);
      result.notes.push_back(fmt::format(
          "{} adapters are merged into their weights", merger->count()));
    }
    const OtherParts others = findOthers();
    for (const ParameterRecord &parameter : reader.manifest().parameters)
      if (!merger || !isOfAdapter(parameter.name)) {
        const bool isWide = others.isWide(parameter.name);
        tensors.push_back({others.nameOf(parameter.name), &parameter,
                           isWide ? ZRT_F32 : typeOf(parameter),
                           countedElements(parameter.shape)});
        tensors.back().isWide = isWide;
      }
    for (const WeightFiles::Tensor *tensor : others.tensors())
      copied.push_back({tensor->entry->name, nullptr, 0, 0, tensor});
    if (!copied.empty())
      result.notes.push_back(others.describe());
    const bool isFile =
        request.output.size() > kSafetensors.size() &&
        request.output.compare(request.output.size() - kSafetensors.size(),
                               kSafetensors.size(), kSafetensors) == 0 &&
        !fs::is_directory(request.output);
    checkOutside();
    if (isFile) {
      if (!request.config.empty())
        fail("a config is for a folder; name one with -o");
      checkReplaced(request.output, kWeightsFile, request.force);
      writeFile(request.output, tensors);
    } else {
      if (!merger)
        checkNoAdapters();
      writeFolder();
    }
    return std::move(result);
  }

private:
  /// Throws for adapters: other tools ignore tensors that the base model lacks.
  void checkNoAdapters() const {
    if (const ParameterRecord *adapter = reader.findAdapter())
      fail("{}: this run trained adapters ({} is one), and a folder with them "
           "would load as the base model, untrained; merge them with --merge, "
           "or take them in PEFT's format, which train --resume with "
           "--save=DIR writes, or name a file *.safetensors for base and "
           "adapters",
           reader.path(), adapter->name);
  }

  zrt_dtype typeOf(const ParameterRecord &parameter) const {
    const zrt_dtype kept = reader.typeOf(parameter.name);
    if (request.dtype == 0 && kept == ZRT_I8)
      return ZRT_F32;
    return request.dtype == 0 || kept == ZRT_F64 ? kept : request.dtype;
  }

  /// What the folder of the model has, which is that of the config, if it is
  /// not named.
  OtherParts findOthers() {
    const bool ofImages = !request.config.empty() &&
                          OtherParts::isOfImages(readText(
                              request.config, kMaxConfigBytes, "a config"));
    if (!request.others.empty() || request.config.empty())
      return OtherParts(request.others, ofImages);
    std::string folder = fs::path(request.config).parent_path().string();
    if (folder.empty())
      folder = ".";
    try {
      (void)weightFiles(folder);
    } catch (const Error &) {
      if (ofImages)
        result.notes.push_back(
            "only the model of text is written: there are no weights beside " +
            request.config + "; name the whole model's folder by --others");
      folder.clear();
    }
    return OtherParts(folder, ofImages);
  }

  /// Throws if the output lies inside the checkpoint.
  void checkOutside() const {
    std::error_code error;
    const fs::path own = fs::canonical(reader.path(), error),
                   output = fs::weakly_canonical(request.output, error);
    for (fs::path at = output; at.has_relative_path(); at = at.parent_path())
      if (at == own)
        fail("{} is in the checkpoint {}; name a place outside of it with -o",
             request.output, reader.path());
  }

  /// The weights in the folder: a reader could load those that this export does
  /// not replace.
  std::vector<std::string> findWeights() const {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(request.output, error)) {
      const std::string name = entry.path().filename().string();
      if (name == kIndex ||
          (name.starts_with("model") && name.ends_with(kSafetensors)))
        names.push_back(name);
    }
    return names;
  }

  /// Removes weights of an earlier export that this one has not replaced.
  void removeLeftovers(const std::set<std::string> &written) const {
    for (const std::string &name : findWeights())
      if (!written.contains(name) && own.owns(name))
        fs::remove(request.output + "/" + name);
  }

  void notePacked() {
    size_t count = 0;
    for (const ParameterRecord &parameter : reader.manifest().parameters)
      count += parameter.packing != ZRT_UNPACKED;
    if (count > 0)
      result.notes.push_back(fmt::format(
          "{} of the parameters are packed; they are written as the numbers "
          "that their codes stand for",
          count));
  }

  void writeFile(const std::string &path, const std::vector<Tensor> &some) {
    std::vector<TensorHeader> headers;
    headers.reserve(some.size());
    for (const Tensor &tensor : some)
      headers.push_back(tensor.header());
    SafetensorsWriter writer(path, headers);
    for (const Tensor &tensor : some)
      if (tensor.copied)
        copy(writer, *tensor.copied);
      else
        for (uint64_t at = 0; at < tensor.elements; at += kAtOnce)
          write(writer, tensor, at, std::min(kAtOnce, tensor.elements - at));
    writer.commit();
    result.files.push_back(path);
  }

  void write(SafetensorsWriter &writer, const Tensor &tensor, uint64_t first,
             uint64_t count) {
    const std::string &name = tensor.parameter->name;
    if (tensor.dtype == ZRT_F64) {
      doubles.resize(count);
      reader.read(kTrainedSlot, name, first, doubles);
      writer.write(doubles.data(), count * sizeof(double));
      return;
    }
    values.resize(count);
    static_assert(kAtOnce % kPackedRun == 0);
    reader.readNumbers(*tensor.parameter, first, values);
    if (merger)
      merger->merge(name, first, values);
    if (tensor.dtype == ZRT_F16 || tensor.dtype == ZRT_BF16)
      for (uint64_t i = 0; i < count; ++i)
        if (!(std::abs(values[i]) < limitOf(tensor.dtype)))
          fail("{}: parameter {} is {} at element {}, more than {} holds; give "
               "another --dtype",
               reader.path(), shown(name), values[i], first + i,
               dtypeName(tensor.dtype));
    narrowInPlace(tensor.dtype, values.data(), count);
    writer.write(values.data(), count * dtypeBytes(tensor.dtype));
  }

  /// Copies the bytes of a tensor.
  static void copy(SafetensorsWriter &writer,
                   const WeightFiles::Tensor &tensor) {
    std::vector<std::byte> bytes;
    for (uint64_t at = 0; at < tensor.entry->bytes; at += bytes.size()) {
      bytes.resize(std::min(kAtOnce, tensor.entry->bytes - at));
      tensor.file->read(*tensor.entry, at, bytes.data(), bytes.size());
      writer.write(bytes.data(), bytes.size());
    }
  }

  /// Splits the tensors into files of at most maxShardBytes; a larger tensor
  /// gets a file of its own.  Copied ones share none with parameters.
  std::vector<std::vector<Tensor>> shards() const {
    std::vector<std::vector<Tensor>> shards;
    for (const std::vector<Tensor> *kind : {&tensors, &copied}) {
      uint64_t bytes = 0;
      for (const Tensor &tensor : *kind) {
        if (&tensor == kind->data() ||
            (request.maxShardBytes != 0 && bytes != 0 &&
             bytes + tensor.bytes() > request.maxShardBytes)) {
          shards.emplace_back();
          bytes = 0;
        }
        shards.back().push_back(tensor);
        bytes += tensor.bytes();
      }
    }
    return shards;
  }

  void writeFolder() {
    const std::vector<std::string> old = findWeights();
    std::vector<std::string> replaced = old;
    if (!request.config.empty())
      replaced.insert(replaced.end(), {kConfig, kGeneration});
    own.check(replaced, request.force);
    std::error_code error;
    fs::create_directories(request.output, error);
    if (error)
      fail("cannot make the folder {}: {}", request.output,
           errnoText(error.value()));
    const auto all = shards();
    std::vector<std::string> names;
    for (size_t i = 1; i <= all.size(); ++i)
      names.push_back(all.size() == 1 ? std::string(kAlone)
                                      : fmt::format("model-{:05}-of-{:05}{}", i,
                                                    all.size(), kSafetensors));
    std::set<std::string> written(names.begin(), names.end());
    if (all.size() > 1)
      written.emplace(kIndex);
    for (const std::string &name : old)
      if (!written.contains(name) && !own.owns(name))
        fail("{} has weights already, of which this export would leave {}; "
             "remove them, or name another folder with -o",
             request.output, name);
    if (!request.config.empty())
      writeConfigs();
    if (all.size() == 1) {
      writeOwn(names[0], [&](const auto &path) { writeFile(path, all[0]); });
      return removeLeftovers(written);
    }
    // Without an index, readers find no weights until all files are there.
    fs::remove(request.output + "/" + kIndex, error);
    json map = json::object();
    uint64_t bytes = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      const std::string &name = names[i];
      writeOwn(name, [&](const auto &path) { writeFile(path, all[i]); });
      for (const Tensor &tensor : all[i]) {
        map[tensor.name] = name;
        bytes += tensor.bytes();
      }
    }
    const json content = {{"metadata", {{"total_size", bytes}}},
                          {"weight_map", map}};
    writeText(kIndex, content.dump(2) + "\n");
    removeLeftovers(written);
  }

  /// Transformers' name of the type that holds all elements exactly.
  const char *nameOfType() const {
    const auto is = [&](zrt_dtype dtype) {
      return [dtype](const Tensor &tensor) {
        return tensor.dtype == dtype || (tensor.isWide && dtype != ZRT_F64);
      };
    };
    return std::ranges::any_of(tensors, is(ZRT_F64))    ? "float64"
           : std::ranges::all_of(tensors, is(ZRT_BF16)) ? "bfloat16"
           : std::ranges::all_of(tensors, is(ZRT_F16))  ? "float16"
                                                        : "float32";
  }

  /// Writes the config, changed only where it says another type of elements,
  /// and its token ids that begin and end texts.
  void writeConfigs() {
    std::string text = readText(request.config, kMaxConfigBytes, "a config");
    const json config = parseJsonOf(request.config, text);
    if (!config.is_object())
      fail("{} is no object of JSON; name a config.json", request.config);
    // Of transformers since 4.56, and before; all know the older one.
    const bool isNew = config.contains("dtype");
    nlohmann::ordered_json changed = nlohmann::ordered_json::parse(text);
    if (isNew)
      changed["dtype"] = nameOfType();
    if (!isNew || config.contains("torch_dtype"))
      changed["torch_dtype"] = nameOfType();
    if (OtherParts::isOfImages(text))
      for (const char *key : {"dtype", "torch_dtype"})
        if (changed["text_config"].contains(key))
          changed["text_config"][key] = nameOfType();
    if (json(changed) != config)
      text = changed.dump(2) + "\n";
    writeText(kConfig, text);
    json generation = {{"_from_model_config", true}};
    for (const char *key : {"bos_token_id", "eos_token_id", "pad_token_id"})
      if (config.contains(key))
        generation[key] = config[key];
    writeText(kGeneration, generation.dump(2) + "\n");
  }

  void writeText(const char *name, const std::string &text) {
    writeOwn(name, [&](const std::string &path) {
      replaceFile(path, text);
      result.files.push_back(path);
    });
  }

  /// Writes a file of the folder, which the folder's list then has.
  template <typename Write>
  void writeOwn(const std::string &name, Write write) {
    own.begin(name);
    write(request.output + "/" + name);
    own.end(name);
  }

  const ExportRequest &request;
  CheckpointReader reader;
  OwnFolder own{request.output};
  std::optional<AdapterMerger> merger;
  std::vector<Tensor> tensors, copied;
  std::vector<float> values;
  std::vector<double> doubles;
  ExportResult result;
};

} // namespace

ExportResult zrt::exportCheckpoint(const ExportRequest &request) noexcept {
  ExportResult failed;
  try {
    return Exporter(request).run();
  } catch (const std::bad_alloc &) {
    failed.error = "out of memory";
  } catch (const std::exception &error) {
    failed.error = error.what();
  }
  return failed;
}
