//===- Engine.h - Answers requests with a model's slots ---------*- C++ -*-===//
//
// Requests take turns on the slots of a Decoder.  In each round one program
// runs, for all slots that have something to read:
//
//   waiting  | D E
//   slot 0   | A A A A A       a prompt is read in chunks (prefill) while the
//   slot 1   | B B B           others rest; then each slot reads the token that
//   slot 2   | C               it has drawn last (decode)
//
// A slot whose request has ended takes the next one in the round after.  It
// keeps what the ended one read, and a request that begins with the same tokens
// goes on from there: another turn of a chat reads only what is new.  A state
// cannot be cut short, so that a slot with states goes on only where it can go
// back to (Decoder::resume).
//
// Ranks that share parameters have an engine each, and run the same program in
// a round: one that some of them need.  A slot that it is not for rests.
//
// An answer depends on its request alone, since a draw depends on the logits,
// which no other slot changes, and on (seed, sample, position).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/generate/Decoder.h"
#include "train/generate/Draw.h"

#include <cstdint>
#include <deque>
#include <variant>
#include <vector>

namespace zrt {

struct Request {
  uint64_t id = 0; ///< no other request that has not ended has it
  /// 1 to Decoder::positions() tokens, below Decoder::tokenBound().
  std::vector<int32_t> ids;
  uint64_t seed = 0, sample = 0; ///< of the draws
  DrawOptions draw;
  uint64_t most = UINT64_MAX; ///< tokens of the answer, 1 or more
};

/// The program of a round; of several that ranks need, the last comes first.
enum class Round : uint8_t { None, Decode, Prefill };

/// Why an answer ends: with a token that ends texts (which is not part of the
/// answer), with the requested number of tokens, because stop() was called,
/// because prompt and answer fill the model's positions, or because logits are
/// not finite.
enum class End : uint8_t { Token, Length, Stop, Full, Nonfinite };

/// "token", "length", "stop", "full", "nonfinite".
const char *nameOf(End end);

/// A token of the answer of `id`, or its end.
struct Event {
  uint64_t id;
  std::variant<int32_t, End> what;
  bool operator==(const Event &) const = default;
};

class Engine {
public:
  /// `endIds` are the tokens that end a text; with `tellsEnd` they are events,
  /// too.  What `decoder` keeps at first is not used; no one else may run it
  /// while the engine lives.
  Engine(Decoder &decoder, std::vector<int32_t> endIds, bool tellsEnd = false);

  /// Appends a request to those that wait.
  void add(Request request);
  /// Ends a request, waiting or not; nothing happens if there is none.
  void stop(uint64_t id);
  bool has(uint64_t id) const;
  /// The number of requests that have no slot yet.
  size_t waiting() const { return queue.size(); }
  /// Whether all requests have ended.
  bool isIdle() const;
  /// Gives free slots to requests that wait; returns what they need then.
  Round next();
  /// Runs the program of a round, for the slots that it is for, or for none.
  /// Throws zrt::Error.
  void run(Round kind);
  /// Runs one program for the requests that have not ended, if there are any.
  /// Throws zrt::Error.
  void round() { run(next()); }
  /// What has happened since the last call, in the order of each request.
  std::vector<Event> takeEvents();

private:
  struct Slot {
    bool isFree = true;
    Request request;
    std::vector<int32_t> text; ///< prompt and answer
    size_t held = 0;           ///< of `text`, the tokens that it has read
    uint64_t usedIn = 0;       ///< the last round in which it was not free
    size_t left() const { return isFree ? 0 : text.size() - held; }
  };

  void assign();
  /// How many tokens of the beginning of `ids` a free slot need not read again.
  /// The last token is read, for its logits.
  size_t usable(const Slot &slot, const std::vector<int32_t> &ids) const;
  Slot &bestFor(const std::vector<int32_t> &ids);
  /// Draws a token of a slot that has read all of its text.
  void extend(Slot &slot, std::span<const float> logits);
  void end(Slot &slot, End reason);

  Decoder &decoder;
  const std::vector<int32_t> endIds;
  const bool tellsEnd;
  std::vector<Slot> slots;
  std::deque<Request> queue;
  std::vector<Event> events;
  uint64_t rounds = 0;
};

} // namespace zrt
