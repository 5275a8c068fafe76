//===- StartThread.h - Starts threads ---------------------------*- C++ -*-===//
#pragma once

#include "runtime/text/Error.h"

#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace zrt {

/// Starts a thread that runs `body`.  If the system cannot create one, throws
/// zrt::Error, which names the thread as `what`.  A std::jthread passes `body`
/// the token by which its end asks it to stop.
template <typename Thread = std::thread, typename Body>
Thread startThread(const std::string &what, Body body) {
  try {
    return Thread(std::move(body));
  } catch (const std::system_error &error) {
    fail("{} cannot be started: {}; use fewer with --threads or raise the "
         "limit (ulimit -u)",
         what, errnoText(error.code().value()));
  }
}

/// Runs `body`, which must not throw, on this thread and on up to `threads` - 1
/// others, and waits for them.
template <typename Body>
void runOnThreads(int threads, Body body) {
  std::vector<std::jthread> team;
  for (int i = 1; i < threads; ++i)
    try {
      team.emplace_back(body);
    } catch (const std::system_error &) {
      break; // fewer threads do the same work
    }
  body();
}

} // namespace zrt
