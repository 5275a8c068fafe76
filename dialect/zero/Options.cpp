//===- Options.cpp - The options of a plan as an attribute ----------------===//
//
// The attributes #zero.options, #zero.adamw, #zero.lion and #zero.sgd; and, in
// one place, how they read as the command line of zeroc.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/Origin.h"
#include "dialect/zero/Zero.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::zero;

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

namespace {
using EmitError = function_ref<InFlightDiagnostic()>;
} // namespace

static LogicalResult checkDecay(EmitError error, StringRef name,
                                const APFloat &value) {
  if (value.isFinite() && !value.isNegative() && value.convertToDouble() < 1)
    return success();
  return error() << name << " must be from 0 to below 1, got "
                 << value.convertToDouble();
}

static LogicalResult checkBetas(EmitError error, const APFloat &beta1,
                                const APFloat &beta2) {
  return failure(failed(checkDecay(error, "beta1", beta1)) ||
                 failed(checkDecay(error, "beta2", beta2)));
}

LogicalResult AdamWAttr::verify(EmitError error, APFloat beta1, APFloat beta2,
                                APFloat eps) {
  if (failed(checkBetas(error, beta1, beta2)))
    return failure();
  if (!eps.isFinite() || eps.isNegative() || eps.isZero())
    return error() << "eps must be above 0 and finite, got "
                   << eps.convertToDouble();
  return success();
}

LogicalResult LionAttr::verify(EmitError error, APFloat beta1, APFloat beta2) {
  return checkBetas(error, beta1, beta2);
}

LogicalResult SGDAttr::verify(EmitError error, APFloat momentum) {
  return checkDecay(error, "momentum", momentum);
}

/// "@lion" of "zero.optimizer @lion(...) ...", or "".
static StringRef nameOfRule(StringRef text) {
  if (!text.consume_front("zero.optimizer @"))
    return "";
  return text.take_until([](char c) { return c == '('; });
}

LogicalResult OptionsAttr::verify(EmitError error, Attribute optimizer,
                                  PlanOptions values) {
  auto own = dyn_cast_if_present<StringAttr>(optimizer);
  if (!isa_and_nonnull<AdamWAttr, LionAttr, SGDAttr, StringAttr>(optimizer) ||
      (own && nameOfRule(own).empty())) // (C1)
    return error() << "optimizer must be #zero.adamw, #zero.lion, #zero.sgd or "
                      "the text of a zero.optimizer (C1)";
  std::optional<Conflict> wrong = findOutOfRange(values);
  if (!wrong)
    wrong = findConflict(values, /*isKnown=*/true);
  if (wrong)
    return error() << wrong->text << " " << wrong->constraint;
  return success();
}

//===----------------------------------------------------------------------===//
// As text
//===----------------------------------------------------------------------===//

/// "offload_params" of "offload-params"
static std::string toField(StringRef option) {
  std::string name = option.str();
  llvm::replace(name, '-', '_');
  return name;
}

/// Whether a field is written that has its default.
static bool isAlwaysWritten(StringRef option) {
  return llvm::is_contained(
      {"weight-decay", "grad-clip", "stage", "world-size"}, option);
}

static ParseResult parseField(AsmParser &parser, StringRef, int64_t &field) {
  return parser.parseInteger(field);
}
static ParseResult parseField(AsmParser &parser, StringRef, double &field) {
  return parser.parseFloat(field);
}
static ParseResult parseField(AsmParser &parser, StringRef, bool &field) {
  field = succeeded(parser.parseOptionalKeyword("true"));
  return field ? success() : parser.parseKeyword("false");
}
template <typename Enum>
static ParseResult parseField(AsmParser &parser, StringRef name, Enum &field) {
  SMLoc loc = parser.getCurrentLocation();
  std::string word;
  if (parser.parseString(&word))
    return failure();
  std::optional<Enum> known = parseWord<Enum>(word);
  if (!known) // (C4)
    return parser.emitError(loc)
           << name << " must be "
           << llvm::join(llvm::make_filter_range(
                             getWords(Enum()),
                             [](StringRef word) { return !word.empty(); }),
                         ", ")
           << ", got " << word << " (C4)";
  field = *known;
  return success();
}

Attribute OptionsAttr::parse(AsmParser &parser, Type) {
  SMLoc begin = parser.getCurrentLocation();
  Attribute optimizer;
  PlanOptions values;
  llvm::StringSet<> given;
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    if (!given.insert(name).second)
      return parser.emitError(loc) << name << " is given twice";
    if (name == "optimizer")
      return parser.parseAttribute(optimizer);
    std::optional<ParseResult> result;
    visitOptions(values, [&](StringRef option, auto &field, auto) {
      if (toField(option) == name)
        result = parseField(parser, name, field);
    });
    if (!result)
      return parser.emitError(loc) << name << " is no field of #zero.options";
    return *result;
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseOne))
    return {};
  std::string missing = given.contains("optimizer") ? "" : "optimizer";
  visitOptions(values, [&](StringRef option, auto, auto) {
    if (missing.empty() && isAlwaysWritten(option) &&
        !given.contains(toField(option)))
      missing = toField(option);
  });
  if (!missing.empty()) {
    parser.emitError(begin, "is without ") << missing;
    return {};
  }
  return parser.getChecked<OptionsAttr>(begin, parser.getContext(), optimizer,
                                        values);
}

