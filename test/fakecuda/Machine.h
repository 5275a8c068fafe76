//===- Machine.h - A simulated GPU, for tests -------------------*- C++ -*-===//
//
// The device behind this folder's libcuda.so.1.  It has memory, streams and
// events, and executes operations as late, and in as odd an order, as a GPU
// might:
//
//   memory    pages that are accessible only while an operation runs, so that
//             host code that accesses them fails with SIGSEGV
//   streams   lists of operations.  A call that waits for a stream executes
//             random first operations of all lists until the stream is empty; a
//             call that adds an operation may execute some, too
//   events    a wait for an event can be drawn once the record that was the
//             last one when the wait was issued has been executed
//
// FAKE_CUDA_SEED seeds the draw, so a program that lacks an event computes
// wrong numbers for some seeds.  Calls that no driver would accept, or that
// would fail only sometimes, end the process with a message that names them.
// Among these are calls for which a driver synchronizes the whole GPU
// (`needQuiet`) while a stream waits for another process.
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

/// The state of a record.
struct Mark {
  bool isReached = false;
  double at = 0;          ///< the GPU's time when it was reached
  Graph *graph = nullptr; ///< the graph that captures it
};

struct Operation {
  std::string name;
  std::function<void()> run;      ///< empty: no effect
  std::shared_ptr<Mark> waitsFor; ///< must be reached before
  std::shared_ptr<Mark> reaches;  ///< is reached by this operation
  /// Polled while the operation is the first of its stream, with memory open;
  /// empty if it does not wait for another process.
  std::function<bool()> isReady = {};
};

/// Operations of each stream.
using Queues = std::map<uint64_t, std::deque<Operation>>;

/// A captured graph: executed as a whole, in any order that its own streams and
/// events allow.
struct Graph {
  uint64_t origin = 0;
  bool isInUse = false; ///< by a call that adds to it
  Queues queues;
  std::set<const Mark *> joined; ///< marks that the origin has waited for
};

/// All functions expect the caller to hold `mutex`.
class Machine {
public:
  static Machine &get();

  std::mutex mutex;

  /// Reads the environment when the first program begins.
  void start();
  /// Forgets a failure.
  void restart() { failed = false; }
  bool hasFailed() const { return failed; }

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  static constexpr uint64_t kGranule = 2 << 20;
  uint64_t freeBytes() const { return total - taken; }
  /// Takes memory; returns false if there is not enough.
  bool take(uint64_t bytes) {
    const bool fits = bytes <= freeBytes();
    taken += fits ? bytes : 0;
    return fits;
  }
  void giveBack(uint64_t bytes) { taken -= bytes; }
  uint64_t totalBytes() const { return total; }

  /// Returns a handle from 1 on; 0 if there is not enough memory.
  uint64_t create(uint64_t bytes, bool isShareable);
  void release(uint64_t handle);
  /// Exports a block as an open file, from which another process imports it;
  /// the import returns 0 if the file is not of that kind.  With
  /// `isOtherMemory` it maps other bytes.
  int exportBlock(uint64_t handle);
  uint64_t importBlock(int file, bool isOtherMemory);
  char *reserve(uint64_t bytes);
  void unreserve(char *begin, uint64_t bytes);
  void map(char *begin, uint64_t bytes, uint64_t handle);
  void unmap(char *begin, uint64_t bytes);
  void allow(char *begin, uint64_t bytes);
  void registerHost(const char *begin, uint64_t bytes);
  void unregisterHost(const char *begin);

  /// Returns true if operations can use all of these bytes.
  bool isDevice(const void *begin, uint64_t bytes) const;
  bool isPinned(const void *begin, uint64_t bytes) const;
  /// Same for `what`, but ends the process instead of returning false.
  void needDevice(const char *what, const void *begin, uint64_t bytes) const;
  /// Makes device memory accessible until it is closed; otherwise an access
  /// fails with SIGSEGV.
  void openMemory();
  void closeMemory();

