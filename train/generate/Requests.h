//===- Requests.h - Requests and answers as lines of JSON -------*- C++ -*-===//
//
//   in    {"id": 7, "ids": [1, 2], "seed": 0, "sample": 0, "temperature": 0.8,
//          "top_k": 0, "top_p": 1, "min_p": 0, "repetition_penalty": 1,
//          "no_repeat_ngram_size": 0, "max": 100}
//         {"stop": 7}
//   out   {"id":7,"token":5}                    one for each token
//         {"id":7,"end":"length"}               or token, stop, full, nonfinite
//         {"id":7,"error":"..."}                in place of an answer
//
// Only `id` and `ids` are required; the values above are the other defaults,
// but `max`, which is then what fits.  {"id":null,"error":"..."} answers a line
// that names no request, or one that has not ended.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/text/Error.h"
#include "train/generate/Engine.h"
#include "train/generate/RequestFields.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace zrt {

/// {"stop": id}
struct StopRequest {
  uint64_t id;
};

/// A line that cannot be obeyed, with the id that it names.
class RequestError : public Error {
public:
  RequestError(std::optional<uint64_t> id, const std::string &text)
      : Error(text), id(id) {}
  const std::optional<uint64_t> id;
};

/// Throws RequestError.
std::variant<Request, StopRequest> parseRequest(std::string_view line,
                                                const RequestLimits &limits);

/// A line without its newline.
std::string lineOf(const Event &event);
std::string errorLine(std::optional<uint64_t> id, std::string_view text);

} // namespace zrt
