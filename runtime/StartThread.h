//===- StartThread.h - A thread, or an error that says which ----*- C++ -*-===//
#ifndef ZRT_START_THREAD_H
#define ZRT_START_THREAD_H

#include "runtime/Error.h"

#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace zrt {

/// A thread that runs `body`.  Throws zrt::Error, which names it as `what`,
/// when the system gives no more of them.
template <typename Body>
std::thread startThread(const std::string &what, Body body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error &error) {
    fail("{} cannot be started: {}; use fewer with --threads or raise the "
         "limit (ulimit -u)",
         what, errnoText(error.code().value()));
  }
}

} // namespace zrt

#endif // ZRT_START_THREAD_H
