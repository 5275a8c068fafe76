//===- store.cpp - Measures the nvme tier on a drive ----------------------===//
//
//   store SECONDS PATH BYTES COPY
//
// Copies COPY bytes at a time to and from a store of BYTES bytes on PATH, in
// sequence, as a plan's streams do: reads alone, writes alone, and both at once
// on separate lanes.  Prints a line `form read-bytes written-bytes seconds` for
// each.
//
//===----------------------------------------------------------------------===//
#include "runtime/store/Store.h"
#include "runtime/device/memory/Pages.h"
#include "runtime/text/Error.h"

#include "timing.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>

namespace {

/// Copies for `seconds`, cyclically through the whole space.  Returns the
/// number of bytes.
uint64_t copyFor(double seconds, zrt::Store &store, bool writes,
                 std::byte *memory, uint64_t copy) {
  const auto lane = store.lane();
  if (const std::string why = lane->pin(memory, copy); !why.empty())
    std::fprintf(stderr, "%s\n", why.c_str());
  const double end = now() + seconds;
  uint64_t bytes = 0;
  for (uint64_t at = 0; now() < end; at = (at + copy) % store.bytes())
    bytes +=
        writes ? lane->write(at, copy, memory) : lane->read(at, copy, memory);
  return bytes;
}

} // namespace

int main(int argc, char **argv) try {
  if (argc != 5)
    return 2;
  const double seconds = std::atof(argv[1]);
  const uint64_t copy = std::strtoull(argv[4], nullptr, 10);
  const uint64_t bytes = std::strtoull(argv[3], nullptr, 10) / copy * copy;
  zrt::Store store(bytes, argv[2], std::make_shared<zrt::Faults>(), false);
  if (!store.note().empty())
    std::fprintf(stderr, "%s\n", store.note().c_str());
  // Reads of space that was only reserved do not reach the drive.
  const zrt::Pages in = zrt::mapPages(copy), out = zrt::mapPages(copy);
  if (!in.at || !out.at)
    zrt::fail("no memory for two copies of {} bytes", copy);
  std::memset(in.at, 1, copy);
  std::memset(out.at, 2, copy);
  const auto lane = store.lane();
  for (uint64_t at = 0; at < bytes; at += copy)
    lane->write(at, copy, out.at);
  for (const auto &[form, reads, writes] : {std::tuple("read", true, false),
                                            {"write", false, true},
                                            {"mix", true, true}}) {
    uint64_t read = 0, written = 0;
    const double start = now();
    std::thread reader([&, reads = reads] {
      if (reads)
        read = copyFor(seconds, store, false, in.at, copy);
    });
    if (writes)
      written = copyFor(seconds, store, true, out.at, copy);
    reader.join();
    std::printf("%s %lu %lu %.6f\n", form, static_cast<unsigned long>(read),
                static_cast<unsigned long>(written), now() - start);
    std::fflush(stdout);
  }
} catch (const std::exception &error) {
  std::fprintf(stderr, "store: error: %s\n", error.what());
  return 1;
}
