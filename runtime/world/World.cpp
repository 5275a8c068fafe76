//===- World.cpp - Common part of all worlds ------------------------------===//
#include "runtime/world/World.h"

#include "runtime/text/Error.h"

#include <cstdio>
#include <unistd.h>

using namespace zrt;

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
