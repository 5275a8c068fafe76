//===- Driver.h - Services for the other fake libraries ---------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <cuda.h>
#include <functional>
#include <string>

namespace fakecuda {

/// Adds an operation to `stream`; `isReady` is that of Operation.
void issue(CUstream stream, const char *name, std::function<void()> run,
           std::function<bool()> isReady = {});
/// Called by an operation while it runs: it takes so much of the GPU's time.
void pass(double milliseconds);
/// Takes `bytes` of the GPU's memory for a library; false if it has less.
bool takeMemory(uint64_t bytes);
void giveBackMemory(uint64_t bytes);
/// `what` synchronizes the GPU; see Machine::needQuiet.
void needQuiet(const std::string &what);
/// Sets the bytes of stack of each thread.
void setStack(uint64_t bytes);
/// Sleeps for a random time; FAKE_CUDA_DELAY.
void delay();
/// Returns the number of the GPU in use; -1 if there is none.
int currentDevice();
/// Ends the process unless all of these bytes are device memory.
void needDevice(const char *what, const void *begin, uint64_t bytes);

} // namespace fakecuda
