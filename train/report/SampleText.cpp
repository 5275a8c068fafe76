//===- SampleText.cpp - Formats samples -----------------------------------===//
#include "train/report/SampleText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

using namespace zrt;

namespace {

/// Whether tokens have texts.
bool hasTexts(const SampleOptions &options) {
  return options.text || options.pieces;
}

std::string textOf(const SampleOptions &options,
                   const std::vector<int64_t> &ids) {
  if (options.pieces)
    return options.pieces->textOf(ids);
  std::string text;
  for (const int64_t id : ids)
    text += static_cast<char>(id);
  return text;
}

/// The bytes, 2 to 4, of the UTF-8 character at `at`; 0 if there is none, or if
/// it is a control character.
size_t wideCharacterAt(const std::string &text, size_t at) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(at);
  const size_t length = first >= 0xf0 && first < 0xf5   ? 4
                        : first >= 0xe0 && first < 0xf0 ? 3
                        : first >= 0xc2 && first < 0xe0 ? 2
                                                        : 0;
  if (length == 0)
    return 0;
  uint32_t code = first & (0xffU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80)
      return 0;
    code = code << 6 | (byte(at + i) & 0x3fU);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0xa0, 0x800, 0x10000};
  const bool isSurrogate = code >= 0xd800 && code < 0xe000;
  return code < kLeast[length] || code > 0x10ffff || isSurrogate ? 0 : length;
}

} // namespace

std::string zrt::printable(const std::string &text) {
  std::string shown;
  for (size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (const size_t length = wideCharacterAt(text, at)) {
      shown += text.substr(at, length);
      at += length;
      continue;
    }
    if (byte == '\\')
      shown += "\\\\";
    else if (byte == '\n' || byte == '\t' || (byte >= 0x20 && byte < 0x7f))
      shown += text[at];
    else
      shown += fmt::format("\\x{:02x}", byte);
    ++at;
  }
  return shown;
}

std::string zrt::samplesText(const SampleOptions &options,
                             const std::vector<int64_t> &prompt,
                             const std::vector<Sample> &samples,
                             const std::string &when, size_t positions) {
  std::string text;
  for (size_t i = 0; i < samples.size(); ++i) {
    text += fmt::format("--- sample {} of {}{}{}\n", i + 1, samples.size(),
                        when.empty() ? "" : ", ", when);
    text +=
        hasTexts(options)
            ? printable(textOf(options, prompt) + textOf(options, samples[i]))
            : fmt::format("{} | {}", fmt::join(prompt, " "),
                          fmt::join(samples[i], " "));
    text += '\n';
    if (prompt.size() + samples[i].size() >= positions)
      text += fmt::format("--- the {} positions of the model end here\n",
                          positions);
    else if (samples[i].size() < size_t(options.tokens) &&
             !(options.pieces && !samples[i].empty() &&
               options.pieces->stops(samples[i].back())))
      text += "--- its logits are not finite here\n";
  }
  return text + "--- end of samples\n";
}

std::string zrt::samplesLine(const SampleOptions &options,
                             const std::vector<int64_t> &prompt,
                             const std::vector<Sample> &samples, int64_t step) {
  nlohmann::ordered_json line;
  line["step"] = step;
  line["prompt"] = prompt;
  line["samples"] = nlohmann::ordered_json::array();
  for (const Sample &sample : samples) {
    nlohmann::ordered_json one;
    one["ids"] = sample;
    if (hasTexts(options))
      one["text"] = textOf(options, sample);
    line["samples"].push_back(one);
  }
  return line.dump(-1, ' ', /*ensure_ascii=*/false,
                   nlohmann::ordered_json::error_handler_t::replace);
}
