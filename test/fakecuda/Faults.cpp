//===- Faults.cpp - Operations that a GPU does wrong ----------------------===//
#include "Faults.h"

#include <cstdlib>

using namespace fakecuda;

/// Whether the variable names it.
static bool isNamed(const char *variable, const std::string &name) {
  const char *wanted = std::getenv(variable);
  return wanted && *wanted && name.find(wanted) != std::string::npos;
}

void fakecuda::spoil(const std::string &name, void *result, uint64_t bytes) {
  static bool isTurn = false;
  bool isWrong = isNamed("FAKE_CUDA_WRONG", name);
  if (isNamed("FAKE_CUDA_UNSTEADY", name))
    isWrong = isTurn = !isTurn;
  // Beside the sign: of the exponent, where it is a number of so many bytes.
  if (isWrong)
    static_cast<unsigned char *>(result)[bytes - 1] ^= 0x40;
}

bool fakecuda::isToFail(const std::string &name) {
  return isNamed("FAKE_CUDA_FAILS", name);
}
