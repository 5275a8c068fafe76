//===- Simulate.cpp - The command zeroc simulate --------------------------===//
#include "tools/zeroc/plan/Simulate.h"

#include "dialect/zero/Locations.h"
#include "dialect/zero/PlanPrograms.h"
#include "frontend/OutputFile.h"
#include "passes/Pipeline.h"
#include "passes/time/MemoryUse.h"
#include "passes/time/StepTime.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::zero;
namespace json = llvm::json;

/// By tier: "points", [seconds, bytes of each category] from when on they are
/// alive, and "largest", [begin, end, bytes, name] of temporaries.
static llvm::Expected<json::Object>
describeMemory(const StepTime::Program &program) {
  json::Object tiers;
  auto uses = getMemoryUse(program.schedule, program.timeline);
  if (failed(uses))
    return llvm::createStringError("the plan's bytes are wrong; the errors are "
                                   "above");
  for (auto [tier, use] : llvm::enumerate(*uses)) {
    json::Array points, largest;
    for (const MemoryPoint &point : use.points) {
      json::Array row{point.seconds};
      llvm::append_range(row, point.bytes);
      points.push_back(std::move(row));
    }
    for (const MemorySpan &span : use.largest)
      largest.push_back(
          json::Array{span.begin, span.end, span.bytes, span.name});
    if (!points.empty())
      tiers[stringifyTier(Tier(tier))] =
          json::Object{{"categories", json::Array(kMemoryCategories)},
                       {"points", std::move(points)},
                       {"largest", std::move(largest)}};
  }
  return tiers;
}

/// A task without its times.
static json::Object describeTask(const Task &task) {
  json::Object work;
  for (const auto &[kind, amount] : task.work)
    work[kind] = amount;
  return json::Object{{"name", nameOperation(task.op)},
                      {"stream", stringifyStream(task.stream)},
                      {"work", std::move(work)}};
}

static std::string write(json::Value value) {
  return llvm::formatv("{0:2}\n", value);
}

/// The work of all programs.
static llvm::Expected<std::string> listWork(ModuleOp plan,
                                            const Machine &machine) {
  auto schedules =
      getSchedules(plan, getCacheBytes(machine, getNumRanks(plan)));
  if (!schedules)
    return schedules.takeError();
  json::Array programs;
  for (const Schedule &schedule : *schedules) {
    json::Array tasks;
    for (const Task &task : schedule.getTasks())
      tasks.push_back(describeTask(task));
    StringRef name = getProgramName(schedule.getProgram());
    programs.push_back(json::Object{{"program", name},
                                    {"runs", getRuns(plan, name)},
                                    {"tasks", std::move(tasks)}});
  }
  return write(std::move(programs));
}

/// `uneven`: the seconds with jitter, 0 without it.
static llvm::Expected<json::Object> describeStep(const StepTime &step,
                                                 const Machine &machine,
                                                 const Machine::Layout &layout,
                                                 double uneven) {
  auto sums = [](const auto &pairs) {
    json::Object object;
    for (const auto &[name, seconds] : pairs)
      object[name] = seconds;
    return object;
  };
  json::Array waits, programs;
  for (const StepTime::Wait &wait : step.waits)
    waits.push_back(json::Object{{"program", wait.program},
                                 {"task", wait.task},
                                 {"for", wait.forTask},
                                 {"stream", stringifyStream(wait.stream)},
                                 {"seconds", wait.seconds}});
  for (const StepTime::Program &program : step.programs) {
    json::Array tasks;
    for (auto [task, span] :
         llvm::zip_equal(program.schedule.getTasks(), program.timeline.spans)) {
      json::Object one = describeTask(task);
      one["begin"] = span.begin;
      one["end"] = span.end;
      one["alone"] = span.alone;
      tasks.push_back(std::move(one));
    }
    auto memory = describeMemory(program);
    if (!memory)
      return memory.takeError();
    json::Array path;
    for (unsigned task : program.timeline.getCriticalPath())
      path.push_back(task);
    programs.push_back(
        json::Object{{"program", getProgramName(program.schedule.getProgram())},
                     {"runs", program.runs},
                     {"seconds", program.timeline.seconds},
                     {"critical_path", std::move(path)},
                     {"memory", std::move(*memory)},
                     {"tasks", std::move(tasks)}});
  }
  json::Object all{{"simulated", true},
                   {"machine", machine.name},
                   {"ranks", layout.ranks},
                   {"threads", layout.threads},
                   {"step_seconds", step.seconds},
                   {"error", layout.error},
                   {"beside_programs", step.beside},
                   {"uneven", step.uneven},
                   {"bound_seconds", step.bound},
                   {"by_stream", sums(step.byStream)},
                   {"by_kind", sums(step.byKind)},
                   {"waited", step.waited},
                   {"waits", std::move(waits)},
                   {"programs", std::move(programs)}};
  if (uneven > 0)
    all["step_seconds_with_jitter"] = uneven;
  return all;
}

