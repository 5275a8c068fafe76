//===- Environment.cpp - Numbers of the environment -----------------------===//
#include "runtime/system/Environment.h"

#include "runtime/text/Error.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

using namespace zrt;

int64_t zrt::environmentNumber(const char *name, int64_t otherwise,
                               int64_t most) {
  const char *text = std::getenv(name);
  if (!text || !*text)
    return otherwise;
  int64_t number = 0;
  const char *end = text + std::strlen(text);
  if (std::from_chars(text, end, number).ptr != end || number < 1 ||
      number > most)
    fail("{}={} is not a number from 1 to {}; correct it or unset it", name,
         text, most);
  return number;
}
