//===- Process.h - Is that process still there? -----------------*- C++ -*-===//
#pragma once

#include <cstdint>

namespace zrt {

/// When `process` started, in ticks since boot; 0 when it is gone or only a
/// zombie.  A number that is used again has another start.
uint64_t processStart(int32_t process);

/// Whether `process` has been stopped by a signal.
bool isStopped(int32_t process);

/// The same number for all processes that count each other alike: containers
/// have numbers of their own.
uint64_t processSpace();

/// The same number in every process of this machine, in containers too, and
/// another one on other machines.
uint64_t hostIdentity();

/// A hash of the processors that this process may run on.
uint64_t affinityIdentity();

} // namespace zrt