llvm::Expected<Machine> zero::readMachine(StringRef file, ModuleOp module) {
  auto machine = Machine::read(file);
  if (!machine)
    return machine.takeError();
  auto target = module->getAttrOfType<TargetAttr>(kTargetAttr);
  const StringRef runsOn = target ? target.getName() : "cpu";
  if (runsOn == machine->target)
    return machine;
  return llvm::createStringError(
      file + " is of a machine for --target=" + machine->target +
      ", and the plan is for " + runsOn + "; add --target=" + machine->target +
      " or take another machine");
}

llvm::Expected<Prediction> zero::predict(ModuleOp plan, const Machine &machine,
                                         const SimulateRequest &request) {
  const int64_t ranks = getNumRanks(plan);
  auto found = machine.find(ranks, request.threads);
  if (!found)
    return found.takeError();
  Machine::Layout layout = **found;
  layout.network = double(request.network);
  if (machine.target != "cpu") {
    layout.ranks = ranks; // not the most that it is for
    // Links between members are those of so many ranks.
    if (int64_t members = getGroupSize(plan)) {
      auto near = machine.find(members, request.threads);
      if (!near)
        return near.takeError();
      for (const auto &[kind, seconds] : (*near)->seconds)
        if (StringRef link = kind; link.consume_back(".byte"))
          layout.seconds[(link + kMemberByte).str()] = seconds;
    }
  }
  auto step = predictStep(plan, machine, layout);
  if (!step)
    return step.takeError();
  return Prediction{std::move(layout), std::move(*step)};
}

llvm::Expected<Certificate::Time>
zero::predictTime(ModuleOp plan, const SimulateRequest &request) {
  auto machine = readMachine(request.machine, plan);
  if (!machine)
    return machine.takeError();
  auto predicted = predict(plan, *machine, request);
  if (!predicted)
    return predicted.takeError();
  const double seconds = predicted->step.seconds,
               ofRanks = double(getNumRanks(plan)) * seconds;
  return Certificate::Time{machine->name, seconds, predicted->layout.error,
                           ofRanks * machine->watts,
                           ofRanks / 3600 * machine->dollarsPerHour};
}

llvm::Error zero::simulatePlan(ModuleOp plan, const SimulateRequest &request,
                               StringRef model, StringRef output) {
  auto machine = readMachine(request.machine, plan);
  if (!machine)
    return machine.takeError();
  if (request.listWork) {
    auto text = listWork(plan, *machine);
    return text ? frontend::writeOutput(output, *text) : text.takeError();
  }
  auto predicted = predict(plan, *machine, request);
  if (!predicted)
    return predicted.takeError();
  const auto &[layout, step] = *predicted;
  if (!request.trace.empty())
    if (llvm::Error error =
            frontend::writeOutput(request.trace + ".0.jsonl", traceStep(step)))
      return error;
  const int64_t ranks = getNumRanks(plan);
  const double uneven =
      request.jitter.isAny() ? getSecondsWith(step, ranks, request.jitter) : 0;
  if (request.isJson) {
    auto all = describeStep(step, *machine, layout, uneven);
    if (!all)
      return all.takeError();
    (*all)["model"] = json::fixUTF8(llvm::sys::path::filename(model));
    (*all)["options"] = json::fixUTF8(getPlanOptions(plan));
    return frontend::writeOutput(output, write(std::move(*all)));
  }
  std::string text = printStepTime(step, *machine, layout);
  if (request.jitter.isAny())
    text += llvm::formatv(
        "  {0:f2} ms, {1:f1} % more, on {2} ranks with jitter of {3} and a "
        "straggler of {4} (seed {5})\n",
        1e3 * uneven, step.seconds > 0 ? 100 * (uneven / step.seconds - 1) : 0,
        ranks, request.jitter.mean, request.jitter.straggler,
        request.jitter.seed);
  return frontend::writeOutput(output, text);
}
