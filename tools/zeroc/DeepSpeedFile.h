//===- DeepSpeedFile.h - What a DeepSpeed config says, key by key ---------===//
#pragma once

#include "tools/zeroc/DeepSpeedKeys.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace mlir::zero::deepspeed {

/// The shortest text that reads as the number.
std::string showNumber(double value);

/// A value as a config has it, shortened: "auto", 3, {"enabled":true}.
std::string show(const llvm::json::Value &value);

/// A config after a walk over all of its keys: unknown ones and values of
/// another kind are errors, and what has its fate in the table has met it.
/// What becomes an option waits here to be read.  Keys are named as in the
/// table, whatever alias the file uses.
class File {
public:
  explicit File(const llvm::json::Object &config);

  /// The first error; "" if there is none.
  std::string error;
  /// Records an error.
  void refuse(const llvm::Twine &message);

  /// Reading a value; nothing if the key is not there, null or "auto".
  std::optional<bool> flag(llvm::StringRef path);
  std::optional<int64_t> count(llvm::StringRef path);
  std::optional<double> number(llvm::StringRef path);
  std::optional<std::string> text(llvm::StringRef path);
  std::optional<std::vector<double>> numbers(llvm::StringRef path);

  bool isAuto(llvm::StringRef path) const { return autos.count(path.str()); }
  /// Whether the section is there and switched off.
  bool isOff(llvm::StringRef section) const { return off.count(section.str()); }
  /// Whether the section is there and not switched off.
  bool hasSection(llvm::StringRef section) const {
    return sections.count(section.str()) && !isOff(section);
  }
  /// The key and its value, as in `"fp16.enabled": true`.
  std::string quote(llvm::StringRef path) const;

  /// Says that the value of a key is what zeroc does anyway.
  void addSame(llvm::StringRef path);
  void addNote(llvm::StringRef path, llvm::StringRef why);
  /// Values of Same are compared, unless `isIdle` says that nothing depends on
  /// them; what nobody has read is noted.
  void finish(llvm::function_ref<bool(llvm::StringRef path)> isIdle);

  struct Note {
    std::string key, why;
  };
  /// What the report tells beside options.
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
  const llvm::json::Value *read(llvm::StringRef path);

  /// An error that others go before.
  std::string later;
  std::map<std::string, Entry> entries;
  std::set<std::string> sections;
  std::map<std::string, std::string> spellings;
};

} // namespace mlir::zero::deepspeed
