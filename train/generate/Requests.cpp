//===- Requests.cpp - Requests and answers as lines of JSON ---------------===//
#include "train/generate/Requests.h"

#include <fmt/format.h>

using namespace zrt;
using nlohmann::json;

namespace {

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

Request requestOf(const json &object, uint64_t id,
                  const RequestLimits &limits) {
  const RequestFields fields(object, "a request", kRequestFields);
  const json *ids = fields.find("ids");
  if (!ids)
    fail("\"ids\" is missing; give the tokens of the prompt");
  Request request;
  request.id = id;
  request.ids = readTokens(*ids, "\"ids\"", limits);
  request.seed = fields.whole("seed", 0, UINT64_MAX, 0);
  request.sample = fields.whole("sample", 0, UINT64_MAX, 0);
  request.most = fields.whole("max", 1, UINT64_MAX, UINT64_MAX);
  fields.readDraw(request.draw);
  return request;
}

} // namespace

std::variant<Request, StopRequest>
zrt::parseRequest(std::string_view line, const RequestLimits &limits) {
  std::optional<uint64_t> id;
  try {
    const json object = parseRequestLine(line);
    if (object.size() == 1 && object.contains("stop")) {
      if (const std::optional<uint64_t> stopped = idOf(object, "stop"))
        return StopRequest{*stopped};
      fail("\"stop\" is {}; give it the id of a request",
           shownValue(object["stop"]));
    }
    id = needId(object);
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
