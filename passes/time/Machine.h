//===- Machine.h - The seconds of a unit of work on a machine ---*- C++ -*-===//
//
// A machine file is JSON:
//
//   { "machine": "two cores of Zen 3",
//     "cores": 2, "cache_bytes": 33554432,
//     "seconds": { ... of all layouts ... },
//     "layouts": [
//       { "ranks": 1, "threads": 2, "error": 0.03, "waiting": 0.01,
//         "seconds": { "matmul.f32.flop": 6.1e-12, ... } } ],
//     "sources": { "matmul.f32.flop": "measured" } }
//
// A layout says how many ranks share the machine, and how many threads compute
// for each: contention changes the rates of memory and cores.  On GPUs, which
// ranks do not share, a layout is for up to so many ranks: beyond the GPUs of a
// host, links are slower.  A kind that has no seconds takes those of "*.bf16.a"
// for "matmul.bf16.a", or else of "*.a"; "grouped_matmul.bf16.a" before these
// takes those of "matmul.bf16.a", library_attention those of attention, and
// all_to_all, which reads from peers as a gather does, those of all_gather.
// `zeroc calibrate` writes files of measured machines; those of published ones
// are in machines/.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Work.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <vector>

namespace mlir::zero {

struct Machine {
  struct Layout {
    int64_t ranks = 1, threads = 1;
    /// The mean relative error of an operation's time in calibration.
    double error = 0;
    /// The part by which steps took longer in calibration than their operations
    /// say: ranks are not equally fast at any time, and wait for each other.
    double waiting = 0;
    /// Seconds of a unit of work, by kind (Work.h); "step.call" is what a step
    /// takes beside its programs, and "network.byte" what a byte from another
    /// host takes of a core; 0 if the file does not say it.
    std::map<std::string, double> seconds;
    /// Bytes a second of each rank's link to ranks of other hosts; 0:
    /// collectives stay on the host, and take the seconds of their kinds.
    double network = 0;

    /// The seconds of a unit of this kind, if the file says them.
    std::optional<double> find(StringRef kind) const;
    /// The same on this host.
    std::optional<double> findHere(StringRef kind) const;
    /// The part of a core that a collective over the network takes.
    double coreOfNetwork() const;
  };

  std::string file, name;
  /// "cpu" or "cuda".
  std::string target = "cpu";
  int64_t cores = 1, cacheBytes = 0;
  /// Of a device's memory; 0 if the file does not say it.
  int64_t deviceBytes = 0;
  std::vector<Layout> layouts;
  /// Of a rank, if the file has them.
  double watts = 0, dollarsPerHour = 0;

  /// Errors name the file and what is wrong with it.
  static llvm::Expected<Machine> read(StringRef path);

  /// The layout for so many ranks of so many threads; threads of 0 are those
  /// that a rank gets by default.  An error if the file has none.
  llvm::Expected<const Layout *> find(int64_t ranks, int64_t threads) const;
};

/// The seconds that `work` takes alone; an error names work that the machine
/// has no time for.
llvm::Expected<double> getSeconds(const Machine::Layout &layout,
                                  const Work &work, StringRef file);

} // namespace mlir::zero
