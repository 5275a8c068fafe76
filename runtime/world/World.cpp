//===- World.cpp - Common part of all worlds ------------------------------===//
#include "runtime/world/World.h"

#include "runtime/text/Error.h"

#include <cstdio>
#include <unistd.h>

using namespace zrt;

std::string World::textOfRank0(std::string text) {
  text.resize(gather(uint64_t(text.size())).front());
  for (int other = 1; other < size() && !text.empty(); ++other)
    if (rank() == 0)
      send(other, text.data(), text.size());
    else if (rank() == other)
      receive(0, text.data(), text.size());
  return text;
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
