//===- Json.h - Parses untrusted JSON ---------------------------*- C++ -*-===//
//
// A parsed value takes many times the memory of its text, above all if it
// nests.  So this file bounds a text's length and depth before it is parsed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace zrt {

/// The largest nesting depth.
constexpr int kMaxJsonDepth = 64;
/// The size limit for files such as config.json.
constexpr uint64_t kMaxConfigBytes = uint64_t{1} << 20;

/// Throws Error for a text that nests too deeply.
void checkJsonDepth(std::string_view text);

/// Parses `text`.  Throws Error: "is not JSON, at byte 7: ...", or if it nests
/// too deeply.
nlohmann::json parseJson(std::string_view text);

/// Parses a text of a plan; returns null for nullptr or "".
nlohmann::json parsePlanJson(const char *text);

/// Reads the file `path`, of at most `most` bytes.  Throws Error with its name
/// and its kind `what`: "more than the 1 MiB that a config may have".
std::string readText(const std::string &path, uint64_t most, const char *what);

/// Parses `text`, the content of `path`.  Throws Error as parseJson does, with
/// that name.
nlohmann::json parseJsonOf(const std::string &path, std::string_view text);

/// readText followed by parseJsonOf.
nlohmann::json readJson(const std::string &path, uint64_t most,
                        const char *what);

} // namespace zrt
