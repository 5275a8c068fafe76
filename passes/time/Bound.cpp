//===- Bound.cpp - The least time of a program ----------------------------===//

#include "passes/time/Bound.h"

#include "dialect/zero/Storage.h"

#include <functional>

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Returns the part of its time alone that a task takes of a resource.
using Resource = std::function<double(const Task &)>;

class Bound {
public:
  Bound(ArrayRef<Task> tasks, ArrayRef<Span> spans,
        ArrayRef<Resource> resources)
      : tasks(tasks), spans(spans), resources(resources), heads(tasks.size()),
        tails(tasks.size()) {
    double computed = 0; // the end of compute's last task
    for (auto [i, task] : llvm::enumerate(tasks)) {
      double &head = heads[i];
      for (unsigned input : task.inputs)
        head = std::max(head, heads[input] + spans[input].alone);
      if (task.inputs.size() >= kMany && task.stream != Stream::Compute)
        head = std::max(head, afterInputs(unsigned(i)));
      if (task.stream == Stream::Compute) {
        head = std::max(head, computed);
        computed = head + spans[i].alone;
      }
    }
    double follows = 0; // from the start of compute's next task on
    for (size_t i = tasks.size(); i-- > 0;) {
      const bool isCompute = tasks[i].stream == Stream::Compute;
      if (isCompute)
        tails[i] = std::max(tails[i], follows);
      const double fromStart = spans[i].alone + tails[i];
      if (isCompute)
        follows = fromStart;
      for (unsigned input : tasks[i].inputs)
        tails[input] = std::max(tails[input], fromStart);
    }
  }

  /// The least seconds of the program.
  double get() const {
    SmallVector<unsigned> all(llvm::to_vector(llvm::seq(0u, numTasks())));
    return of(all, [&](unsigned task) { return tails[task]; });
  }

private:
  /// Whether a task waits for so many results that they may be late together.
  static constexpr size_t kMany = 4;

  unsigned numTasks() const { return unsigned(tasks.size()); }

  /// When `some` tasks can be complete, and what follows(task) takes after each
  /// of them; sorts them.
  double of(MutableArrayRef<unsigned> some,
            function_ref<double(unsigned)> follows) const {
    llvm::stable_sort(
        some, [&](unsigned a, unsigned b) { return heads[a] > heads[b]; });
    double most = 0;
    for (const Resource &resource : resources) {
      double sum = 0, tail = std::numeric_limits<double>::max();
      for (unsigned task : some)
        if (const double part = resource(tasks[task]); part > 0) {
          sum += part * spans[task].alone;
          tail = std::min(tail, follows(task));
          most = std::max(most, heads[task] + sum + tail);
        }
    }
    return most;
  }

  /// When all can be complete that `task` needs.
  double afterInputs(unsigned task) const {
    std::vector<bool> isNeeded(task);
    SmallVector<unsigned> left(tasks[task].inputs), needed;
    while (!left.empty()) {
      const unsigned one = left.pop_back_val();
      if (isNeeded[one])
        continue;
      isNeeded[one] = true;
      needed.push_back(one);
      llvm::append_range(left, tasks[one].inputs);
    }
    return of(needed, [](unsigned) { return 0.0; });
  }

  ArrayRef<Task> tasks;
  ArrayRef<Span> spans;
  ArrayRef<Resource> resources;
  /// Seconds before a task's start, and after its end.
  std::vector<double> heads, tails;
};

} // namespace

double zero::getBound(const Schedule &schedule, const Timeline &timeline,
                      const Machine &machine, const Machine::Layout &layout) {
  std::vector<Resource> resources;
  for (unsigned stream = 0; stream <= getMaxEnumValForStream(); ++stream)
    resources.push_back([stream](const Task &task) {
      return unsigned(task.stream) == stream ? 1.0 : 0.0;
    });
  if (layout.network > 0)
    resources.push_back(
        [](const Task &task) { return goesBetweenHosts(task.op) ? 1.0 : 0.0; });
  if (const double cores = getCores(machine, layout); cores > 0)
    resources.push_back([cores, &layout](const Task &task) {
      return getWantedCores(task, layout) / cores;
    });
  return Bound(schedule.getTasks(), timeline.spans, resources).get();
}