  //===--------------------------------------------------------------------===//
  // Streams
  //===--------------------------------------------------------------------===//

  /// Returns a number from 1 on; the default stream is 0.
  uint64_t makeStream();
  void removeStream(uint64_t stream);
  uint64_t makeEvent(bool isTimed);
  void removeEvent(uint64_t event);

  void add(uint64_t stream, Operation operation);
  void record(uint64_t event, uint64_t stream);
  /// With `isLeftOut`, the wait has no effect.
  void wait(uint64_t stream, uint64_t event, bool isLeftOut);
  /// Execute operations until a stream is empty, or an event reached.
  void finish(uint64_t stream);
  void finishEvent(uint64_t event);
  /// Lets so much time pass on the GPU; only operations do.
  void pass(double milliseconds) { now += milliseconds; }
  /// Returns the time between two events that have been reached.
  double timeBetween(uint64_t begin, uint64_t end) const;
  void runKernel(const zge::Launch &launch);

  /// `what` synchronizes the GPU: ends the process if a stream waits, or may
  /// wait, for another process, which may wait for this one in turn.
  void needQuiet(const std::string &what) const;
  /// The bytes of stack that each thread has.
  uint64_t stackBytes() const { return stack; }
  void setStack(uint64_t bytes) { stack = bytes; }
  /// Resizes the stacks if they are smaller, which synchronizes the GPU.
  void growStack(uint64_t bytes, const std::string &what);
  /// Begins a call that adds to `stream`, and returns the capture that it is a
  /// part of, or null.  Two such calls at once for one capture end the process.
  std::shared_ptr<Graph> enterCall(uint64_t stream);

  //===--------------------------------------------------------------------===//
  // Graphs, by their numbers
  //===--------------------------------------------------------------------===//

  void beginCapture(uint64_t stream);
  /// Returns 0 if another captured stream has not been joined.
  uint64_t endCapture(uint64_t stream);
  /// Returns a copy.
  uint64_t copyGraph(uint64_t graph);
  void removeGraph(uint64_t graph);
  void launchGraph(uint64_t graph, uint64_t stream);

  /// Returns what has not been freed, or "".
  std::string leftover() const;

private:
  /// A block's mapping in a reserved range.
  struct Mapping {
    uint64_t bytes, handle;
    bool isAllowed = false;
  };
  struct Block {
    uint64_t bytes;
    int file;
    bool isShareable, isOther; ///< isOther: owned by another process
  };

  uint64_t addBlock(const Block &block);
  Mapping &mapping(const char *what, char *begin, uint64_t bytes);
  std::deque<Operation> &queue(uint64_t stream);
  void protect(int access);
  Graph &graphOf(uint64_t graph);
  /// Executes one operation of the queues.  Returns false if all wait for other
  /// processes; ends the process if some wait for none but cannot run.
  bool step(Queues &queues);
  void execute(Operation &operation);
  template <typename Until>
  void runUntil(Until until);

  std::mt19937_64 random;
  bool failed = false, isOpen = false;
  /// The driver's default.
  uint64_t stack = 1024;
  uint64_t depth = 0; ///< how many operations a stream holds
  uint64_t total = 0, taken = 0, nextNumber = 1;
  std::map<uint64_t, Block> blocks;
  std::map<char *, uint64_t> reservations; ///< sizes by address
  std::map<char *, Mapping> mappings;      ///< by address
  std::map<const char *, uint64_t> pinned;
  Queues streams{{0, {}}};
  /// The last record of each event, or null.
  std::map<uint64_t, std::shared_ptr<Mark>> events;
  std::set<uint64_t> timed; ///< events that have times
  double now = 0;           ///< milliseconds
  std::map<uint64_t, std::shared_ptr<Graph>> graphs;
  std::map<uint64_t, std::shared_ptr<Graph>> capturing; ///< by stream
  zge::Emulator emulator;
};

/// Returns the value of a variable of the environment.
uint64_t numberOf(const char *variable, uint64_t otherwise);

} // namespace fakecuda
