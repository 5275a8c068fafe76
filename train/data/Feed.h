//===- Feed.h - Fills the inputs of a plan ----------------------*- C++ -*-===//
//
// "tokens" and "targets" come from --data, which is text: targets are the same
// text one token later, or the ignored value where a token ends a document.
// All other inputs come from files of samples, and so do these two if --input
// names them, or if --data is such a file itself, with a tensor of the name of
// each input.  A batch takes the same samples in all inputs: sequence i of the
// text belongs to sample i of each file.  SampleMix defines the order of
// samples.  In evaluations there is no dropout.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/data/BatchSource.h"
#include "train/options/Options.h"
#include "train/state/io/SampleFile.h"
#include "train/state/io/SampleMix.h"
#include "train/state/io/TokenFiles.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zrt {

/// Throws UsageError unless --data and --input cover exactly the inputs of
/// `plan`.  Opens no file.
void checkGiven(const zrt_plan &plan, const TrainOptions &options);

class Feed final : public BatchSource {
public:
  /// Opens the files.  Throws zrt::Error for a file that does not fit, or whose
  /// number of samples differs from the others'; and, in files of up to 256
  /// MiB, for a value that the input must not hold.
  Feed(const zrt_plan &plan, const TrainOptions &options);

  std::string text() const override;
  std::string mixText(uint64_t positions) const override;
  std::string format() const override { return data ? data->format() : ""; }
  uint64_t samples() const override { return order.samples(); }

private:
  struct Source {
    const zrt_input *input;                 ///< of the first micro-step
    std::unique_ptr<const SampleFile> file; ///< nullptr: text of --data,
    uint64_t later = 0;                     ///< shifted by so many tokens
  };

  /// The weight and samples of each source; without --data-weights, one source
  /// of all `samples`.
  std::vector<SampleMix::Source> sourcesOf(uint64_t samples) const;
  /// The number of samples, which all sources must share.
  uint64_t checkSamples() const;
  void checkValues();
  void read(size_t input, const BatchPlace &place, uint64_t row,
            std::byte *to) const override;

  std::vector<Source> sources;
  std::unique_ptr<const TokenFiles> data;  ///< nullptr: no input needs it
  std::optional<int64_t> separator;        ///< set if there are targets to mask
  std::optional<uint64_t> masked;          ///< masked targets, if counted
  std::vector<DataSource> mixed;           ///< with --data-weights
  SampleMix order{{{1, 1}}, std::nullopt}; ///< set when samples are counted
};

} // namespace zrt
