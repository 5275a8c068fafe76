//===- ConfigFile.cpp - A JSON object, read strictly ----------------------===//
#include "frontend/ConfigFile.h"

#include "dialect/zero/BytesText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdio>
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::frontend;
using nlohmann::json;

/// Keys of a config of several models that are about its text, too.
static constexpr llvm::StringLiteral kShared[] = {"tie_word_embeddings",
                                                  "pad_token_id"};

struct ConfigFile::Object {
  json root;
  mutable llvm::StringSet<> read; ///< keys of the outermost object

  /// Returns the value of a dotted key, which may be null.
  const json *findAny(StringRef key) const {
    const json *at = &root;
    read.insert(key.split('.').first);
    for (StringRef name : llvm::split(key, '.')) {
      if (!at->is_object())
        return nullptr;
      auto it = at->find(name.str());
      if (it == at->end())
        return nullptr;
      at = &*it;
    }
    return at;
  }

  const json *find(StringRef key) const {
    const json *value = findAny(key);
    return value && value->is_null() ? nullptr : value;
  }

  using Test = bool (json::*)() const noexcept;
  /// Returns the value if it is there and `is` what it must be.
  const json *expect(StringRef key, Test is, StringRef what, ConfigFile &file);
  /// Returns an array of values that are all of one kind.
  template <typename T>
  std::vector<T> list(StringRef key, Test is, StringRef what, ConfigFile &file);
};

namespace {

/// A config.json has a few kilobytes and a few levels of nesting.
constexpr size_t kMaxBytes = size_t(1) << 20;
constexpr int kMaxDepth = 100;
/// The most characters of a file that a message shows.
constexpr size_t kMaxShown = 400;

/// Parses without building a tree, to learn whether the text is JSON and where
/// it is not.  Without exceptions, json::parse does not report the position,
/// and a deeply nested text takes a thousand times its size.
struct Syntax : nlohmann::json_sax<json> {
  size_t position = 0;
  int depth = 0;
  std::string reason;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool key(string_t &) override { return true; }
  bool start_object(size_t) override { return ++depth <= kMaxDepth; }
  bool start_array(size_t) override { return ++depth <= kMaxDepth; }
  bool end_object() override { return --depth >= 0; }
  bool end_array() override { return --depth >= 0; }
  bool parse_error(size_t at, const std::string &,
                   const json::exception &error) override {
    position = at;
    // "[json.exception...] parse error at line 1, column 2: <reason>"
    reason = StringRef(error.what()).split("column ").second.split(": ").second;
    return false;
  }
};

/// Names come from the file: they may be long, or contain control characters.
std::string plain(const std::string &text) {
  std::string shown;
  for (char c : text) {
    if (shown.size() >= kMaxShown)
      return shown + "...";
    if (llvm::isPrint(c))
      shown += c;
    else
      shown += "\\x" + llvm::utohexstr(static_cast<unsigned char>(c), true, 2);
  }
  return shown;
}

/// Reads at most kMaxBytes + 1 bytes of a file; a pipe does not report a size.
std::error_code readSome(const std::string &path, std::string &text) {
  std::FILE *file = std::fopen(path.c_str(), "rbe");
  if (!file)
    return std::error_code(errno, std::generic_category());
  text.resize(kMaxBytes + 1);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::error_code error;
  if (std::ferror(file))
    error = std::error_code(errno, std::generic_category());
  std::fclose(file);
  return error;
}

} // namespace

std::string frontend::toText(double value) { return json(value).dump(); }

/// The value as JSON, shortened where it is long.  For an object or array only
/// its kind: dump recurses, and a hostile file may nest arbitrarily deep.
static std::string show(const json &value) {
  if (value.is_structured())
    return value.is_object() ? "an object" : "an array";
  std::string text = value.dump(/*indent=*/-1, ' ', /*ensure_ascii=*/true,
                                json::error_handler_t::replace);
  return text.size() <= 40 ? text : text.substr(0, 40) + "...";
}

ConfigFile::ConfigFile(StringRef path)
    : object(std::make_unique<Object>()), path(path) {
  read();
}

void ConfigFile::enter(StringRef key) {
  const json outer = std::move(object->root);
  const auto found = outer.find(key.str());
  object->root = json::object();
  if (found == outer.end() || !found->is_object())
    return fail(key + " is missing, or no object; add that of the language "
                      "model");
  object->root = *found;
  inside = key;
  for (StringRef shared : kShared) {
    const auto around = outer.find(shared.str());
    if (around == outer.end() || around->is_null())
      continue;
    json &within = object->root[shared.str()];
    if (!within.is_null() && within != *around)
      fail(shared + " is " + show(within) + ", and " + show(*around) +
           " around it; make them agree with the weights");
    within = *around;
  }
}

void ConfigFile::assume(StringRef key, int64_t value) {
  object->root.emplace(key.str(), value);
}
void ConfigFile::assume(StringRef key, StringRef value) {
  object->root.emplace(key.str(), value.str());
}

