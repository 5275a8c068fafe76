//===- RequestFields.cpp - Reads the fields of a request ------------------===//
#include "train/generate/RequestFields.h"

#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace zrt;
using nlohmann::json;

/// Numbers up to this are exact in every reader of JSON.
static constexpr uint64_t kMaxRequestId = uint64_t{1} << 53;

std::string zrt::shownValue(const json &value) {
  return shown(value.dump(-1, ' ', /*ensure_ascii=*/true,
                          json::error_handler_t::replace));
}

json zrt::parseRequestLine(std::string_view line) try {
  json object;
  try {
    object = parseJson(line);
  } catch (const json::exception &) {
    // Not of its syntax: a number beyond every f64.
    fail("is not read as JSON: a number is too large");
  }
  if (!object.is_object())
    fail("is {}, where an object is needed", shownValue(object));
  return object;
} catch (const Error &error) {
  fail("the line {} {}", shown(line), error.what());
}

std::optional<uint64_t> zrt::idOf(const json &object, const char *name) {
  const auto at = object.find(name);
  if (at == object.end() || !at->is_number_unsigned() ||
      at->get<uint64_t>() > kMaxRequestId)
    return std::nullopt;
  return at->get<uint64_t>();
}

uint64_t zrt::needId(const json &object) {
  if (const std::optional<uint64_t> id = idOf(object, "id"))
    return *id;
  fail("\"id\" {}; give it a whole number from 0 to {}",
       object.contains("id") ? "is " + shownValue(object["id"]) : "is missing",
       kMaxRequestId);
}

std::vector<int32_t> zrt::readTokens(const json &values,
                                     const std::string &name,
                                     const RequestLimits &limits) {
  if (!values.is_array())
    fail("{} is {}; give it a list of tokens", name, shownValue(values));
  if (values.empty())
    fail("{} has 0 tokens; give it one at least", name);
  if (values.size() > limits.positions)
    fail("{} has {} tokens, and the model reads {}; give it fewer, or compile "
         "the model for more",
         name, withCommas(values.size()), withCommas(limits.positions));
  std::vector<int32_t> ids;
  ids.reserve(values.size());
  for (const json &value : values) {
    if (!value.is_number_unsigned() ||
        value.get<uint64_t>() >= limits.tokenBound)
      fail("{} has {} at place {}, and the model has tokens 0 to {}; use its "
           "tokenizer",
           name, shownValue(value), ids.size(), limits.tokenBound - 1);
    ids.push_back(value.get<int32_t>());
  }
  return ids;
}

RequestFields::RequestFields(const json &object, const char *what,
                             std::span<const char *const> known)
    : object(object) {
  for (const auto &[name, value] : object.items())
    if (std::ranges::find(known, name) == known.end())
      fail("{} has no field \"{}\"; it has {}", what, shown(name),
           fmt::join(known, ", "));
}

const json *RequestFields::find(const char *name) const {
  const auto at = object.find(name);
  return at == object.end() ? nullptr : &*at;
}

uint64_t RequestFields::whole(const char *name, uint64_t least, uint64_t most,
                              uint64_t otherwise) const {
  const json *value = find(name);
  if (!value)
    return otherwise;
  if (!value->is_number_unsigned() || value->get<uint64_t>() < least ||
      value->get<uint64_t>() > most)
    fail("\"{}\" is {}; give it a whole number from {} to {}", name,
         shownValue(*value), least, most);
  return value->get<uint64_t>();
}

double RequestFields::number(const char *name, bool (*allowed)(double),
                             const char *kind, double otherwise) const {
  const json *value = find(name);
  if (!value)
    return otherwise;
  if (!value->is_number() || !std::isfinite(value->get<double>()) ||
      !allowed(value->get<double>()))
    fail("\"{}\" is {}; give it {}", name, shownValue(*value), kind);
  return value->get<double>();
}

void RequestFields::readDraw(DrawOptions &draw) const {
  draw.topK = int64_t(whole("top_k", 0, INT64_MAX, 0));
  draw.temperature = number(
      "temperature", [](double x) { return x >= 0; },
      "a finite number, 0 or more", draw.temperature);
  draw.topP = number(
      "top_p", [](double x) { return x > 0 && x <= 1; },
      "a number above 0, up to 1", draw.topP);
  draw.minP = number(
      "min_p", [](double x) { return x >= 0 && x <= 1; },
      "a number from 0 to 1", draw.minP);
  draw.noRepeat = int64_t(whole("no_repeat_ngram_size", 0, INT64_MAX, 0));
  draw.repetitionPenalty = number(
      "repetition_penalty", [](double x) { return x > 0; },
      "a finite number above 0", draw.repetitionPenalty);
}
