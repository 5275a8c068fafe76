//===- Terminal.cpp - Finds the terminal that a person watches ------------===//
#include "train/report/Terminal.h"

#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace zrt;

int zrt::watchedTerminal(int stream) {
  if (isatty(stream) != 1)
    return -1;
  if (!std::getenv("OMPI_COMM_WORLD_RANK"))
    return stream;
  // The parent is mpirun or, on other hosts, a daemon without a terminal.
  const std::string path = fmt::format("/proc/{}/fd/{}", getppid(), stream);
  struct stat info = {};
  // Opening a pipe could block.
  if (stat(path.c_str(), &info) != 0 || !S_ISCHR(info.st_mode))
    return -1;
  const int outer = open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (outer >= 0 && isatty(outer) == 1)
    return outer;
  if (outer >= 0)
    close(outer);
  return -1;
}

size_t zrt::columnsOf(int terminal) {
  winsize size = {};
  if (terminal >= 0 && ioctl(terminal, TIOCGWINSZ, &size) == 0 &&
      size.ws_col > 0)
    return size.ws_col;
  return 80;
}
