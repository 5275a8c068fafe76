//===- StepTime.cpp - The predicted time of a step of a plan --------------===//

#include "passes/time/StepTime.h"

#include "dialect/zero/Locations.h"
#include "dialect/zero/PlanPrograms.h"
#include "passes/time/Bound.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::zero;
using llvm::formatv;

/// The word before the first dot, or all of it.
static std::string firstWord(StringRef kind) {
  return kind.split('.').first.str();
}

static std::vector<std::pair<std::string, double>>
largestFirst(const std::map<std::string, double> &sums) {
  std::vector<std::pair<std::string, double>> sorted(sums.begin(), sums.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           &std::pair<std::string, double>::second);
  return sorted;
}

/// Adds the times in which compute waits in `program`.
static void addWaits(const StepTime::Program &program, StepTime &step) {
  ArrayRef<Task> tasks = program.schedule.getTasks();
  const std::vector<Span> &spans = program.timeline.spans;
  const std::string name = getProgramName(program.schedule.getProgram()).str();
  const double runs = double(program.runs);
  double free = 0;
  auto add = [&](std::string task, int64_t because, double seconds) {
    if (because < 0 || seconds <= 0)
      return;
    const Task &other = tasks[size_t(because)];
    step.waits.push_back({name, std::move(task), nameOperation(other.op),
                          other.stream, runs * seconds});
    step.waited += runs * seconds;
  };
  for (auto [task, span] : llvm::zip_equal(tasks, spans)) {
    if (task.stream != Stream::Compute)
      continue;
    add(nameOperation(task.op), span.because, span.begin - free);
    free = span.end;
  }
  auto last = std::ranges::max_element(spans, {}, &Span::end);
  if (last != spans.end())
    add("the end", last - spans.begin(), program.timeline.seconds - free);
}

int64_t zero::getCacheBytes(const Machine &machine, int64_t ranks) {
  return machine.target == "cpu" ? machine.cacheBytes / ranks
                                 : machine.cacheBytes;
}

llvm::Expected<std::vector<Schedule>> zero::getSchedules(ModuleOp plan,
                                                         int64_t cacheBytes) {
  std::vector<Schedule> schedules;
  for (auto kernel : plan.getOps<KernelOp>())
    if (kernel.isExternal())
      return llvm::createStringError("kernel @" + kernel.getSymName() +
                                     " has no body, and so no known work");
  for (auto program : plan.getOps<ProgramOp>())
    if (program.getRank())
      return llvm::createStringError(
          "@" + program.getSymName() +
          " is a program of one rank; one rank stands for all here");
  for (ProgramOp program : findPrograms(plan)) {
    if (getRuns(plan, getProgramName(program)) == 0)
      continue;
    schedules.emplace_back(program, cacheBytes);
    if (failed(schedules.back().verify()))
      return llvm::createStringError("the plan's order is wrong; the errors "
                                     "are above");
  }
  if (schedules.empty())
    return llvm::createStringError("the plan does not train: it has no @step");
  return schedules;
}

llvm::Expected<StepTime> zero::predictStep(ModuleOp plan,
                                           const Machine &machine,
                                           const Machine::Layout &layout) {
  auto schedules = getSchedules(plan, getCacheBytes(machine, layout.ranks));
  if (!schedules)
    return schedules.takeError();
  StepTime step;
  std::map<std::string, double> ofStream, ofKind;
  for (Schedule &schedule : *schedules) {
    auto timeline = simulate(schedule, machine, layout);
    if (!timeline)
      return timeline.takeError();
    const int64_t runs = getRuns(plan, getProgramName(schedule.getProgram()));
    step.programs.push_back({std::move(schedule), std::move(*timeline), runs});
    const StepTime::Program &program = step.programs.back();
    step.seconds += double(runs) * program.timeline.seconds;
    for (auto [task, span] :
         llvm::zip_equal(program.schedule.getTasks(), program.timeline.spans)) {
      ofStream[stringifyStream(task.stream).str()] += double(runs) * span.alone;
      for (const auto &[kind, amount] : task.work)
        ofKind[firstWord(kind)] +=
            double(runs) * amount * layout.find(kind).value_or(0);
    }
    addWaits(program, step);
    step.bound += double(runs) *
                  getBound(program.schedule, program.timeline, machine, layout);
  }
  step.beside = layout.find("step.call").value_or(0);
  step.uneven = layout.waiting * step.seconds;
  step.seconds += step.beside + step.uneven;
  step.bound = (1 + layout.waiting) * step.bound + step.beside;
  step.byStream = largestFirst(ofStream);
  step.byKind = largestFirst(ofKind);
  std::ranges::stable_sort(step.waits, std::ranges::greater(),
                           &StepTime::Wait::seconds);
  return step;
}

