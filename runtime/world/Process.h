//===- Process.h - Identity and state of processes --------------*- C++ -*-===//
#pragma once

#include <cstdint>

namespace zrt {

/// Returns the start time of `process` in ticks since boot, or 0 if it is gone
/// or a zombie.  It tells a process from a later one with the same number.
uint64_t processStart(int32_t process);

/// Returns true if a signal has stopped `process`.
bool isStopped(int32_t process);

/// Identifies the PID namespace: equal for processes that see the same process
/// numbers.  Containers have their own.
uint64_t processSpace();

/// Identifies this machine: equal in all of its processes, in containers too,
/// and different on other machines.
uint64_t hostIdentity();

/// Returns a hash of the set of processors that this process may run on.
uint64_t affinityIdentity();

} // namespace zrt
