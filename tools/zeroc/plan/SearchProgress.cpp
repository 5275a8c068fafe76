//===- SearchProgress.cpp - Says which plan a search makes ----------------===//

#include "tools/zeroc/plan/SearchProgress.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::zero;
using namespace std::chrono_literals;
using llvm::sys::Process;

void SearchProgress::clear() const {
  if (plan && Process::StandardErrIsDisplayed())
    llvm::errs() << "\r\033[K";
}

void SearchProgress::next() {
  ++plan;
  const bool isTerminal = Process::StandardErrIsDisplayed();
  const Clock::time_point now = Clock::now();
  if (!isTerminal && now - shown < 10s)
    return;
  shown = now;
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now - begun).count();
  const std::string text =
      llvm::formatv("zeroc: plan {0} of the search, {1} s", plan, seconds);
  if (isTerminal)
    llvm::errs() << '\r' << text << "\033[K";
  else
    llvm::errs() << text << '\n';
}
