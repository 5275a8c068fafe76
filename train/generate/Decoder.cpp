//===- Decoder.cpp - Documents of a sequence, and ways back ---------------===//
#include "train/generate/Decoder.h"

#include <algorithm>

using namespace zrt;

size_t Decoder::resume(size_t held, size_t at) const {
  const size_t every = keptEvery();
  return every == 0 || at >= held - held % every ? at : 0;
}

size_t Decoder::documentOf(std::span<const int32_t> text, size_t at) const {
  const std::optional<int32_t> end = separator();
  size_t begin = at;
  while (begin > 0 && text[begin - 1] != end)
    --begin;
  return end ? begin : 0;
}

size_t Decoder::runOf(std::span<const int32_t> text, size_t at,
                      size_t most) const {
  const auto some = text.subspan(at, std::min(text.size() - at, most));
  const std::optional<int32_t> end = separator();
  const auto last = end ? std::ranges::find(some, *end) : some.end();
  return last == some.end() ? some.size() : size_t(last - some.begin()) + 1;
}
