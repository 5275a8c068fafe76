//===- DeepSpeedFile.cpp - Reads a DeepSpeed config key by key ------------===//

#include "tools/zeroc/deepspeed/DeepSpeedFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>

using namespace mlir::zero::deepspeed;
using namespace llvm;

std::string mlir::zero::deepspeed::showNumber(double value) {
  char text[64];
  return std::string(text, std::to_chars(text, std::end(text), value).ptr);
}

std::string mlir::zero::deepspeed::show(const json::Value &value) {
  // The library would print 0.3 with 17 digits.
  if (std::optional<double> number = value.getAsNumber();
      number && !value.getAsInteger())
    return showNumber(*number);
  std::string text;
  raw_string_ostream(text) << value;
  if (text.size() > 60)
    text = text.substr(0, 57) + "...";
  return text;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Accepts strings, too: configs that come from YAML have "true" and "5e8".
static std::optional<bool> asFlag(const json::Value &value) {
  if (std::optional<bool> flag = value.getAsBoolean())
    return flag;
  if (std::optional<StringRef> text = value.getAsString()) {
    if (text->equals_insensitive("true"))
      return true;
    if (text->equals_insensitive("false"))
      return false;
  }
  return std::nullopt;
}

static std::optional<std::string> asText(const json::Value &value) {
  std::optional<StringRef> text = value.getAsString();
  return text ? std::optional(text->str()) : std::nullopt;
}

static std::optional<double> asNumber(const json::Value &value) {
  std::optional<double> number = value.getAsNumber();
  double parsed;
  if (std::optional<StringRef> text = value.getAsString())
    if (!text->getAsDouble(parsed))
      number = parsed;
  return number && std::isfinite(*number) ? number : std::nullopt;
}

static std::optional<int64_t> asCount(const json::Value &value) {
  if (std::optional<int64_t> count = value.getAsInteger())
    return count;
  std::optional<double> number = asNumber(value);
  if (!number || std::trunc(*number) != *number)
    return std::nullopt;
  // Some configs write a huge number for "no limit".
  return std::abs(*number) < 0x1p62 ? int64_t(*number)
                                    : (*number < 0 ? INT64_MIN : INT64_MAX);
}

static std::optional<std::vector<double>> asNumbers(const json::Value &value) {
  std::vector<double> numbers;
  const json::Array *array = value.getAsArray();
  if (!array)
    return std::nullopt;
  for (const json::Value &element : *array) {
    std::optional<double> number = asNumber(element);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// Returns what a value of the kind must be; "" if `value` is of the kind.
static StringRef findMismatch(Kind kind, const json::Value &value) {
#define KIND(NAME, WHAT, HOLDS)                                                \
  if (kind == Kind::NAME)                                                      \
    return (HOLDS) ? "" : (WHAT);
  DEEPSPEED_KINDS(KIND)
#undef KIND
  llvm_unreachable("no such kind");
}

/// Returns true if `value` means `word`: true, 1.0 for "1", "MEAN" for "mean".
static bool isSame(const json::Value &value, StringRef word) {
  double number;
  if (std::optional<double> given = asNumber(value))
    return !word.getAsDouble(number) && *given == number;
  if (std::optional<bool> flag = asFlag(value))
    return word == (*flag ? "true" : "false");
  std::optional<StringRef> text = value.getAsString();
  return text && text->equals_insensitive(word);
}

/// Returns true if a section, or each section in it, has "enabled": false.
static bool isSwitchedOff(const json::Object &section) {
  if (const json::Value *enabled = section.get("enabled"))
    return asFlag(*enabled) == false;
  return all_of(section, [](const auto &entry) {
    const json::Object *inner = entry.second.getAsObject();
    return inner && isSwitchedOff(*inner);
  });
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

File::File(const json::Object &config) { walk(config, "", false); }

void File::refuse(const Twine &message) { refusals.push_back(message.str()); }

void File::refuseType(StringRef section, const Twine &message) {
  untyped.insert(section.str());
  refuse(message);
}

void File::refuseValue(StringRef path, const std::string &spelled,
                       StringRef kind, const json::Value &value) {
  wrong.insert(path.str());
  refuse("\"" + spelled + "\" must be " + kind + ", got " + show(value));
}

void File::walk(const json::Object &object, StringRef prefix, bool within) {
  std::vector<StringRef> names;
  for (const auto &entry : object)
    names.push_back(entry.first);
  llvm::sort(names); // Errors are always in the same order.
  for (StringRef name : names) {
    // Keys that people use as comments.
    if (name.starts_with("_") || name.starts_with("//")) {
      comments.insert((prefix + name).str());
      continue;
    }
    const json::Value &value = *object.get(name);
    std::string path = (prefix + name).str(), spelled = path;
    const Key *key = name.contains('.') ? nullptr : findKey(path);
    if (!key) {
      StringRef nearest = findNearest(path);
      std::string message =
          "\"" + path + "\" is not a DeepSpeed key; " +
          (nearest.empty() ? "drop it"
                           : "did you mean \"" + nearest.str() + "\"?");
      // An error about the optimizer's type explains more than one about its
      // keys.
      if (prefix == "optimizer.params." || prefix == "scheduler.params.")
        later.emplace(path, message);
      else
        refuse(message);
      continue;
    }
    if (key->fate == Fate::Alias) {
      path = key->to.str();
      key = findKey(path);
    }
    if (!spellings.try_emplace(path, spelled).second) {
      refuse("\"" + Twine(spellings[path]) + "\" and \"" + spelled +
             "\" are one key; keep \"" + path + "\"");
      continue;
    }
    // In old versions it was a boolean.
    if (path == "zero_optimization" && asFlag(value)) {
      entries.insert({"zero_optimization.stage",
                      Entry{findKey("zero_optimization.stage"),
                            json::Value(*asFlag(value) ? 1 : 0)}});
      continue;
    }
    if (value.kind() == json::Value::Null) {
      same.push_back("\"" + path + "\": null");
      continue;
    }
    if (key->fate == Fate::Section) {
      sections.insert(path);
      const json::Object *section = value.getAsObject();
      if (!section) {
        refuseValue(path, path, "an object, {...}", value);
        continue;
      }
      const Key *enabled = findKey(path + ".enabled");
      const json::Value *given = section->get("enabled");
      bool isOff = within || (enabled && enabled->fate != Fate::NoEffect &&
                              (!given || asFlag(*given) == false));
      if (isOff && !within)
        off.insert(path);
      walk(*section, path + ".", isOff);
      continue;
    }
    if (within && !findMismatch(key->kind, value).empty() &&
        value.getAsString() != StringRef("auto"))
      refuseValue(path, path, findMismatch(key->kind, value), value);
    if (!within)
      take(*key, value, spelled);
  }
}

void File::take(const Key &key, const json::Value &value,
                const std::string &spelled) {
  const std::string &path = key.path;
  if (key.fate == Fate::Refused) {
    const json::Object *section = value.getAsObject();
    if (asFlag(value) == false || (section && isSwitchedOff(*section)))
      off.insert(path);
    else
      refuse("\"" + spelled + "\": " + show(value) + ", but " + key.to);
    return;
  }
  std::string why =
      (spelled == path ? "" : "given as \"" + spelled + "\"; ") + key.to.str();
  bool isAutomatic = value.getAsString() == StringRef("auto");
  if (isAutomatic && (key.kind != Kind::Any)) {
    autos.insert(path);
    if (key.fate == Fate::NoEffect)
      addNote(path, why);
    return;
  }
  if (StringRef kind = findMismatch(key.kind, value); !kind.empty())
    return refuseValue(path, spelled, kind, value);
  entries.insert({path, Entry{&key, value}});
  if (key.fate == Fate::NoEffect)
    addNote(path, why);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

template <typename T>
std::optional<T> File::read(StringRef path,
                            std::optional<T> (*as)(const json::Value &)) {
  assert(findKey(path) && "no such key in the table");
  auto entry = entries.find(path.str());
  if (entry == entries.end())
    return std::nullopt;
  entry->second.isRead = true;
  return as(entry->second.value);
}

std::optional<bool> File::flag(StringRef path) { return read(path, asFlag); }
std::optional<int64_t> File::count(StringRef path) {
  return read(path, asCount);
}
std::optional<double> File::number(StringRef path) {
  return read(path, asNumber);
}
std::optional<std::string> File::text(StringRef path) {
  return read(path, asText);
}

std::optional<std::vector<double>> File::numbers(StringRef path) {
  std::optional<std::vector<double>> numbers = read(path, asNumbers);
  if (!numbers && entries.count(path.str()))
    refuse(quote(path) + " must be a list of numbers");
  return numbers;
}

std::string File::quote(StringRef path) const {
  auto entry = entries.find(path.str());
  std::string text = "\"" + path.str() + "\"";
  if (entry != entries.end())
    text += ": " + show(entry->second.value);
  else if (isAuto(path))
    text += ": \"auto\"";
  return text;
}

void File::addSame(StringRef path) { same.push_back(quote(path)); }

void File::addNote(StringRef path, StringRef why) {
  notes.push_back({path.str(), why.str()});
}

void File::finish(function_ref<bool(const Key &)> holds) {
  auto isUntyped = [&](StringRef path) {
    return untyped.count(path.split('.').first.str()) > 0;
  };
  for (const auto &[path, message] : later)
    if (!isUntyped(path))
      refuse(message);
  for (auto &[path, entry] : entries) {
    const Key &key = *entry.key;
    if (key.fate == Fate::NoEffect || entry.isRead || isUntyped(path))
      continue;
    if (key.fate != Fate::Same || !holds(key)) {
      addNote(path, "the chosen options do not use it");
      continue;
    }
    if (any_of(split(key.words, '|'),
               [&](StringRef word) { return isSame(entry.value, word); }))
      addSame(path);
    else
      refuse(quote(path) + ", but " + key.to);
  }
}
