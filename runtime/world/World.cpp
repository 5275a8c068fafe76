//===- World.cpp - Common part of all worlds ------------------------------===//
#include "runtime/world/World.h"

#include "runtime/Error.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

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

void World::abort(const std::string &message) {
  if (pages)
    pages->raise({rank(), message}, message);
  else
    sendAlarm({rank(), message});
}

void World::leave(int status) {
  std::fflush(nullptr);
  _exit(status);
}

std::unique_ptr<HostLink> World::linkHosts() {
  fail("the ranks do not share memory, and nothing else connects them");
}
