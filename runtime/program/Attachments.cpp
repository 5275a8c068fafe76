//===- Attachments.cpp - Attaches a plan to the training program ----------===//
#include "runtime/program/Attachments.h"

#include "runtime/files/OpenFile.h"
#include "runtime/text/Error.h"

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace zrt;

namespace {

struct Entry {
  char name[16] = {};
  uint64_t offset = 0, bytes = 0; ///< in the file
};

constexpr char kMagic[8] = {'z', 'r', 't', 'f', 'i', 'l', 'e', '1'};

struct Footer {
  uint64_t count = 0;
  char magic[8] = {};
};

/// Raises the limit of file sizes to the maximum while it lives.  Memory files
/// count as files, but `ulimit -f` is not meant for them.
class WithoutFileLimit {
public:
  WithoutFileLimit() {
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit most = {before.rlim_max, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &most);
  }
  ~WithoutFileLimit() { setrlimit(RLIMIT_FSIZE, &before); }

private:
  rlimit before = {};
};

void read(int fd, void *to, size_t bytes, uint64_t offset) {
  auto *at = static_cast<char *>(to);
  while (bytes > 0) {
    const ssize_t done = pread(fd, at, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      fail("cannot read this program: {}",
           done < 0 ? errnoText() : "it is cut off");
    at += done;
    bytes -= static_cast<size_t>(done);
    offset += static_cast<uint64_t>(done);
  }
}

OpenFile openProgram(const char *program) {
  OpenFile file(open(program, O_RDONLY | O_CLOEXEC));
  if (!file)
    fail("cannot read this program at {}: {}{}", program, errnoText(),
         errno == ENOENT ? "; mount /proc" : "");
  return file;
}

std::vector<Entry> readEntries(int fd) {
  struct stat status = {};
  if (fstat(fd, &status) != 0)
    fail("cannot read this program: {}", errnoText());
  const auto size = static_cast<uint64_t>(status.st_size);
  Footer footer;
  if (size < sizeof footer)
    return {};
  read(fd, &footer, sizeof footer, size - sizeof footer);
  const uint64_t room = (size - sizeof footer) / sizeof(Entry);
  if (!std::equal(kMagic, std::end(kMagic), footer.magic) ||
      footer.count > room)
    return {};
  std::vector<Entry> entries(footer.count);
  const uint64_t bytes = footer.count * sizeof(Entry);
  read(fd, entries.data(), bytes, size - sizeof footer - bytes);
  return entries;
}

} // namespace

std::string zrt::attach(std::string_view program,
                        const std::vector<Attachment> &files) {
  std::string result(program);
  std::vector<Entry> entries;
  for (const Attachment &file : files) {
    Entry &entry = entries.emplace_back();
    file.name.copy(entry.name, sizeof entry.name - 1);
    entry.offset = result.size();
    entry.bytes = file.bytes.size();
    result += file.bytes;
  }
  Footer footer = {files.size(), {}};
  std::copy(kMagic, std::end(kMagic), footer.magic);
  result.append(reinterpret_cast<const char *>(entries.data()),
                entries.size() * sizeof(Entry));
  result.append(reinterpret_cast<const char *>(&footer), sizeof footer);
  return result;
}

std::string zrt::planAttachmentName(uint32_t ranks) {
  return fmt::format("plan.{}.so", ranks);
}

std::vector<uint32_t> zrt::planSizes(const char *program) {
  std::vector<uint32_t> sizes;
  for (const Entry &entry : readEntries(openProgram(program).number())) {
    const std::string name(entry.name, strnlen(entry.name, sizeof entry.name));
    const uint32_t ranks = uint32_t(std::strtoul(
        name.c_str() + std::min(name.size(), sizeof "plan"), nullptr, 10));
    if (name == planAttachmentName(ranks))
      sizes.push_back(ranks);
  }
  return sizes;
}

bool zrt::loadAttachment(const char *name, const char *program) {
  const OpenFile file = openProgram(program);
  for (const Entry &entry : readEntries(file.number())) {
    if (std::strncmp(entry.name, name, sizeof entry.name) != 0)
      continue;
    // dlopen needs a file; a memory file needs no folder.  It stays open: if
    // another memory file got its name, dlopen would take it for this one.
    const WithoutFileLimit unlimited;
    const int memory = memfd_create(name, MFD_CLOEXEC);
    void *bytes = MAP_FAILED;
    if (memory >= 0 && ftruncate(memory, static_cast<off_t>(entry.bytes)) == 0)
      bytes = mmap(nullptr, entry.bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                   memory, 0);
    if (bytes == MAP_FAILED)
      fail("cannot keep {} ({} bytes) in memory: {}", name, entry.bytes,
           errnoText());
    read(file.number(), bytes, entry.bytes, entry.offset);
    munmap(bytes, entry.bytes);
    const std::string path = fmt::format("/proc/self/fd/{}", memory);
    if (!dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL))
      fail("cannot load {}: {}", name, dlerror());
    return true;
  }
  return false;
}

void *zrt::findSymbol(const char *symbol) {
  return dlsym(RTLD_DEFAULT, symbol);
}
