//===- ChaosDelays.cpp - Random delays for tests --------------------------===//
#include "runtime/core/ChaosDelays.h"

#include "runtime/text/Error.h"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace zrt;

ChaosDelays::ChaosDelays(int rank)
    : isChaos(seedBy("ZRT_CHAOS", rank)), isLate(seedBy("ZRT_DELAYS", rank)) {}

bool ChaosDelays::seedBy(const char *variable, int rank) {
  const char *text = std::getenv(variable);
  if (!text || !*text)
    return false;
  uint64_t seed = 0;
  const char *end = text + std::strlen(text);
  if (std::from_chars(text, end, seed).ptr != end)
    fail("{}={} is not a number; set it to a seed or unset it", variable, text);
  // Different ranks must not have the same delays.
  seed += static_cast<uint64_t>(rank) * 0x9e3779b97f4a7c15u;
  for (zrt_stream stream = 0; stream < ZRT_MAX_STREAMS; ++stream)
    generators[stream].seed(seed * ZRT_MAX_STREAMS + stream);
  return true;
}

void ChaosDelays::delay(zrt_stream stream) {
  if (!isChaos && !isLate)
    return;
  // Three of four draws do not delay; otherwise long steps would take for ever
  // and all streams would be late by the same time.  The others delay by up to
  // 2 ms.
  const uint64_t number = draw(stream);
  if (number % 4 == 0)
    std::this_thread::sleep_for(
        std::chrono::microseconds((number >> 8) % 2001));
}
