//===- StandardStreams.cpp - Prints without failing the run ---------------===//
#include "train/report/StandardStreams.h"

#include "runtime/files/OutputPath.h"
#include "runtime/text/Error.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace zrt;

namespace {

struct Stream {
  FILE *file;
  const char *name;
  int lost = 0; ///< errno of the first failure
};

Stream output = {stdout, "output"}, errors = {stderr, "error"};
Stream *said = &output; ///< where sayText prints

void print(Stream &stream, const std::string &text) {
  if (stream.lost)
    return;
  if (std::fflush(stream.file) == 0 &&
      writeAll(fileno(stream.file), text.data(), text.size()))
    return;
  stream.lost = errno;
  complain(stream.lost == EPIPE
               ? fmt::format("{}: warning: nothing reads standard {} any more",
                             program_invocation_short_name, stream.name)
               : fmt::format("{}: warning: cannot write to standard {}: {}; "
                             "what follows is not printed",
                             program_invocation_short_name, stream.name,
                             errnoText(stream.lost)));
}

} // namespace

void zrt::openStandardStreams() {
  output = {stdout, "output"};
  errors = {stderr, "error"};
  said = &output;
  // open() returns the lowest free number.
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (fcntl(stream, F_GETFD) < 0)
      (void)!open("/dev/null", O_RDWR);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void zrt::sayText(const std::string &text) { print(*said, text); }

void zrt::sayOnStandardError() { said = &errors; }

int zrt::sayingTo() { return fileno(said->file); }

void zrt::printText(const std::string &text) { print(output, text); }

bool zrt::outputIsClosed() {
  if (output.lost)
    return output.lost == EPIPE;
  // Detects it before the next write, which may be hours away.
  struct stat info = {};
  pollfd writer = {STDOUT_FILENO, 0, 0};
  return fstat(STDOUT_FILENO, &info) == 0 && S_ISFIFO(info.st_mode) &&
         poll(&writer, 1, 0) == 1 && (writer.revents & POLLERR);
}

void zrt::complain(const std::string &line) {
  (void)!std::fputs((line + "\n").c_str(), stderr);
}

std::string zrt::lostOutput() {
  const int lost = output.lost ? output.lost : errors.lost;
  return lost ? errnoText(lost) : "";
}
