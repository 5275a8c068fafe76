//===- Json.cpp - Parses untrusted JSON -----------------------------------===//
#include "train/state/io/Json.h"

#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"
#include "train/state/io/InputFile.h"

using namespace zrt;
using nlohmann::json;

void zrt::checkJsonDepth(std::string_view text) {
  int depth = 0;
  bool isInString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (isInString && c == '\\')
      ++i;
    else if (c == '"')
      isInString = !isInString;
    else if (!isInString && (c == '[' || c == '{') && ++depth > kMaxJsonDepth)
      fail("is not read as JSON: it nests deeper than {} levels, at byte {}",
           kMaxJsonDepth, i + 1);
    else if (!isInString && (c == ']' || c == '}'))
      --depth;
  }
}

json zrt::parseJson(std::string_view text) {
  checkJsonDepth(text);
  try {
    return json::parse(text);
  } catch (const json::parse_error &error) {
    // "[json.exception...] parse error at line 1, column 2: <reason>"
    std::string_view reason = error.what();
    if (const size_t column = reason.find("column "); column != reason.npos)
      if (const size_t colon = reason.find(": ", column); colon != reason.npos)
        reason.remove_prefix(colon + 2);
    fail("is not JSON, at byte {}: {}", error.byte, shown(reason));
  }
}

std::string zrt::readText(const std::string &path, uint64_t most,
                          const char *what) {
  const InputFile file(path);
  if (file.size() > most)
    fail("{}: it has {}, more than the {} that {} may have", path,
         shownBytes(file.size()), shownBytes(most), what);
  std::string text(file.size(), '\0');
  file.read(0, text.data(), text.size());
  return text;
}

json zrt::parsePlanJson(const char *text) {
  return text && *text ? parseJson(text) : json();
}

json zrt::readJson(const std::string &path, uint64_t most, const char *what) {
  return parseJsonOf(path, readText(path, most, what));
}

json zrt::parseJsonOf(const std::string &path, std::string_view text) {
  try {
    return parseJson(text);
  } catch (const Error &error) {
    fail("{}: {}", path, error.what());
  }
}
