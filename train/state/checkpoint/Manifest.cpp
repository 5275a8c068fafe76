//===- Manifest.cpp - The description of a checkpoint ---------------------===//
//
// If the hash at the end of a manifest matches, one of our runs wrote it.  The
// contents are checked nevertheless, so that a mistake in the writer becomes an
// error in the reader.
//
//===----------------------------------------------------------------------===//
#include "train/state/checkpoint/Manifest.h"

#include "runtime/hash/ContentHash.h"
#include "runtime/hash/Hash.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"
#include "train/state/checkpoint/RankFile.h"
#include "train/state/io/Json.h"
#include "train/state/io/Safetensors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

using namespace zrt;
using nlohmann::json;

namespace {

constexpr std::string_view kFormat = "zeroc checkpoint";
/// What reads a manifest: programs that know no base read those without one.
constexpr int kVersion = 1, kVersionWithBase = 2;
constexpr std::string_view kChecksum = "\"checksum\":";

std::string inJson(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string hex(uint64_t number) { return fmt::format("\"{:016x}\"", number); }

/// The number with all digits of its type; a string for NaN and infinity.
template <typename T>
std::string numberInJson(T number) {
  const std::string text =
      fmt::format("{:.{}g}", number, std::numeric_limits<T>::max_digits10);
  return std::isfinite(number) ? text : '"' + text + '"';
}

std::string numbersInJson(const std::vector<double> &numbers) {
  std::string text;
  for (const double number : numbers)
    text += (text.empty() ? "" : ",") + numberInJson(number);
  return text;
}

template <typename T>
T numberOf(const json &value) {
  if (!value.is_string())
    return value.get<T>();
  // Numbers that JSON has no words for.
  const auto &text = value.get_ref<const std::string &>();
  const char *const end = text.data() + text.size();
  double number = 0;
  if (const auto read = std::from_chars(text.data(), end, number);
      read.ec != std::errc() || read.ptr != end || std::isfinite(number))
    fail("{} is no number", shown(text));
  return T(number);
}

std::vector<double> numbersOf(const json &values) {
  std::vector<double> numbers;
  for (const json &value : values)
    numbers.push_back(numberOf<double>(value));
  return numbers;
}

uint64_t fromHex(const json &value) {
  const auto &text = value.get_ref<const std::string &>();
  const char *const end = text.data() + text.size();
  uint64_t number = 0;
  if (const auto read = std::from_chars(text.data(), end, number, 16);
      read.ec != std::errc() || read.ptr != end)
    fail("{} is no number", shown(text));
  return number;
}

uint64_t hashOf(std::string_view text) {
  return contentHash(text.data(), text.size());
}

std::string runText(const RunPosition &run) {
  std::string text = fmt::format(
      "\"step\":{},\n\"skipped\":{},\n\"skipped_in_row\":{},\n"
      "\"sequences\":{},\n\"skipped_sequences\":{},\n"
      "\"begun_with\":{},\n\"shuffle\":{},\n\"seed\":{},\n"
      "\"data\":{{\"bytes\":{},\"hash\":{}}},\n"
      "\"inputs\":{{\"bytes\":{},\"hash\":{}}},\n",
      run.step, run.skipped, run.skippedInRow, run.sequences,
      run.skippedSequences, run.begunWith, run.shuffles, run.seed,
      run.dataBytes, hex(run.dataHash), run.inputBytes, hex(run.inputHash));
  if (!run.weights.empty())
    text +=
        fmt::format("\"data_weights\":[{}],\n", fmt::join(run.weights, ","));
  if (const auto &scale = run.lossScale)
    text += fmt::format("\"loss_scale\":{{\"value\":{},\"moves\":{},"
                        "\"hysteresis\":{},\"since_overflow\":{}}},\n",
                        numberInJson(scale->value), scale->moves,
                        scale->hysteresis, scale->sinceOverflow);
  if (const auto &guard = run.guard)
    text += fmt::format("\"guard\":{{\"losses\":[{}],\"norms\":[{}],"
                        "\"spikes\":{}}},\n",
                        numbersInJson(guard->losses),
                        numbersInJson(guard->norms), guard->spikes);
  if (const auto &best = run.best)
    text += fmt::format("\"best\":{{\"step\":{},\"loss\":{},\"since\":{},"
                        "\"kept\":{},\"data\":{}}},\n",
                        best->step, numberInJson(best->loss), best->since,
                        best->kept, hex(best->data));
  if (const auto &left = run.pending)
    text += fmt::format("\"pending\":{{\"step\":{},\"update\":{},\"lr\":{},"
                        "\"clip\":{},\"loss_scale\":{},"
                        "\"rounding\":{}}},\n",
                        left->step, left->update, numberInJson(left->lr),
                        numberInJson(left->clip), numberInJson(left->lossScale),
                        left->rounding);
  if (!run.adapters.empty())
    text += fmt::format("\"adapters\":{},\n", run.adapters);
  if (!run.function.empty())
    text += fmt::format("\"function\":{},\n", run.function);
  text += "\"options\":{";
  for (const auto &[name, value] :
       std::map(run.options.begin(), run.options.end()))
    text += fmt::format("{}{}:{}", text.back() == '{' ? "" : ",", inJson(name),
                        inJson(value));
  return text + "},\n";
}

RunPosition runOf(const json &value) {
  RunPosition run;
  run.step = value.at("step").get<int64_t>();
  run.skipped = value.at("skipped").get<int64_t>();
  run.skippedInRow = value.at("skipped_in_row").get<int64_t>();
  run.sequences = value.at("sequences").get<uint64_t>();
  // Older checkpoints lack both; their steps had one size as a rule.
  const uint64_t perStep =
      run.step > 0 ? run.sequences / uint64_t(run.step) : 0;
  run.skippedSequences =
      value.value("skipped_sequences", uint64_t(run.skipped) * perStep);
  run.begunWith = value.value("begun_with", perStep);
  run.shuffles = value.at("shuffle").get<bool>();
  run.seed = value.at("seed").get<uint64_t>();
  run.dataBytes = value.at("data").at("bytes").get<uint64_t>();
  run.dataHash = fromHex(value.at("data").at("hash"));
  run.inputBytes = value.at("inputs").at("bytes").get<uint64_t>();
  run.inputHash = fromHex(value.at("inputs").at("hash"));
  if (value.contains("data_weights"))
    run.weights = value.at("data_weights").get<std::vector<uint64_t>>();
  if (value.contains("loss_scale")) {
    const json &scale = value.at("loss_scale");
    run.lossScale = {numberOf<double>(scale.at("value")),
                     scale.at("moves").get<bool>(),
                     scale.at("hysteresis").get<int64_t>(),
                     scale.at("since_overflow").get<int64_t>()};
  }
  if (value.contains("guard")) {
    const json &guard = value.at("guard");
    run.guard = {numbersOf(guard.at("losses")), numbersOf(guard.at("norms")),
                 guard.at("spikes").get<int64_t>()};
    if (run.guard->losses.size() != run.guard->norms.size())
      fail("its guard has {} losses and {} norms", run.guard->losses.size(),
           run.guard->norms.size());
  }
  if (value.contains("best")) {
    const json &best = value.at("best");
    run.best = {best.at("step").get<int64_t>(),
                numberOf<double>(best.at("loss")),
                best.at("since").get<int64_t>(), best.at("kept").get<bool>(),
                fromHex(best.at("data"))};
  }
  if (value.contains("pending")) {
    const json &left = value.at("pending");
    run.pending = {left.at("step").get<int64_t>(),
                   left.at("update").get<int64_t>(),
                   numberOf<float>(left.at("lr")),
                   numberOf<float>(left.at("clip")),
                   numberOf<float>(left.at("loss_scale")),
                   left.at("rounding").get<uint64_t>()};
  }
  if (value.contains("adapters"))
    run.adapters = value.at("adapters").dump();
  if (value.contains("function"))
    run.function = value.at("function").dump();
  for (const auto &[name, text] : value.at("options").items())
    run.options.emplace_back(name, text.get<std::string>());
  if (run.step < 0 || run.skipped < 0 || run.skipped > run.step)
    fail("it has {} steps, of which {} were skipped", run.step, run.skipped);
  if (run.skippedSequences > run.sequences)
    fail("it has {} samples, of which {} were of skipped steps", run.sequences,
         run.skippedSequences);
  return run;
}

FileRecord fileOf(const json &value) {
  FileRecord file;
  file.name = value.at("name").get<std::string>();
  file.bytes = value.at("bytes").get<uint64_t>();
  file.headerBytes = value.at("header_bytes").get<uint64_t>();
  file.headerHash = fromHex(value.at("header"));
  for (const json &hash : value.at("blocks"))
    file.blocks.push_back(fromHex(hash));
  if (file.headerBytes > file.bytes ||
      hashedBlocks(file.bytes - file.headerBytes) != file.blocks.size())
    fail("{} has {} and {} hashes", shown(file.name), shownBytes(file.bytes),
         file.blocks.size());
  return file;
}

std::vector<FileRecord> filesOf(const json &value) {
  std::vector<FileRecord> files;
  for (const json &file : value.at("files"))
    files.push_back(fileOf(file));
  return files;
}

TensorRecord tensorOf(const json &value) {
  TensorRecord tensor;
  tensor.slot = value.at("slot").get<std::string>();
  tensor.parameter = value.at("parameter").get<std::string>();
  tensor.first = value.at("first").get<uint64_t>();
  const auto end = value.at("end").get<uint64_t>();
  tensor.count = end - tensor.first;
  tensor.dtype = elementType(value.at("dtype").get<std::string>());
  tensor.file = value.at("file").get<uint32_t>();
  if (tensor.first >= end || tensor.dtype == 0)
    fail("{} of parameter {} has elements {} to {} of type {}",
         shown(tensor.slot), shown(tensor.parameter), tensor.first, end,
         shown(value.at("dtype").get<std::string>()));
  return tensor;
}

/// Throws unless the tensors of each slot tile each parameter; frozen
/// parameters are in slot "param" only, or in a base.
void checkTiles(const Manifest &manifest) {
  std::set<std::string_view> slots;
  std::vector<const TensorRecord *> order;
  for (const TensorRecord &tensor : manifest.tensors) {
    slots.insert(tensor.slot);
    order.push_back(&tensor);
    if (tensor.file >= manifest.files.size())
      fail("{} of parameter {} is in no file", shown(tensor.slot),
           shown(tensor.parameter));
  }
  const auto key = [](const TensorRecord *tensor) {
    return std::tie(tensor->slot, tensor->parameter, tensor->first);
  };
  std::ranges::sort(order, {}, key);
  for (const ParameterRecord &parameter : manifest.parameters)
    if (!countElements(parameter.shape))
      fail("parameter {} has no shape", shown(parameter.name));
    else if (!parameter.tensor.empty() &&
             (!parameter.frozen || !manifest.base || parameter.dtype == 0))
      fail("parameter {} is tensor {} of a base, and {}", shown(parameter.name),
           shown(parameter.tensor),
           !parameter.frozen ? "it was trained"
           : !manifest.base  ? "there is no base"
                             : "has no type");
  size_t next = 0;
  for (const std::string_view slot : slots)
    for (const ParameterRecord &parameter : manifest.parameters) {
      uint64_t elements = countedElements(parameter.shape), covered = 0;
      while (next < order.size() && order[next]->slot == slot &&
             order[next]->parameter == parameter.name &&
             order[next]->first == covered) {
        const bool isPacked = parameter.packing != ZRT_UNPACKED;
        if ((order[next]->dtype == ZRT_I8) != isPacked)
          fail(
              "{} of parameter {}, which is packed as {}, has elements of type "
              "{}",
              shown(slot), shown(parameter.name),
              packingName(parameter.packing), elementName(order[next]->dtype));
        covered += order[next++]->count;
      }
      if (parameter.packing != ZRT_UNPACKED)
        elements = zrt_packed_bytes(parameter.packing, elements);
      if (parameter.frozen && (slot != "param" || !parameter.tensor.empty()))
        elements = 0;
      if (covered != elements)
        fail("{} of parameter {}: element {} of {} is missing, or there twice",
             shown(slot), shown(parameter.name), covered, elements);
    }
  if (next != order.size())
    fail("{} of {} is of no parameter", shown(order[next]->slot),
         shown(order[next]->parameter));
}

uint32_t packingOf(const std::string &name) {
  if (name.empty())
    return ZRT_UNPACKED;
  for (const uint32_t packing : {ZRT_NF4, ZRT_INT8})
    if (name == packingName(packing))
      return packing;
  fail("a parameter is packed as {}, which this program does not know",
       shown(name));
}

Manifest manifestOf(const json &value) {
  Manifest manifest;
  if (value.at("format").get<std::string>() != kFormat)
    fail("its format is {}", shown(value.at("format").get<std::string>()));
  manifest.run = runOf(value);
  manifest.worldSize = value.at("world_size").get<uint32_t>();
  for (const json &parameter : value.at("parameters"))
    manifest.parameters.push_back(
        {parameter.at("name").get<std::string>(),
         parameter.at("shape").get<std::vector<int64_t>>(),
         parameter.value("frozen", false),
         packingOf(parameter.value("packing", "")),
         parameter.value("tensor", ""),
         elementType(parameter.value("dtype", ""))});
  std::ranges::sort(manifest.parameters, {}, &ParameterRecord::name);
  if (value.at("block_bytes").get<uint64_t>() != kCheckpointBlock)
    fail("its blocks have {}, not {}",
         shownBytes(value.at("block_bytes").get<uint64_t>()),
         shownBytes(kCheckpointBlock));
  manifest.files = filesOf(value);
  for (const FileRecord &file : manifest.files)
    if (file.name.empty() || file.name.find('/') != std::string::npos ||
        file.name[0] == '.')
      fail("\"{}\" is no name of a file in it", shown(file.name));
  if (value.contains("base")) {
    const json &base = value.at("base");
    manifest.base = {base.at("path").get<std::string>(), filesOf(base)};
  }
  for (const json &tensor : value.at("tensors"))
    manifest.tensors.push_back(tensorOf(tensor));
  checkTiles(manifest);
  return manifest;
}

std::string filesText(const std::vector<FileRecord> &files) {
  std::string text = "\"files\":[";
  for (const FileRecord &file : files) {
    text += fmt::format("{}{{\"name\":{},\"bytes\":{},\"header_bytes\":{},"
                        "\"header\":{},\"blocks\":[",
                        text.back() == '[' ? "\n" : ",\n", inJson(file.name),
                        file.bytes, file.headerBytes, hex(file.headerHash));
    for (const uint64_t hash : file.blocks)
      text += (text.back() == '[' ? "" : ",") + hex(hash);
    text += "]}";
  }
  return text + "]";
}

} // namespace

uint64_t zrt::hashedBlocks(uint64_t bytes) {
  return (bytes + kCheckpointBlock - 1) / kCheckpointBlock;
}

uint64_t zrt::modelFingerprint(const std::vector<ParameterRecord> &parameters) {
  Hash hash;
  for (const ParameterRecord &parameter : parameters) {
    hash.addNumber(uint64_t(parameter.name.size()));
    hash.add(parameter.name);
    hash.addNumber(uint64_t(parameter.shape.size()));
    for (const int64_t size : parameter.shape)
      hash.addNumber(size);
  }
  return hash.get();
}

std::string zrt::manifestText(const Manifest &manifest) {
  std::string text = fmt::format(
      "{{\"format\":\"{}\",\n\"version\":{},\n{}\"world_size\":{},\n"
      "\"model\":{},\n\"parameters\":[",
      kFormat, manifest.base ? kVersionWithBase : kVersion,
      runText(manifest.run), manifest.worldSize,
      hex(modelFingerprint(manifest.parameters)));
  const auto separator = [&] { return text.back() == '[' ? "\n" : ",\n"; };
  for (const ParameterRecord &parameter : manifest.parameters)
    text += fmt::format("{}{{\"name\":{},\"shape\":[{}]{}{}{}}}", separator(),
                        inJson(parameter.name), fmt::join(parameter.shape, ","),
                        parameter.frozen ? ",\"frozen\":true" : "",
                        parameter.packing == ZRT_UNPACKED
                            ? ""
                            : fmt::format(",\"packing\":\"{}\"",
                                          packingName(parameter.packing)),
                        parameter.tensor.empty()
                            ? ""
                            : fmt::format(",\"tensor\":{},\"dtype\":\"{}\"",
                                          inJson(parameter.tensor),
                                          elementName(parameter.dtype)));
  text += fmt::format("],\n\"block_bytes\":{},\n", kCheckpointBlock);
  if (manifest.base)
    text += fmt::format("\"base\":{{\"path\":{},\n{}}},\n",
                        inJson(manifest.base->path),
                        filesText(manifest.base->files));
  text += filesText(manifest.files) + ",\n\"tensors\":[";
  for (const TensorRecord &tensor : manifest.tensors)
    text +=
        fmt::format("{}{{\"slot\":{},\"parameter\":{},\"first\":{},"
                    "\"end\":{},\"dtype\":\"{}\",\"file\":{}}}",
                    separator(), inJson(tensor.slot), inJson(tensor.parameter),
                    tensor.first, tensor.first + tensor.count,
                    elementName(tensor.dtype), tensor.file);
  text += "],\n";
  text += fmt::format("{}{}}}\n", kChecksum, hex(hashOf(text)));
  // Check before this checkpoint replaces an older one.
  if (runText(parseManifest(text).run) != runText(manifest.run))
    fail("what this run would write of itself reads as another run");
  return text;
}

static json parsed(const std::string &text) {
  try {
    return parseJson(text);
  } catch (const Error &error) {
    fail("it is damaged: it {}", error.what());
  }
}

Manifest zrt::parseManifest(const std::string &text) {
  const size_t end = text.rfind(kChecksum);
  if (end == std::string::npos)
    fail("its end is missing; the file is cut short or damaged");
  const std::string_view body = std::string_view(text).substr(0, end);
  try {
    const json value = parsed(text);
    // Check the version first: the rest depends on it.
    if (const auto version = value.at("version").get<int>();
        version != kVersion && version != kVersionWithBase)
      fail("it has version {}, and this program reads {} and {}; use the zeroc "
           "that wrote it",
           version, kVersion, kVersionWithBase);
    if (fromHex(value.at("checksum")) != hashOf(body))
      fail("its text is not what was written: the checksum at its end is of "
           "another");
    return manifestOf(value);
  } catch (const json::exception &error) {
    fail("it is damaged: {}", shown(error.what()));
  }
}
