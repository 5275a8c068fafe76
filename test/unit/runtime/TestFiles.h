//===- TestFiles.h - A folder for one test ----------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace zrt {

/// An empty folder that is removed at the end.
class TestFolder {
public:
  TestFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "zrt-test-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~TestFolder() { std::filesystem::remove_all(folder); }
  TestFolder(const TestFolder &) = delete;
  TestFolder &operator=(const TestFolder &) = delete;

  std::string operator/(const std::string &name) const {
    return (folder / name).string();
  }
  std::string write(const std::string &name, const std::string &bytes) const {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return *this / name;
  }
  size_t fileCount() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(folder),
                      std::filesystem::directory_iterator()));
  }

private:
  std::filesystem::path folder;
};

inline std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns a safetensors file with that header and data.
inline std::string fileOf(const std::string &header, const std::string &data) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char *>(&length), 8) + header +
         data;
}

inline std::string floats(const std::vector<float> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * 4};
}

/// Expects that `text` contains `part`, or that it does not.
#define EXPECT_HAS(text, part)                                                 \
  EXPECT_PRED_FORMAT2(testing::IsSubstring, part, text)
#define EXPECT_HAS_NOT(text, part)                                             \
  EXPECT_PRED_FORMAT2(testing::IsNotSubstring, part, text)

/// Returns the text of the exception that `body` throws, or "".
template <typename Body>
std::string errorOf(Body &&body) {
  try {
    body();
  } catch (const std::exception &error) {
    return error.what();
  }
  return "";
}

/// Expects that `body` throws and that its message contains `part`.
#define EXPECT_ERROR(part, body)                                               \
  EXPECT_NE(zrt::errorOf([&] { body; }).find(part), std::string::npos)         \
      << "the error is: \"" << zrt::errorOf([&] { body; }) << "\""

} // namespace zrt
