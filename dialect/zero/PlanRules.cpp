//===- PlanRules.cpp - Options that need or exclude each other ------------===//
//
// Reads the rules of abi/PlanRules.def once, and holds them against options.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/PlanOptions.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <vector>

using namespace mlir::zero;
using llvm::SmallVector;
using llvm::StringRef;

namespace {

/// A field of PlanOptions as rules see it: all values are numbers, those of
/// enumerations in the order of their words.
struct Option {
  StringRef name;
  double otherwise;
  double (*get)(const PlanOptions &);
  std::optional<double> (*read)(StringRef);
  std::string (*flag)(const PlanOptions &);
  std::string (*value)(const PlanOptions &);
};

/// `name`, `!name`, `name=value` and the like; or `known`, without an option.
struct Term {
  const Option *option = nullptr;
  enum { Equal, NotEqual, Less, Greater } relation = NotEqual;
  double value = 0;

  bool holds(const PlanOptions &options, bool isKnown) const {
    if (!option)
      return isKnown;
    const double given = option->get(options);
    switch (relation) {
    case Equal:
      return given == value;
    case NotEqual:
      return given != value;
    case Less:
      return given < value;
    case Greater:
      return given > value;
    }
    llvm_unreachable("no relation");
  }
};

using Terms = SmallVector<Term, 2>;

struct Rule {
  StringRef constraint;
  SmallVector<Terms, 2> given, needs; ///< alternatives
  StringRef text;
};

} // namespace

template <typename T>
static std::optional<double> readNumber(StringRef text) {
  T value = {};
  if (!readOption(text, value))
    return std::nullopt;
  return static_cast<double>(value);
}

static const Option &findOption(StringRef name) {
  static const Option options[] = {
#define ZERO_OPTION(TYPE, FIELD, GETTER, USAGE, DEFAULT, EFFECT)               \
  {getOptionName(USAGE),                                                       \
   static_cast<double>(TYPE(DEFAULT)),                                         \
   [](const PlanOptions &p) { return static_cast<double>(p.FIELD); },          \
   readNumber<TYPE>,                                                           \
   [](const PlanOptions &p) {                                                  \
     return optionFlag(getOptionName(USAGE), p.FIELD);                         \
   },                                                                          \
   [](const PlanOptions &p) { return optionText(p.FIELD); }},
#include "abi/PlanOptions.def"
  };
  for (const Option &option : options)
    if (option.name == name)
      return option;
  llvm::report_fatal_error("abi/PlanRules.def names no option: " + name);
}

static Term parseTerm(StringRef text) {
  if (text == "known")
    return {};
  const bool isNegated = text.consume_front("!");
  const size_t at = text.find_first_of("!=<>");
  const Option &option = findOption(text.take_front(at));
  StringRef relation = text.substr(at);
  Term term = {&option, Term::NotEqual, option.otherwise};
  if (relation.empty()) {
    term.relation = isNegated ? Term::Equal : Term::NotEqual;
    return term;
  }
  term.relation = relation.consume_front("!=")  ? Term::NotEqual
                  : relation.consume_front("<") ? Term::Less
                  : relation.consume_front(">") ? Term::Greater
                                                : Term::Equal;
  relation.consume_front("=");
  const std::optional<double> value = option.read(relation);
  if (!value || isNegated)
    llvm::report_fatal_error("abi/PlanRules.def has a term that is none: " +
                             text);
  term.value = *value;
  return term;
}

/// The terms of `text`; each begins with `more`.
static Terms parseTerms(StringRef text, StringRef more = "") {
  Terms terms;
  for (StringRef term : llvm::split(text, ' '))
    if (!term.empty())
      terms.push_back(parseTerm((more + term).str()));
  return terms;
}

static SmallVector<Terms, 2> parseAlternatives(StringRef text) {
  SmallVector<Terms, 2> alternatives;
  for (StringRef terms : llvm::split(text, '|'))
    alternatives.push_back(parseTerms(terms));
  return alternatives;
}

static llvm::ArrayRef<Rule> getRules() {
  static const std::vector<Rule> rules = {
#define ZERO_NEEDS(CONSTRAINT, GIVEN, NEEDS, TEXT)                             \
  {"(" #CONSTRAINT ")", parseAlternatives(GIVEN), parseAlternatives(NEEDS),    \
   TEXT},
#define ZERO_EXCLUDES(CONSTRAINT, GIVEN, EXCLUDED, TEXT)                       \
  {"(" #CONSTRAINT ")",                                                        \
   parseAlternatives(GIVEN),                                                   \
   {parseTerms(EXCLUDED, "!")},                                                \
   TEXT},
#include "abi/PlanRules.def"
  };
  return rules;
}

/// The text of a rule with the options that its placeholders name.  `given` is
/// the first of the alternative that holds, `missed` the first of what it needs
/// that does not.
static std::string textOf(StringRef text, const PlanOptions &options,
                          const Option &given, const Option &missed) {
  std::string all;
  while (true) {
    auto [before, rest] = text.split('{');
    all += before;
    if (rest.empty())
      return all;
    auto [name, after] = rest.split('}');
    text = after;
    const bool isValue = name.consume_back(":value");
    if (name.empty())
      all += "--" + given.name.str();
    else if (name == "=")
      all += given.flag(options);
    else if (name == "excluded")
      all += "--" + missed.name.str();
    else
      all += isValue ? findOption(name).value(options)
                     : findOption(name).flag(options);
  }
}

std::optional<Conflict> mlir::zero::findBrokenRule(const PlanOptions &options,
                                                   bool isKnown) {
  auto holds = [&](const Term &term) { return term.holds(options, isKnown); };
  auto all = [&](const Terms &terms) { return llvm::all_of(terms, holds); };
  for (const Rule &rule : getRules()) {
    if (llvm::any_of(rule.needs, all))
      continue;
    const Term &missed = *llvm::find_if_not(rule.needs.front(), holds);
    for (const Terms &given : rule.given)
      if (all(given)) {
        const Term &named = *llvm::find_if(
            given, [](const Term &term) { return term.option != nullptr; });
        return Conflict{rule.constraint, textOf(rule.text, options,
                                                *named.option, *missed.option)};
      }
  }
  return std::nullopt;
}
