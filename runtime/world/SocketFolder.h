//===- SocketFolder.h - Lets ranks of one host meet -------------*- C++ -*-===//
//
// A folder that only its user can enter: $XDG_RUNTIME_DIR, or zeroc-UID among
// the temporary files.  In one that others may enter, or among abstract names,
// any of them could take the name of a rank before it comes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/files/OpenFile.h"

#include <optional>
#include <string>

namespace zrt {

/// A Unix socket that does not block.  Throws zrt::Error.
OpenFile makeSocket();

/// A socket that others connect to, whose name ends with it.
class Listener {
public:
  Listener(int folder, std::string name, OpenFile socket)
      : folder(folder), name(std::move(name)), socket(std::move(socket)) {}
  Listener(Listener &&) = default;
  ~Listener();

  int number() const { return socket.number(); }

private:
  const int folder;
  const std::string name;
  OpenFile socket;
};

class SocketFolder {
public:
  /// Throws zrt::Error if there is no such folder.
  SocketFolder();

  /// Takes a name, also that of a process that was killed; nullopt if another
  /// process listens there.  Throws zrt::Error.  The folder must outlive it.
  std::optional<Listener> listen(const std::string &name, int backlog) const;
  /// Connects `socket`; false, with errno, if that is not possible now.
  bool connect(const OpenFile &socket, const std::string &name) const;

private:
  std::string path;
  OpenFile folder;
};

} // namespace zrt
