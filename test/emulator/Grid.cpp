//===- Grid.cpp - The blocks and threads of one launch --------------------===//
#include "Grid.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fmt/format.h>
#include <numeric>

using namespace zge;

thread_local Grid *Grid::running = nullptr;

namespace {
/// Returns the level of the smallest group that contains both threads.
int commonLevel(uint32_t a, uint32_t b) {
  return a / kWarp != b / kWarp ? kBlockLevel : std::bit_width(a ^ b);
}
} // namespace

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void Grid::run(const Launch &theLaunch, const MemoryMap &theMemory) {
  launch = &theLaunch;
  memory = &theMemory;
  if (launch->threads == 0 || launch->threads > kMaxThreads)
    throw KernelError(
        fmt::format("{}: a block of {} threads; 1 to {} are possible",
                    launch->name, launch->threads, kMaxThreads));
  random.seed(uint32_t(launch->seed * 2654435761u + 1));
  shadow.clear();
  threads.resize(launch->threads);
  sharedMemory.resize(launch->sharedBytes);
  std::vector<uint32_t> blocks(launch->blocks);
  std::iota(blocks.begin(), blocks.end(), 0);
  std::shuffle(blocks.begin(), blocks.end(), random);
  failure.clear();
  Grid *before = running;
  running = this;
  for (size_t i = 0; i < blocks.size() && failure.empty(); ++i) {
    currentBlock = blocks[i];
    runBlock();
  }
  running = before;
  if (!failure.empty())
    throw KernelError(failure);
}

void Grid::runBlock() {
  std::fill(sharedMemory.begin(), sharedMemory.end(), char(0xff));
  sharedShadow.clear();
  ready.clear();
  for (uint32_t i = 0; i < threads.size(); ++i) {
    threads[i].wait = Wait::None;
    threads[i].time = 0;
    threads[i].met = {};
    threads[i].copies.clear();
    threads[i].copyGroups = 0;
    threads[i].fiber.prepare(stacks.top(i), threadBody);
    ready.push_back(i);
  }
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    current = ready.back();
    ready.pop_back();
    threads[current].wait = Wait::None;
    switchFiber(scheduler, threads[current].fiber);
    if (!failure.empty())
      return;
  }
  failure = stuck();
}

void Grid::threadBody() {
  Grid &grid = *running;
  grid.launch->entry(grid.launch->params);
  if (const size_t left = grid.threads[grid.current].copies.size())
    grid.fail(fmt::format("it ends, and waits for none of {} copies", left));
  grid.threads[grid.current].wait = Wait::Ended;
  grid.pause();
}

void Grid::pause() { switchFiber(threads[current].fiber, scheduler); }

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

void Grid::fail(std::string text) {
  failure = fmt::format("kernel {}: block {}, thread {}: {}", launch->name,
                        currentBlock, current, text);
  switchFiber(threads[current].fiber, scheduler);
  std::abort(); // the fiber is never resumed
}

std::string Grid::describe(uint32_t number) const {
  const Thread &thread = threads[number];
  switch (thread.wait) {
  case Wait::Shuffle:
    return fmt::format("thread {} waits in shuffle_xor(distance {}, width {})",
                       number, thread.distance, thread.width);
  case Wait::Sync:
    return fmt::format("thread {} waits in sync(width {})", number,
                       thread.width);
  case Wait::Barrier:
    return fmt::format("thread {} waits in barrier", number);
  case Wait::Multiply:
    return fmt::format("thread {} waits in mma of {}", number,
                       thread.distance == ZGE_BF16 ? "bf16" : "f16");
  case Wait::Fragment:
    return fmt::format("thread {} waits in ldmatrix{}", number,
                       thread.distance ? ".trans" : "");
  default:
    return fmt::format("thread {} has ended", number);
  }
}

/// Called when no thread can run: returns the reason, or "" if all have ended.
std::string Grid::stuck() const {
  const auto waits = [](const Thread &thread) {
    return thread.wait != Wait::Ended;
  };
  const auto first = std::find_if(threads.begin(), threads.end(), waits);
  if (first == threads.end())
    return "";
  const auto number = uint32_t(first - threads.begin());
  const uint32_t begin = number / first->width * first->width;
  for (uint32_t other = begin; other < begin + first->width; ++other) {
    const Thread &thread = threads[other];
    if (thread.wait != first->wait || thread.width != first->width ||
        thread.distance != first->distance)
      return fmt::format("kernel {}: block {}: {}, but {}", launch->name,
                         currentBlock, describe(number), describe(other));
  }
  return fmt::format("kernel {}: block {}: {} for ever", launch->name,
                     currentBlock, describe(number));
}

std::string Grid::place(const void *address) const {
  const auto *byte = static_cast<const char *>(address);
  if (byte >= sharedMemory.data() &&
      byte < sharedMemory.data() + sharedMemory.size())
    return fmt::format("byte {} of shared memory", byte - sharedMemory.data());
  return fmt::format("address {}", address);
}

