//===- TemporaryFolder.cpp - A folder for intermediate files --------------===//

#include "targets/TemporaryFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace mlir::zero;

static std::error_code lastError() {
  return std::error_code(errno, std::generic_category());
}

/// Does not return.  The parent process has threads, so only async-signal-safe
/// calls are allowed.
[[noreturn]] static void removeAtTheEnd(const std::vector<std::string> &files,
                                        const std::string &folder, int ended) {
  setsid(); // signals are blocked; Ctrl-C does not reach it either
  // A reader that waits for the end of our output does not wait for this
  // process.
  for (int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    close(file);
  char nothing;
  while (read(ended, &nothing, 1) < 0 && errno == EINTR)
    continue;
  for (const std::string &file : files)
    unlink(file.c_str());
  rmdir(folder.c_str());
  _exit(0);
}

std::error_code TemporaryFolder::create() {
  llvm::SmallString<128> temporary;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, temporary);
  std::string made = (temporary + "/zeroc-XXXXXX").str();
  int ends[2];
  // Only the remover keeps the reading end; tools inherit the writing end.
  if (pipe(ends) != 0)
    return lastError();
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  // No signal may end the process before the folder has its remover.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::error_code error;
  if (!mkdtemp(made.data())) {
    error = lastError();
  } else {
    path = made;
    std::vector<std::string> files;
    for (const char *name : kNames)
      files.push_back(file(name));
    remover = fork();
    if (remover == 0) {
      close(ends[1]);
      removeAtTheEnd(files, path, ends[0]);
    }
    if (remover < 0) {
      error = lastError();
      rmdir(path.c_str());
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(ends[0]);
  if (error)
    close(ends[1]);
  else
    alive = ends[1];
  return error;
}

TemporaryFolder::~TemporaryFolder() {
  if (alive < 0)
    return;
  close(alive);
  while (waitpid(remover, nullptr, 0) < 0 && errno == EINTR)
    continue;
}
