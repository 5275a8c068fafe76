//===- DeepSpeedJson.cpp - The text of a DeepSpeed config -----------------===//
//
// LLVM's parser supports no comments and does not report duplicate keys.
// Therefore one walk over the text blanks whatever is not JSON, which keeps
// line numbers, and compares keys.
//
//===----------------------------------------------------------------------===//

#include "tools/zeroc/deepspeed/DeepSpeedFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace {

class Cleaner {
public:
  explicit Cleaner(StringRef given) : text(given) {}

  Expected<std::string> run() {
    for (size_t i = 0; i < text.size();) {
      if (size_t end = endOfComment(i); end != i) {
        for (; i < end; ++i)
          if (text[i] != '\n')
            text[i] = ' ';
        continue;
      }
      if (text[i] == '"') {
        if (Error error = takeString(i))
          return error;
        continue;
      }
      takeMark(i++);
    }
    return std::move(text);
  }

private:
  /// Returns the end of the comment that begins at `i`; `i` if there is none.
  size_t endOfComment(size_t i) const {
    StringRef rest = StringRef(text).drop_front(i);
    size_t length = 0;
    if (rest.starts_with("#") || rest.starts_with("//"))
      length = rest.find('\n');
    else if (rest.starts_with("/*"))
      length = rest.find("*/") == StringRef::npos ? StringRef::npos
                                                  : rest.find("*/") + 2;
    return i + std::min(length, rest.size());
  }

  /// Reads the string at `i`.  It is a key if a colon follows.
  Error takeString(size_t &i) {
    size_t begin = i++;
    while (i < text.size() && text[i] != '"' && text[i] != '\n')
      i += text[i] == '\\' ? 2 : 1;
    i = std::min(i + 1, text.size());
    name = text.substr(begin, i - begin);
    nameAt = begin;
    comma = std::string::npos;
    size_t next = i;
    while (next < text.size()) {
      if (isSpace(text[next]))
        ++next;
      else if (size_t end = endOfComment(next); end != next)
        next = end;
      else
        break;
    }
    if (next == text.size() || text[next] != ':' || open.empty())
      return Error::success();
    bool isComment = StringRef(name).starts_with("\"_") ||
                     StringRef(name).starts_with("\"//");
    if (!isComment && !open.back().insert(name).second)
      return createStringError(
          "line " + Twine(StringRef(text).take_front(nameAt).count('\n') + 1) +
          ": the key " + name + " comes twice; keep one");
    return Error::success();
  }

  void takeMark(size_t i) {
    char mark = text[i];
    if (isSpace(mark))
      return;
    if (mark == '{' || mark == '[')
      open.emplace_back();
    if (mark == '}' || mark == ']') {
      if (comma != std::string::npos)
        text[comma] = ' ';
      if (!open.empty())
        open.pop_back();
    }
    comma = mark == ',' ? i : std::string::npos;
  }

  std::string text, name;
  size_t nameAt = 0;
  /// The position of the last character that is not a blank, if it is a comma.
  size_t comma = std::string::npos;
  /// The keys of each enclosing object; empty for an array.
  std::vector<llvm::StringSet<>> open;
};

} // namespace

Expected<json::Object> mlir::zero::deepspeed::parseJson(StringRef text) {
  text.consume_front("\xEF\xBB\xBF");
  Expected<std::string> clean = Cleaner(text).run();
  if (!clean)
    return clean.takeError();
  Expected<json::Value> value = json::parse(*clean);
  if (!value)
    return createStringError("no valid JSON: " + toString(value.takeError()));
  if (json::Object *object = value->getAsObject())
    return std::move(*object);
  return createStringError("a config is an object, {...}");
}
