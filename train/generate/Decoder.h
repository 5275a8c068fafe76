//===- Decoder.h - A model that keeps what it has read ----------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace zrt {

/// Slots of sequences whose keys and values, or states, are kept.
///
/// A run reads the next tokens of some slots: of slot s, `count[s]` tokens at
/// the positions from `begin[s]` on.  Slots with count 0 change nothing.  What
/// a slot keeps at positions below begin[s] must come from runs before; what it
/// keeps beyond begin[s] + count[s] is not read.  A slot may go back as far as
/// resume() says.  All tokens of a run attend to positions from `starts[s]` on.
///
///   tokens [slots][chunk]   slot 0 | 5 6 7 . |  begin 0, count 3, starts 0
///                           slot 1 | . . . . |  count 0
///                           slot 2 | 9 . . . |  begin 8, count 1, starts 0
///
/// The logits of slot s are those after its last token of the run, the same
/// bits whatever the other slots hold and however its tokens were cut into
/// runs.  Those of a slot with count 0 are unspecified.
class Decoder {
public:
  virtual ~Decoder() = default;
  virtual size_t slots() const = 0;
  /// The most tokens of a slot.
  virtual size_t positions() const = 0;
  /// The most tokens of a slot in a run of prefill.
  virtual size_t chunk() const = 0;
  /// The logits of a slot.
  virtual size_t vocabulary() const = 0;
  /// Tokens that a sequence may hold are below this.
  virtual size_t tokenBound() const = 0;
  /// The token that ends a document, if attention stays in documents: `starts`
  /// is then where the document of all tokens of the run begins.
  virtual std::optional<int32_t> separator() const = 0;
  /// If states are kept, a slot may go back to the last multiple of this, or to
  /// its beginning; 0: to any position.
  virtual size_t keptEvery() const = 0;
  /// Where a slot that has read `held` tokens goes on to read those from `at`
  /// on, up to `held`: there, or at its beginning.
  size_t resume(size_t held, size_t at) const;
  /// Where the document of token `at` of `text` begins; 0 without documents.
  size_t documentOf(std::span<const int32_t> text, size_t at) const;
  /// How many tokens of `text` from `at` on, up to `most`, are of one document:
  /// a run can read them.
  size_t runOf(std::span<const int32_t> text, size_t at, size_t most) const;

  /// `tokens` is [slots][chunk], the others [slots]; returns [slots]
  /// [vocabulary], valid until the next run.  Throws zrt::Error.
  virtual std::span<const float> prefill(std::span<const int32_t> tokens,
                                         std::span<const int32_t> begin,
                                         std::span<const int32_t> count,
                                         std::span<const int32_t> starts) = 0;
  /// The same for one token, or none, of each slot: `tokens` is [slots].
  virtual std::span<const float> decode(std::span<const int32_t> tokens,
                                        std::span<const int32_t> begin,
                                        std::span<const int32_t> count,
                                        std::span<const int32_t> starts) = 0;
};

} // namespace zrt
