//===- MachineStreams.cpp - Streams, events and graphs --------------------===//
#include "Machine.h"

#include "Faults.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <thread>
#include <utility>
#include <vector>

using namespace fakecuda;

uint64_t Machine::makeStream() {
  streams[nextNumber];
  return nextNumber++;
}

std::deque<Operation> &Machine::queue(uint64_t stream) {
  const auto found = streams.find(stream);
  if (found == streams.end())
    misuse("a stream that does not exist, or exists no more");
  return found->second;
}

void Machine::removeStream(uint64_t stream) {
  if (stream == 0)
    misuse("cuStreamDestroy of the stream that is always there");
  finish(stream);
  streams.erase(stream);
}

uint64_t Machine::makeEvent(bool isTimed) {
  events[nextNumber];
  if (isTimed)
    timed.insert(nextNumber);
  return nextNumber++;
}

void Machine::removeEvent(uint64_t event) {
  if (events.erase(event) == 0)
    misuse("cuEventDestroy of what is no event, or was destroyed before");
  timed.erase(event);
}

void Machine::add(uint64_t stream, Operation operation) {
  if (const auto graph = capturing.find(stream); graph != capturing.end()) {
    graph->second->queues[stream].push_back(std::move(operation));
    return;
  }
  std::deque<Operation> &operations = queue(stream);
  operations.push_back(std::move(operation));
  // A full queue holds its caller, and with it all threads that call.
  while (operations.size() > depth)
    if (!step(streams))
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  // A GPU executes operations without being waited for.
  const auto isIdle = [&] {
    return std::none_of(streams.begin(), streams.end(),
                        [](const auto &one) { return !one.second.empty(); });
  };
  while (random() % 4 == 0 && !isIdle() && step(streams)) {
  }
  closeMemory();
}

void Machine::record(uint64_t event, uint64_t stream) {
  const auto found = events.find(event);
  if (found == events.end())
    misuse("cuEventRecord of an event that does not exist, or exists no more");
  found->second = std::make_shared<Mark>();
  if (const auto graph = capturing.find(stream); graph != capturing.end())
    found->second->graph = graph->second.get();
  add(stream, {"a record", {}, {}, found->second});
}

void Machine::wait(uint64_t stream, uint64_t event, bool isLeftOut) {
  const auto found = events.find(event);
  if (found == events.end())
    misuse("cuStreamWaitEvent for an event that does not exist, or exists no "
           "more");
  const std::shared_ptr<Mark> mark = found->second;
  // An event that has never been recorded blocks nothing.
  if (!mark)
    return;
  const auto mine = capturing.find(stream);
  if (mark->graph) {
    // From here on the stream's operations are captured, too.
    if (mine == capturing.end())
      for (const auto &[other, graph] : capturing)
        if (graph.get() == mark->graph) {
          capturing[stream] = graph;
          break;
        }
    const auto now = capturing.find(stream);
    if (now == capturing.end() || now->second.get() != mark->graph)
      misuse("cuStreamWaitEvent for an event of another capture");
    if (stream == mark->graph->origin)
      mark->graph->joined.insert(mark.get());
  } else if (mine != capturing.end()) {
    misuse(
        "cuStreamWaitEvent of a stream that is captured for an event that is "
        "not");
  }
  add(stream, {"a wait", {}, isLeftOut ? nullptr : mark, {}});
}

void Machine::needQuiet(const std::string &what) const {
  for (const auto &[number, operations] : streams)
    for (const Operation &one : operations)
      if (one.isReady)
        misuse(fmt::format("{} synchronizes the GPU, where stream {} may wait "
                           "for another process in {}",
                           what, number, one.name));
}

void Machine::growStack(uint64_t bytes, const std::string &what) {
  if (bytes <= stack)
    return;
  needQuiet(fmt::format("{} with a stack of {} bytes, where threads have {}",
                        what, bytes, stack));
  stack = bytes;
}

std::shared_ptr<Graph> Machine::enterCall(uint64_t stream) {
  const auto found = capturing.find(stream);
  if (found == capturing.end())
    return nullptr;
  if (std::exchange(found->second->isInUse, true))
    misuse("two threads add to one capture at once");
  return found->second;
}

void Machine::execute(Operation &operation) {
  if (operation.run && !failed) {
    openMemory();
    operation.run();
  }
  if (operation.reaches) {
    operation.reaches->isReached = true;
    operation.reaches->at = now;
  }
}

