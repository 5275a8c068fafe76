//===- DeepSpeed.cpp - Options from a DeepSpeed config --------------------===//
//
//   text -> keys with fates (DeepSpeedFile) -> options (DeepSpeedMapping) ->
//   report
//
//===----------------------------------------------------------------------===//

#include "tools/zeroc/deepspeed/DeepSpeed.h"

#include "abi/ByteUnits.h"
#include "dialect/zero/Origin.h"
#include "tools/zeroc/deepspeed/DeepSpeedMapping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::zero::deepspeed;
using namespace llvm;

static std::string quoteAll(const std::set<std::string> &paths) {
  return "\"" + join(paths, "\", \"") + "\"";
}

std::string Config::report() const {
  std::string text = path + " became:";
  for (const Option &option : options)
    text += " " + option.name + "=" + option.value;
  if (options.empty())
    text += " no option of zeroc";
  text += "\n";
  if (!train.empty())
    text +=
        "  train with: " + join(map_range(train, mlir::zero::quoteWord), " ") +
        "\n";
  return text + notes;
}

std::string Config::toJson() const {
  json::Array compile;
  for (const Option &option : options)
    compile.push_back(option.name + "=" + option.value);
  json::Object all{{"compile", std::move(compile)},
                   {"train", json::Array(train)},
                   {"import", json::Array()}};
  if (microBatch)
    all["import"].getAsArray()->push_back("--batch=" +
                                          std::to_string(microBatch));
  return formatv("{0:2}\n", json::Value(std::move(all)));
}

std::string Config::explainRefusals() const {
  if (refusals.size() == 1)
    return path + ": " + refusals.front();
  return (path + " has " + Twine(refusals.size()) +
          " things that zeroc does not take:\n  " + join(refusals, "\n  "))
      .str();
}

static std::string listNotes(const File &file) {
  std::string text;
  raw_string_ostream out(text);
  std::set<std::string> open;
  for (const std::string &key : file.autos)
    if (findKey(key)->fate != Fate::NoEffect)
      open.insert(key);
  if (!open.empty())
    out << "  \"auto\", taken from other options or zeroc's defaults: "
        << quoteAll(open) << "\n";
  if (!file.off.empty())
    out << "  switched off in the file: " << quoteAll(file.off) << "\n";
  if (!file.comments.empty())
    out << "  comments, skipped: " << quoteAll(file.comments) << "\n";
  if (!file.same.empty())
    out << "  already so in zeroc: " << join(file.same, ", ") << "\n";
  for (const File::Note &note : file.notes)
    out << "  "
        << (findKey(note.key)->fate == Fate::NoEffect
                ? "without effect here: \""
                : "note: \"")
        << note.key << "\" (" << note.why << ")\n";
  return text;
}

Expected<Config> mlir::zero::deepspeed::readConfig(const std::string &path,
                                                   const Given &given) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return createStringError("cannot read " + path + ": " +
                             buffer.getError().message());
  Expected<json::Object> object = parseJson((*buffer)->getBuffer());
  if (!object)
    return createStringError(path + ": " + toString(object.takeError()));
  File file(*object);
  Config config;
  Mapping(file, given, config).run();
  config.microBatchSource = path + ": " + config.microBatchSource;
  config.path = path;
  config.notes = listNotes(file);
  config.refusals = std::move(file.refusals);
  return config;
}

static std::optional<double> asValue(StringRef text) {
  double scale = 1, value;
  for (auto [unit, bytes] : zrt::kByteUnits)
    if (text.consume_back(unit))
      scale = static_cast<double>(bytes);
  if (text.getAsDouble(value))
    return std::nullopt;
  return value * scale;
}

bool mlir::zero::deepspeed::isEqualValue(StringRef a, StringRef b) {
  SmallVector<StringRef> first, second;
  a.split(first, ',');
  b.split(second, ',');
  return first.size() == second.size() &&
         all_of_zip(first, second, [](StringRef x, StringRef y) {
           std::optional<double> left = asValue(x), right = asValue(y);
           return left && right ? *left == *right : x == y;
         });
}
