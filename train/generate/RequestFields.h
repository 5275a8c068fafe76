//===- RequestFields.h - Reads the fields of a request ----------*- C++ -*-===//
#pragma once

#include "train/generate/Draw.h"
#include "train/state/io/Json.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zrt {

/// What a prompt must fit.
struct RequestLimits {
  size_t positions, tokenBound;
};

/// A value for a message.
std::string shownValue(const nlohmann::json &value);

/// Parses a line with an object; throws Error that begins with the line.
nlohmann::json parseRequestLine(std::string_view line);

/// The field `name` of a request, if it is a whole number that every reader of
/// JSON reads exactly.
std::optional<uint64_t> idOf(const nlohmann::json &object, const char *name);
/// The id of a request.  Throws Error without one.
uint64_t needId(const nlohmann::json &object);

/// Throws Error unless `value` is a list of one token or more that fits;
/// `name` says what it is in messages.
std::vector<int32_t> readTokens(const nlohmann::json &value,
                                const std::string &name,
                                const RequestLimits &limits);

/// Reads fields of an object, which must outlive this; throws Error.
class RequestFields {
public:
  /// Throws for a field that is none of `known`; `what` is "a request".
  RequestFields(const nlohmann::json &object, const char *what,
                std::span<const char *const> known);

  /// nullptr if it is not there.
  const nlohmann::json *find(const char *name) const;
  uint64_t whole(const char *name, uint64_t least, uint64_t most,
                 uint64_t otherwise) const;
  double number(const char *name, bool (*allowed)(double), const char *kind,
                double otherwise) const;
  /// Those of DrawOptions, by the names that transformers gives them.
  void readDraw(DrawOptions &draw) const;

private:
  const nlohmann::json &object;
};

} // namespace zrt
