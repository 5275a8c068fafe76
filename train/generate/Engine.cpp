//===- Engine.cpp - Answers requests with a model's slots -----------------===//
#include "train/generate/Engine.h"

#include <algorithm>
#include <utility>

using namespace zrt;

const char *zrt::nameOf(End end) {
  switch (end) {
  case End::Token:
    return "token";
  case End::Length:
    return "length";
  case End::Stop:
    return "stop";
  case End::Full:
    return "full";
  case End::Nonfinite:
    return "nonfinite";
  }
  return "?";
}

Engine::Engine(Decoder &decoder, std::vector<int32_t> endIds, bool tellsEnd)
    : decoder(decoder), endIds(std::move(endIds)), tellsEnd(tellsEnd),
      slots(decoder.slots()) {}

void Engine::add(Request request) {
  // Without a position for an answer, nothing is to be read.
  if (request.ids.size() >= decoder.positions())
    events.push_back({request.id, End::Full});
  else
    queue.push_back(std::move(request));
}

void Engine::stop(uint64_t id) {
  const auto waits = std::ranges::find(queue, id, &Request::id);
  if (waits != queue.end()) {
    queue.erase(waits);
    events.push_back({id, End::Stop});
    return;
  }
  for (Slot &slot : slots)
    if (!slot.isFree && slot.request.id == id)
      end(slot, End::Stop);
}

bool Engine::has(uint64_t id) const {
  return std::ranges::find(queue, id, &Request::id) != queue.end() ||
         std::ranges::any_of(slots, [&](const Slot &slot) {
           return !slot.isFree && slot.request.id == id;
         });
}

bool Engine::isIdle() const {
  return queue.empty() && std::ranges::all_of(slots, &Slot::isFree);
}

std::vector<Event> Engine::takeEvents() { return std::exchange(events, {}); }

void Engine::end(Slot &slot, End reason) {
  slot.isFree = true;
  slot.text.resize(slot.held);
  events.push_back({slot.request.id, reason});
}

namespace {

/// The number of tokens that both begin with.
size_t commonLength(const std::vector<int32_t> &a,
                    const std::vector<int32_t> &b) {
  return size_t(std::ranges::mismatch(a, b).in1 - a.begin());
}

} // namespace

size_t Engine::usable(const Slot &slot, const std::vector<int32_t> &ids) const {
  return decoder.resume(slot.held,
                        std::min(commonLength(slot.text, ids), ids.size() - 1));
}

/// The free slot of which most can be used; of equal ones the one that was used
/// longest ago.
Engine::Slot &Engine::bestFor(const std::vector<int32_t> &ids) {
  Slot *best = nullptr;
  size_t most = 0;
  for (Slot &slot : slots) {
    if (!slot.isFree)
      continue;
    const size_t some = usable(slot, ids);
    if (!best || some > most || (some == most && slot.usedIn < best->usedIn)) {
      best = &slot;
      most = some;
    }
  }
  return *best;
}

void Engine::assign() {
  auto count = size_t(std::ranges::count_if(slots, &Slot::isFree));
  for (; count > 0 && !queue.empty(); --count) {
    Slot &slot = bestFor(queue.front().ids);
    slot.request = std::move(queue.front());
    queue.pop_front();
    slot.held = usable(slot, slot.request.ids);
    slot.text = slot.request.ids;
    slot.isFree = false;
  }
}

Round Engine::next() {
  assign();
  size_t most = 0;
  for (const Slot &slot : slots)
    most = std::max(most, slot.left());
  return most > 1 ? Round::Prefill : most == 1 ? Round::Decode : Round::None;
}

void Engine::run(Round kind) {
  if (kind == Round::None)
    return;
  ++rounds;
  const bool isPrompt = kind == Round::Prefill;
  const size_t width = isPrompt ? decoder.chunk() : 1;
  std::vector<int32_t> tokens(slots.size() * width), begin(slots.size()),
      count(slots.size()), starts(slots.size());
  for (size_t s = 0; s < slots.size(); ++s) {
    const Slot &slot = slots[s];
    if (slot.left() == 0 || isPrompt != (slot.left() > 1))
      continue;
    const size_t next = decoder.runOf(slot.text, slot.held, width);
    std::copy_n(slot.text.begin() + long(slot.held), next,
                tokens.begin() + long(s * width));
    begin[s] = int32_t(slot.held);
    count[s] = int32_t(next);
    starts[s] = int32_t(decoder.documentOf(slot.text, slot.held));
  }
  const std::span<const float> logits =
      isPrompt ? decoder.prefill(tokens, begin, count, starts)
               : decoder.decode(tokens, begin, count, starts);
  for (size_t s = 0; s < slots.size(); ++s) {
    Slot &slot = slots[s];
    if (slot.isFree)
      continue;
    slot.usedIn = rounds;
    slot.held += size_t(count[s]);
    if (slot.left() == 0)
      extend(slot, logits.subspan(
                       s * decoder.vocabulary(),
                       std::min(decoder.vocabulary(), decoder.tokenBound())));
  }
}

void Engine::extend(Slot &slot, std::span<const float> logits) {
  const Request &request = slot.request;
  const std::optional<int32_t> token =
      draw(logits, slot.text, request.draw,
           chanceOf(request.seed, request.sample, slot.text.size()));
  if (!token)
    return end(slot, End::Nonfinite);
  const bool isEnd = std::ranges::find(endIds, *token) != endIds.end();
  if (!isEnd || tellsEnd)
    events.push_back({request.id, *token});
  if (isEnd)
    return end(slot, End::Token);
  slot.text.push_back(*token);
  if (slot.text.size() - request.ids.size() >= request.most)
    end(slot, End::Length);
  else if (slot.text.size() >= decoder.positions())
    end(slot, End::Full);
}
