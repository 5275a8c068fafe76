//===- NamePattern.cpp - Names that a regular expression matches ----------===//
#include "passes/model/NamePattern.h"

#include "mlir/Support/LLVM.h"
#include "passes/model/PythonPattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <memory>

using namespace mlir;
using namespace mlir::zero;

static std::string textOf(int code) {
  PCRE2_UCHAR text[256];
  pcre2_get_error_message(code, text, sizeof(text));
  return reinterpret_cast<char *>(text);
}

llvm::Expected<llvm::StringSet<>>
zero::findFullMatches(StringRef pattern, ArrayRef<StringRef> names) {
  llvm::Expected<PcrePattern> translated = translatePython(pattern);
  if (!translated)
    return translated.takeError();
  const auto unitsOf = [](StringRef text) {
    return reinterpret_cast<PCRE2_SPTR>(text.data());
  };
  std::unique_ptr<pcre2_compile_context, decltype(&pcre2_compile_context_free)>
      context(pcre2_compile_context_create(nullptr),
              pcre2_compile_context_free);
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int code = 0;
  size_t place = 0;
  StringRef text = translated->text;
  std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> compiled(
      pcre2_compile(unitsOf(text), text.size(), PCRE2_UTF | PCRE2_UCP, &code,
                    &place, context.get()),
      pcre2_code_free);
  if (!compiled)
    return llvm::createStringError(textOf(code) + " at position " +
                                   Twine(translated->positions[place]));
  std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
      pcre2_match_data_create_from_pattern(compiled.get(), nullptr),
      pcre2_match_data_free);
  llvm::StringSet<> found;
  for (StringRef name : names) {
    int matched =
        pcre2_match(compiled.get(), unitsOf(name), name.size(), 0,
                    PCRE2_ANCHORED | PCRE2_ENDANCHORED, data.get(), nullptr);
    if (matched >= 0)
      found.insert(name);
    else if (matched != PCRE2_ERROR_NOMATCH)
      return llvm::createStringError("it cannot be compared with \"" + name +
                                     "\": " + textOf(matched));
  }
  return found;
}
