//===- ControlPage.cpp - State that a rank shows its host -----------------===//
#include "runtime/transport/ControlPage.h"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace zrt;

// The futex is not private: other processes find the word by its page.
// Sleeping on it needs only a read mapping.

void zrt::publish(SharedWord &word, uint32_t value) {
  word.value.store(value, std::memory_order_release);
  syscall(SYS_futex, &word.value, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void zrt::sleepOn(const SharedWord &word, uint32_t seen, int milliseconds) {
  const timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  syscall(SYS_futex, &word.value, FUTEX_WAIT, seen, &limit, nullptr, 0);
}
