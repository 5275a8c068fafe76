//===- PythonPattern.cpp - Translates Python's patterns to PCRE2 ----------===//
//
// Most of Python's syntax means the same in PCRE2, and some of it something
// else, without an error:
//
//   Python                PCRE2 as it is written       becomes
//   \Z                    also before a last newline   \z
//   \v                    all vertical space           \x{b}
//   a{,3}                 the text "a{,3}"             a{0,3}
//   [[:alpha:]]           letters                      [\[\:alph\:]\]
//   \h \K \R \Q (?|       other operators              an error
//   (?R) (?1) (*ACCEPT)   recursion, verbs             an error
//
// So the expression is read as Python's parser does, which decides what each
// character is, and written for PCRE2: characters escaped, groups numbered.
//
//===----------------------------------------------------------------------===//
#include "passes/model/PythonPattern.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Writes an expression of Python as one of PCRE2 that means the same.
class Translator {
public:
  explicit Translator(StringRef text) : text(text) {}

  llvm::Expected<PcrePattern> run();

private:
  /// What stands before a quantifier.
  enum class Item { None, Once, Repeated };
  struct Group {
    size_t begin;
    unsigned number; ///< 0: it captures nothing
  };
  /// Of a set, or behind a backslash.
  struct Token {
    std::string text;
    bool isCharacter;
  };

  StringRef text;
  size_t at = 0, begin = 0; ///< of what is read now
  PcrePattern out;
  Item item = Item::None;
  bool hasOnlyFlags = true;
  SmallVector<Group> open;
  SmallVector<bool> closed = {false}; ///< of each number
  llvm::StringMap<unsigned> named;

  llvm::Error fail(size_t place, const Twine &what) const {
    return llvm::createStringError(
        what + " at position " +
        Twine(llvm::count_if(text.take_front(place), isStart)));
  }
  /// In UTF-8 other bytes continue a character.
  static bool isStart(char c) { return (c & 0xc0) != 0x80; }
  bool isAt(char c) const { return at < text.size() && text[at] == c; }
  bool take(char c) { return isAt(c) && ++at; }
  StringRef takeDigits() {
    StringRef digits = text.substr(at).take_while(llvm::isDigit);
    at += digits.size();
    return digits;
  }
  void emit(const Twine &more, Item next) {
    out.text += more.str();
    out.positions.resize(out.text.size(), begin);
    item = next;
    hasOnlyFlags = false;
  }
  llvm::Error enter(const Twine &how, unsigned number = 0) {
    open.push_back({begin, number});
    emit(how, Item::None);
    return llvm::Error::success();
  }
  static Token character(uint32_t code) {
    return {"\\x{" + llvm::utohexstr(code, /*LowerCase=*/true) + "}", true};
  }

  Token takeCharacter();
  llvm::Expected<Token> takeEscape(bool inSet);
  llvm::Expected<Token> takeNumber(bool inSet);
  llvm::Expected<unsigned> findGroup(StringRef name, size_t place);
  llvm::Error readSet();
  llvm::Error readQuantifier(char first);
  llvm::Error readGroup();
  llvm::Error readFlags();
  llvm::Error capture(StringRef name);
  llvm::Error close();
  llvm::Error readOne();
};

} // namespace

/// Takes a character that stands for itself.
Translator::Token Translator::takeCharacter() {
  size_t first = at++;
  while (at < text.size() && !isStart(text[at]))
    ++at;
  StringRef c = text.slice(first, at);
  if (c.size() == 1 && llvm::isASCII(c[0]) && !llvm::isAlnum(c[0]))
    return llvm::isPrint(c[0]) ? Token{("\\" + c).str(), true}
                               : character(c[0]);
  return {c.str(), true};
}

/// Takes what follows a backslash.
llvm::Expected<Translator::Token> Translator::takeEscape(bool inSet) {
  size_t start = at - 1;
  if (at == text.size())
    return fail(start, "bad escape (end of pattern)");
  char c = text[at];
  if (!llvm::isAlnum(c))
    return takeCharacter();
  ++at;
  if (StringRef("dDsSwW").contains(c))
    return Token{{'\\', c}, false};
  if (!inSet && StringRef("AbBZ").contains(c))
    return Token{{'\\', c == 'Z' ? 'z' : c}, false};
  constexpr llvm::StringLiteral kLetters = "abfnrtv",
                                kMeanings = "\a\b\f\n\r\t\v";
  if (size_t i = kLetters.find(c); i != StringRef::npos)
    return character(kMeanings[i]);
  if (llvm::isDigit(c))
    return takeNumber(inSet);
  size_t width = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (width == 0)
    return fail(start, (c == 'N' ? "unsupported escape \\" : "bad escape \\") +
                           Twine(c));
  StringRef digits = text.substr(at, width).take_while(llvm::isHexDigit);
  at += digits.size();
  uint32_t code = 0;
  if (digits.size() != width || digits.getAsInteger(16, code))
    return fail(start, "incomplete escape " + text.slice(start, at));
  return character(code);
}

