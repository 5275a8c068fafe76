//===- Machine.h - A GPU that is none, for tests ----------------*- C++ -*-===//
//
// What libcuda.so.1 of this folder works on.  It has memory, streams and events,
// and executes as late, and in as odd an order, as a GPU might:
//
//   memory    pages that nobody may touch but while an operation is executed, so
//             that host code which does ends with SIGSEGV
//   streams   lists of operations.  Whoever waits for one executes operations
//             drawn at random from all lists, first ones first, until it is empty;
//             whoever adds one may execute some, too
//   events    an operation that waits for one can be drawn once the record that
//             was the last when the wait was issued has been executed
//
// FAKE_CUDA_SEED seeds the draw.  So a program that lacks an event computes wrong
// numbers for some seeds.  What no driver would accept, or what would fail on some
// days only, ends the process with a message that names it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Emulator.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>

namespace fakecuda {

/// Ends the process.
[[noreturn]] void misuse(const std::string &text);

struct Graph;

/// Whether a record has been executed.
struct Mark {
  bool isReached = false;
  Graph *graph = nullptr; ///< that it is captured in
};

struct Operation {
  std::string name;
  std::function<void()> run;      ///< empty: there is nothing to do
  std::shared_ptr<Mark> waitsFor; ///< what must have been reached before
  std::shared_ptr<Mark> reaches;  ///< what is reached by it
  /// Asked again and again once it is the first of its stream, while memory is
  /// open; empty: it waits for nobody outside of this process.
  std::function<bool()> isReady = {};
};

/// Operations of each stream.
using Queues = std::map<uint64_t, std::deque<Operation>>;

/// What is, or was, captured: executed as a whole, in any order that its own
/// streams and events allow.
struct Graph {
  uint64_t origin = 0;
  Queues queues;
  std::set<const Mark *> joined; ///< marks that the origin has waited for
};

/// All functions expect that the caller holds `mutex`.
class Machine {
public:
  static Machine &get();

  std::mutex mutex;

  /// The first program begins: numbers from the environment.
  void start();
  /// Forgets a failure.
  void restart() { failed = false; }
  bool hasFailed() const { return failed; }

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  static constexpr uint64_t kGranule = 2 << 20;
  uint64_t freeBytes() const { return total - taken; }
  uint64_t totalBytes() const { return total; }

  /// A number from 1; 0 when there is not so much.
  uint64_t create(uint64_t bytes, bool isShareable);
  void release(uint64_t handle);
  /// An open file by which another process imports a block, which is 0 where the
  /// file is none of that kind.
  int exportBlock(uint64_t handle);
  uint64_t importBlock(int file);
  char *reserve(uint64_t bytes);
  void unreserve(char *begin, uint64_t bytes);
  void map(char *begin, uint64_t bytes, uint64_t handle);
  void unmap(char *begin, uint64_t bytes);
  void allow(char *begin, uint64_t bytes);
  void registerHost(const char *begin, uint64_t bytes);
  void unregisterHost(const char *begin);

  /// Whether all of these bytes can be used by operations.
  bool isDevice(const void *begin, uint64_t bytes) const;
  bool isPinned(const void *begin, uint64_t bytes) const;
  /// The same for `what`, or ends the process.
  void needDevice(const char *what, const void *begin, uint64_t bytes) const;
  /// Operations may use the device's memory until it is closed, where the host's
  /// use of it ends with SIGSEGV.
  void openMemory();
  void closeMemory();

  //===--------------------------------------------------------------------===//
  // Streams
  //===--------------------------------------------------------------------===//

  /// A number from 1; that of the stream which is always there is 0.
  uint64_t makeStream();
  void removeStream(uint64_t stream);
  uint64_t makeEvent();
  void removeEvent(uint64_t event);

  void add(uint64_t stream, Operation operation);
  void record(uint64_t event, uint64_t stream);
  /// One that `isLeftOut` orders nothing.
  void wait(uint64_t stream, uint64_t event, bool isLeftOut);
  /// Execute until a stream is empty, or an event reached.
  void finish(uint64_t stream);
  void finishEvent(uint64_t event);
  void runKernel(const zge::Launch &launch);

  //===--------------------------------------------------------------------===//
  // Graphs, by their numbers
  //===--------------------------------------------------------------------===//

  void beginCapture(uint64_t stream);
  /// 0 when the stream does not wait for the end of another that is captured.
  uint64_t endCapture(uint64_t stream);
  /// Another that is the same.
  uint64_t copyGraph(uint64_t graph);
  void removeGraph(uint64_t graph);
  void launchGraph(uint64_t graph, uint64_t stream);

  /// What is still there, or "".
  std::string leftover() const;

private:
  /// A block's place in a reserved range.
  struct Mapping {
    uint64_t bytes, handle;
    bool isAllowed = false;
  };
  struct Block {
    uint64_t bytes;
    int file;
    bool isShareable, isOther; ///< whether it is another process's
  };

  uint64_t addBlock(const Block &block);
  Mapping &mapping(const char *what, char *begin, uint64_t bytes);
  std::deque<Operation> &queue(uint64_t stream);
  void protect(int access);
  Graph &graphOf(uint64_t graph);
  /// Executes one operation of these.  False where all wait for other processes;
  /// where some wait for none and cannot go on either, ends the process.
  bool step(Queues &queues);
  void execute(Operation &operation);
  template <typename Until>
  void runUntil(Until until);

  std::mt19937_64 random;
  bool failed = false, isOpen = false;
  uint64_t total = 0, taken = 0, nextNumber = 1;
  std::map<uint64_t, Block> blocks;
  std::map<char *, uint64_t> reservations; ///< bytes, by begin
  std::map<char *, Mapping> mappings;      ///< by begin
  std::map<const char *, uint64_t> pinned;
  Queues streams{{0, {}}};
  /// The last record of each, or nothing.
  std::map<uint64_t, std::shared_ptr<Mark>> events;
  std::map<uint64_t, std::shared_ptr<Graph>> graphs;
  std::map<uint64_t, std::shared_ptr<Graph>> capturing; ///< by stream
  zge::Emulator emulator;
};

/// A number in the environment.
uint64_t numberOf(const char *variable, uint64_t otherwise);

} // namespace fakecuda
