//===- Requests.cpp - Requests and answers as lines of JSON ---------------===//
#include "train/generate/Requests.h"

#include "runtime/text/Bytes.h"
#include "train/state/io/Json.h"

#include <cmath>
#include <fmt/format.h>
#include <initializer_list>

using namespace zrt;
using nlohmann::json;

namespace {

/// Numbers up to this are exact in every reader of JSON.
constexpr uint64_t kMaxRequestId = uint64_t{1} << 53;

constexpr const char *kRequestFields[] = {"id",
                                          "ids",
                                          "seed",
                                          "sample",
                                          "max",
                                          "top_k",
                                          "temperature",
                                          "top_p",
                                          "min_p",
                                          "repetition_penalty",
                                          "no_repeat_ngram_size"};

/// A value for a message.
std::string shownValue(const json &value) {
  return shown(value.dump(-1, ' ', /*ensure_ascii=*/true,
                          json::error_handler_t::replace));
}

/// Reads fields of a request; throws Error.
class Fields {
public:
  explicit Fields(const json &object) : object(object) {}

  uint64_t whole(const char *name, uint64_t least, uint64_t most,
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

  template <typename Allowed>
  double number(const char *name, Allowed allowed, const char *kind,
                double otherwise) const {
    const json *value = find(name);
    if (!value)
      return otherwise;
    if (!value->is_number() || !std::isfinite(value->get<double>()) ||
        !allowed(value->get<double>()))
      fail("\"{}\" is {}; give it {}", name, shownValue(*value), kind);
    return value->get<double>();
  }

  std::vector<int32_t> tokens(const RequestLimits &limits) const {
    const json *values = find("ids");
    if (!values)
      fail("\"ids\" is missing; give the tokens of the prompt");
    if (!values->is_array())
      fail("\"ids\" is {}; give it a list of tokens", shownValue(*values));
    if (values->empty())
      fail("\"ids\" has 0 tokens; give it one at least");
    if (values->size() > limits.positions)
      fail("\"ids\" has {} tokens, and the model reads {}; give it fewer, or "
           "compile the model for more",
           withCommas(values->size()), withCommas(limits.positions));
    std::vector<int32_t> ids;
    ids.reserve(values->size());
    for (const json &value : *values) {
      if (!value.is_number_unsigned() ||
          value.get<uint64_t>() >= limits.tokenBound)
        fail("\"ids\" has {} at place {}, and the model has tokens 0 to {}; "
             "use its tokenizer",
             shownValue(value), ids.size(), limits.tokenBound - 1);
      ids.push_back(value.get<int32_t>());
    }
    return ids;
  }

  void refuseOthers() const {
    for (const auto &[name, value] : object.items()) {
      bool isKnown = false;
      std::string all;
      for (const char *field : kRequestFields) {
        isKnown |= name == field;
        all += fmt::format("{}{}", all.empty() ? "" : ", ", field);
      }
      if (!isKnown)
        fail("a request has no field \"{}\"; it has {}", shown(name), all);
    }
  }

private:
  const json *find(const char *name) const {
    const auto at = object.find(name);
    return at == object.end() ? nullptr : &*at;
  }

  const json &object;
};

json parseObject(std::string_view line) {
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
}

std::optional<uint64_t> idOf(const json &object, const char *name) {
  const auto at = object.find(name);
  if (at == object.end() || !at->is_number_unsigned() ||
      at->get<uint64_t>() > kMaxRequestId)
    return std::nullopt;
  return at->get<uint64_t>();
}

Request requestOf(const json &object, uint64_t id,
                  const RequestLimits &limits) {
  const Fields fields(object);
  fields.refuseOthers();
  Request request;
  request.id = id;
  request.ids = fields.tokens(limits);
  request.seed = fields.whole("seed", 0, UINT64_MAX, 0);
  request.sample = fields.whole("sample", 0, UINT64_MAX, 0);
  request.most = fields.whole("max", 1, UINT64_MAX, UINT64_MAX);
  DrawOptions &draw = request.draw;
  draw.topK = int64_t(fields.whole("top_k", 0, INT64_MAX, 0));
  draw.temperature = fields.number(
      "temperature", [](double x) { return x >= 0; },
      "a finite number, 0 or more", draw.temperature);
  draw.topP = fields.number(
      "top_p", [](double x) { return x > 0 && x <= 1; },
      "a number above 0, up to 1", draw.topP);
  draw.minP = fields.number(
      "min_p", [](double x) { return x >= 0 && x <= 1; },
      "a number from 0 to 1", draw.minP);
  draw.noRepeat =
      int64_t(fields.whole("no_repeat_ngram_size", 0, INT64_MAX, 0));
  draw.repetitionPenalty = fields.number(
      "repetition_penalty", [](double x) { return x > 0; },
      "a finite number above 0", draw.repetitionPenalty);
  return request;
}

} // namespace

std::variant<Request, StopRequest>
zrt::parseRequest(std::string_view line, const RequestLimits &limits) {
  std::optional<uint64_t> id;
  try {
    json object;
    try {
      object = parseObject(line);
    } catch (const Error &error) {
      fail("the line {} {}", shown(line), error.what());
    }
    if (object.size() == 1 && object.contains("stop")) {
      if (const std::optional<uint64_t> stopped = idOf(object, "stop"))
        return StopRequest{*stopped};
      fail("\"stop\" is {}; give it the id of a request",
           shownValue(object["stop"]));
    }
    id = idOf(object, "id");
    if (!id)
      fail("\"id\" {}; give it a whole number from 0 to {}",
           object.contains("id") ? "is " + shownValue(object["id"])
                                 : "is missing",
           kMaxRequestId);
    return requestOf(object, *id, limits);
  } catch (const Error &error) {
    throw RequestError(id, error.what());
  }
}

std::string zrt::lineOf(const Event &event) {
  if (const auto *token = std::get_if<int32_t>(&event.what))
    return fmt::format("{{\"id\":{},\"token\":{}}}", event.id, *token);
  return fmt::format("{{\"id\":{},\"end\":\"{}\"}}", event.id,
                     nameOf(std::get<End>(event.what)));
}

std::string zrt::errorLine(std::optional<uint64_t> id, std::string_view text) {
  return fmt::format("{{\"id\":{},\"error\":{}}}",
                     id ? std::to_string(*id) : "null",
                     json(std::string(text))
                         .dump(-1, ' ', /*ensure_ascii=*/true,
                               json::error_handler_t::replace));
}
