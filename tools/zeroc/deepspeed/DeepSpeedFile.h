//===- DeepSpeedFile.h - Reads a DeepSpeed config key by key --------------===//
#pragma once

#include "tools/zeroc/deepspeed/DeepSpeedKeys.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace mlir::zero::deepspeed {

/// Parses JSON as DeepSpeed reads it: comments (//, # and /* */) and a comma
/// after the last element are allowed, a duplicate key is an error, and the
/// text must be an object.  Errors contain the line.
llvm::Expected<llvm::json::Object> parseJson(llvm::StringRef text);

/// Returns the shortest text that reads back as the number.
std::string showNumber(double value);

/// Returns a value as JSON, shortened: "auto", 3, {"enabled":true}.
std::string show(const llvm::json::Value &value);

/// A config after a walk over all of its keys.  Unknown keys and values of
/// another kind are errors, and each key has been treated by its fate in the
/// table.  Keys that become options are stored here until they are read.  Keys
/// have the table's names, whatever alias the file uses.
class File {
public:
  explicit File(const llvm::json::Object &config);

  /// Why zeroc does not take the file, a sentence per key.
  std::vector<std::string> refusals;
  void refuse(const llvm::Twine &message);
  /// Refuses the "type" of a section, which says enough about its parameters.
  void refuseType(llvm::StringRef section, const llvm::Twine &message);

  /// Return a value; nothing if the key is missing, null or "auto".
  std::optional<bool> flag(llvm::StringRef path);
  std::optional<int64_t> count(llvm::StringRef path);
  std::optional<double> number(llvm::StringRef path);
  std::optional<std::string> text(llvm::StringRef path);
  std::optional<std::vector<double>> numbers(llvm::StringRef path);

  bool isAuto(llvm::StringRef path) const { return autos.count(path.str()); }
  /// Returns true if the key was refused for its value; rules that need the
  /// value have nothing to add.
  bool isWrong(llvm::StringRef path) const { return wrong.count(path.str()); }
  /// Returns true if the section exists and is switched off.
  bool isOff(llvm::StringRef section) const { return off.count(section.str()); }
  /// Returns true if the section exists and is not switched off.
  bool hasSection(llvm::StringRef section) const {
    return sections.count(section.str()) && !isOff(section);
  }
  /// The key and its value, as in `"fp16.enabled": true`.
  std::string quote(llvm::StringRef path) const;

  /// Records that the value of a key is what zeroc does anyway.
  void addSame(llvm::StringRef path);
  void addNote(llvm::StringRef path, llvm::StringRef why);
  /// Compares the values of Same keys whose row `holds`; adds notes for unread
  /// keys.
  void finish(llvm::function_ref<bool(const Key &)> holds);

  struct Note {
    std::string key, why;
  };
  /// The report, apart from options.
  std::vector<Note> notes;
  std::vector<std::string> same;
  std::set<std::string> autos, off, comments;

private:
  struct Entry {
    const Key *key;
    llvm::json::Value value;
    bool isRead = false;
  };

  void walk(const llvm::json::Object &object, llvm::StringRef prefix,
            bool isOff);
  void take(const Key &key, const llvm::json::Value &value,
            const std::string &spelled);
  /// Refuses the value of a key.
  void refuseValue(llvm::StringRef path, const std::string &spelled,
                   llvm::StringRef kind, const llvm::json::Value &value);
  template <typename T>
  std::optional<T> read(llvm::StringRef path,
                        std::optional<T> (*as)(const llvm::json::Value &));

  /// Of parameters, by path: what finish() refuses.
  std::map<std::string, std::string> later;
  /// Sections whose type was refused.
  std::set<std::string> untyped;
  std::set<std::string> wrong;
  std::map<std::string, Entry> entries;
  std::set<std::string> sections;
  std::map<std::string, std::string> spellings;
};

} // namespace mlir::zero::deepspeed
