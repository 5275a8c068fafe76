//===- DeepSpeedKeys.cpp - The keys of DeepSpeed's config -----------------===//

#include "tools/zeroc/deepspeed/DeepSpeedKeys.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::zero::deepspeed;
using llvm::ArrayRef;
using llvm::StringRef;

#define SECTION(path) {path, Kind::Object, Fate::Section, ""},
#define ALIAS(path, other) {path, Kind::Any, Fate::Alias, other},
#define OPTION(path, kind, option) {path, Kind::kind, Fate::Option, option},
#define TRAIN(path, kind, option) {path, Kind::kind, Fate::Train, option},
#define MODEL(path, what) {path, Kind::Positive, Fate::Model, what},
#define SAME(path, kind, values, fix)                                          \
  {path, Kind::kind, Fate::Same, fix, values},
#define NO_EFFECT(path, kind, why) {path, Kind::kind, Fate::NoEffect, why},
#define REFUSED(path, fix) {path, Kind::Object, Fate::Refused, fix},

static const Key kRows[] = {
#include "tools/zeroc/deepspeed/DeepSpeedKeys.def"
};

/// The row of each path in "compile.{mode,backend}".
static std::vector<Key> expand(const Key &row) {
  auto [prefix, names] = StringRef(row.path).split('{');
  names.consume_back("}");
  llvm::SmallVector<StringRef> last; // "" of a single path
  names.split(last, ',');
  std::vector<Key> keys;
  for (StringRef name : last)
    keys.push_back(
        {(prefix + name).str(), row.kind, row.fate, row.to, row.same});
  return keys;
}

/// All rows: parsing, messages and documentation read only this table.
static ArrayRef<Key> getKeys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> keys;
    for (const Key &row : kRows)
      llvm::append_range(keys, expand(row));
    return keys;
  }();
  return keys;
}

const Key *mlir::zero::deepspeed::findKey(StringRef path) {
  const Key *key = llvm::find_if(
      getKeys(), [&](const Key &candidate) { return candidate.path == path; });
  return key == getKeys().end() ? nullptr : key;
}

static StringRef lastName(StringRef path) {
  return path.substr(path.rfind('.') + 1); // npos + 1 is 0.
}

StringRef mlir::zero::deepspeed::findNearest(StringRef path) {
  StringRef best;
  unsigned least = ~0u;
  for (const Key &key : getKeys()) {
    // The same name in another section is nearer than another name in this one.
    unsigned distance =
        4 * lastName(path).edit_distance(lastName(key.path)) +
        (path.rsplit('.').first != StringRef(key.path).rsplit('.').first);
    if (distance < least) {
      least = distance;
      best = key.path;
    }
  }
  return best;
}

std::string mlir::zero::deepspeed::printKeys() {
  std::string text;
  llvm::raw_string_ostream out(text);
  auto list = [&](StringRef title, Fate fate, StringRef before) {
    out << title << "\n";
    for (const Key &key : getKeys()) {
      if (key.fate != fate)
        continue;
      out << "  " << key.path;
      if (fate == Fate::Same)
        out << " = "
            << (key.same.empty()
                    ? "null"
                    : llvm::join(llvm::split(key.same, '|'), " or "));
      out << before << key.to << "\n";
    }
  };
  list("becomes an option of zeroc", Fate::Option, ": ");
  list("becomes an option of the training binary", Fate::Train, ": ");
  list("compared with the model", Fate::Model, ": ");
  list("has one value here; others are errors", Fate::Same, "; else: ");
  list("without effect here", Fate::NoEffect, ": ");
  list("an error unless switched off", Fate::Refused, ": ");
  list("another name", Fate::Alias, ": ");
  list("sections", Fate::Section, "");
  return text;
}
