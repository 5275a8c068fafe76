//===- StandardStreams.cpp - What is printed may get lost -----------------===//
#include "runtime/main/StandardStreams.h"

#include "runtime/Error.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

using namespace zrt;

static int lost = 0; ///< errno of the first failure

void zrt::openStandardStreams() {
  lost = 0;
  // open() takes the lowest number that is free.
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (fcntl(stream, F_GETFD) < 0)
      (void)!open("/dev/null", O_RDWR);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void zrt::sayText(const std::string &text) {
  if (lost)
    return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
      std::fflush(stdout) != 0) {
    lost = errno;
    complain(fmt::format("{}: warning: cannot write to standard output: {}; "
                         "what follows is not printed",
                         program_invocation_short_name, errnoText(lost)));
  }
}

void zrt::complain(const std::string &line) {
  (void)!std::fputs((line + "\n").c_str(), stderr);
}

std::string zrt::lostOutput() { return lost ? errnoText(lost) : ""; }
