//===- DocumentReader.cpp - The documents of a file -----------------------===//
#include "tools/tokenize/DocumentReader.h"

#include "runtime/Error.h"
#include "runtime/io/Json.h"

#include <algorithm>

using namespace zrt;
using nlohmann::json;

namespace {

constexpr std::string_view kSpaces = " \t\r\n\v\f";
/// Unicode's other spaces, in UTF-8: U+0085, 00A0, 1680, 2000 to 200A, 2028,
/// 2029, 202F, 205F and 3000.
constexpr std::string_view kWideSpaces[] = {
    "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80",
    "\xe2\x80\x81", "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84",
    "\xe2\x80\x85", "\xe2\x80\x86", "\xe2\x80\x87", "\xe2\x80\x88",
    "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8", "\xe2\x80\xa9",
    "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};

/// Returns true if `text`, which is not empty, ends with a space; the next
/// function checks its beginning.
bool endsWithSpace(std::string_view text) {
  return kSpaces.find(text.back()) != kSpaces.npos ||
         std::any_of(std::begin(kWideSpaces), std::end(kWideSpaces),
                     [&](auto space) { return text.ends_with(space); });
}
bool beginsWithSpace(std::string_view text) {
  return kSpaces.find(text.front()) != kSpaces.npos ||
         std::any_of(std::begin(kWideSpaces), std::end(kWideSpaces),
                     [&](auto space) { return text.starts_with(space); });
}

bool isNamedJson(std::string_view path) {
  if (path.ends_with(".gz"))
    path.remove_suffix(3);
  return path.ends_with(".jsonl");
}

/// Extracts "column 7: invalid literal" from "[json.exception.parse_error.101]
/// parse error at line 1, column 7: syntax error while parsing value - invalid
/// literal; last read: '...'".
std::string reasonOf(std::string_view what) {
  const size_t column = what.find("column"), colon = what.find(':', column),
               reason = what.find(" - ", colon);
  if (reason == what.npos)
    return std::string(what);
  return fmt::format(
      "{}: {}", what.substr(column, colon - column),
      what.substr(reason + 3, what.rfind("; last read") - reason - 3));
}

} // namespace

DocumentReader::DocumentReader(const std::string &aPath,
                               const std::optional<std::string> &aField,
                               bool cuts)
    : path(aPath), field(aField               ? aField
                         : isNamedJson(aPath) ? std::optional("text")
                                              : std::nullopt),
      anywhere(cuts), file(aPath) {}

std::string DocumentReader::place() const {
  return field ? fmt::format("{}, line {}", path, lineNumber) : path;
}

size_t DocumentReader::findCut(std::string_view rest) const {
  if (rest.size() <= kPieceBytes)
    return std::string_view::npos;
  if (anywhere)
    return kPieceBytes;
  constexpr size_t kLetter = 4; // longest UTF-8 character
  for (size_t at = rest.find('\n', kPieceBytes);
       at != rest.npos && at + kLetter < rest.size();
       at = rest.find('\n', at + 1))
    if (!endsWithSpace(rest.substr(0, at)) &&
        !beginsWithSpace(rest.substr(at + 1)))
      return at + 1;
  return std::string_view::npos;
}

bool DocumentReader::nextOfText(Piece &piece) {
  while (true) {
    const std::string_view rest = std::string_view(buffer).substr(begun);
    const size_t cut = findCut(rest);
    if (cut == rest.npos && !isAtEnd) {
      if (rest.size() > kMaxBytes)
        fail("{}: {} MiB have no line that could be tokenized alone, without "
             "a space at its end and before the next; break it into lines",
             path, kMaxBytes >> 20);
      buffer.erase(0, begun);
      begun = 0;
      isAtEnd = !file.readMore(buffer);
      continue;
    }
    piece.text = rest.substr(0, cut);
    piece.place = place();
    piece.endsDocument = cut == rest.npos;
    begun += piece.text.size();
    return !piece.text.empty();
  }
}

/// Stores the text of the line in `document`.
bool DocumentReader::nextLine() {
  for (size_t searched = begun;;) {
    const size_t end = buffer.find('\n', searched);
    if (end == buffer.npos && !isAtEnd) {
      if (buffer.size() - begun > kMaxBytes)
        fail(
            "{}, line {} is longer than {} MiB; is it JSON, a line a document?",
            path, lineNumber + 1, kMaxBytes >> 20);
      buffer.erase(0, begun);
      begun = 0;
      searched = buffer.size();
      isAtEnd = !file.readMore(buffer);
      continue;
    }
    if (end == buffer.npos && begun == buffer.size())
      return false;
    const auto line = std::string_view(buffer).substr(begun, end - begun);
    begun = end == buffer.npos ? buffer.size() : end + 1;
    ++lineNumber;
    document = textOfLine(line);
    given = 0;
    return true;
  }
}

std::string DocumentReader::textOfLine(std::string_view line) const {
  if (line.find_first_not_of(kSpaces) == line.npos)
    return "";
  json value;
  try {
    checkJsonDepth(line);
    value = json::parse(line);
  } catch (const Error &error) {
    fail("{} {}", place(), error.what());
  } catch (const json::exception &error) {
    fail("{} is not JSON: {}", place(), shown(reasonOf(error.what())));
  }
  if (!value.is_object())
    fail("{} is {}, not an object", place(), value.type_name());
  const auto found = value.find(*field);
  if (found == value.end())
    fail("{} has no \"{}\"; name the field of its text with --field", place(),
         *field);
  if (!found->is_string())
    fail("{}: \"{}\" is {}, not a string", place(), *field, found->type_name());
  return found->get<std::string>();
}

bool DocumentReader::next(Piece &piece) {
  if (!field)
    return nextOfText(piece);
  while (given == document.size())
    if (!nextLine())
      return false;
  const std::string_view rest = std::string_view(document).substr(given);
  const size_t cut = findCut(rest);
  piece.text = rest.substr(0, cut);
  piece.place = place();
  piece.endsDocument = cut == rest.npos;
  given += piece.text.size();
  return true;
}
