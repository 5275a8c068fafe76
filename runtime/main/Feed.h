//===- Feed.h - What fills the inputs of a plan -----------------*- C++ -*-===//
//
// "tokens" and "targets" come from --data, which is text: targets are the same
// text one token later, or what is ignored where a token ends a document.  Every
// other input, and those too where --input names them, come from files of
// samples.  A batch is made of the same samples in all inputs: sequence i of the
// text goes with sample i of each file.  Their order is SampleMix's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/io/SampleFile.h"
#include "runtime/io/SampleMix.h"
#include "runtime/io/TokenFiles.h"
#include "runtime/main/Options.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zrt {

/// Throws UsageError unless --data and --input are given for the inputs of
/// `plan`, and for nothing else.  Opens no file.
void checkGiven(const zrt_plan &plan, const TrainOptions &options);

/// The inputs of `plan` that samples are for, of the first micro-step: no scalars,
/// and none that the program predict alone reads.
std::vector<const zrt_input *> fedInputs(const zrt_plan &plan);

class Feed {
public:
  /// Opens the files.  Throws zrt::Error for one that does not fit, or has
  /// another number of samples than the others; and, in files of up to 256 MiB,
  /// for a value that an input may not hold.
  Feed(const zrt_plan &plan, const TrainOptions &options);

  /// Writes the inputs of a program's micro-step `micro`: 0 where it has one.
  /// Throws zrt::Error as above.
  void write(zrt_context *ctx, const BatchPlace &place, uint32_t micro) const;

  /// A line for each file, and for each source of --data-weights.
  std::string text() const;
  /// With --data-weights, a line for each source: how many of the first `positions`
  /// sequences of the run are its.
  std::string mixText(uint64_t positions) const;
  /// Of the tokens of --data, "" without.
  std::string format() const { return data ? data->format() : ""; }
  /// What rates count: "tokens" of text, or "samples".
  const char *unit() const { return data ? "tokens" : "samples"; }
  /// Samples that a micro-step of a rank takes.
  uint64_t samplesPerBatch() const { return batch; }
  /// How many there are.
  uint64_t samples() const { return order.samples(); }
  /// How many of those units that is.
  uint64_t perBatch() const;

private:
  struct Source {
    const zrt_input *input;                 ///< of the first micro-step
    std::vector<zrt_ref> refs;              ///< of all that a program has
    std::unique_ptr<const SampleFile> file; ///< nullptr: the text,
    uint64_t later = 0;                     ///< so many tokens later
  };

  /// The samples of each source, of which there are `samples` in all.
  std::vector<SampleMix::Source> sourcesOf(uint64_t samples) const;
  /// How many there are, of all sources alike.
  uint64_t checkSamples() const;
  void checkValues();
  void read(const Source &source, uint64_t sample, std::byte *to) const;

  std::vector<Source> sources;
  std::unique_ptr<const TokenFiles> data; ///< nullptr: no input needs it
  uint64_t batch = 1;
  std::optional<int64_t> separator; ///< where there are targets to mask
  std::optional<uint64_t> masked;   ///< of all targets, if they were counted
  std::vector<DataSource> mixed;    ///< with --data-weights
  SampleMix order{{{1, 1}}, std::nullopt}; ///< once samples are counted
};

} // namespace zrt
