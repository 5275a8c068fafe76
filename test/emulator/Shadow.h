//===- Shadow.h - The last accesses to each word ----------------*- C++ -*-===//
//
// Each word of 4 bytes has eight records of accesses.  An access is compared
// with all of them, then recorded: in place of a record that it is ordered
// after and makes redundant, otherwise in an empty place, otherwise in a random
// one.
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <unordered_map>

namespace zge {

/// One access to bytes of a word.
struct Access {
  uint32_t block, thread;
  uint32_t time; ///< the thread's count of meetings
  uint8_t bytes; ///< one bit for each byte of the word
  bool writes;
};

class Shadow {
public:
  /// Forgets all accesses, when a launch or a block begins.
  void clear() { ++generation; }

  /// Records an access to `size` bytes.  `isBefore(old)` returns true if an
  /// access of the same block is ordered before this one.  Returns the access
  /// that it races with, if any.
  template <typename IsBefore>
  std::optional<Access> record(uintptr_t address, uint64_t size, Access access,
                               std::minstd_rand &random, IsBefore isBefore) {
    while (size > 0) {
      const auto inWord = address % 4;
      const auto here = size < 4 - inWord ? size : 4 - inWord;
      access.bytes = uint8_t(((1u << here) - 1) << inWord);
      if (auto other = recordWord(wordAt(address), access, random, isBefore))
        return other;
      address += here;
      size -= here;
    }
    return std::nullopt;
  }

private:
  static constexpr uint64_t kPageBytes = 4096;
  static constexpr size_t kPlaces = 8;
  using Word = std::array<uint64_t, kPlaces>; ///< packed accesses, 0: none
  struct Page {
    std::array<uint64_t, kPageBytes / 4> generations; ///< of each word
    std::array<Word, kPageBytes / 4> words;
  };

  Word &wordAt(uintptr_t address);
  static uint64_t pack(const Access &access) {
    return 1 | uint64_t(access.writes) << 1 | uint64_t(access.bytes) << 2 |
           uint64_t(access.thread) << 6 |
           uint64_t(access.time & 0xffffff) << 16 |
           uint64_t(access.block & 0xffffff) << 40;
  }
  static Access unpack(uint64_t bits) {
    return {uint32_t(bits >> 40), uint32_t(bits >> 6) & 0x3ff,
            uint32_t(bits >> 16) & 0xffffff, uint8_t(bits >> 2 & 15),
            (bits >> 1 & 1) != 0};
  }

  template <typename IsBefore>
  static std::optional<Access> recordWord(Word &word, const Access &access,
                                          std::minstd_rand &random,
                                          IsBefore isBefore) {
    uint64_t *place = nullptr;
    for (uint64_t &bits : word) {
      if (bits == 0) {
        if (!place)
          place = &bits;
        break; // places are filled in order
      }
      const Access old = unpack(bits);
      const bool sameBlock = old.block == (access.block & 0xffffff);
      const bool before =
          sameBlock && (old.thread == access.thread || isBefore(old));
      if (!before && (old.bytes & access.bytes) &&
          (old.writes || access.writes))
        return old;
      if (before && (old.bytes & ~access.bytes) == 0 &&
          (access.writes || !old.writes))
        place = &bits;
    }
    if (!place)
      place = &word[random() % kPlaces];
    *place = pack(access);
    return std::nullopt;
  }

  uint64_t generation = 1;
  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages;
  uintptr_t lastNumber = ~uintptr_t{0};
  Page *last = nullptr;
};

} // namespace zge
