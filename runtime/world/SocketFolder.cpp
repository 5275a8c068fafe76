//===- SocketFolder.cpp - Lets ranks of one host find each other ----------===//
#include "runtime/world/SocketFolder.h"

#include "runtime/text/Error.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

using namespace zrt;

namespace {

bool isPrivate(const OpenFile &folder) {
  struct stat info = {};
  return fstat(folder.number(), &info) == 0 && info.st_uid == geteuid() &&
         (info.st_mode & 077) == 0;
}

OpenFile openFolder(const std::string &path) {
  return OpenFile(
      open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// Through the open folder: its own path may be too long for an address.
sockaddr_un addressOf(const OpenFile &folder, const std::string &name) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  fmt::format("/proc/self/fd/{}/{}", folder.number(), name)
      .copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

} // namespace

OpenFile zrt::makeSocket() {
  OpenFile made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made)
    fail("cannot connect the ranks: {}", errnoText());
  return made;
}

Listener::~Listener() {
  if (socket)
    unlinkat(folder, name.c_str(), 0);
}

SocketFolder::SocketFolder() {
  if (const char *own = std::getenv("XDG_RUNTIME_DIR")) {
    path = own;
    folder = openFolder(path);
    if (folder && isPrivate(folder))
      return;
  }
  std::error_code error;
  path = (std::filesystem::temp_directory_path(error) /
          fmt::format("zeroc-{}", geteuid()))
             .string();
  constexpr const char *kFix =
      "set XDG_RUNTIME_DIR to a folder of yours that no one else may enter";
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    fail("cannot make {} to connect the ranks: {}; {}", path, errnoText(),
         kFix);
  folder = openFolder(path);
  if (!folder)
    fail("cannot connect the ranks in {}: {}; {}", path, errnoText(), kFix);
  if (!isPrivate(folder))
    fail("cannot connect the ranks in {}: it is not yours alone (mode 0700); "
         "{}",
         path, kFix);
}

std::optional<Listener> SocketFolder::listen(const std::string &name,
                                             int backlog) const {
  // One at a time takes a name: between the look and the bind no other does.
  const OpenFile lock = openFolder(path);
  (void)flock(lock.number(), LOCK_EX);
  if (connect(makeSocket(), name) || errno == EAGAIN)
    return std::nullopt;
  unlinkat(folder.number(), name.c_str(), 0);
  OpenFile socket = makeSocket();
  const sockaddr_un address = addressOf(folder, name);
  if (bind(socket.number(), reinterpret_cast<const sockaddr *>(&address),
           sizeof address) != 0 ||
      ::listen(socket.number(), backlog) != 0)
    fail("cannot connect the ranks at {}/{}: {}", path, name, errnoText());
  return Listener(folder.number(), name, std::move(socket));
}

bool SocketFolder::connect(const OpenFile &socket,
                           const std::string &name) const {
  const sockaddr_un address = addressOf(folder, name);
  return ::connect(socket.number(),
                   reinterpret_cast<const sockaddr *>(&address),
                   sizeof address) == 0;
}