template <typename T>
static void printField(AsmPrinter &printer, T field) {
  if constexpr (std::is_same_v<T, double>)
    printer.printFloat(APFloat(field));
  else if constexpr (std::is_enum_v<T>)
    printer.printString(stringify(field));
  else
    printer << optionText(field);
}

void OptionsAttr::print(AsmPrinter &printer) const {
  printer << "<optimizer = " << getOptimizer();
  PlanOptions values = getValues();
  visitOptions(values, [&](StringRef option, auto field, auto otherwise) {
    if (field == otherwise && !isAlwaysWritten(option))
      return;
    printer << ", " << toField(option) << " = ";
    printField(printer, field);
  });
  printer << ">";
}

StringRef zero::stringifyPrecision(Type element) {
  if (element.isF32())
    return "fp32";
  if (element.isBF16())
    return "bf16";
  return element.isF16() ? "fp16" : "";
}

Type zero::parseElementType(MLIRContext *context, StringRef name) {
  Builder types(context);
  return llvm::StringSwitch<Type>(name)
      .Cases({"f32", "fp32"}, types.getF32Type())
      .Case("bf16", types.getBF16Type())
      .Case("fp16", types.getF16Type())
      .Default(Type());
}

Type OptionsAttr::getParameterElement() const {
  return parseElementType(getContext(), getPrecision());
}
Type OptionsAttr::getGradientElement() const {
  return parseElementType(
      getContext(), getGradDtype().empty() ? getPrecision() : getGradDtype());
}
Type OptionsAttr::getSumElement() const {
  return getGradDtype().empty() ? parseElementType(getContext(), "f32")
                                : getGradientElement();
}
Type OptionsAttr::getStateElement() const {
  return parseElementType(getContext(), getStateDtype());
}

//===----------------------------------------------------------------------===//
// As a command line
//===----------------------------------------------------------------------===//

std::string zero::quoteWord(StringRef word) {
  if (word.find_first_of(" \t\n'\"\\$*?[](){}<>|&;~!`") == StringRef::npos)
    return word.str();
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

static std::string shortest(const APFloat &value) {
  return optionText(value.convertToDouble());
}

/// The value of a flag, "" of a switch.
static std::string valueOf(bool) { return ""; }
template <typename T>
static std::string valueOf(T value) {
  return optionText(value);
}

static void addWords(const PlanOptions &values,
                     SmallVectorImpl<OptionsAttr::Word> &words) {
#define ZERO_OPTION(TYPE, FIELD, GETTER, USAGE, DEFAULT, EFFECT)               \
  {                                                                            \
    words.push_back({getOptionName("--" USAGE), valueOf(values.FIELD),         \
                     values.FIELD == TYPE(DEFAULT) &&                          \
                         !isAlwaysWritten(getOptionName(USAGE))});             \
  }
#define ZERO_FIELD(TYPE, FIELD, GETTER, USAGE, EFFECT)
#include "abi/PlanOptions.def"
  // Their flags are other than their fields.
  auto isSample = [&](Sample sample) { return values.sample == sample; };
  words.push_back({"--sample", "", !isSample(Sample::On)});
  words.push_back({"--sample-only", "", !isSample(Sample::Only)});
  words.push_back({"--score-only", "", !isSample(Sample::Score)});
  bool isOn = values.skipNonfinite;
  OptionsAttr::Word skips = {"--skip-nonfinite", isOn ? "on" : "off",
                             isOn != (values.precision == Precision::FP32)};
  words.insert(llvm::find_if(words,
                             [](const OptionsAttr::Word &word) {
                               return word.option == "--precision";
                             }),
               skips);
}

SmallVector<OptionsAttr::Word> OptionsAttr::getWords() const {
  SmallVector<Word> words;
  auto betas = [](auto rule) {
    return shortest(rule.getBeta1()) + "," + shortest(rule.getBeta2());
  };
  if (auto adamw = dyn_cast<AdamWAttr>(getOptimizer())) {
    words.push_back({"--optimizer", "adamw"});
    words.push_back({"--betas", betas(adamw)});
    words.push_back({"--eps", shortest(adamw.getEps())});
  } else if (auto lion = dyn_cast<LionAttr>(getOptimizer())) {
    words.push_back({"--optimizer", "lion"});
    words.push_back({"--betas", betas(lion)});
  } else if (auto own = dyn_cast<StringAttr>(getOptimizer())) {
    // Two rules of one name are told apart.
    words.push_back({"--optimizer",
                     llvm::formatv("@{0}#{1:x-8}", nameOfRule(own),
                                   uint32_t(llvm::xxh3_64bits(own.getValue())))
                         .str()});
  } else {
    words.push_back({"--optimizer", "sgd"});
    words.push_back(
        {"--momentum", shortest(cast<SGDAttr>(getOptimizer()).getMomentum())});
  }
  // A program that does not train takes none of them.
  const PlanOptions values = getValues();
  for (Word &word : words)
    word.isImplied =
        values.sample == Sample::Only || values.sample == Sample::Score;
  addWords(values, words);
  return words;
}

std::string OptionsAttr::getText() const {
  std::string text;
  for (const Word &word : getWords())
    if (!word.isImplied)
      text += (text.empty() ? "" : " ") + word.option.str() +
              (word.value.empty() ? "" : "=") + word.value;
  return text;
}
