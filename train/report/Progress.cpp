//===- Progress.cpp - Shows the progress of training ----------------------===//
#include "train/report/Progress.h"

#include "train/report/StandardStreams.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace zrt;

namespace {

/// Of the bar in terminals of kWide columns or more, and in narrower ones.
constexpr size_t kBarWidth = 20, kShortBar = 10, kWide = 100;
constexpr auto kRedraw = std::chrono::milliseconds(100);
/// A line within a step comes when none has come for so long: the first one
/// soon, as a sign of life.
constexpr auto kSoon = std::chrono::seconds(3),
               kSeldom = std::chrono::seconds(30);

std::string duration(double seconds) {
  const auto s = std::lround(seconds);
  if (s < 3600)
    return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string rateText(double perSecond, std::string_view unit) {
  return fmt::format("{:.0f} {}/s", perSecond, unit == "tokens" ? "tok" : unit);
}

std::vector<std::string> lossFields(const StepMetrics &m) {
  return {fmt::format("loss {:.6f}", m.loss), fmt::format("lr {:.3e}", m.lr)};
}

double secondsOf(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

/// The descriptor of the terminal that shows the output of `stream`; -1 if it
/// goes to a file or a pipe.  Open MPI gives its ranks terminals of its own and
/// forwards their output, so this looks for the terminal of mpirun.
int watchedTerminal(int stream) {
  if (isatty(stream) != 1)
    return -1;
  if (!std::getenv("OMPI_COMM_WORLD_RANK"))
    return stream;
  // The parent is mpirun or, on other hosts, a daemon without a terminal.
  const std::string path = fmt::format("/proc/{}/fd/{}", getppid(), stream);
  struct stat info = {};
  // Opening a pipe could block.
  if (stat(path.c_str(), &info) != 0 || !S_ISCHR(info.st_mode))
    return -1;
  const int outer = open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (outer >= 0 && isatty(outer) == 1)
    return outer;
  if (outer >= 0)
    close(outer);
  return -1;
}

/// The current width of a terminal; 80 if unknown, or for -1.
size_t columnsOf(int terminal) {
  winsize size = {};
  if (terminal >= 0 && ioctl(terminal, TIOCGWINSZ, &size) == 0 &&
      size.ws_col > 0)
    return size.ws_col;
  return 80;
}

} // namespace

std::string zrt::evaluationText(const EvalMetrics &m, int64_t step) {
  std::string text = fmt::format("evaluation {} step {}: loss {:.6f}",
                                 step < 0 ? "before" : "after",
                                 std::max<int64_t>(step, 0), m.loss);
  if (m.isOfText)
    text += fmt::format(", perplexity {:.4g}", std::exp(m.loss));
  for (const auto &[name, value] : m.measures)
    text += fmt::format(", {} {:.4g}", name, value);
  return text + fmt::format(", in {:.1f} ms", m.milliseconds);
}

PassingLine::PassingLine(const std::string &text, ProgressKind kind) {
  if (kind != ProgressKind::Auto && kind != ProgressKind::Bar)
    return;
  const int terminal = watchedTerminal(sayingTo());
  isShown = terminal >= 0;
  if (terminal > STDERR_FILENO)
    close(terminal);
  // A warning meanwhile is printed over it.
  if (isShown)
    say("{}\r", text);
}

PassingLine::~PassingLine() {
  if (isShown)
    sayText("\x1b[K");
}

Progress::Progress(int64_t aFirst, int64_t aSteps, ProgressKind aKind,
                   std::function<Clock::time_point()> aNow)
    : now(std::move(aNow)), first(aFirst), steps(aSteps), kind(aKind),
      terminal(kind == ProgressKind::Auto || kind == ProgressKind::Bar
                   ? watchedTerminal(sayingTo())
                   : -1),
      every(std::max<int64_t>(1, (aSteps + 19) / 20)), start(now()),
      stepStart(start), last(start) {
  if (kind == ProgressKind::Auto)
    kind = terminal >= 0 ? ProgressKind::Bar : ProgressKind::Lines;
}

Progress::~Progress() {
  finish();
  if (terminal > STDERR_FILENO)
    close(terminal);
}

std::string Progress::left(double done) const {
  return duration(secondsOf(now() - start) / (done - double(first)) *
                  (double(steps) - done));
}

void Progress::beforeMicroStep(const MicroStep &next) {
  const auto time = now();
  if (next.done == 0)
    stepStart = time;
  const bool isBar = kind == ProgressKind::Bar;
  if (kind == ProgressKind::None || (next.done == 0 && (drawn || !isBar)))
    return;
  std::vector<std::string> fields;
  if (next.all > 1)
    fields.push_back(fmt::format("micro-batch {}/{}", next.done + 1, next.all));
  if (next.done > 0) {
    const double part = double(next.done) / double(next.all);
    fields.push_back(rateText(
        next.unitsPerStep * part / secondsOf(time - stepStart), next.unit));
    const std::string rest = left(double(next.step) + part);
    fields.push_back(isBar ? "ETA " + rest : rest + " left");
  }
  if (isBar) {
    // The first one is a sign of life.
    if (next.done > 0 && time - last < kRedraw)
      return;
    fields.insert(fields.end(), known.begin(), known.end());
    return draw(next.step, fields);
  }
  if (time - last < (hasLine ? kSeldom : kSoon))
    return;
  last = time;
  hasLine = true;
  say("step {}/{}  {}\n", next.step, steps, fmt::join(fields, "  "));
}

void Progress::afterStep(StepMetrics &m) {
  if (kind == ProgressKind::None)
    return;
  const bool final = m.step + 1 == steps;
  const std::string rate = rateText(m.perSecond, m.unit);
  known = lossFields(m);
  if (m.evaluated) {
    finish();
    say("{}\n", evaluationText(*m.evaluated, m.step));
  }
  if (kind == ProgressKind::Lines) {
    if (m.step % every == 0 || m.step == first || final) {
      last = now();
      hasLine = true;
      say("step {}/{}  {}  {}{}  {:.1f} ms\n", m.step, steps,
          fmt::join(known, "  "), rate,
          m.gradNorm ? fmt::format("  grad_norm {:.4g}", *m.gradNorm) : "",
          m.milliseconds);
    }
    return;
  }
  if (drawn && !final && now() - last < kRedraw)
    return;
  const int64_t done = m.step + 1;
  std::vector<std::string> fields = known;
  fields.push_back(rate);
  fields.push_back("ETA " + left(double(done)));
  draw(done, fields);
}

void Progress::draw(int64_t done, const std::vector<std::string> &fields) {
  last = now();
  const size_t columns = columnsOf(terminal), most = columns - 1;
  const size_t width = columns < kWide ? kShortBar : kBarWidth;
  const size_t filled = width * size_t(done) / size_t(steps);
  std::string line = fmt::format("[{}{}] {}/{}", std::string(filled, '#'),
                                 std::string(width - filled, '.'), done, steps);
  // A line that wraps cannot be drawn over, and a number that is cut would be
  // read as another one.
  for (const std::string &field : fields) {
    if (line.size() + 2 + field.size() > most)
      break;
    line += "  " + field;
  }
  line.resize(std::min(line.size(), most));
  const size_t size = line.size();
  line.resize(std::max(size, std::min(drawn, most)), ' ');
  drawn = size;
  say("\r{}", line);
}

void Progress::finish() {
  if (!drawn)
    return;
  drawn = 0;
  sayText("\n");
}
