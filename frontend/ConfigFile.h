//===- ConfigFile.h - A JSON object, read strictly --------------*- C++ -*-===//
//
// The compiler is built without exceptions, so JSON is read through calls that
// do not throw.  The first error is kept, and later calls return placeholders:
// read all keys, then check `takeError` once.
//
// A key "rope_scaling.factor" is the key "factor" of the object "rope_scaling".
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::frontend {

class ConfigFile {
public:
  /// Reads the object in `path`; after a failure only `takeError` is
  /// meaningful.
  explicit ConfigFile(StringRef path);
  ~ConfigFile();

  /// Whether the model has a head for scores, so that classes of that kind are
  /// accepted.
  bool mayScore = false;

  /// Goes on with the object `key`, which the model of text has in a config of
  /// several models.  Keys of what is around it that say something of the text,
  /// too, are read there if the object lacks them; two values are an error.
  void enter(StringRef key);
  /// Whether the object of a model of text was entered.
  bool isInside() const { return !inside.empty(); }
  /// Gives a key a value where the file has none.
  void assume(StringRef key, int64_t value);
  void assume(StringRef key, StringRef value);

  /// Returns true if the key has a value other than null.
  bool has(StringRef key) const;
  /// Returns true if the key exists, even with the value null.
  bool mentions(StringRef key) const;
  /// Returns true if the value is null, or an empty object, array or string.
  bool isEmpty(StringRef key) const;

  /// Each returns the value, which must have that type.  A key without a
  /// default must exist.  Integers lie between `low` and `high`.
  int64_t integer(StringRef key, int64_t low, int64_t high,
                  std::optional<int64_t> otherwise = {});
  double number(StringRef key, double otherwise);
  bool boolean(StringRef key, bool otherwise);
  std::string string(StringRef key, std::optional<StringRef> otherwise = {});
  /// An array of strings; empty if the key is missing.
  std::vector<std::string> strings(StringRef key);
  /// An array of integers; empty if the key is missing.
  std::vector<int64_t> integers(StringRef key);
  /// An array of numbers; empty if the key is missing.
  std::vector<double> numbers(StringRef key);
  /// The keys of an object; none if it is missing.
  std::vector<std::string> keysOf(StringRef key);

  /// Returns true if any of these functions looked up this key.  `has` counts,
  /// for a key that another key makes irrelevant.
  bool wasRead(StringRef key) const;
  /// The value as JSON, or its kind if it is nested.
  std::string shown(StringRef key) const;

  /// Keeps "PATH: MESSAGE" if it is the first error.
  void fail(const Twine &message);
  bool failed() const { return !message.empty(); }
  llvm::Error takeError();

  /// Name of the file without its folder.
  StringRef getName() const;

private:
  void read();

  struct Object;
  std::unique_ptr<Object> object;
  std::string path, message;
  std::string inside; ///< the object that was entered
};

/// The shortest text that reads back as `value`: "0.1".
std::string toText(double value);

} // namespace mlir::frontend
