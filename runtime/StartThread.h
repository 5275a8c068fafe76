//===- StartThread.h - Starts threads ---------------------------*- C++ -*-===//
#pragma once

#include "runtime/Error.h"

#include <optional>
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

/// Starts a thread that helps with `body`; nullopt if the system cannot create
/// one.
template <typename Body>
std::optional<std::thread> startHelper(Body body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error &) {
    return std::nullopt;
  }
}

/// Runs `body`, which must not throw, on this thread and on up to `threads` - 1
/// others, and waits for them.
template <typename Body>
void runOnThreads(int threads, Body body) {
  std::vector<std::thread> team;
  for (int i = 1; i < threads; ++i)
    if (auto helper = startHelper(body))
      team.push_back(std::move(*helper));
  body();
  for (std::thread &thread : team)
    thread.join();
}

} // namespace zrt