double zero::getSecondsWith(const StepTime &step, int64_t ranks,
                            const Jitter &jitter) {
  double seconds = step.beside;
  uint64_t run = 0;
  for (const StepTime::Program &program : step.programs)
    for (int64_t i = 0; i != program.runs; ++i)
      seconds += simulateRanks(program.schedule, program.timeline, ranks,
                               jitter, run++);
  return seconds;
}

std::string zero::printStepTime(const StepTime &step, const Machine &machine,
                                const Machine::Layout &layout) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto ms = [](double seconds) { return formatv("{0:f2} ms", 1e3 * seconds); };
  auto share = [&](double seconds) {
    return formatv("{0:f1} %",
                   step.seconds > 0 ? 100 * seconds / step.seconds : 0);
  };
  os << formatv(
      "simulated: {0} a step on {1} ({2}, {3} x {4} ranks x threads)\n",
      ms(step.seconds), machine.name, machine.file, layout.ranks,
      layout.threads);
  if (layout.error > 0)
    os << formatv("  an operation's time was off by {0:f1} % in the mean when "
                  "the machine was measured\n",
                  100 * layout.error);
  if (step.uneven > 0)
    os << formatv("  {0} of it since ranks are not equally fast, as when the "
                  "machine was measured\n",
                  ms(step.uneven));
  os << "  work by stream, as if alone:\n";
  for (const auto &[stream, seconds] : step.byStream)
    os << formatv("    {0,-10} {1,12}  {2}\n", stream, ms(seconds),
                  share(seconds));
  os << "  work by kind:\n";
  for (const auto &[kind, seconds] : step.byKind)
    if (seconds > 0.001 * step.seconds)
      os << formatv("    {0,-24} {1,12}  {2}\n", kind, ms(seconds),
                    share(seconds));
  os << formatv(
      "  at least {0} in any order of transfers; the step is {1:f2} of it\n",
      ms(step.bound), step.bound > 0 ? step.seconds / step.bound : 1);
  os << formatv("  compute waits {0}, {1} of the step\n", ms(step.waited),
                share(step.waited));
  for (const StepTime::Wait &wait : ArrayRef(step.waits).take_front(3))
    os << formatv("    {0}  {1} of @{2}, for {3} on {4}\n", ms(wait.seconds),
                  wait.task, wait.program, wait.forTask,
                  stringifyStream(wait.stream));
  return text;
}

std::string zero::traceStep(const StepTime &step) {
  std::string text;
  llvm::raw_string_ostream os(text);
  double start = 0;
  int64_t run = 0;
  for (const StepTime::Program &program : step.programs)
    for (int64_t i = 0; i != program.runs; ++i) {
      std::map<Stream, int64_t> numbers;
      ++run;
      for (auto [task, span] : llvm::zip_equal(program.schedule.getTasks(),
                                               program.timeline.spans)) {
        llvm::json::Object line{
            {"program", getProgramName(program.schedule.getProgram()).str()},
            {"run", run},
            {"stream", stringifyStream(task.stream).str()},
            {"number", ++numbers[task.stream]},
            {"name", nameOperation(task.op)},
            {"begin", int64_t(1e9 * (start + span.begin))},
            {"end", int64_t(1e9 * (start + span.end))}};
        os << llvm::json::Value(std::move(line)) << '\n';
      }
      start += program.timeline.seconds;
    }
  return text;
}
