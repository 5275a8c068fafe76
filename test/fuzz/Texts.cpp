//===- Texts.cpp - Mutations of MLIR text ---------------------------------===//

#include "Texts.h"

#include <cctype>
#include <cstring>

using namespace fuzz;

namespace {

using Words = std::vector<std::string>;

enum class Kind { Space, Number, Name, Value, String, Sign };

Kind kindOf(const std::string &word) {
  unsigned char c = word[0];
  return std::isspace(c)                              ? Kind::Space
         : std::isdigit(c)                            ? Kind::Number
         : c == '%'                                   ? Kind::Value
         : c == '"'                                   ? Kind::String
         : std::isalpha(c) || std::strchr("@#!^_", c) ? Kind::Name
                                                      : Kind::Sign;
}

/// "tensor<4x8xf32>" is seven words: each extent is a number of its own.
Words split(const std::string &text) {
  Words words;
  auto isName = [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.' || c == '$';
  };
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    unsigned char c = text[at];
    if (c == '"') {
      while (end < text.size() && text[end] != '"')
        end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    } else if (std::isspace(c)) {
      while (end < text.size() && std::isspace((unsigned char)text[end]))
        ++end;
    } else if (std::isdigit(c)) {
      while (end < text.size() &&
             (std::isdigit((unsigned char)text[end]) || text[end] == '.'))
        ++end;
    } else if (c == 'x' && end < text.size() &&
               (std::isdigit((unsigned char)text[end]) || text[end] == 'f' ||
                text[end] == 'i')) {
      // Between two extents.
    } else if (std::isalpha(c) || std::strchr("%@#!^_", c)) {
      while (end < text.size() && isName(text[end]))
        ++end;
    }
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string oddNumber(const std::string &number, Dice &dice) {
  static constexpr const char *kOdd[] = {"0",
                                         "1",
                                         "-1",
                                         "2",
                                         "3",
                                         "7",
                                         "16",
                                         "64",
                                         "1000",
                                         "65536",
                                         "65537",
                                         "2147483647",
                                         "2147483648",
                                         "4294967295",
                                         "4294967296",
                                         "1099511627776",
                                         "4611686018427387904",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "18446744073709551615",
                                         "1.0e+400",
                                         "0x7FC00000",
                                         "1.0e-320",
                                         "-0.0"};
  if (dice.below(3) == 0 && number.size() < 18 &&
      number.find('.') == std::string::npos) {
    long long value = std::stoll(number);
    return std::to_string(dice.below(2)   ? value + 1
                          : dice.below(2) ? value - 1
                                          : value * 2);
  }
  return kOdd[dice.below(std::size(kOdd))];
}

/// Returns a word of that kind, from 64 tries; otherwise the first one.
size_t pick(const Words &words, Kind kind, Dice &dice) {
  for (int i = 0; i < 64; ++i)
    if (size_t at = dice.below(words.size()); kindOf(words[at]) == kind)
      return at;
  return 0;
}

/// Returns the words of one line, [begin, end).
std::pair<size_t, size_t> lineAround(const Words &words, size_t at) {
  auto ends = [&](size_t i) {
    return words[i].find('\n') != std::string::npos;
  };
  size_t begin = at, end = at;
  while (begin > 0 && !ends(begin - 1))
    --begin;
  while (end < words.size() && !ends(end))
    ++end;
  return {begin, std::min(end + 1, words.size())};
}

void mutateOnce(Words &words, const std::vector<std::string> &seeds,
                Dice &dice) {
  if (words.empty())
    return;
  size_t at = dice.below(words.size());
  switch (dice.below(12)) {
  case 0:
  case 1:
  case 2:
  case 3: // Sizes and offsets affect the computations of passes.
    at = pick(words, Kind::Number, dice);
    if (kindOf(words[at]) == Kind::Number) {
      std::string old = words[at], now = oddNumber(old, dice);
      // One occurrence, or all, so that types still agree.
      if (dice.below(3) == 0)
        words[at] = now;
      else
        for (std::string &word : words)
          if (word == old)
            word = now;
    }
    return;
  case 4: { // another word of its kind
    Kind kind = kindOf(words[at]);
    words[at] = words[pick(words, kind, dice)];
    return;
  }
  case 5: // another value
    at = pick(words, Kind::Value, dice);
    words[at] = words[pick(words, Kind::Value, dice)];
    return;
  case 6: // another name
    at = pick(words, Kind::Name, dice);
    words[at] = words[pick(words, Kind::Name, dice)];
    return;
  case 7:
    words.erase(words.begin() + at);
    return;
  case 8: { // removes a line
    auto [begin, end] = lineAround(words, at);
    words.erase(words.begin() + begin, words.begin() + end);
    return;
  }
  case 9: { // repeats or moves a line
    auto [begin, end] = lineAround(words, at);
    Words line(words.begin() + begin, words.begin() + end);
    if (dice.below(2))
      words.erase(words.begin() + begin, words.begin() + end);
    if (words.empty())
      return;
    size_t to = lineAround(words, dice.below(words.size())).first;
    words.insert(words.begin() + to, line.begin(), line.end());
    return;
  }
  case 10: { // a string
    static constexpr const char *kStrings[] = {
        "\"\"",        "\"\\00\"",   "\"step\"",   "\"param\"",
        "\"kernels\"", "\"memory\"", "\"tokens\"", "\"a.b\"",
        "unit",        "[]",         "{}"};
    at = pick(words, Kind::String, dice);
    words[at] = kStrings[dice.below(std::size(kStrings))];
    return;
  }
  case 11: { // inserts a part of another text
    Words other = split(seeds[dice.below(seeds.size())]);
    size_t from = dice.below(other.size());
    size_t length = std::min<size_t>(other.size() - from, dice.below(40));
    words.insert(words.begin() + at, other.begin() + from,
                 other.begin() + from + length);
    return;
  }
  }
}

} // namespace

std::string fuzz::mutate(const std::vector<std::string> &seeds, Dice &dice) {
  Words words = split(seeds[dice.below(seeds.size())]);
  // Mostly at one place: texts with two errors are seldom accepted.
  for (size_t i = dice.below(2) ? 1 : 1 + dice.below(4); i > 0; --i)
    mutateOnce(words, seeds, dice);
  std::string text;
  for (const std::string &word : words)
    text += word;
  return text;
}
