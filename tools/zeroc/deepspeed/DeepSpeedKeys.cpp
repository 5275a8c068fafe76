//===- DeepSpeedKeys.cpp - The keys of DeepSpeed's config -----------------===//

#include "tools/zeroc/deepspeed/DeepSpeedKeys.h"

#include "tools/zeroc/deepspeed/DeepSpeedMapping.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::zero::deepspeed;
using llvm::ArrayRef;
using llvm::StringRef;

#define ROW(PATH, KIND, FATE, TO, ...)                                         \
  {.path = PATH,                                                               \
   .kind = Kind::KIND,                                                         \
   .fate = Fate::FATE,                                                         \
   .to = TO __VA_OPT__(, ) __VA_ARGS__}
#define MAPPED(PATH, KIND, FATE, TO, RULE, ...)                                \
  ROW(PATH, KIND, FATE, TO, .rule = &Mapping::RULE __VA_OPT__(, ) __VA_ARGS__),
// NOLINTNEXTLINE(bugprone-macro-parentheses): it begins with a designator.
#define WHEN(HOLDS) .when = &Mapping::HOLDS

#define ALIAS(PATH, OTHER) ROW(PATH, Any, Alias, OTHER),
#define OPTION(PATH, KIND, ...) MAPPED(PATH, KIND, Option, __VA_ARGS__)
#define TRAIN(PATH, KIND, ...) MAPPED(PATH, KIND, Train, __VA_ARGS__)
#define ALSO(PATH, KIND, ...) MAPPED(PATH, KIND, Also, __VA_ARGS__)
#define MODEL(PATH, WHAT) ROW(PATH, Positive, Model, WHAT),
#define SAME(PATH, KIND, VALUES, FIX, ...)                                     \
  ROW(PATH, KIND, Same, FIX, .words = VALUES __VA_OPT__(, ) __VA_ARGS__),
#define NO_EFFECT(PATH, KIND, WHY) ROW(PATH, KIND, NoEffect, WHY),
#define REFUSED(PATH, FIX) ROW(PATH, Object, Refused, FIX),

/// Adds the sections of a path that are not there yet, the outermost first.
static void addSections(StringRef path, std::vector<Key> &keys) {
  for (size_t dot = path.find('.'); dot != StringRef::npos;
       dot = path.find('.', dot + 1))
    if (llvm::none_of(keys, [section = path.take_front(dot)](const Key &key) {
          return key.path == section;
        }))
      keys.push_back(Key ROW(path.take_front(dot).str(), Object, Section, ""));
}

/// Adds the row of each path in "compile.{mode,backend}".
static void expand(const Key &row, std::vector<Key> &keys) {
  auto [prefix, names] = StringRef(row.path).split('{');
  names.consume_back("}");
  addSections(prefix, keys);
  llvm::SmallVector<StringRef> last; // "" of a single path
  names.split(last, ',');
  for (StringRef name : last) {
    keys.push_back(row);
    keys.back().path = (prefix + name).str();
  }
}

ArrayRef<Key> mlir::zero::deepspeed::getKeys() {
  static const std::vector<Key> keys = [] {
    const Key rows[] = {
#include "tools/zeroc/deepspeed/DeepSpeedKeys.def"
    };
    std::vector<Key> keys;
    for (const Key &row : rows)
      expand(row, keys);
    return keys;
  }();
  return keys;
}

const Key *mlir::zero::deepspeed::findKey(StringRef path) {
  const Key *key = llvm::find_if(getKeys(), [&](const Key &candidate) {
    return candidate.path == path && candidate.fate != Fate::Also;
  });
  return key == getKeys().end() ? nullptr : key;
}

static StringRef lastName(StringRef path) {
  return path.substr(path.rfind('.') + 1); // npos + 1 is 0.
}

StringRef mlir::zero::deepspeed::findNearest(StringRef path) {
  StringRef best;
  // More than a third of the name is another name.
  unsigned least = 4 * lastName(path).size() / 3 + 2;
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
            << (key.words.empty()
                    ? "null"
                    : llvm::join(llvm::split(key.words, '|'), " or "));
      out << before << key.to;
      for (const Key &more : getKeys())
        if (fate == Fate::Option && more.fate == Fate::Also &&
            more.path == key.path && more.to != key.to)
          out << " " << more.to;
      out << "\n";
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
