//===- Feed.h - Fills the inputs of a plan ----------------------*- C++ -*-===//
//
// "tokens" and "targets" come from --data, which is text: targets are the same
// text one token later, or the ignored value where a token ends a document.
// All other inputs come from files of samples, and so do these two if --input
// names them, or if --data is such a file itself, with a tensor of the name of
// each input.  A batch takes the same samples in all inputs: sequence i of the
// text belongs to sample i of each file.  SampleMix defines the order of
// samples.
//
// "dropout" gets a key for each sequence: of the seed and of its position in
// the run, or 0 (no dropout) in evaluations.
//
//===----------------------------------------------------------------------===//
#pragma once

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

/// The inputs of the first micro-step of `plan` that samples fill: no scalars,
/// no keys of dropout, and no input that only prefill and decode read.
std::vector<const zrt_input *> fedInputs(const zrt_plan &plan);

/// The samples that a step of `plan` reads: of all ranks and micro-steps.
uint64_t samplesPerStep(const zrt_plan &plan);

class Feed {
public:
  /// Opens the files.  Throws zrt::Error for a file that does not fit, or whose
  /// number of samples differs from the others'; and, in files of up to 256
  /// MiB, for a value that the input must not hold.
  Feed(const zrt_plan &plan, const TrainOptions &options);

  /// Writes the inputs of micro-step `micro` of a program (0 if the program has
  /// one micro-step).  Returns a hash of them and of `before`.  Throws
  /// zrt::Error as above, that begins with `where`.
  uint64_t write(zrt_context *ctx, const BatchPlace &place, uint32_t micro,
                 const std::string &where, uint64_t before = 0) const;

  /// A line for each file, and for each source of --data-weights.
  std::string text() const;
  /// With --data-weights, a line for each source: how many of the first
  /// `positions` sequences of the run come from it.
  std::string mixText(uint64_t positions) const;
  /// The format of the tokens of --data; "" without --data.
  std::string format() const { return data ? data->format() : ""; }
  /// The unit of rates: "tokens", or "samples" of a model that reads none.
  const char *unit() const { return length ? "tokens" : "samples"; }
  /// Whether the targets are tokens of a text, and not labels or answers.
  bool isOfText() const;
  /// Samples per micro-step of a rank.
  uint64_t samplesPerBatch() const { return batch; }
  /// The number of samples in the data.
  uint64_t samples() const { return order.samples(); }
  /// The number of units in a sample (see unit()).
  uint64_t unitsPerSample() const { return length.value_or(1); }

private:
  struct Source {
    const zrt_input *input;                 ///< of the first micro-step
    std::vector<zrt_ref> refs;              ///< one per micro-step of a program
    std::unique_ptr<const SampleFile> file; ///< nullptr: text of --data,
    uint64_t later = 0;                     ///< shifted by so many tokens
  };

  /// The weight and samples of each source; without --data-weights, one source
  /// of all `samples`.
  std::vector<SampleMix::Source> sourcesOf(uint64_t samples) const;
  /// The number of samples, which all sources must share.
  uint64_t checkSamples() const;
  void checkValues();
  void read(const Source &source, uint64_t sample, std::byte *to) const;

  std::vector<Source> sources;
  std::unique_ptr<const TokenFiles> data; ///< nullptr: no input needs it
  std::vector<zrt_ref> keys;              ///< of dropout, one per micro-step
  std::optional<uint64_t> keySeed;        ///< not of evaluations
  uint64_t batch = 1;
  std::optional<uint64_t> length;          ///< tokens of a sample
  std::optional<int64_t> separator;        ///< set if there are targets to mask
  std::optional<uint64_t> masked;          ///< masked targets, if counted
  std::vector<DataSource> mixed;           ///< with --data-weights
  SampleMix order{{{1, 1}}, std::nullopt}; ///< set when samples are counted
};

} // namespace zrt