//===----------------------------------------------------------------------===//
// Operations of several threads
//===----------------------------------------------------------------------===//

void Grid::checkWidth(const char *what, uint32_t width) {
  if (width == 0 || width > kWarp || !std::has_single_bit(width))
    fail(fmt::format("{} of width {}; it is a power of two up to {}", what,
                     width, kWarp));
  if (current / width * width + width > threads.size())
    fail(fmt::format(
        "{} of width {}, but the block has {} threads, and its last "
        "group fewer",
        what, width, threads.size()));
}

bool Grid::arrive(Wait wait, uint32_t width, uint32_t distance) {
  Thread &mine = threads[current];
  mine.wait = wait;
  mine.width = width;
  mine.distance = distance;
  const auto first = threads.begin() + current / width * width;
  return std::all_of(first, first + width, [&](const Thread &thread) {
    return thread.wait == wait && thread.width == width &&
           thread.distance == distance;
  });
}

void Grid::release(uint32_t width) {
  const uint32_t first = current / width * width;
  for (uint32_t i = first; i < first + width; ++i) {
    threads[i].wait = Wait::None;
    ready.push_back(i);
  }
}

void Grid::meet(uint32_t width, int level) {
  const uint32_t first = current / width * width;
  for (uint32_t i = first; i < first + width; ++i) {
    Thread &thread = threads[i];
    ++thread.time;
    std::fill_n(thread.met.begin(), level + 1, thread.time);
  }
}

uint32_t Grid::shuffle(uint32_t value, uint32_t distance, uint32_t width) {
  checkWidth("shuffle_xor", width);
  if (distance == 0 || distance >= width)
    fail(fmt::format("shuffle_xor over a distance of {} in a group of {}",
                     distance, width));
  const uint32_t me = current, begin = me / width * width;
  threads[me].value = value;
  if (arrive(Wait::Shuffle, width, distance)) {
    for (uint32_t i = begin; i < begin + width; ++i)
      if (((i - begin) & distance) == 0)
        std::swap(threads[i].value, threads[i + distance].value);
    release(width);
  }
  pause();
  return threads[me].value;
}

uint32_t Grid::shuffleFrom(uint32_t value, uint32_t from, uint32_t width) {
  checkWidth("shuffle", width);
  if (from >= width)
    fail(fmt::format("shuffle from lane {} of a group of {}", from, width));
  const uint32_t me = current, begin = me / width * width;
  threads[me].value = value;
  threads[me].from = from;
  if (arrive(Wait::Shuffle, width, 0)) {
    std::vector<uint32_t> given(width);
    for (uint32_t i = 0; i < width; ++i)
      given[i] = threads[begin + i].value;
    for (uint32_t i = 0; i < width; ++i)
      threads[begin + i].value = given[threads[begin + i].from];
    release(width);
  }
  pause();
  return threads[me].value;
}

void Grid::sync(uint32_t width) {
  checkWidth("sync", width);
  if (width == 1)
    return;
  if (arrive(Wait::Sync, width, 0)) {
    meet(width, std::bit_width(width) - 1);
    release(width);
  }
  pause();
}

void Grid::barrier() {
  const auto all = uint32_t(threads.size());
  if (arrive(Wait::Barrier, all, 0)) {
    meet(all, kBlockLevel);
    release(all);
  }
  pause();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool Grid::isBefore(const Access &old) const {
  // Both threads were at each meeting of a group that has both.
  const int level = commonLevel(old.thread, current);
  return threads[old.thread].met[size_t(level)] > old.time;
}

void Grid::access(const void *address, uint64_t bytes, bool writes) {
  if (bytes == 0)
    return;
  const auto at = reinterpret_cast<uintptr_t>(address);
  const auto begin = reinterpret_cast<uintptr_t>(sharedMemory.data());
  const bool isShared =
      at >= begin && at + bytes <= begin + sharedMemory.size();
  const char *verb = writes ? "writes" : "reads";
  if (!isShared && !memory->holds(at, bytes, writes))
    fail(fmt::format("it {} {} bytes at {}, which is {}", verb, bytes,
                     place(address),
                     memory->holds(at, bytes, false)
                         ? "for reading only"
                         : "no memory of the device, or not all of it"));
  if (bytes > 1 && bytes <= 16 && std::has_single_bit(bytes) && at % bytes != 0)
    fail(fmt::format("it {} {} bytes at {}, which is not aligned to them", verb,
                     bytes, place(address)));
  const Access access = {currentBlock, current, threads[current].time, 0,
                         writes};
  const auto other =
      (isShared ? sharedShadow : shadow)
          .record(at, bytes, access, random,
                  [this](const Access &old) { return isBefore(old); });
  if (!other)
    return;
  fail(fmt::format(
      "a race: it {} {} bytes at {}, which block {}, thread {} {}, and {}",
      verb, bytes, place(address), other->block, other->thread,
      other->writes ? "wrote" : "read",
      other->block == currentBlock ? "no sync or barrier lies between"
                                   : "nothing orders blocks of one launch"));
}
