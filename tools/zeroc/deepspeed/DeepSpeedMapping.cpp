//===- DeepSpeedMapping.cpp - Runs the rules of keys ----------------------===//

#include "tools/zeroc/deepspeed/DeepSpeedMapping.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace mlir::zero::deepspeed;
using namespace llvm;

void Mapping::run() {
  auto holds = [&](const Key &key) { return !key.when || (this->*key.when)(); };
  for (const Key &key : getKeys())
    if (key.rule && holds(key))
      (this->*key.rule)(key);
  file.finish(holds);
}

//===----------------------------------------------------------------------===//
// The rules of many rows
//===----------------------------------------------------------------------===//

void Mapping::number(const Key &key) {
  const bool isWhole =
      is_contained({Kind::Count, Kind::Natural, Kind::Positive}, key.kind);
  if (std::optional<double> number = file.number(key.path))
    emit(key,
         isWhole ? std::to_string(*file.count(key.path)) : showNumber(*number));
  else if (!key.otherwise.empty())
    addDefault(key, key.otherwise);
}

void Mapping::words(const Key &key) {
  std::optional<bool> flag = file.flag(key.path);
  if (!flag)
    return;
  for (StringRef word : llvm::split(key.words, '|'))
    if (auto [value, option] = word.split('=');
        value == (*flag ? "true" : "false"))
      return emit(key, option);
  if (key.fate != Fate::Also)
    file.addSame(key.path);
}

void Mapping::part(const Key &) {}

void Mapping::bytes(const Key &key) {
  if (std::optional<int64_t> elements = file.count(key.path))
    emit(key, Twine(bytesOf(*elements)));
}

void Mapping::searched(const Key &key) {
  if (!given.choosesByTime || !file.isAuto(key.path))
    return;
  add(key.to, "auto", key.path);
  file.autos.erase(key.path);
  erase_if(file.notes,
           [&](const File::Note &note) { return note.key == key.path; });
}

//===----------------------------------------------------------------------===//
// What they make
//===----------------------------------------------------------------------===//

void Mapping::emit(const Key &key, const Twine &value) {
  if (key.fate == Fate::Train)
    train(key.to, value);
  else
    add(key.to, value, key.path);
  if (!key.note.empty())
    file.addNote(key.path, key.note);
}

void Mapping::add(StringRef option, const Twine &value, StringRef path) {
  std::string text = value.str();
  const Config::Option *other = find(option);
  if (!other)
    config.options.push_back({option.str(), text, file.quote(path)});
  else if (!isEqualValue(other->value, text))
    file.refuse(other->source + " is " + other->name + "=" + other->value +
                ", and " + file.quote(path) + " is " + option + "=" + text +
                "; drop one of them");
}

void Mapping::addDefault(const Key &key, StringRef value) {
  // For "auto", zeroc decides.
  if (file.isAuto(key.path))
    return;
  if (key.fate == Fate::Train)
    train(key.to, value);
  else
    config.options.push_back({key.to.str(), value.str(),
                              "DeepSpeed's default of \"" + key.path + "\"",
                              /*isDefault=*/true});
  if (!key.missing.empty())
    file.addNote(key.path, key.missing);
}

void Mapping::train(StringRef option, const Twine &value) {
  std::string text = value.str();
  text = text.empty() ? option.str() : (option + "=" + text).str();
  if (!is_contained(config.train, text))
    config.train.push_back(text);
}

Config::Option *Mapping::find(StringRef option) const {
  auto found = find_if(config.options, [&](const Config::Option &one) {
    return one.name == option;
  });
  return found == config.options.end() ? nullptr : &*found;
}

bool Mapping::isOffloaded(StringRef option) const {
  const Config::Option *tier = find(option);
  return tier && tier->value != "none";
}

int64_t Mapping::bytesOf(int64_t elements) const {
  return std::clamp<int64_t>(elements, 0, int64_t(1) << 40) *
         (type == "fp32" ? 4 : 2);
}
