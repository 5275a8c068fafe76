//===- MemoryFile.h - A fuzzer's input as a file ----------------*- C++ -*-===//
//
// The file is in memory (a memfd), since a disk would be slower than the tested
// code.  Links in a folder of this process give it names.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace zero::fuzz {

/// Checks that an error message is short, plain text.
inline void requireReadable(std::string_view message) {
  constexpr size_t kMaxLetters = 500;
  if (message.empty() || message.size() > kMaxLetters)
    std::abort();
  for (const char c : message)
    if (c < ' ' || c == 0x7f)
      std::abort();
}

class MemoryFile {
public:
  MemoryFile() : file(memfd_create("input", MFD_CLOEXEC)) {
    std::string name =
        (std::filesystem::temp_directory_path() / "fuzz-XXXXXX").string();
    if (file < 0 || !mkdtemp(name.data()))
      std::abort();
    folder = name;
  }
  ~MemoryFile() {
    close(file);
    std::filesystem::remove_all(folder);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  /// Replaces the contents by `bytes`; returns the path, which ends in
  /// `ending`.
  std::string write(const std::string &bytes, const std::string &ending = "") {
    if (ftruncate(file, 0) != 0 ||
        pwrite(file, bytes.data(), bytes.size(), 0) != ssize_t(bytes.size()))
      std::abort();
    const std::filesystem::path path = folder / ("input" + ending);
    if (!std::filesystem::is_symlink(path))
      std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(file),
                                      path);
    return path.string();
  }

private:
  const int file;
  std::filesystem::path folder;
};

} // namespace zero::fuzz
