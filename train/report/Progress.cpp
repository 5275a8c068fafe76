//===- Progress.cpp - Shows the progress of training ----------------------===//
#include "train/report/Progress.h"

#include "train/report/StandardStreams.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace zrt;

namespace {

constexpr int kBarWidth = 20;
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

std::string lossText(const StepMetrics &m) {
  return fmt::format("loss {:.6f}  lr {:.3e}  ", m.loss, m.lr);
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
  const std::string number =
      next.all > 1 ? fmt::format("micro-batch {}/{}  ", next.done + 1, next.all)
                   : "";
  if (next.done == 0) // a sign of life
    return draw(next.step, number + known);
  const double part = double(next.done) / double(next.all);
  const std::string rate = rateText(
      next.unitsPerStep * part / secondsOf(time - stepStart), next.unit);
  const std::string rest = left(double(next.step) + part);
  if (isBar && time - last >= kRedraw)
    draw(next.step, fmt::format("{}{}  ETA {}  {}", number, rate, rest, known));
  if (isBar || time - last < (hasLine ? kSeldom : kSoon))
    return;
  last = time;
  hasLine = true;
  say("step {}/{}  {}{}  {} left\n", next.step, steps, number, rate, rest);
}

void Progress::afterStep(StepMetrics &m) {
  if (kind == ProgressKind::None)
    return;
  const bool final = m.step + 1 == steps;
  const std::string rate = rateText(m.perSecond, m.unit);
  known = lossText(m);
  if (m.evaluated) {
    finish();
    say("{}\n", evaluationText(*m.evaluated, m.step));
  }
  if (kind == ProgressKind::Lines) {
    if (m.step % every == 0 || m.step == first || final) {
      last = now();
      hasLine = true;
      say("step {}/{}  {}{}{}  {:.1f} ms\n", m.step, steps, known, rate,
          m.gradNorm ? fmt::format("  grad_norm {:.4g}", *m.gradNorm) : "",
          m.milliseconds);
    }
    return;
  }
  if (drawn && !final && now() - last < kRedraw)
    return;
  const int64_t done = m.step + 1;
  draw(done, fmt::format("{}{}  ETA {}", known, rate, left(double(done))));
}

void Progress::draw(int64_t done, const std::string &text) {
  last = now();
  const auto filled = static_cast<size_t>(kBarWidth * done / steps);
  std::string line =
      fmt::format("[{}{}] {}/{}  {}", std::string(filled, '#'),
                  std::string(kBarWidth - filled, '.'), done, steps, text);
  // A line that wraps cannot be drawn over.
  const size_t most = columnsOf(terminal) - 1;
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
