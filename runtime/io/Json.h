//===- Json.h - JSON that anybody may have written --------------*- C++ -*-===//
//
// A parsed value takes many times the memory of its text, most of all where it nests.
// So a text's length and depth are bounded before it is parsed, here alone.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace zrt {

/// Levels that a text may nest.
constexpr int kMaxJsonDepth = 64;
/// Of a config.json and the like.
constexpr uint64_t kMaxConfigBytes = uint64_t{1} << 20;

/// Throws Error for a text that nests too deep.
void checkJsonDepth(std::string_view text);

/// The value of `text`.  Throws Error: "is not JSON, at byte 7: ...", or that it
/// nests too deep.
nlohmann::json parseJson(std::string_view text);

/// That of a text which a plan has, null where it has none (nullptr or "").
nlohmann::json parsePlanJson(const char *text);

/// The file `path`, of at most `most` bytes.  Throws Error with its name, and with
/// `what` it is: "more than the 1 MiB that a config may have".
std::string readText(const std::string &path, uint64_t most, const char *what);

/// The value of the text of `path`.  Throws Error as parseJson, with that name.
nlohmann::json parseJsonOf(const std::string &path, std::string_view text);

/// readText and parseJsonOf.
nlohmann::json readJson(const std::string &path, uint64_t most,
                        const char *what);

} // namespace zrt