bool Machine::step(Queues &queues) {
  std::vector<std::deque<Operation> *> ready;
  bool waitsForOthers = false;
  for (auto &[number, operations] : queues) {
    if (operations.empty())
      continue;
    const Operation &first = operations.front();
    if (first.waitsFor && !first.waitsFor->isReached)
      continue;
    if (first.isReady && !failed)
      openMemory(); // it may send
    if (!first.isReady || failed || first.isReady())
      ready.push_back(&operations);
    else
      waitsForOthers = true;
  }
  if (ready.empty() && waitsForOthers)
    return false;
  if (ready.empty())
    misuse("every stream waits for another");
  std::deque<Operation> &from = *ready[random() % ready.size()];
  Operation operation = std::move(from.front());
  from.pop_front();
  execute(operation);
  return true;
}

template <typename Until>
void Machine::runUntil(Until until) {
  while (true) {
    bool isOver = false;
    do
      isOver = until();
    while (!isOver && step(streams));
    closeMemory();
    if (isOver)
      return;
    // Other threads of this process may run meanwhile.
    mutex.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    mutex.lock();
  }
}

void Machine::finish(uint64_t stream) {
  if (capturing.contains(stream))
    misuse("a stream is waited for while it is captured");
  const std::deque<Operation> &operations = queue(stream);
  runUntil([&] { return operations.empty(); });
}

void Machine::finishEvent(uint64_t event) {
  const auto found = events.find(event);
  if (found == events.end())
    misuse("cuEventSynchronize of an event that does not exist, or exists no "
           "more");
  const std::shared_ptr<Mark> mark = found->second;
  if (mark)
    runUntil([&] { return mark->isReached; });
}

double Machine::timeBetween(uint64_t begin, uint64_t end) const {
  const auto timeOf = [&](uint64_t event) {
    const auto found = events.find(event);
    if (!timed.contains(event) || !found->second || !found->second->isReached)
      misuse("cuEventElapsedTime of an event without a time, or that has not "
             "been reached");
    return found->second->at;
  };
  return timeOf(end) - timeOf(begin);
}

void Machine::runKernel(const zge::Launch &launch) {
  zge::Launch seeded = launch;
  seeded.seed = random();
  const std::string wrong = isToFail(launch.name)
                                ? std::string(launch.name) + " is to fail"
                                : emulator.tryRun(seeded);
  if (wrong.empty())
    return;
  // A GPU would report less, later.
  std::fprintf(stderr, "fake cuda: %s\n", wrong.c_str());
  failed = true;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

void Machine::beginCapture(uint64_t stream) {
  (void)queue(stream);
  if (stream == 0 || capturing.contains(stream))
    misuse("cuStreamBeginCapture of a stream that is captured, or cannot be");
  capturing[stream] = std::make_shared<Graph>();
  capturing[stream]->origin = stream;
}

uint64_t Machine::endCapture(uint64_t stream) {
  const auto found = capturing.find(stream);
  if (found == capturing.end() || found->second->origin != stream)
    misuse("cuStreamEndCapture of a stream whose capture did not begin there");
  const std::shared_ptr<Graph> graph = found->second;
  std::erase_if(capturing,
                [&](const auto &one) { return one.second == graph; });
  for (const auto &[number, operations] : graph->queues)
    if (number != stream &&
        !graph->joined.contains(operations.back().reaches.get()))
      return 0;
  graphs[nextNumber] = graph;
  return nextNumber++;
}

Graph &Machine::graphOf(uint64_t graph) {
  const auto found = graphs.find(graph);
  if (found == graphs.end())
    misuse("a graph that does not exist, or exists no more");
  return *found->second;
}

uint64_t Machine::copyGraph(uint64_t graph) {
  graphs[nextNumber] = std::make_shared<Graph>(graphOf(graph));
  return nextNumber++;
}

void Machine::removeGraph(uint64_t graph) {
  (void)graphOf(graph);
  graphs.erase(graph);
}

void Machine::launchGraph(uint64_t graph, uint64_t stream) {
  add(stream, {"a graph",
               [this, kept = Graph(graphOf(graph))] {
                 Queues queues = kept.queues;
                 size_t left = 0;
                 for (auto &[number, operations] : queues)
                   for (Operation &operation : operations) {
                     ++left;
                     if (operation.reaches)
                       operation.reaches->isReached = false;
                   }
                 for (; left > 0; --left)
                   if (!step(queues))
                     misuse("a graph that waits for another process");
               },
               {},
               {}});
}

std::string Machine::leftover() const {
  const auto some = [](size_t count, const char *what) {
    return count == 0 ? "" : fmt::format(" {} {}", count, what);
  };
  return some(blocks.size(), "blocks of memory") +
         some(reservations.size(), "ranges of addresses") +
         some(pinned.size(), "ranges of pinned memory") +
         some(streams.size() - 1, "streams") + some(events.size(), "events") +
         some(graphs.size(), "graphs");
}
