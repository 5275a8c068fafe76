//===- Digests.h - Writes and compares the digests of a run -----*- C++ -*-===//
//
// With --digest the checksums of all ranks are gathered after each step, and
// rank 0 writes them.  With --against they are compared with those that another
// run has written, as its ranks would have had them: the run has as many ranks,
// or it is on one rank, whose micro-steps are the other run's ranks (docs/
// digests.md).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/plan/RankGroups.h"
#include "train/options/Options.h"
#include "train/report/DigestFile.h"
#include "train/report/Logs.h"
#include "train/report/StepHook.h"
#include "train/run/Run.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace zrt {

class Digests : public StepHook {
public:
  /// Reads what --against has of its run.  Throws zrt::Error if this plan
  /// cannot repeat it.
  Digests(Run &run, Logs &logs);

  /// zrt_setup.digest_ranks.
  uint32_t ranks() const { return groups ? groups->ranks : 0; }
  /// The header of this run, which begins with step `first`; null without
  /// --digest.
  nlohmann::json header(int64_t first) const;
  /// Throws zrt::Error unless --against has the steps [first, end), undamaged.
  void checkSteps(int64_t first, int64_t end) const;

  /// Gathers the checksums of all ranks, and writes them; a difference from
  /// --against ends the run.
  void afterStep(StepMetrics &step) override;
  bool isCompared() const { return other != nullptr; }
  /// The first difference from --against; "" if there is none yet.
  const std::string &difference() const { return different; }
  /// "steps 3 to 9 agree: ..." of the steps that this run has made.
  std::string agreement() const;

private:
  void gather(int64_t step);
  void checkOther(const nlohmann::json &mine) const;
  Checksums sumsOf(const std::vector<uint64_t> &all, uint32_t bucket,
                   uint32_t rank) const;
  void compare(int64_t step);
  /// A rank and a bucket, by its number among those that are trained.
  struct Place {
    uint32_t rank;
    size_t bucket;
  };
  std::string bucketText(size_t number) const;
  /// Describes what differs first, in a step in which `ranks` ranks differ so;
  /// `isBegin` if that is the first that is compared.
  std::string differenceText(uint32_t what, const Place &first, size_t ranks,
                             bool isBegin) const;

  Run &run;
  Logs &logs;
  const zrt_plan &plan;
  const TrainOptions &options;
  nlohmann::json description;
  std::unique_ptr<const DigestFile> other; ///< of --against
  std::vector<uint32_t> trained;           ///< buckets, in the file's order
  /// With --against: these, in the order in which their gradients are ready.
  std::vector<uint32_t> ready;
  /// Of the run that has the ranks; null without digests.  Stage 0 updates
  /// whole buckets.
  std::unique_ptr<const RankGroups> groups;
  uint32_t stage = 0;
  bool hasBegun = false; ///< to compare steps
  std::vector<Checksums> sums;
  std::string different;
};

} // namespace zrt
