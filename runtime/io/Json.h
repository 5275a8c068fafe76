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

/// The value of `text`.  Throws Error: "is not JSON, at byte 7: ...", or that it
/// nests too deep.
nlohmann::json parseJson(std::string_view text);

/// The file `path`, of at most `most` bytes.  Throws Error with its name; a larger
/// one is "not `what`".
std::string readText(const std::string &path, uint64_t most, const char *what);

/// Its value.
nlohmann::json readJson(const std::string &path, uint64_t most,
                        const char *what);

} // namespace zrt