/// The number of a group.  Python reads others as octal.
llvm::Expected<Translator::Token> Translator::takeNumber(bool inSet) {
  size_t start = at - 2;
  StringRef digits = text.substr(at - 1, 3).take_while(llvm::isDigit);
  if (inSet || digits[0] == '0' ||
      (digits.size() == 3 && digits.find_first_of("89") == StringRef::npos))
    return fail(start, "unsupported escape \\" + digits);
  digits = digits.take_front(2);
  at += digits.size() - 1;
  llvm::Expected<unsigned> group = findGroup(digits, start + 1);
  if (!group)
    return group.takeError();
  return Token{"\\g{" + llvm::utostr(*group) + "}", true};
}

/// The number of a group that has ended.
llvm::Expected<unsigned> Translator::findGroup(StringRef name, size_t place) {
  unsigned number = 0;
  if (name.getAsInteger(10, number)) {
    auto found = named.find(name);
    if (found == named.end())
      return fail(place, "unknown group name '" + name + "'");
    number = found->second;
  }
  if (number == 0 || number >= closed.size())
    return fail(place, "invalid group reference " + Twine(number));
  if (!closed[number])
    return fail(place, "cannot refer to an open group");
  return number;
}

llvm::Error Translator::readSet() {
  std::string set = take('^') ? "[^" : "[";
  auto takeOne = [&]() -> llvm::Expected<Token> {
    if (at == text.size())
      return fail(begin, "unterminated character set");
    return take('\\') ? takeEscape(/*inSet=*/true) : takeCharacter();
  };
  for (bool isFirst = true; isFirst || !take(']'); isFirst = false) {
    size_t start = at;
    llvm::Expected<Token> from = takeOne();
    if (!from)
      return from.takeError();
    set += from->text;
    if (!take('-'))
      continue;
    if (take(']')) {
      set += "\\-";
      break;
    }
    llvm::Expected<Token> to = takeOne();
    if (!to)
      return to.takeError();
    if (!from->isCharacter || !to->isCharacter)
      return fail(start, "bad character range " + text.slice(start, at));
    set += "-" + to->text;
  }
  emit(set + "]", Item::Once);
  return llvm::Error::success();
}

llvm::Error Translator::readQuantifier(char first) {
  std::string quantifier(1, first);
  if (first == '{') {
    size_t start = at;
    StringRef least = takeDigits();
    bool isRange = take(',');
    StringRef most = isRange ? takeDigits() : least;
    if (isAt('}') && at > start) {
      ++at;
      quantifier = ("{" + (least.empty() ? "0" : least) + (isRange ? "," : "") +
                    (isRange ? most : "") + "}")
                       .str();
    } else {
      at = start;
      emit("\\{", Item::Once);
      return llvm::Error::success();
    }
  }
  if (item != Item::Once)
    return fail(begin,
                item == Item::None ? "nothing to repeat" : "multiple repeat");
  emit(quantifier + (take('?') ? "?" : take('+') ? "+" : ""), Item::Repeated);
  return llvm::Error::success();
}

/// Begins a group that captures, perhaps with a name.
llvm::Error Translator::capture(StringRef name) {
  unsigned number = closed.size();
  if (!name.empty() && !named.try_emplace(name, number).second)
    return fail(begin, "redefinition of group name '" + name + "'");
  closed.push_back(false);
  return enter("(", number);
}