void ConfigFile::read() {
  if (llvm::sys::fs::is_directory(path))
    return fail("is a folder; give the config.json in it");
  object->root = json::object();
  std::string text;
  if (std::error_code error = readSome(path, text))
    return fail("cannot be read: " + error.message());
  if (text.size() > kMaxBytes)
    return fail("has more than " + zero::bytesText(kMaxBytes) +
                ", which is not a config.json");
  // The parser takes a NUL for the end of the text.
  if (size_t at = text.find('\0'); at != std::string::npos)
    return fail("is not valid JSON at byte " + Twine(at + 1) + ": a NUL");
  Syntax syntax;
  if (!json::sax_parse(text, &syntax)) {
    if (syntax.depth > kMaxDepth)
      return fail("nests deeper than " + Twine(kMaxDepth) +
                  " levels, which is not a config.json");
    return fail("is not valid JSON at byte " + Twine(syntax.position) +
                (syntax.reason.empty() ? "" : ": " + syntax.reason));
  }
  object->root = json::parse(text, /*cb=*/nullptr, /*allow_exceptions=*/false);
  if (!object->root.is_object()) {
    fail("must hold a JSON object, got " + show(object->root));
    object->root = json::object();
  }
}

ConfigFile::~ConfigFile() = default;

StringRef ConfigFile::getName() const {
  return llvm::sys::path::filename(path);
}

void ConfigFile::fail(const Twine &text) {
  if (message.empty())
    message =
        path + ": " + (isInside() ? inside + ": " : "") + plain(text.str());
}

llvm::Error ConfigFile::takeError() {
  if (message.empty())
    return llvm::Error::success();
  return llvm::createStringError(message);
}

bool ConfigFile::wasRead(StringRef key) const {
  return object->read.contains(key);
}

std::string ConfigFile::shown(StringRef key) const {
  auto value = object->root.find(key.str());
  return value == object->root.end() ? "" : show(*value);
}

bool ConfigFile::has(StringRef key) const { return object->find(key); }

bool ConfigFile::mentions(StringRef key) const { return object->findAny(key); }

bool ConfigFile::isEmpty(StringRef key) const {
  const json *value = object->find(key);
  if (value && value->is_string())
    return value->get_ref<const std::string &>().empty();
  return !value || value->empty();
}

int64_t ConfigFile::integer(StringRef key, int64_t low, int64_t high,
                            std::optional<int64_t> otherwise) {
  const json *value = object->find(key);
  if (!value) {
    if (!otherwise)
      fail(key + " is missing; add it");
    return otherwise.value_or(low);
  }
  // A number beyond 64 bits is read as a float, and therefore rejected here
  // too.
  bool fits = value->is_number_unsigned()
                  ? value->get<uint64_t>() <= uint64_t(high)
                  : value->is_number_integer() && value->get<int64_t>() <= high;
  if (!fits || value->get<int64_t>() < low) {
    fail(key + " must be an integer from " + Twine(low) + " to " + Twine(high) +
         ", got " + show(*value));
    return low;
  }
  return value->get<int64_t>();
}

const json *ConfigFile::Object::expect(StringRef key, Test is, StringRef what,
                                       ConfigFile &file) {
  const json *value = find(key);
  if (!value || (value->*is)())
    return value;
  file.fail(key + " must be " + what + ", got " + show(*value));
  return nullptr;
}

double ConfigFile::number(StringRef key, double otherwise) {
  const json *value = object->expect(key, &json::is_number, "a number", *this);
  return value ? value->get<double>() : otherwise;
}

bool ConfigFile::boolean(StringRef key, bool otherwise) {
  const json *value =
      object->expect(key, &json::is_boolean, "true or false", *this);
  return value ? value->get<bool>() : otherwise;
}

std::string ConfigFile::string(StringRef key,
                               std::optional<StringRef> otherwise) {
  if (!object->find(key) && !otherwise)
    fail(key + " is missing; add it");
  const json *value = object->expect(key, &json::is_string, "a string", *this);
  return value ? value->get<std::string>() : otherwise.value_or("").str();
}

template <typename T>
std::vector<T> ConfigFile::Object::list(StringRef key, Test is, StringRef what,
                                        ConfigFile &file) {
  const json *value = find(key);
  if (!value)
    return {};
  std::vector<T> found;
  if (value->is_array())
    for (const json &element : *value)
      if ((element.*is)())
        found.push_back(element.get<T>());
  if (!value->is_array() || found.size() != value->size())
    file.fail(key + " must be an array of " + what + ", got " + show(*value));
  return found;
}

std::vector<std::string> ConfigFile::strings(StringRef key) {
  return object->list<std::string>(key, &json::is_string, "strings", *this);
}

std::vector<int64_t> ConfigFile::integers(StringRef key) {
  return object->list<int64_t>(key, &json::is_number_integer, "integers",
                               *this);
}

std::vector<double> ConfigFile::numbers(StringRef key) {
  return object->list<double>(key, &json::is_number, "numbers", *this);
}

std::vector<std::string> ConfigFile::keysOf(StringRef key) {
  std::vector<std::string> found;
  if (const json *value =
          object->expect(key, &json::is_object, "an object", *this))
    for (const auto &entry : value->items())
      found.push_back(entry.key());
  return found;
}
