//===- Faults.cpp - Injects wrong results of operations -------------------===//
#include "Faults.h"

#include <cstdlib>

using namespace fakecuda;

/// Returns true if the variable's value is a part of the name.
static bool isNamed(const char *variable, const std::string &name) {
  const char *wanted = std::getenv(variable);
  return wanted && *wanted && name.find(wanted) != std::string::npos;
}

void fakecuda::spoil(const std::string &name, void *result, uint64_t bytes) {
  static bool isTurn = false;
  bool isWrong = isNamed("FAKE_CUDA_WRONG", name);
  if (isNamed("FAKE_CUDA_UNSTEADY", name))
    isWrong = isTurn = !isTurn;
  // Flips the bit next to the sign, in the exponent of a floating-point number.
  if (isWrong)
    static_cast<unsigned char *>(result)[bytes - 1] ^= 0x40;
}

bool fakecuda::isToFail(const std::string &name) {
  return isNamed("FAKE_CUDA_FAILS", name);
}