/// What follows a parenthesis.
llvm::Error Translator::readGroup() {
  if (!take('?'))
    return capture("");
  if (at == text.size())
    return fail(at, "unexpected end of pattern");
  auto takeName = [&](char end) {
    StringRef name =
        text.substr(at).take_until([&](char c) { return c == end; });
    at = std::min(at + name.size() + 1, text.size());
    return name;
  };
  size_t start = at;
  auto isName = [](StringRef name) {
    return !name.empty() && !llvm::isDigit(name[0]) &&
           llvm::all_of(name, [](char c) {
             return llvm::isAlnum(c) || c == '_' || !llvm::isASCII(c);
           });
  };
  auto badName = [&](StringRef name) {
    return fail(start + 2, "bad character in group name '" + name + "'");
  };
  switch (char c = text[at++]) {
  case ':':
  case '=':
  case '!':
  case '>':
    return enter("(?" + Twine(c));
  case '<':
    if (!isAt('=') && !isAt('!'))
      return fail(begin + 1, "unknown extension");
    return enter("(?<" + Twine(text[at++]));
  case 'P':
    if (take('<')) {
      StringRef name = takeName('>');
      return isName(name) ? capture(name) : badName(name);
    }
    if (take('=')) {
      StringRef name = takeName(')');
      if (!isName(name))
        return badName(name);
      llvm::Expected<unsigned> group = findGroup(name, start + 2);
      if (!group)
        return group.takeError();
      emit("\\g{" + Twine(*group) + "}", Item::Once);
      return llvm::Error::success();
    }
    return fail(begin + 1, "unknown extension");
  case '#':
    if (!text.substr(at).contains(')'))
      return fail(begin, "missing ), unterminated comment");
    takeName(')');
    return llvm::Error::success();
  case '(':
    return fail(begin, "unsupported conditional group");
  default:
    --at;
    return readFlags();
  }
}

/// (?ims) at the start, (?ims-ims: elsewhere
llvm::Error Translator::readFlags() {
  StringRef given =
      text.substr(at).take_until([](char c) { return c == ')' || c == ':'; });
  std::string flags;
  bool isOff = false;
  for (auto [i, c] : llvm::enumerate(given))
    if (c == '-' && !isOff)
      isOff = true;
    else if (StringRef("aLx").contains(c) && !isOff)
      return fail(at + i, "unsupported flag " + Twine(c));
    else if (!StringRef(isOff ? "imsx" : "imsu").contains(c))
      return i == 0 ? fail(begin + 1, "unknown extension")
                    : fail(at + i, "unknown flag");
    else if (c != 'u' && c != 'x') // u is so anyway, and x is never on.
      flags += (isOff && !StringRef(flags).contains('-') ? "-" : "") +
               std::string(1, c);
  at += given.size();
  if (given.empty() || given.back() == '-' || at == text.size())
    return fail(at, "missing flag");
  if (text[at++] == ':')
    return enter("(?" + flags + ":");
  if (isOff)
    return fail(at - 1, "missing :");
  if (!hasOnlyFlags)
    return fail(begin, "global flags not at the start of the expression");
  if (!flags.empty())
    emit("(?" + flags + ")", Item::None);
  hasOnlyFlags = true;
  return llvm::Error::success();
}

llvm::Error Translator::close() {
  if (open.empty())
    return fail(begin, "unbalanced parenthesis");
  closed[open.pop_back_val().number] = true;
  emit(")", Item::Once);
  return llvm::Error::success();
}

llvm::Error Translator::readOne() {
  begin = at;
  switch (char c = text[at++]) {
  case '\\': {
    bool isPlace = isAt('A') || isAt('b') || isAt('B') || isAt('Z');
    llvm::Expected<Token> token = takeEscape(/*inSet=*/false);
    if (!token)
      return token.takeError();
    emit(token->text, isPlace ? Item::None : Item::Once);
    return llvm::Error::success();
  }
  case '[':
    return readSet();
  case '(':
    return readGroup();
  case ')':
    return close();
  case '*':
  case '+':
  case '?':
  case '{':
    return readQuantifier(c);
  case '|':
  case '^':
  case '$':
    emit(Twine(c), Item::None);
    return llvm::Error::success();
  case '.':
    emit(".", Item::Once);
    return llvm::Error::success();
  default:
    --at;
    emit(takeCharacter().text, Item::Once);
    return llvm::Error::success();
  }
}

llvm::Expected<PcrePattern> Translator::run() {
  while (at < text.size())
    if (llvm::Error error = readOne())
      return error;
  if (!open.empty())
    return fail(open.back().begin, "missing ), unterminated subpattern");
  out.positions.push_back(text.size());
  SmallVector<size_t> characters = {0}; // before each byte
  for (char c : text)
    characters.push_back(characters.back() + isStart(c));
  for (size_t &position : out.positions)
    position = characters[position];
  return std::move(out);
}

llvm::Expected<PcrePattern> zero::translatePython(StringRef pattern) {
  return Translator(pattern).run();
}
