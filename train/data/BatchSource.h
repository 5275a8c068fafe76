//===- BatchSource.h - Feeds batches to a plan ------------------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "train/state/io/TokenData.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zrt {

/// The inputs of the first micro-step of `plan` that samples fill: no scalars,
/// no keys of dropout, and no input that only prefill and decode read.
std::vector<const zrt_input *> fedInputs(const zrt_plan &plan);

/// The samples that a step of `plan` reads: of all ranks and micro-steps.
uint64_t samplesPerStep(const zrt_plan &plan);

/// Whether `input` is `name`: tokens or targets, in rows of integers.
bool isText(const zrt_input &input, std::string_view name);

/// "i32 of 4 x 64".
std::string typeText(const zrt_input &input);

/// Fills the inputs of a plan, with samples that a subclass has.  "dropout"
/// gets a key for each sample: of the seed and of its position in the run, or 0
/// (no dropout) without a seed.
class BatchSource {
public:
  virtual ~BatchSource() = default;

  /// Writes the inputs of micro-step `micro` of a program (0 if the program has
  /// one micro-step).  Returns a hash of them and of `before`.  Throws
  /// zrt::Error that begins with `where`.
  uint64_t write(zrt_context *ctx, const BatchPlace &place, uint32_t micro,
                 const std::string &where, uint64_t before = 0) const;

  /// A line for each file or other source.
  virtual std::string text() const = 0;
  /// With --data-weights, a line for each source: how many of the first
  /// `positions` sequences of the run come from it.
  virtual std::string mixText(uint64_t positions) const = 0;
  /// The format of the tokens of --data; "" without --data.
  virtual std::string format() const = 0;
  /// The number of samples in the data; UINT64_MAX if it is open.
  virtual uint64_t samples() const = 0;

  /// The unit of rates: "tokens", or "samples" of a model that reads none.
  const char *unit() const { return length ? "tokens" : "samples"; }
  /// Whether the targets are tokens of a text, and not labels or answers.
  bool isOfText() const;
  /// Samples per micro-step of a rank.
  uint64_t samplesPerBatch() const { return batch; }
  /// The number of units in a sample (see unit()).
  uint64_t unitsPerSample() const { return length.value_or(1); }

protected:
  /// Throws zrt::Error for inputs that cannot be fed.
  BatchSource(const zrt_plan &plan, std::optional<uint64_t> keySeed);

  /// Writes row `row` of the batch at `place` of an input, one of inputs().
  virtual void read(size_t input, const BatchPlace &place, uint64_t row,
                    std::byte *to) const = 0;
  /// Those that samples fill.
  const std::vector<const zrt_input *> &inputs() const { return fed; }

private:
  std::vector<const zrt_input *> fed;
  std::vector<std::vector<zrt_ref>> refs; ///< of each, one per micro-step
  std::vector<zrt_ref> keys;              ///< of dropout, one per micro-step
  std::optional<uint64_t> keySeed;
  uint64_t batch = 1;
  std::optional<uint64_t> length; ///< tokens of a sample
};

} // namespace zrt
