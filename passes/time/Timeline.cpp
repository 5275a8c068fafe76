//===- Timeline.cpp - When the tasks of a program run on a machine --------===//

#include "passes/time/Timeline.h"

#include "dialect/zero/Cost.h"
#include "dialect/zero/Storage.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::zero;

namespace {

constexpr size_t kSimulatedStreams = getMaxEnumValForStream() + 1;

class Simulation {
public:
  Simulation(ArrayRef<Task> tasks, Timeline &timeline, double cores,
             const Machine::Layout &layout)
      : tasks(tasks), timeline(timeline), layout(layout), cores(cores) {
    for (auto [i, task] : llvm::enumerate(tasks))
      queues[unsigned(task.stream)].push_back(unsigned(i));
    isDone.resize(tasks.size());
    runs.fill(-1);
    last.fill(-1);
  }

  void run() {
    while (start())
      advance();
    timeline.seconds = now;
  }

private:
  /// Starts what can start; returns false when nothing runs.
  bool start();
  /// Goes on to the next end of a task.
  void advance();
  /// The cores that a stream wants while it runs.
  double wants(size_t stream) const {
    return getWantedCores(tasks[size_t(runs[stream])], layout);
  }
  /// Whether what runs on a stream is a collective over a network.
  bool isOnNetwork(size_t stream) const {
    return layout.network > 0 && runs[stream] >= 0 &&
           goesBetweenHosts(tasks[size_t(runs[stream])].op);
  }

  ArrayRef<Task> tasks;
  Timeline &timeline;
  const Machine::Layout &layout;
  const double cores;
  std::array<SmallVector<unsigned, 0>, kSimulatedStreams> queues;
  std::array<size_t, kSimulatedStreams> next = {};
  std::array<int64_t, kSimulatedStreams> runs, last;
  std::array<double, kSimulatedStreams> left = {}; ///< of what runs, alone
  std::vector<bool> isDone;
  double now = 0;
};

} // namespace

bool Simulation::start() {
  bool any = false;
  for (size_t stream = 0; stream != kSimulatedStreams; ++stream) {
    if (runs[stream] < 0 && next[stream] < queues[stream].size()) {
      unsigned number = queues[stream][next[stream]];
      const Task &task = tasks[number];
      if (llvm::all_of(task.after,
                       [&](unsigned before) { return isDone[before]; })) {
        Span &span = timeline.spans[number];
        span.begin = now;
        span.because = last[stream];
        for (unsigned before : task.after)
          if (span.because < 0 ||
              timeline.spans[before].end > timeline.spans[span.because].end)
            span.because = before;
        runs[stream] = number;
        left[stream] = span.alone;
        ++next[stream];
      }
    }
    any |= runs[stream] >= 0;
  }
  return any;
}

void Simulation::advance() {
  double wanted = 0, collectives = 0;
  for (size_t stream = 0; stream != kSimulatedStreams; ++stream)
    if (runs[stream] >= 0) {
      wanted += wants(stream);
      collectives += isOnNetwork(stream);
    }
  // The system sends and receives before anything computes, on half of the
  // cores at most.
  const double free =
      cores -
      (collectives > 0 ? std::min(layout.coreOfNetwork(), cores / 2) : 0);
  std::array<double, kSimulatedStreams> speeds;
  double step = -1; // to the first end
  for (size_t stream = 0; stream != kSimulatedStreams; ++stream) {
    if (runs[stream] < 0)
      continue;
    speeds[stream] = isOnNetwork(stream) ? 1 / collectives
                     : wants(stream) == 0 || cores == 0
                         ? 1
                         : std::min(1.0, free / wanted);
    if (step < 0 || left[stream] / speeds[stream] < step)
      step = left[stream] / speeds[stream];
  }
  now += step;
  for (size_t stream = 0; stream != kSimulatedStreams; ++stream) {
    if (runs[stream] < 0)
      continue;
    // What ends first ends exactly, whatever is lost in rounding.
    const bool ends = left[stream] / speeds[stream] <= step;
    left[stream] -= step * speeds[stream];
    if (!ends)
      continue;
    timeline.spans[size_t(runs[stream])].end = now;
    isDone[size_t(runs[stream])] = true;
    last[stream] = runs[stream];
    runs[stream] = -1;
  }
}

std::vector<unsigned> Timeline::getCriticalPath() const {
  std::vector<unsigned> path;
  auto latest = std::ranges::max_element(spans, {}, &Span::end);
  for (int64_t at = latest == spans.end() ? -1 : latest - spans.begin();
       at >= 0; at = spans[size_t(at)].because)
    path.push_back(unsigned(at));
  std::ranges::reverse(path);
  return path;
}

bool zero::goesBetweenHosts(Operation *op) {
  auto collective = dyn_cast<CollectiveOpInterface>(op);
  return collective && !staysInGroup(collective);
}

double zero::getCores(const Machine &machine, const Machine::Layout &layout) {
  return machine.target == "cpu" ? double(machine.cores) / double(layout.ranks)
                                 : 0;
}

double zero::getWantedCores(const Task &task, const Machine::Layout &layout) {
  switch (task.stream) {
  case Stream::Compute:
    return double(layout.threads);
  case Stream::NvmeRead:
  case Stream::NvmeWrite:
    return 0; // the drive works
  default:
    return layout.network > 0 && goesBetweenHosts(task.op) ? 0 : 1;
  }
}

llvm::Expected<Timeline> zero::simulate(const Schedule &schedule,
                                        const Machine &machine,
                                        const Machine::Layout &layout) {
  Timeline timeline;
  for (const Task &task : schedule.getTasks()) {
    llvm::Expected<double> alone = getSeconds(layout, task.work, machine.file);
    if (!alone)
      return alone.takeError();
    timeline.spans.push_back({.alone = *alone});
  }
  Simulation(schedule.getTasks(), timeline, getCores(machine, layout), layout)
      .run();
  return timeline;
}
